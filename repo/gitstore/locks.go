package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"strconv"
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
// ours: temporary files are written only under mem's own lock.
type gitLock struct {
	d    *disk.Dir
	temp string // "" where the disk knows no second names
	path string
}

// lockWith takes the lock at lockPath by linking temp to it, and waits for at
// most wait while somebody else has it.
func (s *Store) lockWith(ctx context.Context, temp, lockPath string, wait time.Duration) (*gitLock, error) {
	deadline := time.After(wait)
	for pause := time.Millisecond; ; pause = min(2*pause, 32*time.Millisecond) {
		err := s.d.Link(temp, lockPath)
		switch {
		case err == nil:
			return &gitLock{s.d, temp, lockPath}, nil
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fs.ErrPermission):
			// A disk without links, such as exFAT. A lock left by a crash
			// cannot be told from somebody else's there and stays.
			if err = s.d.Create(lockPath); err == nil {
				return &gitLock{s.d, "", lockPath}, nil
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

// write puts data into the lock file, durably.
func (l *gitLock) write(data []byte) error { return l.d.Overwrite(l.path, data) }

// commit makes the lock file the file that it guards, and gives the lock
// back.
func (l *gitLock) commit(target string) error {
	if err := l.d.Rename(l.path, target); err != nil {
		return errors.Join(err, l.release())
	}
	return l.d.SyncDir(path.Dir(target))
}

// forget removes the second name once the lock is gone.
func (l *gitLock) forget() error {
	if l.temp == "" {
		return nil
	}
	return l.d.Remove(l.temp)
}

// release gives the lock back and leaves the guarded file as it is.
func (l *gitLock) release() error {
	return errors.Join(l.d.Remove(l.path), l.forget())
}

// tempFile makes an empty temporary file to take a lock with. Its name is
// made durable first, so that a power cut cannot leave the lock without the
// proof that it was ours.
func (s *Store) tempFile(base string) (string, error) {
	if err := s.d.MkdirAll(TempDir); err != nil {
		return "", err
	}
	for n := 0; ; n++ {
		temp := TempDir + "/" + strconv.Itoa(os.Getpid()) + "-" + base + strconv.Itoa(n)
		err := s.d.Create(temp)
		if err == nil {
			return temp, s.d.SyncDir(TempDir)
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("create temporary file: %w", err)
		}
	}
}

// reap removes what a dead process of ours left behind: locks that share
// their file with a temporary one, then the temporary files. The caller holds
// the lock at LockPath, so no living process owns any of them.
func (s *Store) reap(ref string) error {
	names, err := s.d.List(TempDir)
	if err != nil {
		return fmt.Errorf("list temporary files: %w", err)
	}
	for _, name := range names {
		temp := TempDir + "/" + name
		for _, lock := range []string{indexLockPath, gitDir + "/" + ref + ".lock"} {
			if s.d.SameFile(temp, lock) {
				if err := s.d.Remove(lock); err != nil {
					return fmt.Errorf("remove our own stale lock: %w", err)
				}
			}
		}
		if err := s.d.Remove(temp); err != nil {
			return fmt.Errorf("remove stale temporary file: %w", err)
		}
	}
	return nil
}
