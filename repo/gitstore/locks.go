package gitstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"mem/repo/disk"
)

// ErrLocked is wrapped when somebody else, git for example, held one of git's
// own locks for the whole wait. Such a lock is never removed.
var ErrLocked = disk.ErrLocked

// A gitLock is one of git's lock files, ours while it exists.
//
// It is made by giving a temporary file a second name. After a crash both
// names lead to the same file, which proves that the lock is a dead one of
// ours: temporary files are written only under mem's own lock, and the one of
// git's index is held as long as its process lives, in case a person removes
// the file of mem's lock.
type gitLock struct {
	d      *disk.Dir
	temp   string
	path   string
	linked bool       // temp and path are one file; false where the disk knows no second names
	held   *disk.Lock // on temp; may be nil
}

// lockWith takes the lock at lockPath by linking temp to it, and waits for at
// most wait while somebody else has it. From then on temp is the lock's.
func (s *Store) lockWith(ctx context.Context, temp, lockPath string, wait time.Duration) (*gitLock, error) {
	deadline := time.After(wait)
	for pause := time.Millisecond; ; pause = min(2*pause, 32*time.Millisecond) {
		err := s.d.Link(temp, lockPath)
		switch {
		case err == nil:
			return &gitLock{d: s.d, temp: temp, path: lockPath, linked: true}, nil
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fs.ErrPermission):
			// A disk without links, such as exFAT. A lock left by a crash
			// cannot be told from somebody else's there and stays.
			if err = s.d.Create(lockPath); err == nil {
				return &gitLock{d: s.d, temp: temp, path: lockPath}, nil
			}
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("lock %s: %w", lockPath, err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-deadline:
			return nil, s.heldBy(lockPath)
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// heldBy says how old a foreign lock is; its holder left no name.
func (s *Store) heldBy(lockPath string) error {
	since := ""
	if info, err := s.d.Lstat(lockPath); err == nil {
		since = " since " + info.ModTime().UTC().Format(time.RFC3339)
	}
	return fmt.Errorf("%s is held by another git process%s: %w", lockPath, since, ErrLocked)
}

// write puts data into what commit will publish, durably.
func (l *gitLock) write(data []byte) error { return l.d.Overwrite(l.temp, data) }

// commit makes what was written the file that the lock guards. The lock must
// still be released.
func (l *gitLock) commit(target string) error {
	from := l.temp
	if l.linked {
		if !l.d.SameFile(l.temp, l.path) {
			return fmt.Errorf("somebody removed %s: %w", l.path, ErrLocked)
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

// release gives the lock back. The proof that it was ours goes last, or a
// power cut could bring back the lock alone. A lock that was given back may be
// released again.
func (l *gitLock) release() error {
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

func (l *gitLock) letGo() error {
	if l.held == nil {
		return nil
	}
	held := l.held
	l.held = nil
	return held.Release()
}

// lockIndex takes the lock of git's index, waiting at most wait for somebody
// else's.
func (s *Store) lockIndex(ctx context.Context, wait time.Duration) (*gitLock, error) {
	temp, err := s.tempFile("index")
	if err != nil {
		return nil, err
	}
	held, err := s.d.Hold(ctx, temp, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: somebody removed %s and another process took over", ErrLocked, LockPath)
	}
	if err != nil {
		return nil, errors.Join(err, s.d.Remove(temp))
	}
	l, err := s.lockWith(ctx, temp, indexLockPath, wait)
	if err != nil {
		return nil, errors.Join(err, s.d.Remove(temp), held.Release())
	}
	l.held = held
	return l, nil
}

// tempFile makes an empty temporary file to take a lock with. Its name is
// made durable first, so that a power cut cannot leave the lock without the
// proof that it was ours.
func (s *Store) tempFile(base string) (string, error) {
	if err := s.d.MkdirAll(TempDir); err != nil {
		return "", err
	}
	temp := TempDir + "/" + disk.Unique() + "-" + base
	if err := s.d.Create(temp); err != nil {
		return "", fmt.Errorf("create temporary file: %w", err)
	}
	if err := s.d.SyncDir(TempDir); err != nil {
		return "", errors.Join(err, s.d.Remove(temp))
	}
	return temp, nil
}

// reap removes what a dead process of ours left behind: locks that share
// their file with a temporary one, then the temporary files. The caller holds
// the lock at LockPath, so that no living process owns any of them, unless a
// person removed the file of that lock: such a process is waited for.
func (s *Store) reap(ctx context.Context, wait time.Duration, refs []string) error {
	names, err := s.d.List(TempDir)
	if err != nil {
		return fmt.Errorf("list temporary files: %w", err)
	}
	locks := []string{indexLockPath}
	for _, ref := range refs {
		locks = append(locks, gitDir+"/"+ref+".lock")
	}
	// The ones that may be held come first.
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(strings.Index(a, disk.TempPrefix), strings.Index(b, disk.TempPrefix))
	})
	for _, name := range names {
		if err := s.reapFile(ctx, wait, TempDir+"/"+name, locks); err != nil {
			return fmt.Errorf("clean up after a process that died: %w", err)
		}
	}
	return nil
}

func (s *Store) reapFile(ctx context.Context, wait time.Duration, temp string, locks []string) error {
	held, err := s.d.Hold(ctx, temp, wait)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, lock := range locks {
		if s.d.SameFile(temp, lock) {
			if err := unlock(s.d, lock); err != nil {
				return errors.Join(err, held.Release())
			}
		}
	}
	return errors.Join(s.d.Remove(temp), held.Release())
}
