package gitstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"mem/repo/disk"
)

// proofPath is a permanent file that a process of mem holds while it works here. To take a git lock, such as
// .git/index.lock, mem gives this file a second name. A crash may leave both names. If they are one file, the
// lock is ours; if no process holds the file, that lock is dead. git's own locks are never removed.
//
// It is durable before the first lock, so that no power cut leaves a lock without it.
const proofPath = PrivateDir + "/proof"

// hold shows that this process works here, until the result is released. The caller holds mem's own
// lock, whose file a person may have removed.
func (s *Store) hold(ctx context.Context, wait time.Duration) (*disk.Lock, error) {
	if err := s.makeProof(); err != nil {
		return nil, fmt.Errorf("make what locks are known by: %w", err)
	}
	held, err := s.d.HoldFile(ctx, proofPath, max(wait, disk.Moment))
	if errors.Is(err, disk.ErrLocked) {
		err = fmt.Errorf("%w: a person removed the file of mem's own lock, and another process works here", disk.ErrLocked)
	}
	return held, err
}

// makeProof makes the proof durable, unless its content says that it is.
func (s *Store) makeProof() error {
	info, err := s.d.Lstat(proofPath)
	if err == nil && info.Size() > 0 {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.Join(s.d.MkdirAll(PrivateDir), s.d.CreateFile(proofPath))
	}
	if err == nil {
		err = s.d.SyncDirs(PrivateDir)
	}
	if err == nil {
		err = s.d.WriteLoose(proofPath, []byte("mem: its locks are second names of this file\n"))
	}
	return err
}

// lockEnding makes the name of a file that of git's lock for it.
const lockEnding = ".lock"

// A gitLock is git's lock for one file, ours while it exists.
type gitLock struct {
	d        *disk.Dir
	guarded  string
	isLinked bool // to the proof; false on a disk without second names
	isGiven  bool // back
}

// lock takes git's lock for a file. It waits at most wait while git has the lock; then the error wraps
// disk.ErrLocked. The caller holds the proof.
func (s *Store) lock(ctx context.Context, guarded string, wait time.Duration) (l *gitLock, err error) {
	err = disk.Await(ctx, wait, func() error {
		l = &gitLock{d: s.d, guarded: guarded, isLinked: true}
		err := s.d.Link(proofPath, guarded+lockEnding)
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
			// A disk without links, such as exFAT. A lock left by a crash
			// cannot be told from git's there and stays.
			l.isLinked = false
			err = s.d.CreateFile(guarded + lockEnding)
		}
		if errors.Is(err, fs.ErrExist) {
			return cmp.Or(s.checkFree(guarded), disk.ErrLocked) // it may be gone by now
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", guarded, err)
	}
	return l, nil
}

// checkFree says how old git's lock for a file is, if there is one. Its holder left no name.
func (s *Store) checkFree(guarded string) error {
	info, err := s.d.Lstat(guarded + lockEnding)
	if err != nil {
		return nil
	}
	return fmt.Errorf("%s is held by another git process since %s: %w", guarded+lockEnding, info.ModTime().UTC().Format(time.RFC3339), disk.ErrLocked)
}

func (l *gitLock) isOurs() bool { return !l.isLinked || l.d.SameFile(proofPath, l.guarded+lockEnding) }

// commit puts a file of TempDir in the place of the guarded one. The lock must still be released.
func (l *gitLock) commit(temp string) error {
	if !l.isOurs() {
		return fmt.Errorf("another program removed %s: %w", l.guarded+lockEnding, disk.ErrLocked)
	}
	return l.d.Rename(temp, l.guarded)
}

// put is commit for the file that a batch has for it.
func (l *gitLock) put(marks *disk.Batch) error {
	temp, err := marks.TakeTemp(l.guarded)
	if err != nil {
		return err
	}
	return l.commit(temp)
}

// release gives the lock back, if it was not given back before. A power cut may bring it back: it is known by the proof.
func (l *gitLock) release() (err error) {
	if l == nil || l.isGiven {
		return nil
	}
	if l.isOurs() {
		err = l.d.Remove(l.guarded + lockEnding)
	}
	if err == nil && !l.isLinked {
		err = l.d.SyncDirs(path.Dir(l.guarded))
	}
	if l.isGiven = err == nil; err != nil {
		return fmt.Errorf("give back %s: %w", l.guarded+lockEnding, err)
	}
	return nil
}

// reap removes the locks and temporary files of dead mem processes. It waits for a live one, which can be here
// if a person removed the file of mem's own lock.
func (s *Store) reap(ctx context.Context, wait time.Duration) error {
	head, err := s.ReadHead()
	if err != nil {
		return err
	}
	j, _, err := s.readJournal()
	if err != nil {
		return err
	}
	held, err := s.hold(ctx, wait)
	if err != nil {
		return fmt.Errorf("clean up after a process that died: %w", err)
	}
	locks, err := s.d.ListFolder(packDir)
	locks = slices.DeleteFunc(locks, func(name string) bool { return !strings.HasSuffix(name, ".keep") })
	for i, name := range locks {
		locks[i] = path.Join(packDir, name)
	}
	for _, guarded := range []string{indexPath, gitDir + "/" + head.Ref, gitDir + "/" + s.Home(), gitDir + "/" + j.Ref} {
		locks = append(locks, guarded+lockEnding)
	}
	dead := slices.DeleteFunc(locks, func(name string) bool { return !s.d.SameFile(proofPath, name) })
	temps, errList := s.d.ListFolder(TempDir)
	err = errors.Join(err, errList)
	for _, name := range temps {
		dead = append(dead, path.Join(TempDir, name))
	}
	for _, name := range dead {
		err = errors.Join(err, s.d.Remove(name))
	}
	if err = errors.Join(err, held.Release()); err != nil {
		return fmt.Errorf("clean up after a process that died: %w", err)
	}
	return nil
}
