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
)

// Recover finishes or drops the work of a process that died. The caller holds the lock at LockPath. It touches
// nothing that a person wrote. It waits for git's own locks, at most wait, and never removes them.
func (s *Store) Recover(ctx context.Context, wait time.Duration) error {
	if err := s.reap(ctx, wait); err != nil {
		return err
	}
	if _, found, err := s.readJournal(); err != nil || !found {
		return err
	}
	t, err := s.begin(ctx, wait, true)
	if err != nil {
		return err
	}
	return errors.Join(t.finishJournal(ctx), t.Abort())
}

// takeUp moves a branch forward again that git set back behind a commit. It treats that like a power cut.
func (s *Store) takeUp(ctx context.Context, wait time.Duration) error {
	t, err := s.begin(ctx, wait, true)
	if err != nil {
		return err
	}
	j := journal{Ref: t.Head.Ref, Old: t.Head.Tip, New: s.findSetBack(t.Head)}
	if j.New.IsZero() { // another process did it
		return t.Abort()
	}
	c, err := s.ReadCommit(j.New)
	changes, errCompare := s.Compare(t.Tree, c.Tree)
	for name, blobs := range changes {
		if isValidPath(name) {
			j.Puts = append(j.Puts, Put{Path: name, Before: blobs[0], Index: blobs[0], Blob: blobs[1]})
		}
	}
	err = disk.InOrder(
		func() error { return errors.Join(err, errCompare) },
		func() error { return j.stage(t.b) },
		t.b.Publish,
		func() error { return t.finishJournal(ctx) },
	)
	return errors.Join(err, t.Abort())
}

// finishJournal does what the journal asks for, under the lock of git's index.
func (t *Tx) finishJournal(ctx context.Context) error {
	j, found, err := t.Store.readJournal() // again, now that no other process can write one
	if err != nil || !found {
		return err
	}
	done, err := t.Store.hasHappened(j)
	if err != nil {
		return err
	}
	isAhead := t.odd == nil && slices.ContainsFunc(j.Puts, func(p Put) bool { return p.Index != p.Blob && t.index.blobAt(p.Path) == p.Blob })
	isCut := !done && t.isCutOff(j)
	if !done && !isCut && !isAhead {
		return t.Store.d.Remove(journalPath)
	}
	if err := t.checkBusy(j.Ref); err != nil {
		return fmt.Errorf("commit %.12s was interrupted and waits to be finished: %w", j.New, err)
	}
	// The process may have died before it could flush the move.
	err = t.Store.d.SyncDirs(path.Dir(gitDir + "/" + j.Ref))
	if err == nil && isCut {
		err = t.moveAgain(ctx, j)
	}
	if err == nil {
		err = t.finish(j, done || isCut)
	}
	if err != nil {
		return fmt.Errorf("finish interrupted commit %.12s: %w", j.New, err)
	}
	return t.Store.d.Remove(journalPath)
}

// isCutOff reports whether git, or a power cut, undid a journal's move of the branch. After a power cut, a line
// in git's log or a file of the commit is left. A kill leaves no such state, and a person's later moves of the
// branch are in git's log.
func (t *Tx) isCutOff(j journal) bool {
	if t.Head.Ref != j.Ref || t.Head.Tip != j.Old {
		return false
	}
	if t.Store.findSetBack(t.Head) == j.New {
		return true
	}
	logged := slices.IndexFunc(t.Store.readLog(j.Ref), func(m move) bool { return m.to == j.New })
	own := t.Store.ReadOwn(j.Ref)
	isLogged := logged == 0 && len(own) > 0 && own[0] == j.New
	if !isLogged && (logged > 0 || !t.hasFollowed(j)) {
		return false
	}
	_, err := t.Store.ReadCommit(j.New)
	return err == nil
}

// hasFollowed reports whether a file is as a journal's commit puts it.
func (t *Tx) hasFollowed(j journal) bool {
	for name, data := range j.Notes {
		if t.Store.isNoted(name, data) {
			return true
		}
	}
	return slices.ContainsFunc(j.Puts, func(p Put) bool {
		f, err := t.Look(p.Path, Hash{}, false)
		return err == nil && p.Blob != p.Before && f.Blob == p.Blob
	})
}

func (t *Tx) moveAgain(ctx context.Context, j journal) error {
	ref := gitDir + "/" + j.Ref
	var lock *gitLock
	err := disk.InOrder(
		func() error { return t.marks.Add(ref, []byte(j.New.String()+"\n")) },
		func() (err error) { lock, err = t.Store.lock(ctx, ref, refWait); return err },
		func() error {
			if now, err := t.Store.ReadHead(); err != nil || now != t.Head {
				return fmt.Errorf("%w: %s was moved, %w", ErrLost, shortRef(j.Ref), err)
			}
			return lock.put(t.marks)
		},
	)
	if err = errors.Join(err, lock.release()); err == nil {
		err = errors.Join(t.Store.d.SyncDirs(path.Dir(ref)), t.readTip())
	}
	return err
}

// noteMove completes git's log of the branch, which may have missed that it was moved.
func (t *Tx) noteMove(j journal) error {
	moves := t.Store.readLog(j.Ref)
	if t.Head.Tip != j.New || len(moves) > 0 && moves[0].to == j.New {
		return nil
	}
	c, err := t.Store.ReadCommit(j.New)
	if err != nil {
		return err
	}
	return t.Store.AppendLog(j.Ref, j.Old, j.New, Signature(c.Committer, c.When), Own+c.Subject())
}

// hasHappened reports whether the commit of a journal is in the history of the
// branch that it was made for, whatever is checked out now.
func (s *Store) hasHappened(j journal) (bool, error) {
	tip, err := s.readRef(j.Ref)
	if err != nil {
		return false, err
	}
	if tip.IsZero() && j.Old != tip {
		return false, fmt.Errorf("%w: %s is gone; the journal says that it pointed to %s", ErrDamaged, j.Ref, j.Old)
	}
	return s.Leads(tip, j.New, j.Old)
}

// finish updates the work tree and git's index after a commit whose branch moved. If the branch did not move,
// it takes the commit's entries back out of git's index, unless a person committed them. It leaves alone a file
// whose content is neither the old one nor the commit's: a person changed it.
func (t *Tx) finish(j journal, done bool) (err error) {
	if done {
		err = errors.Join(t.noteMove(j), j.Notes.stage(t.files))
	}
	var puts []Put
	for _, p := range j.Puts {
		put, errPut := t.redo(p, done)
		if err = errors.Join(err, errPut); err == nil && put != nil {
			puts = append(puts, *put)
			t.files.SyncParents(put.Path)
		}
	}
	return disk.InOrder(
		func() error { return err },
		func() error { return t.stageAll(puts) },
		func() error { return t.replaceNow(puts) },
	)
}

// redo returns the change that one file of a journal still needs; nil if there is none or a person changed it
// since.
func (t *Tx) redo(p Put, done bool) (*Put, error) {
	blob, err := t.Store.FindBlob(t.Tree, p.Path)
	if err != nil {
		return nil, err
	}
	// What the commit left alone in git's index no person can have committed with it.
	if !done && (blob != p.Blob || p.Index == p.Blob) {
		if t.index.blobAt(p.Path) == p.Blob {
			t.index.Set(p.Path, p.Index, nil)
		}
		return nil, nil
	}
	if !done && blob.IsZero() && p.Index.IsZero() {
		return nil, nil // git never had the file: that the history lacks it says nothing
	}
	f, err := t.Look(p.Path, blob, false)
	if err != nil {
		return nil, err
	}
	if f.Blob != blob && f.Blob != p.Before {
		if t.index.blobAt(p.Path) == p.Index { // else what the commit put looks taken back
			t.index.Set(p.Path, blob, nil)
		}
		return nil, nil
	}
	put := &Put{Path: p.Path, Blob: blob, Before: f.Blob}
	if f.Blob != blob && !blob.IsZero() {
		put.Data, err = t.Store.ReadBlob(blob)
	}
	return put, err
}

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

type journal struct {
	Ref  string `json:"ref"`
	Old  Hash   `json:"old"`
	New  Hash   `json:"new"`
	Puts []Put  `json:"puts"`

	Notes Notes `json:"notes,omitzero"`
}

func (j journal) stage(b *disk.Batch) error {
	line, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	return b.Add(journalPath, line)
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

func isValidPath(path string) bool {
	isOdd := func(step string) bool { return !isValidName(step) }
	return disk.IsPath(path) && !slices.ContainsFunc(strings.Split(path, "/"), isOdd)
}
