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
}

// A Lock is one of git's lock files, ours while it exists.
//
// It is made by giving a temporary file a second name. After a crash both
// names lead to the same file, which proves that the lock is a dead one of
// ours: temporary files are written only under mem's own lock, and one that Take
// made is held as long as its process lives, in case a person removes the file
// of mem's lock.
type Lock struct {
	d      *disk.Dir
	temp   string
	path   string
	linked bool       // temp and path are one file; false on a disk without second names
	held   *disk.Lock // on temp; may be nil
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

// Write puts data into what Commit will publish, durably.
func (l *Lock) Write(data []byte) error { return l.d.OverwriteFile(l.temp, data) }

// Commit makes what was written the file that the lock guards. The lock must
// still be released.
func (l *Lock) Commit(target string) error {
	from := l.temp
	if l.linked {
		if !l.d.SameFile(l.temp, l.path) {
			return fmt.Errorf("another program removed %s: %w", l.path, disk.ErrLocked)
		}
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

// Release gives the lock back. The proof that it was ours goes last, or a
// power cut could bring back the lock alone. A lock that was given back may be
// released again.
func (l *Lock) Release() error {
	if l.path != "" && (!l.linked || l.d.SameFile(l.temp, l.path)) {
		if err := unlock(l.d, l.path); err != nil {
			return errors.Join(err, l.letGo())
		}
	}
	l.path = ""
	return errors.Join(l.d.Remove(l.temp), l.letGo())
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

// Take is TakeWith for a new, empty file, whose process shows that it lives.
func (k Locker) Take(ctx context.Context, lockPath string, wait time.Duration) (*Lock, error) {
	temp, err := k.tempFile(path.Base(lockPath))
	if err != nil {
		return nil, err
	}
	held, err := k.Dir.HoldFile(ctx, temp, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: a person removed the file of mem's own lock, and another process works here", disk.ErrLocked)
	}
	if err != nil {
		return nil, errors.Join(err, k.Dir.Remove(temp))
	}
	l, err := k.TakeWith(ctx, temp, lockPath, wait)
	if err != nil {
		return nil, errors.Join(err, k.Dir.Remove(temp), held.Release())
	}
	l.held = held
	return l, nil
}

// tempFile makes an empty temporary file to take a lock with. Its name is
// made durable first, so that a power cut cannot leave the lock without the
// proof that it was ours.
func (k Locker) tempFile(base string) (string, error) {
	if err := k.Dir.MkdirAll(k.Temp); err != nil {
		return "", err
	}
	temp := k.Temp + "/" + disk.UniqueName() + "-" + base
	if err := k.Dir.CreateFile(temp); err != nil {
		return "", fmt.Errorf("create temporary file: %w", err)
	}
	if err := k.Dir.SyncDir(k.Temp); err != nil {
		return "", errors.Join(err, k.Dir.Remove(temp))
	}
	return temp, nil
}

// Reap removes what a dead process of ours left behind: those of the locks that
// share their file with a temporary one, then the temporary files. No living
// process owns any of them, unless a person removed the file of mem's lock: such
// a process is waited for.
func (k Locker) Reap(ctx context.Context, wait time.Duration, locks []string) error {
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
