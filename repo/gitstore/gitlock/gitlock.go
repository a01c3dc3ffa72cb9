// Package gitlock takes git's own lock files, such as .git/index.lock, so that a
// crash leaves none behind: a lock of a dead process of mem can be told from one
// of git, which is never removed.
package gitlock

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

// A Locker takes locks in one repository. Its caller holds mem's own lock, which
// admits one writer at a time.
type Locker struct {
	Dir  *disk.Dir
	Temp string // the folder of temporary files, which belongs to the writer

	// Proof is a file that stays, and of which the locks of Take are second names. It is
	// durable before the first of them, so that no power cut leaves a lock without it.
	Proof string
}

// A Lock is one of git's lock files, ours while it exists.
//
// It is made by giving a file a second name, the proof or a temporary file. After a crash
// both names lead to the same file, which proves that the lock is a dead one of
// ours: locks are taken only under mem's own lock, and the proof is held as long as
// a process has a lock of Take, in case a person removes the file of mem's lock.
type Lock struct {
	d      *disk.Dir
	temp   string
	path   string
	linked bool       // temp and path are one file; false on a disk without second names
	held   *disk.Lock // on temp, which is the proof and stays; nil for a temporary file
}

// TakeWith takes the lock at lockPath by linking temp to it, and waits for at
// most wait while git has it. From then on temp is the lock's. The error wraps
// disk.ErrLocked if git kept it for the whole wait.
func (k Locker) TakeWith(ctx context.Context, temp, lockPath string, wait time.Duration) (l *Lock, err error) {
	err = disk.Await(ctx, wait, func() error {
		l, err = k.tryTake(temp, lockPath)
		return err
	})
	return l, err
}

// tryTake is one attempt of TakeWith.
func (k Locker) tryTake(temp, lockPath string) (*Lock, error) {
	l := &Lock{d: k.Dir, temp: temp, path: lockPath, linked: true}
	err := k.Dir.Link(temp, lockPath)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		// A disk without links, such as exFAT. A lock left by a crash
		// cannot be told from git's there and stays.
		l.linked = false
		err = k.Dir.CreateFile(lockPath)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil, k.heldBy(lockPath)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", lockPath, err)
	}
	return l, nil
}

// heldBy says how old a foreign lock is. Its holder left no name.
func (k Locker) heldBy(lockPath string) error {
	since := ""
	if info, err := k.Dir.Lstat(lockPath); err == nil {
		since = " since " + info.ModTime().UTC().Format(time.RFC3339)
	}
	return fmt.Errorf("%s is held by another git process%s: %w", lockPath, since, disk.ErrLocked)
}

// Check returns an error that wraps disk.ErrLocked if the lock is gone.
func (l *Lock) Check() error {
	if l.linked && !l.d.SameFile(l.temp, l.path) {
		return fmt.Errorf("another program removed %s: %w", l.path, disk.ErrLocked)
	}
	return nil
}

// Commit makes the file of TakeWith the one that the lock guards. The lock must
// still be released.
func (l *Lock) Commit(target string) error {
	if err := l.Check(); err != nil {
		return err
	}
	from := l.temp
	if l.linked {
		from = l.path
	}
	if err := l.d.Rename(from, target); err != nil {
		return err
	}
	if l.linked {
		l.path = ""
	}
	return nil
}

// Release gives the lock back. A temporary file goes last, or a power cut could
// bring back the lock alone; the proof stays. A lock that was given back may be
// released again.
func (l *Lock) Release() (err error) {
	if at := l.path; at != "" && (!l.linked || l.d.SameFile(l.temp, at)) {
		give := unlock
		if l.held != nil && l.linked { // a power cut may bring it back: it is known
			give = (*disk.Dir).Remove
		}
		if err := give(l.d, at); err != nil {
			return errors.Join(err, l.letGo())
		}
	}
	l.path = ""
	if l.held == nil {
		return l.d.Remove(l.temp)
	}
	return l.letGo()
}

// unlock removes a lock file of ours, durably.
func unlock(d *disk.Dir, lock string) error {
	if err := errors.Join(d.Remove(lock), d.SyncDir(path.Dir(lock))); err != nil {
		return fmt.Errorf("give back %s: %w", lock, err)
	}
	return nil
}

func (l *Lock) letGo() error {
	if l.held == nil {
		return nil
	}
	held := l.held
	l.held = nil
	return held.Release()
}

// Take takes the lock at lockPath with the proof, and shows that its process lives. It waits
// for git as TakeWith does.
func (k Locker) Take(ctx context.Context, lockPath string, wait time.Duration) (*Lock, error) {
	if err := k.makeProof(); err != nil {
		return nil, err
	}
	held, err := k.Dir.HoldFile(ctx, k.Proof, max(wait, disk.Moment))
	if errors.Is(err, disk.ErrLocked) {
		return nil, fmt.Errorf("%w: a person removed the file of mem's own lock, and another process works here", disk.ErrLocked)
	}
	if err != nil {
		return nil, err
	}
	l, err := k.TakeWith(ctx, k.Proof, lockPath, wait)
	if err != nil {
		return nil, errors.Join(err, held.Release())
	}
	l.held = held
	return l, nil
}

// makeProof makes the proof durable, unless its content says that it is.
func (k Locker) makeProof() error {
	info, err := k.Dir.Lstat(k.Proof)
	if err == nil && info.Size() > 0 {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.Join(k.Dir.MkdirAll(path.Dir(k.Proof)), k.Dir.CreateFile(k.Proof))
	}
	if err == nil {
		err = k.Dir.SyncDir(path.Dir(k.Proof))
	}
	if err == nil {
		err = k.Dir.WriteLoose(k.Proof, []byte("mem: its locks are second names of this file\n"))
	}
	if err != nil {
		return fmt.Errorf("make what locks are known by: %w", err)
	}
	return nil
}

// reapProven removes those of the locks that are a dead process's of Take. One that lives is
// waited for.
func (k Locker) reapProven(ctx context.Context, wait time.Duration, locks []string) error {
	held, err := k.Dir.HoldFile(ctx, k.Proof, wait)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, lock := range locks {
		if err == nil && k.Dir.SameFile(k.Proof, lock) {
			err = k.Dir.Remove(lock)
		}
	}
	if held != nil {
		err = errors.Join(err, held.Release())
	}
	return err
}

// Reap removes what a dead process of ours left behind: those of the locks that
// share their file with a temporary one, then the temporary files. No living
// process owns any of them, unless a person removed the file of mem's lock: such
// a process is waited for.
func (k Locker) Reap(ctx context.Context, wait time.Duration, locks []string) error {
	if err := k.reapProven(ctx, wait, locks); err != nil {
		return fmt.Errorf("clean up after a process that died: %w", err)
	}
	names, err := k.Dir.ListFolder(k.Temp)
	if err != nil {
		return fmt.Errorf("list temporary files: %w", err)
	}
	// The ones that may be held come first.
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(strings.Index(a, disk.TempPrefix), strings.Index(b, disk.TempPrefix))
	})
	for _, name := range names {
		if err := k.reapFile(ctx, wait, k.Temp+"/"+name, locks); err != nil {
			return fmt.Errorf("clean up after a process that died: %w", err)
		}
	}
	return nil
}

func (k Locker) reapFile(ctx context.Context, wait time.Duration, temp string, locks []string) error {
	held, err := k.Dir.HoldFile(ctx, temp, wait)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, lock := range locks {
		err = nil
		if k.Dir.SameFile(temp, lock) {
			err = unlock(k.Dir, lock)
		} else if dir := path.Dir(lock); k.Dir.Exists(dir) {
			err = k.Dir.SyncDir(dir) // it may have been given back, but not durably
		}
		if err != nil {
			return errors.Join(err, held.Release())
		}
	}
	return errors.Join(k.Dir.Remove(temp), held.Release())
}
