package gitstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"

	"mem/repo/gitstore/gitconfig"
	"mem/repo/gitstore/gitindex"
	"mem/repo/gitstore/gitlock"
	"mem/repo/gitstore/object"
)

// maxFile bounds the files of a memory root that mem reads.
const maxFile = 1 << 30

// A Tx is one attempt to commit. While it is open git's index is locked, so
// that no git command can stage or commit what mem is about to change.
//
// The caller holds the lock at LockPath, and ends every Tx with Publish or
// Abort.
type Tx struct {
	Head Head
	Tree object.Hash // of the tip; zero when there is no commit yet

	Store *Store

	lock  *gitlock.Lock
	index *gitindex.Index        // nil when there is none that can be read
	was   []byte                 // the file of git's index; nil for none
	odd   error                  // why mem cannot keep git's index up to date; nil if it can
	seen  map[string]fs.FileInfo // of the files looked at; nil for an absent one

	// behind is what files hold that have yet to follow the tip, zero for
	// nothing. Only a reader finds any: a writer lets them follow first.
	behind map[string]object.Hash

	// underWay says what git has not ended and how a person ends it; "" for
	// nothing. A reader then reads the tip alone: the work tree is half of this and
	// half of that, with conflict markers.
	underWay string
}

// Begin locks git's index, waiting at most wait for git's own lock, and reads
// where the branch stands.
func (s *Store) Begin(ctx context.Context, wait time.Duration) (*Tx, error) {
	lock, err := s.locks.Take(ctx, indexLockPath, wait)
	if err != nil {
		return nil, err
	}
	t := &Tx{Store: s, lock: lock, seen: map[string]fs.FileInfo{}}
	if err = t.readTip(); err == nil {
		err = t.readIndex()
	}
	if err != nil {
		return nil, errors.Join(err, t.Abort())
	}
	return t, nil
}

// Peek is Begin without the lock, for readers: nothing on the disk changes,
// and the result cannot be published. While git waits for a person to end something
// it says so, once.
func (s *Store) Peek() (*Tx, error) {
	t := &Tx{Store: s, seen: map[string]fs.FileInfo{}}
	if err := t.readTip(); err != nil {
		return nil, err
	}
	// After the branch: the journal is there until all has followed.
	t.behind = s.readBehind(t.Head)
	if data, info, err := s.d.ReadState(indexPath, maxFile); err == nil {
		// Only a shortcut here: without it the files themselves are read.
		if t.index, err = gitindex.Parse(data); errors.Is(err, gitindex.ErrKind) {
			t.odd = err
		}
		if err == nil {
			t.index.Written, t.index.Strict = info.ModTime(), true
		}
	}
	t.ReadTipAlone(t.findUnderWay())
	return t, nil
}

// readTip reads where the branch stands.
func (t *Tx) readTip() (err error) {
	t.Store.damaged = false
	if t.Head, err = t.Store.ReadHead(); err != nil || t.Head.Tip.IsZero() {
		return err
	}
	tip, err := t.Store.ReadCommit(t.Head.Tip)
	t.Tree = tip.Tree
	return err
}

// readIndex reads git's index. One that is damaged is set aside and made anew
// from the tip.
func (t *Tx) readIndex() error {
	data, info, err := t.Store.d.ReadState(indexPath, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return t.remakeIndex()
	}
	if err != nil {
		return fmt.Errorf("read git index: %w", err)
	}
	t.was = data
	x, err := gitindex.Parse(data)
	if errors.Is(err, gitindex.ErrKind) {
		t.odd = err
		return nil
	}
	if err != nil {
		t.Store.Warn(fmt.Sprintf("git's index was unreadable and is made anew; the old one is in %s: %v", rescueDir, err))
		if _, err := t.Store.Rescue(indexPath, data); err != nil {
			return err
		}
		return t.remakeIndex()
	}
	t.index, x.Written = x, info.ModTime()
	return nil
}

// remakeIndex makes an index with the files of the tip.
func (t *Tx) remakeIndex() error {
	files, err := t.Store.ListFiles(t.Tree, nil)
	if err != nil {
		return err
	}
	t.index = gitindex.New()
	for name, blob := range files {
		t.index.Set(name, blob, nil)
	}
	return nil
}

// Rescue keeps a copy of content that is about to be replaced, and returns where.
func (s *Store) Rescue(name string, content []byte) (string, error) {
	to := rescueDir + "/" + object.HashOf(object.KindBlob, content).String()[:12] + "-" + path.Base(name)
	if s.d.Exists(to) {
		return to, nil
	}
	if err := s.d.WriteFile(to, content, TempDir); err != nil {
		return "", fmt.Errorf("rescue %s: %w", name, err)
	}
	return to, nil
}

// Staged returns git's index; nil when there is none that can be read.
func (t *Tx) Staged() *gitindex.Index { return t.index }

// A File is a file of the work tree as Look found it.
type File struct {
	Exists  bool
	Data    []byte      // unless the caller did not ask for it and it equals the tip's
	Blob    object.Hash // of Data; zero for an absent file
	Changed bool        // it differs from the tip
	Staged  bool        // git's index differs from the tip
}

// Look reads the file at name and compares it with the tip, whose blob there
// is tip. With content false, a file that git's index proves unchanged is not
// read. A file that has yet to follow the tip counts as if it had, and one that
// is ahead of a reader's tip as if it were not.
func (t *Tx) Look(name string, tip object.Hash, content bool) (File, error) {
	if t.underWay != "" {
		return t.Store.asTip(File{}, tip, content)
	}
	f := File{Staged: t.index != nil && t.index.IsStaged(name, tip)}
	info, err := t.Store.d.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return t.lookAtAbsent(f, name, tip, content)
	}
	if err != nil {
		return f, fmt.Errorf("look at %s: %w", name, err)
	}
	t.seen[name] = info
	f.Exists = true
	proven := t.index != nil && !tip.IsZero() && t.index.ProvesUnchanged(name, tip, info)
	if proven && !content {
		f.Blob = tip
		return f, nil
	}
	if f.Data, t.seen[name], err = t.Store.d.ReadState(name, maxFile); err != nil {
		return f, fmt.Errorf("read %s: %w", name, err)
	}
	f.Blob = tip
	if !proven || !sameState(info, t.seen[name]) {
		f.Blob = object.HashOf(object.KindBlob, f.Data)
	}
	if f.Blob == tip {
		return f, nil
	}
	return t.compare(f, name, tip, content)
}

// compare completes the look at a file that is not what the tip holds.
func (t *Tx) compare(f File, name string, tip object.Hash, content bool) (File, error) {
	behind := t.isBehind(name, f.Blob)
	if f.Changed = !behind && !t.isOvertaken(name, f.Blob); f.Changed {
		return f, nil
	}
	if !behind && tip.IsZero() { // new, of a later commit: readers that list the folder find it
		return f, nil
	}
	return t.Store.asTip(File{Staged: f.Staged}, tip, content)
}

// lookAtAbsent is Look for a name without a file.
func (t *Tx) lookAtAbsent(f File, name string, tip object.Hash, content bool) (File, error) {
	t.seen[name] = nil
	skipped := !tip.IsZero() && t.index != nil && t.index.IsSkipped(name)
	if skipped || t.isBehind(name, object.Hash{}) || !tip.IsZero() && t.isOvertaken(name, object.Hash{}) {
		return t.Store.asTip(f, tip, content)
	}
	f.Changed = !tip.IsZero()
	return f, nil
}

// isBehind reports whether a file with this content has yet to follow the tip.
func (t *Tx) isBehind(name string, blob object.Hash) bool {
	before, behind := t.behind[name]
	return behind && before == blob
}

// maxOvertaken is how many commits are looked through, newest first, for the
// one that a reader was overtaken by.
const maxOvertaken = 100

// isOvertaken reports whether a file has this content from a commit made since
// this reader began, and so not from an edit. While a writer is at work no
// commit gets ahead of it.
func (t *Tx) isOvertaken(name string, blob object.Hash) bool {
	if t.lock != nil {
		return false
	}
	head, err := t.Store.ReadHead()
	if err != nil || head.Ref != t.Head.Ref {
		return false
	}
	found, n := false, 0
	err = t.Store.WalkHistory(head.Tip, func(c object.Commit) bool {
		if n++; c.Hash == t.Head.Tip || n > maxOvertaken {
			return false
		}
		there, err := t.Store.FindBlob(c.Tree, name)
		found = err == nil && there == blob
		return err == nil && !found
	})
	return err == nil && found
}

// asTip completes the look at a file that a person told git to leave out of the
// work tree, or that holds another commit's content: it counts as what the tip
// holds.
func (s *Store) asTip(f File, tip object.Hash, content bool) (_ File, err error) {
	f.Exists, f.Blob = !tip.IsZero(), tip
	if f.Exists && content {
		f.Data, err = s.ReadBlob(tip)
	}
	return f, err
}

// hasMoved reports whether a file that was looked at is not what it was.
func (t *Tx) hasMoved(path string) bool {
	was, looked := t.seen[path]
	now, err := t.Store.d.Lstat(path)
	switch {
	case !looked, err != nil && !errors.Is(err, fs.ErrNotExist):
		return true
	case was == nil || err != nil:
		return was != nil || err == nil
	}
	return !sameState(was, now)
}

// Abort gives git's index back as it was.
func (t *Tx) Abort() error {
	if t.lock == nil {
		return nil
	}
	return t.lock.Release()
}

// findUnderWay says what a person has not ended and how to; "" if there is nothing. Of
// what a squash left staged mem would take half in as edits.
func (t *Tx) findUnderWay() string {
	what := gitconfig.FindOperation(t.Store.d)
	if t.Store.d.Exists(gitconfig.PurgePath) && !t.Store.Purging {
		what = "a purge is not finished, and what it takes out may still be here; 'mem purge --continue' finishes it"
	}
	if what == "" && t.index != nil && t.index.HasConflict() {
		what = fmt.Sprintf("a conflict is not resolved yet in %s; 'git status' there names the files, and 'git add' marks each as resolved", t.Store.d.Path())
	}
	if what == "" && t.Store.d.Exists(".git/SQUASH_MSG") {
		if files, err := t.Store.ListFiles(t.Tree, nil); err == nil && len(t.index.ListStaged(files)) > 0 {
			what = fmt.Sprintf("a squash merge is staged in %s; 'git commit' there ends it", t.Store.d.Path())
		}
	}
	return what
}

// ReadTipAlone makes a Peek read the tip alone, and says why, once. "" changes nothing.
func (t *Tx) ReadTipAlone(why string) {
	if t.underWay = cmp.Or(t.underWay, why); t.underWay != "" && !t.Store.warned {
		t.Store.warned = true
		t.Store.Warn("the last commit is read: " + t.underWay)
	}
}

// ReadAlone makes the attempt read its commit alone, whatever the work tree holds, and says nothing.
func (t *Tx) ReadAlone() {
	t.underWay = cmp.Or(t.underWay, "another commit is read than the branch holds")
}

// UnderWay is what findUnderWay said to a Peek. Look and ListNames then find the tip's.
func (t *Tx) UnderWay() string { return t.underWay }

// CheckBusy returns an error that wraps ErrBusy if a person is in the middle of
// something or nothing can be committed now, given the branch that mem commits to;
// "" stands for any.
func (t *Tx) CheckBusy(branch string) error {
	if what := cmp.Or(t.findUnderWay(), gitconfig.DescribeAway(t.Head.Ref, branch)); what != "" {
		return fmt.Errorf("%w: %s", ErrBusy, what)
	}
	if t.odd != nil {
		// Committing without it would leave the old content staged, for a
		// person's next commit to bring back.
		return fmt.Errorf("%w: %w", ErrBusy, t.odd)
	}
	return nil
}
