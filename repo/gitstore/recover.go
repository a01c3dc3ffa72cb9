package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/reflog"
)

// Recover finishes or drops what a process that died left behind. home is
// the branch that mem commits to; "" if there is none yet. The caller holds the
// lock at LockPath. Nothing a person wrote is touched, and git's own locks are
// waited for, at most wait, never removed.
func (s *Store) Recover(ctx context.Context, home string, wait time.Duration) error {
	if err := s.Reap(ctx, home, wait); err != nil {
		return err
	}
	if _, found, err := s.readJournal(); err != nil || !found {
		return err
	}
	t, err := s.Begin(ctx, wait)
	if err != nil {
		return err
	}
	if err := t.finishJournal(ctx); err != nil {
		return errors.Join(err, t.Abort())
	}
	return nil
}

// Reap removes the locks and temporary files that a process of mem left which died. The caller holds
// the lock at LockPath; home is as in Recover.
func (s *Store) Reap(ctx context.Context, home string, wait time.Duration) error {
	head, err := s.ReadHead()
	if err != nil {
		return err
	}
	j, _, err := s.readJournal()
	if err != nil {
		return err
	}
	locks := []string{indexLockPath}
	for _, ref := range []string{head.Ref, home, j.Ref} {
		if isRef(ref) {
			locks = append(locks, gitDir+"/"+ref+".lock")
		}
	}
	return s.locks.Reap(ctx, wait, locks)
}

// ReplaceIndex puts a file of TempDir in the place of git's index. git's lock is waited for, at most wait.
func (s *Store) ReplaceIndex(ctx context.Context, temp string, wait time.Duration) error {
	lock, err := s.locks.TakeWith(ctx, temp, indexLockPath, wait)
	if err != nil {
		return err
	}
	if err = lock.Commit(indexPath); err == nil {
		err = s.d.SyncDir(gitDir) // before the name goes by which the lock is known
	}
	return errors.Join(err, lock.Release())
}

// finishJournal does what the journal asks for, and ends the transaction unless
// it fails.
func (t *Tx) finishJournal(ctx context.Context) error {
	j, found, err := t.Store.readJournal() // again, now that no other process can write one
	if err != nil {
		return err
	}
	done := false
	if found {
		if done, err = t.Store.hasHappened(t.Head, j); err != nil {
			return err
		}
	}
	isCut := found && !done && t.isCutOff(j)
	if !found || !done && !isCut && !t.isIndexAhead(j) {
		return errors.Join(t.Store.d.Remove(journalPath), t.Abort())
	}
	if err := t.CheckBusy(j.Ref); err != nil {
		return fmt.Errorf("commit %.12s was interrupted and waits to be finished: %w", j.New, err)
	}
	// The process may have died before it could flush the move.
	if err := t.Store.d.SyncDir(path.Dir(gitDir + "/" + j.Ref)); err != nil {
		return fmt.Errorf("flush interrupted commit %.12s: %w", j.New, err)
	}
	if isCut {
		err = t.moveAgain(ctx, j)
	}
	if err == nil && (done || isCut) {
		err = t.noteMove(j)
	}
	if err != nil {
		return fmt.Errorf("finish interrupted commit %.12s: %w", j.New, err)
	}
	if err := t.finish(j, done || isCut); err != nil {
		return fmt.Errorf("finish interrupted commit %.12s: %w", j.New, err)
	}
	return t.Store.d.Remove(journalPath)
}

// isCutOff reports whether a power cut took back the move of the branch that a journal says,
// and left of what followed it a line in git's log or a file. A kill leaves no such state, and
// what a person did since to the branch is in git's log.
func (t *Tx) isCutOff(j journal) bool {
	if t.Head.Ref != j.Ref || t.Head.Tip.String() != j.Old {
		return false
	}
	tips, _ := reflog.ReadTips(t.Store.d, j.Ref)
	logged, own := slices.Index(tips, hashOf(j.New)), reflog.ReadOwn(t.Store.d, j.Ref)
	isCut := logged == 0 && len(own) > 0 && own[0] == tips[0]
	isCut = isCut || logged <= 0 && (slices.ContainsFunc(j.Puts, func(p journalPut) bool {
		f, err := t.Look(p.Path, object.Hash{}, false)
		return err == nil && p.Blob != p.Before && f.Blob.String() == p.Blob
	}) || slices.ContainsFunc(slices.Collect(maps.Keys(j.Notes)), func(name string) bool { return t.Store.isNoted(name, j.Notes[name]) }))
	if !isCut {
		return false
	}
	_, err := t.Store.ReadCommit(hashOf(j.New))
	return err == nil
}

// moveAgain moves the branch as a journal says.
func (t *Tx) moveAgain(ctx context.Context, j journal) error {
	marks, ref := t.Store.d.NewBatch(TempDir), gitDir+"/"+j.Ref
	err := marks.Add(ref, []byte(j.New+"\n"))
	if err == nil {
		err = errors.Join(t.Store.d.FlushAll(TempDir, marks)) // with the name, by which the lock is known
	}
	temp, err2 := marks.TakeTemp(ref)
	if err = errors.Join(err, err2); err != nil {
		return errors.Join(err, marks.Discard())
	}
	lock, err := t.Store.locks.TakeWith(ctx, temp, ref+".lock", time.Second)
	if err != nil {
		return errors.Join(err, t.Store.d.Remove(temp))
	}
	if now, readErr := t.Store.ReadHead(); readErr != nil || now != t.Head {
		err = fmt.Errorf("%w: %s, %w", ErrLost, shortRef(j.Ref), readErr)
	}
	if err == nil {
		err = lock.Commit(ref)
	}
	if err = errors.Join(err, lock.Release()); err == nil {
		err = errors.Join(t.Store.d.SyncDir(path.Dir(ref)), t.readTip())
	}
	return err
}

// noteMove completes git's log of the branch, which may have missed that it was moved.
func (t *Tx) noteMove(j journal) error {
	tips, _ := reflog.ReadTips(t.Store.d, j.Ref)
	tip := hashOf(j.New)
	if t.Head.Tip != tip || slices.Contains(tips, tip) {
		return nil
	}
	c, err := t.Store.ReadCommit(tip)
	if err != nil {
		return err
	}
	return reflog.Append(t.Store.d, j.Ref, hashOf(j.Old), tip, object.Signature(c.Committer, c.When), reflog.Own+c.Subject())
}

// isIndexAhead reports whether git's index holds what a journal's commit puts.
func (t *Tx) isIndexAhead(j journal) bool {
	return t.index != nil && slices.ContainsFunc(j.Puts, func(p journalPut) bool {
		return p.Index != p.Blob && t.index.BlobAt(p.Path).String() == p.Blob
	})
}

// maxSearch is how far back a commit of ours is looked for among those that
// a person made after it.
const maxSearch = 10_000

// hasHappened reports whether the commit of a journal is in the history of the
// branch that it was made for, whatever is checked out now.
func (s *Store) hasHappened(head Head, j journal) (bool, error) {
	tip := head.Tip
	if head.Ref != j.Ref {
		var err error
		if tip, err = s.readRef(j.Ref); err != nil {
			return false, err
		}
	}
	if tip.IsZero() && j.Old != tip.String() {
		return false, fmt.Errorf("%w: %s is gone; the journal says that it pointed to %s", object.ErrDamaged, j.Ref, j.Old)
	}
	seen := map[object.Hash]bool{}
	for todo := []object.Hash{tip}; len(todo) > 0 && len(seen) < maxSearch; todo = todo[1:] {
		if todo[0].String() == j.New {
			return true, nil
		}
		if seen[todo[0]] || todo[0].String() == j.Old {
			continue
		}
		seen[todo[0]] = true
		c, err := s.ReadCommit(todo[0])
		if err != nil {
			return false, err
		}
		todo = append(todo, c.Parents...)
	}
	return false, nil
}

// finish lets the work tree and git's index follow a commit whose branch has
// moved. Of one whose branch has not, it takes back what git's index holds
// already, unless a person committed that. A file that holds neither what was
// there before nor what the commit put is a person's, and is left alone.
func (t *Tx) finish(j journal, done bool) error {
	files := t.Store.d.NewBatch(TempDir)
	var puts []Put
	for _, p := range j.Puts {
		put, err := t.redo(p, done)
		if err != nil {
			return errors.Join(err, files.Discard())
		}
		if put == nil {
			continue
		}
		puts = append(puts, *put)
		if err := put.stage(files); err != nil {
			return errors.Join(err, files.Discard())
		}
		files.SyncParents(put.Path)
	}
	if done {
		if err := j.Notes.stage(files); err != nil {
			return errors.Join(err, files.Discard())
		}
	}
	if err := t.replaceNow(files, puts); err != nil {
		return errors.Join(err, files.Discard())
	}
	return nil
}

// redo says what must be done about one file of a journal, or nil if that is
// nothing or a person changed it since.
func (t *Tx) redo(p journalPut, done bool) (*Put, error) {
	blob, err := t.Store.FindBlob(t.Tree, p.Path)
	if err != nil {
		return nil, err
	}
	// What the commit left alone in git's index no person can have committed with it.
	if !done && (blob.String() != p.Blob || p.Index == p.Blob) {
		if t.index.BlobAt(p.Path).String() == p.Blob {
			t.index.Set(p.Path, hashOf(p.Index), nil)
		}
		return nil, nil
	}
	if !done && blob.IsZero() && hashOf(p.Index).IsZero() {
		return nil, nil // git never had the file: that the history lacks it says nothing
	}
	f, err := t.Look(p.Path, blob, false)
	if err != nil {
		return nil, err
	}
	if f.Blob != blob && f.Blob != hashOf(p.Before) {
		return nil, nil
	}
	put := &Put{Path: p.Path, Blob: blob, Before: f.Blob}
	if f.Blob != blob && !blob.IsZero() {
		put.Data, err = t.Store.ReadBlob(blob)
	}
	return put, err
}

// readJournal returns the journal, if there is one.
func (s *Store) readJournal() (j journal, found bool, err error) {
	line, err := s.d.ReadFile(journalPath, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return journal{}, false, nil
	}
	if err != nil {
		return journal{}, false, fmt.Errorf("read journal: %w", err)
	}
	if j, err = parseJournal(line); err != nil {
		// The journal is complete before the branch moves, so this one
		// belongs to a commit that never was, on a disk that lied.
		s.Warn(fmt.Sprintf("an unreadable journal was set aside in %s", rescueDir))
		_, err := s.Rescue(journalPath, line)
		return journal{}, false, errors.Join(err, s.d.Remove(journalPath))
	}
	return j, true, nil
}

// A journal says what a commit changes.
type journal struct {
	Ref  string       `json:"ref"`
	Old  string       `json:"old"`
	New  string       `json:"new"`
	Puts []journalPut `json:"puts"`

	Notes Notes `json:"notes,omitzero"`
}

// A journalPut is one file of it.
type journalPut struct {
	Path   string `json:"path"`
	Before string `json:"before"` // in the work tree
	Index  string `json:"index"`  // in git's index
	Blob   string `json:"blob"`   // what the commit puts there
}

// hashOf reads a hash of the journal; zero if it is not one.
func hashOf(s string) object.Hash {
	h, _ := object.ParseHash(s)
	return h
}

// parseJournal decodes a journal. Each path in it is one that a work tree can hold, and its
// branch is a ref; anything else was not written by mem.
func parseJournal(line []byte) (j journal, err error) {
	if err := json.Unmarshal(line, &j); err != nil {
		return journal{}, err
	}
	if !isRef(j.Ref) {
		return journal{}, fmt.Errorf("branch %q", j.Ref)
	}
	for _, p := range j.Puts {
		if !isValidPath(p.Path) {
			return journal{}, fmt.Errorf("path %q", p.Path)
		}
	}
	for name := range j.Notes {
		if !strings.HasPrefix(name, PrivateDir+"/") && !strings.HasPrefix(name, gitDir+"/refs/worktree/") || path.Clean(name) != name {
			return journal{}, fmt.Errorf("note %q", name)
		}
	}
	return j, nil
}

// isValidPath reports whether path may name a file of the work tree.
func isValidPath(path string) bool {
	if !disk.IsPath(path) {
		return false
	}
	for step := range strings.SplitSeq(path, "/") {
		if !object.IsValidName(step) {
			return false
		}
	}
	return true
}
