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

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-json-experiment/json"

	"mem/repo/disk"
)

// Recover finishes or drops what a process that died left behind. branch is
// the one that mem commits to; "" if that is not settled. The caller holds the
// lock at LockPath. Nothing a person wrote is touched, and git's own locks are
// waited for, at most wait, never removed.
func (s *Store) Recover(ctx context.Context, branch string, wait time.Duration) error {
	head, err := s.Head()
	if err != nil {
		return err
	}
	j, err := s.readJournal()
	if err != nil {
		return err
	}
	refs := []string{head.Ref, branch}
	if j != nil {
		refs = append(refs, j.Ref)
	}
	if err := s.reap(ctx, wait, refs); err != nil || j == nil {
		return err
	}
	t, err := s.Begin(ctx, wait)
	if err != nil {
		return err
	}
	if err := t.settle(); err != nil {
		return errors.Join(err, t.Abort())
	}
	return nil
}

// readJournal returns the journal, or nil when there is none.
func (s *Store) readJournal() (*journal, error) {
	line, err := s.d.Read(journalPath, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	j, err := parseJournal(line)
	if err != nil {
		// The journal is complete before the branch moves, so this one
		// belongs to a commit that never was, on a disk that lied.
		s.warn(fmt.Sprintf("an unreadable journal was set aside in %s", RescueDir))
		return nil, errors.Join(s.rescue(journalPath, line), s.d.Remove(journalPath))
	}
	return &j, nil
}

// parseJournal decodes a journal. Each path in it is one that a work tree can
// hold, and its branch is a ref; anything else was not written by mem.
func parseJournal(line []byte) (j journal, err error) {
	if err := json.Unmarshal(line, &j); err != nil {
		return journal{}, err
	}
	if !validRef(j.Ref) {
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
	if !disk.Takes(path) {
		return false
	}
	for step := range strings.SplitSeq(path, "/") {
		if !validName(step) {
			return false
		}
	}
	return true
}

// behind returns what the files of a commit under way, or of one whose process
// died, held before, by path, once the branch has moved. It only reads: a
// journal that cannot be believed is left for the next Recover.
func (s *Store) behind(head Head) map[string]Hash {
	line, err := s.d.Read(journalPath, maxFile)
	if err != nil {
		return nil
	}
	j, err := parseJournal(line)
	if err != nil || j.Ref != head.Ref {
		return nil
	}
	if done, err := s.happened(head, j); err != nil || !done {
		return nil
	}
	before := map[string]Hash{}
	for _, p := range j.Puts {
		before[p.Path] = plumbing.NewHash(p.Before)
	}
	return before
}

// settle does what the journal asks for, and ends the transaction unless it
// fails.
func (t *Tx) settle() error {
	j, err := t.s.readJournal() // again, now that nobody else can write one
	if err != nil {
		return err
	}
	done, some := false, false
	if j != nil {
		if done, err = t.s.happened(t.Head, *j); err != nil {
			return err
		}
		some = done || t.ahead(*j)
	}
	if !some {
		return errors.Join(t.s.d.Remove(journalPath), t.Abort())
	}
	if err := t.Busy(j.Ref); err != nil {
		return fmt.Errorf("commit %.12s was interrupted and waits to be finished: %w", j.New, err)
	}
	// The process may have died before it could flush the move.
	if err := t.s.d.SyncDir(path.Dir(gitDir + "/" + j.Ref)); err != nil {
		return fmt.Errorf("flush interrupted commit %.12s: %w", j.New, err)
	}
	if err := t.finish(*j, done); err != nil {
		return fmt.Errorf("finish interrupted commit %.12s: %w", j.New, err)
	}
	return t.s.d.Remove(journalPath)
}

// ahead reports whether git's index holds what a journal's commit puts.
func (t *Tx) ahead(j journal) bool {
	return t.index != nil && slices.ContainsFunc(j.Puts, func(p journalPut) bool {
		return p.Index != p.Blob && t.index.blob(p.Path).String() == p.Blob
	})
}

// maxSearch is how far back a commit of ours is looked for among those that
// a person made after it.
const maxSearch = 10_000

// happened reports whether the commit of a journal is in the history of the
// branch that it was made for, whatever is checked out now.
func (s *Store) happened(head Head, j journal) (bool, error) {
	tip := head.Tip
	if head.Ref != j.Ref {
		var err error
		if tip, err = s.ref(j.Ref); err != nil {
			return false, err
		}
	}
	if tip.IsZero() && j.Old != tip.String() {
		return false, fmt.Errorf("%w: %s is gone; the journal says that it pointed to %s", ErrDamaged, j.Ref, j.Old)
	}
	seen := map[Hash]bool{}
	for todo := []Hash{tip}; len(todo) > 0 && len(seen) < maxSearch; todo = todo[1:] {
		if todo[0].String() == j.New {
			return true, nil
		}
		if seen[todo[0]] || todo[0].String() == j.Old {
			continue
		}
		seen[todo[0]] = true
		c, err := s.Commit(todo[0])
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
// there before nor what the commit put is a person's, and stays.
func (t *Tx) finish(j journal, done bool) error {
	files := t.s.d.NewBatch(TempDir)
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
		files.Settle(put.Path)
	}
	if err := t.replace(files, puts); err != nil {
		return errors.Join(err, files.Discard())
	}
	return nil
}

// redo says what must be done about one file of a journal, or nil if that is
// nothing or a person changed it since.
func (t *Tx) redo(p journalPut, done bool) (*Put, error) {
	blob, err := t.s.Find(t.Tree, p.Path)
	if err != nil {
		return nil, err
	}
	if !done && blob.String() != p.Blob {
		if t.index.blob(p.Path).String() == p.Blob {
			t.index.set(p.Path, plumbing.NewHash(p.Index), nil)
		}
		return nil, nil
	}
	f, err := t.Look(p.Path, blob, false)
	if err != nil {
		return nil, err
	}
	if f.Blob != blob && f.Blob != plumbing.NewHash(p.Before) {
		return nil, nil
	}
	put := &Put{Path: p.Path, Blob: blob, Before: f.Blob}
	if f.Blob != blob && !blob.IsZero() {
		put.Data, err = t.s.Blob(blob)
	}
	return put, err
}
