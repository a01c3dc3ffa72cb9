package gitstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mem/repo/disk"
)

// initialConfig asks for the formats that mem writes, explicitly, because git's
// own defaults are about to change.
const initialConfig = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
`

// IsThere reports whether a folder has a repository, whatever its state: one that Init began has neither a HEAD nor a branch.
func IsThere(d *disk.Dir) bool {
	info, err := d.Lstat(gitDir)
	return err == nil && (!info.IsDir() || d.Exists(gitDir+"/HEAD") || d.Exists(gitDir+"/logs"))
}

// Init makes the folder d a repository on the given branch, without a commit,
// unless it is one already. Two processes may try at once. HEAD comes last: without it there is no repository to git
// either, and what a crash leaves a later Init continues.
func Init(ctx context.Context, d *disk.Dir, branch string, wait time.Duration) error {
	if IsThere(d) {
		return nil
	}
	if err := d.MkdirAll(PrivateDir); err != nil {
		return err
	}
	lock, err := d.AcquireLock(ctx, LockPath, wait)
	if err != nil {
		return fmt.Errorf("initialize repository: %w", err)
	}
	if !IsThere(d) {
		err = build(d, branch)
	}
	return errors.Join(err, lock.Release())
}

func build(d *disk.Dir, branch string) error {
	for _, folder := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info"} {
		if err := d.MkdirAll(gitDir + "/" + folder); err != nil {
			return err
		}
	}
	head := "refs/heads/" + branch + "\n"
	b := d.NewBatch(TempDir)
	return errors.Join(disk.InOrder(
		func() error { return b.Add(gitDir+"/config", []byte(initialConfig)) },
		func() error { return b.Add(homePath, []byte(head)) },
		func() error {
			return b.Add(gitDir+"/info/exclude", []byte("# paths that git ignores in this repository only\n"))
		},
		b.Publish,
		func() error { return d.WriteFile(gitDir+"/HEAD", []byte("ref: "+head), TempDir) },
	), b.Discard())
}
