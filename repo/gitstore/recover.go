package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-json-experiment/json"
)

// Recover finishes or drops what a process that died left behind. The caller
// holds the lock at LockPath. Nothing a person wrote is touched, and git's
// own locks are waited for, at most wait, never removed.
func (s *Store) Recover(ctx context.Context, wait time.Duration) error {
	head, err := s.Head()
	if err != nil {
		return err
	}
	if err := s.reap(head.Ref); err != nil {
		return err
	}
	line, err := s.d.Read(journalPath, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	var j journal
	if err := json.Unmarshal(line, &j); err != nil {
		// The journal is complete before the branch moves, so this one
		// belongs to a commit that never was, on a disk that lied.
		s.warn(fmt.Sprintf("an unreadable journal was set aside in %s", RescueDir))
		return errors.Join(s.rescue(journalPath, line), s.d.Remove(journalPath))
	}
	done, err := s.happened(head, j)
	if err != nil {
		return err
	}
	if done {
		if err := s.finish(ctx, wait, j); err != nil {
			return fmt.Errorf("finish interrupted commit %s: %w", j.New, err)
		}
	}
	return s.d.Remove(journalPath)
}

// maxSearch is how far back a commit of ours is looked for among those that
// a person made after it.
const maxSearch = 10_000

// happened reports whether the commit of a journal is in the history of the
// branch that it was made for.
func (s *Store) happened(head Head, j journal) (bool, error) {
	if head.Ref != j.Ref || head.Tip.String() == j.Old {
		return false, nil
	}
	seen := map[Hash]bool{}
	for todo := []Hash{head.Tip}; len(todo) > 0 && len(seen) < maxSearch; todo = todo[1:] {
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
// moved. A file that holds neither what was there before nor what the commit
// put is a person's, and stays.
func (s *Store) finish(ctx context.Context, wait time.Duration, j journal) error {
	t, err := s.Begin(ctx, wait)
	if err != nil {
		return err
	}
	files := s.d.NewBatch(TempDir)
	var puts []Put
	for _, p := range j.Puts {
		put, err := t.redo(p)
		if err != nil {
			return errors.Join(err, files.Discard(), t.Abort())
		}
		if put == nil {
			continue
		}
		puts = append(puts, *put)
		switch {
		case put.Before == put.Blob:
		case put.Blob.IsZero():
			err = s.d.Remove(put.Path)
		default:
			err = files.Add(put.Path, put.Data)
		}
		if err != nil {
			return errors.Join(err, files.Discard(), t.Abort())
		}
	}
	if err := files.Publish(); err != nil {
		return errors.Join(err, t.Abort())
	}
	return t.writeIndex(puts)
}

// redo says what must be done about one file of a journal, or nil if a
// person changed it since.
func (t *Tx) redo(p journalPut) (*Put, error) {
	blob, err := t.s.Find(t.Tree, p.Path)
	if err != nil {
		return nil, err
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
