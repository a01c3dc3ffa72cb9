package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
)

// Recover finishes or drops what a process that died left behind. branch is
// the one that mem commits to; "" if there is none yet. The caller holds the
// lock at LockPath. Nothing a person wrote is touched, and git's own locks are
// waited for, at most wait, never removed.
func (s *Store) Recover(ctx context.Context, branch string, wait time.Duration) error {
	head, err := s.ReadHead()
	if err != nil {
		return err
	}
	j, found, err := s.readJournal()
	if err != nil {
		return err
	}
	locks := []string{indexLockPath}
	for _, ref := range []string{head.Ref, branch, j.Ref} {
		if isRef(ref) {
			locks = append(locks, gitDir+"/"+ref+".lock")
		}
	}
	if err := s.locks.Reap(ctx, wait, locks); err != nil || !found {
		return err
	}
	t, err := s.Begin(ctx, wait)
	if err != nil {
		return err
	}
	if err := t.finishJournal(); err != nil {
		return errors.Join(err, t.Abort())
	}
	return nil
}

// finishJournal does what the journal asks for, and ends the transaction unless
// it fails.
func (t *Tx) finishJournal() error {
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
	if !found || !done && !t.isIndexAhead(j) {
		return errors.Join(t.Store.d.Remove(journalPath), t.Abort())
	}
	if err := t.CheckBusy(j.Ref); err != nil {
		return fmt.Errorf("commit %.12s was interrupted and waits to be finished: %w", j.New, err)
	}
	// The process may have died before it could flush the move.
	if err := t.Store.d.SyncDir(path.Dir(gitDir + "/" + j.Ref)); err != nil {
		return fmt.Errorf("flush interrupted commit %.12s: %w", j.New, err)
	}
	if err := t.finish(j, done); err != nil {
		return fmt.Errorf("finish interrupted commit %.12s: %w", j.New, err)
	}
	return t.Store.d.Remove(journalPath)
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
	if err := t.replace(files, puts); err != nil {
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

// A journal says what a commit under way changes, so that the next process
// can finish it.
type journal struct {
	Ref  string       `json:"ref"`
	Old  string       `json:"old"`
	New  string       `json:"new"`
	Puts []journalPut `json:"puts"`
}

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

// parseJournal decodes a journal. Each path in it is one that a work tree can
// hold, and its branch is a ref; anything else was not written by mem.
func parseJournal(line []byte) (j journal, err error) {
	if err := json.Unmarshal(line, &j); err != nil {
		return journal{}, err
	}
	if !isRef(j.Ref) {
		return journal{}, fmt.Errorf("branch %q", j.Ref)
	}
	for _, p := range j.Puts {
		if !validPath(p.Path) {
			return journal{}, fmt.Errorf("path %q", p.Path)
		}
	}
	return j, nil
}

// validPath reports whether path may name a file of the work tree.
func validPath(path string) bool {
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

// readBehind returns what the files of a commit under way, or of one whose process
// died, held before, by path, once the branch has moved. It only reads: a
// journal that cannot be read is left for the next Recover.
func (s *Store) readBehind(head Head) map[string]object.Hash {
	line, err := s.d.ReadFile(journalPath, maxFile)
	if err != nil {
		return nil
	}
	j, err := parseJournal(line)
	if err != nil || j.Ref != head.Ref {
		return nil
	}
	if done, err := s.hasHappened(head, j); err != nil || !done {
		return nil
	}
	before := map[string]object.Hash{}
	for _, p := range j.Puts {
		before[p.Path] = hashOf(p.Before)
	}
	return before
}
