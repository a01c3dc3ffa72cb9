package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"time"
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
	Tree Hash // of the tip; zero when there is no commit yet

	s     *Store
	lock  *gitLock
	index *gitIndex              // nil when there is none that can be read
	was   []byte                 // the file of git's index; nil for none
	odd   error                  // why mem cannot keep git's index up to date; nil if it can
	seen  map[string]fs.FileInfo // of the files looked at; nil for an absent one

	// behind is what files hold that have yet to follow the tip, zero for
	// nothing. Only a reader finds any: a writer lets them follow first.
	behind map[string]Hash
}

// Begin locks git's index, waiting at most wait for somebody else's lock, and
// reads where the branch stands.
func (s *Store) Begin(ctx context.Context, wait time.Duration) (*Tx, error) {
	lock, err := s.lockIndex(ctx, wait)
	if err != nil {
		return nil, err
	}
	t := &Tx{s: s, lock: lock, seen: map[string]fs.FileInfo{}}
	if err := t.load(); err != nil {
		return nil, errors.Join(err, t.Abort())
	}
	return t, nil
}

// Peek is Begin without the lock, for readers: nothing on the disk changes,
// and the result cannot be published.
func (s *Store) Peek() (*Tx, error) {
	t := &Tx{s: s, seen: map[string]fs.FileInfo{}}
	var err error
	if t.Head, err = s.Head(); err != nil {
		return nil, err
	}
	if !t.Head.Tip.IsZero() {
		tip, err := s.Commit(t.Head.Tip)
		if err != nil {
			return nil, err
		}
		t.Tree = tip.Tree
	}
	// After the branch: the journal is there until all has followed.
	t.behind = s.behind(t.Head)
	if data, info, err := s.d.ReadState(indexPath, maxFile); err == nil {
		// Only a shortcut here: without it the files themselves are read.
		if t.index, err = parseIndex(data); errors.Is(err, errIndexKind) {
			t.odd = err
		}
		if err == nil {
			t.index.written, t.index.strict = info.ModTime(), true
		}
	}
	return t, nil
}

func (t *Tx) load() (err error) {
	if t.Head, err = t.s.Head(); err != nil {
		return err
	}
	if !t.Head.Tip.IsZero() {
		tip, err := t.s.Commit(t.Head.Tip)
		if err != nil {
			return err
		}
		t.Tree = tip.Tree
	}
	err = t.readIndex()
	if errors.Is(err, errIndexKind) {
		t.odd, err = err, nil
	}
	return err
}

// Busy reports, as an error that wraps ErrBusy, why nothing can be committed
// now, given the branch that mem commits to; "" stands for any.
func (t *Tx) Busy(branch string) error {
	if err := t.s.busy(t.Head, branch); err != nil {
		return err
	}
	if t.odd != nil {
		// Committing without it would leave the old content staged, for a
		// person's next commit to bring back.
		return fmt.Errorf("%w: %w", ErrBusy, t.odd)
	}
	if t.index != nil && t.index.unmerged() {
		return fmt.Errorf("%w: a conflict is not resolved yet", ErrBusy)
	}
	return nil
}

// readIndex reads git's index. One that is damaged is set aside and made anew
// from the tip; for one of a kind that mem does not know the error wraps
// errIndexKind.
func (t *Tx) readIndex() error {
	data, err := t.s.d.Read(indexPath, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.index, err = t.s.indexOf(t.Tree)
		return err
	case err != nil:
		return fmt.Errorf("read git index: %w", err)
	}
	t.was = data
	x, err := parseIndex(data)
	switch {
	case errors.Is(err, errIndexKind):
		return err
	case err != nil:
		t.s.warn(fmt.Sprintf("git's index was unreadable and is made anew; the old one is in %s: %v", RescueDir, err))
		if err := t.s.rescue(indexPath, data); err != nil {
			return err
		}
		t.index, err = t.s.indexOf(t.Tree)
		return err
	}
	if info, err := t.s.d.Lstat(indexPath); err == nil {
		x.written = info.ModTime()
	}
	t.index = x
	return nil
}

// indexOf makes an index with the files of a tree.
func (s *Store) indexOf(tree Hash) (*gitIndex, error) {
	x := &gitIndex{version: 2}
	files, err := s.Files(tree, nil)
	if err != nil {
		return nil, err
	}
	for name, blob := range files {
		x.set(name, blob, nil)
	}
	return x, nil
}

// rescue keeps a copy of content that is about to be replaced.
func (s *Store) rescue(name string, content []byte) error {
	to := RescueDir + "/" + BlobHash(content).String()[:12] + "-" + path.Base(name)
	if s.d.Exists(to) {
		return nil
	}
	if err := s.d.Write(to, content, TempDir); err != nil {
		return fmt.Errorf("rescue %s: %w", name, err)
	}
	return nil
}

// A File is a file of the work tree as it was when somebody looked.
type File struct {
	Exists  bool
	Data    []byte // unless the caller did not ask for it and it equals the tip's
	Blob    Hash   // of Data; zero for an absent file
	Changed bool   // it differs from the tip
	Staged  bool   // git's index differs from the tip
}

// Look reads the file at name and compares it with the tip, whose blob there
// is tip. With content false, a file that git's index proves unchanged is not
// read. A file that has yet to follow the tip counts as if it had, and one that
// is ahead of a reader's tip as if it were not.
func (t *Tx) Look(name string, tip Hash, content bool) (File, error) {
	f := File{Staged: t.staged(name, tip)}
	info, err := t.s.d.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.seen[name] = nil
		if !tip.IsZero() && t.index != nil && t.index.skips(name) {
			return t.s.hidden(f, tip, content)
		}
		if t.follows(name, Hash{}) || !tip.IsZero() && t.overtaken(name, Hash{}) {
			return t.s.hidden(f, tip, content)
		}
		f.Changed = !tip.IsZero()
		return f, nil
	}
	if err != nil {
		return f, fmt.Errorf("look at %s: %w", name, err)
	}
	t.seen[name] = info
	f.Exists = true
	proven := t.index != nil && !tip.IsZero() && t.index.unchanged(name, tip, info)
	if proven && !content {
		f.Blob = tip
		return f, nil
	}
	if f.Data, t.seen[name], err = t.s.d.ReadState(name, maxFile); err != nil {
		return f, fmt.Errorf("read %s: %w", name, err)
	}
	proven = proven && sameState(info, t.seen[name])
	f.Blob = tip
	if !proven {
		f.Blob = BlobHash(f.Data)
	}
	switch {
	case f.Blob == tip:
	case t.follows(name, f.Blob):
		return t.s.hidden(File{Staged: f.Staged}, tip, content)
	case !t.overtaken(name, f.Blob):
		f.Changed = true
	case !tip.IsZero(): // one that is new stays as it is: whoever lists the folder finds it
		return t.s.hidden(File{Staged: f.Staged}, tip, content)
	}
	return f, nil
}

// follows reports whether a file with this content has yet to follow the tip.
func (t *Tx) follows(name string, blob Hash) bool {
	before, behind := t.behind[name]
	return behind && before == blob
}

// maxOvertaken is how many commits are looked through, newest first, for the
// one that a reader was overtaken by.
const maxOvertaken = 100

// overtaken reports whether a file has this content from a commit made since
// this reader began, and so from nobody's edit. While a writer is at work no
// commit gets ahead of it.
func (t *Tx) overtaken(name string, blob Hash) bool {
	if t.lock != nil {
		return false
	}
	head, err := t.s.Head()
	if err != nil || head.Ref != t.Head.Ref {
		return false
	}
	found, n := false, 0
	err = t.s.History(head.Tip, func(c Commit) bool {
		if n++; c.Hash == t.Head.Tip || n > maxOvertaken {
			return false
		}
		there, err := t.s.Find(c.Tree, name)
		found = err == nil && there == blob
		return err == nil && !found
	})
	return err == nil && found
}

// hidden completes the look at a file that a person told git to leave out of
// the work tree, or that holds another commit's content: it holds what the tip
// holds.
func (s *Store) hidden(f File, tip Hash, content bool) (_ File, err error) {
	f.Exists, f.Blob = !tip.IsZero(), tip
	if f.Exists && content {
		f.Data, err = s.Blob(tip)
	}
	return f, err
}

// staged reports whether a person staged something at path.
func (t *Tx) staged(path string, tip Hash) bool {
	if t.index == nil {
		return false
	}
	i, found := t.index.find(path)
	if !found {
		return false
	}
	e := &t.index.entries[i]
	return e.hash() != tip && !bytes.Equal(e.more, []byte{0x20, 0})
}

// moved reports whether a file that was looked at is not what it was.
func (t *Tx) moved(path string) bool {
	was, looked := t.seen[path]
	now, err := t.s.d.Lstat(path)
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
	return t.lock.release()
}
