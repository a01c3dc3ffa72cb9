package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mem/project"
	"mem/repo/disk"
	"mem/repo/gitstore"
)

// Move takes the memory at a path to another one on the same file system, in one step that neither a crash nor a
// power cut halves. Writers wait meanwhile. It wraps ErrNotRoot if something is there already.
func Move(ctx context.Context, from, to string, opts Options) (err error) {
	r, err := Open(from, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	lock, err := r.d.AcquireLock(ctx, gitstore.LockPath, r.opts.LockWait)
	if err != nil {
		return fmt.Errorf("lock memory: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("something is there already: %s: %w", to, ErrNotRoot)
	}
	if err := hidePath(to, "/"); err != nil { // first, so that no crash leaves it in sight
		return err
	}
	top := filepath.Dir(to)
	for !project.IsWithin(from, top) {
		top = filepath.Dir(top)
	}
	d, err := disk.Files{Fault: opts.Fault}.Open(top)
	if err != nil {
		return fmt.Errorf("move memory: %w", err)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	old, _ := filepath.Rel(top, from)
	name, _ := filepath.Rel(top, to)
	if err := d.Rename(filepath.ToSlash(old), filepath.ToSlash(name)); err != nil {
		return fmt.Errorf("move memory: %w", err)
	}
	return d.SyncDirs([]string{filepath.ToSlash(filepath.Dir(name)), filepath.ToSlash(filepath.Dir(old))})
}
