package gitstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mem/repo/disk"
)

// The new repository is built under a name of its own and renamed into
// place, so that there is either a whole one or none.
const (
	initLock = ".mem-init.lock"
	staging  = ".mem-init-git"
)

// initialConfig asks for the formats that mem writes, explicitly, because git's
// own defaults are about to change.
const initialConfig = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
`

// MakeFolder makes the folder of a repository, durably. What has one in it was made so.
func MakeFolder(path string) error {
	if _, err := os.Lstat(filepath.Join(path, gitDir)); err == nil {
		return nil
	}
	return disk.MakeFolder(path)
}

// Init makes the folder d a repository on the given branch, without a commit,
// unless it is one already. Two processes may try at once, and a crash leaves
// nothing that a later Init or CleanUp does not remove.
func Init(ctx context.Context, d *disk.Dir, branch string, wait time.Duration) (err error) {
	if d.Exists(gitDir) {
		return nil
	}
	return cleanUp(ctx, d, wait, func() error {
		if d.Exists(gitDir) {
			return nil
		}
		return build(d, branch)
	})
}

// CleanUp removes what a crash in Init left behind, unless a living process is in
// the middle of it.
func CleanUp(ctx context.Context, d *disk.Dir) error {
	if !d.Exists(initLock) {
		return nil
	}
	err := cleanUp(ctx, d, disk.Moment, func() error { return nil })
	if errors.Is(err, disk.ErrLocked) {
		return nil
	}
	return err
}

// cleanUp removes what a crash left behind, and then calls do, before another process can.
func cleanUp(ctx context.Context, d *disk.Dir, wait time.Duration, do func() error) error {
	lock, err := d.AcquireLock(ctx, initLock, wait)
	if err != nil {
		return fmt.Errorf("initialize repository: %w", err)
	}
	err = disk.InOrder(func() error { return d.RemoveAll(staging) }, do)
	_ = d.Remove(initLock) // one that stays, as it does on Windows, does no harm
	return errors.Join(err, lock.Release())
}

func build(d *disk.Dir, branch string) error {
	for _, folder := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "mem/tmp"} {
		if err := d.MkdirAll(staging + "/" + folder); err != nil {
			return err
		}
	}
	b := d.NewBatch(staging + "/mem/tmp")
	for _, f := range []struct{ name, content string }{
		{"HEAD", "ref: refs/heads/" + branch + "\n"},
		{"config", initialConfig},
		{"mem/branch", "refs/heads/" + branch + "\n"},
		{"info/exclude", "# paths that git ignores in this repository only\n"},
	} {
		if err := b.Add(staging+"/"+f.name, []byte(f.content)); err != nil {
			return errors.Join(err, b.Discard())
		}
	}
	if err := b.Publish(); err != nil {
		return err
	}
	if err := d.Rename(staging, gitDir); err != nil {
		return err
	}
	return d.SyncDir(".")
}
