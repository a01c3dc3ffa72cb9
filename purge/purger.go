package purge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"mem/repo"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
	"mem/workspace"
)

const lockWait = 10 * time.Second

// A purger purges a memory while nothing else writes to it.
type purger struct {
	git
	w     *workspace.Workspace
	root  *repo.Root
	d     *disk.Dir
	store *gitstore.Store
}

// exclude calls f while nothing else writes to the memory.
func exclude(ctx context.Context, w *workspace.Workspace, f func(*purger) error) error {
	root, err := w.OpenRoot()
	if err != nil {
		return err
	}
	return root.Exclude(ctx, func(d *disk.Dir, store *gitstore.Store) error {
		return f(&purger{git{d.Path(), w.Environ}, w, root, d, store})
	})
}

// Announce notes what is about to be purged, before the first effect: before a lesson leaves the index, or
// something is fetched that has the words. It adds what was noted before, and removes what a purge that broke off left.
func Announce(ctx context.Context, w *workspace.Workspace, words *repo.Words) error {
	return exclude(ctx, w, func(p *purger) error {
		return inOrder(
			func() error { return p.store.Reap(ctx, "", lockWait) }, // git cannot pass what mem left when it died
			func() error { return p.clearLocks(ctx) },
			func() error { return p.root.NotePurge(words) },
		)
	})
}

// revoke takes back what Announce noted, when all is done.
func (p *purger) revoke() error {
	return errors.Join(p.d.Remove(gitconfig.PurgePath), p.d.SyncDir(gitstore.PrivateDir))
}

// run purges what was announced.
func (p *purger) run(ctx context.Context, words *repo.Words, res *Result) error {
	c := newCleaner(*words)
	return inOrder(
		func() error { return p.root.EditJobs(c.replace) }, // what waits outside the memory's folder
		func() error { return p.rewrite(ctx, c, words, res) },
		p.beginLogs,
		func() error { return gitconfig.Flush(p.d) },
		func() error { return p.renewIndex(ctx) },
		func() error { return gitconfig.DropLists(p.d, true) },
		func() error { return p.git.run(ctx, "repack", "-a", "-d", "-q") },
		p.dropKept,
		func() error { return p.git.run(ctx, "prune", "--expire=now") },
		func() error { return p.d.RemoveAll(copyPath) },
		func() error { return c.check(ctx, p.git, func(string) bool { return true }) },
		func() error { return p.clearLocks(ctx) }, // a git that ended well may have failed to remove one
		func() error { return gitconfig.Flush(p.d) },
	)
}

// inOrder takes steps up to the first that fails.
func inOrder(steps ...func() error) (err error) {
	for i := 0; err == nil && i < len(steps); i++ {
		err = steps[i]()
	}
	return err
}

// indexLock is a lock that a person's git has for as long as an editor is open. A purge never lets git take it.
const indexLock = ".git/index.lock"

// patience is how long a lock of git's is waited for: then it is dead.
var patience = 2 * time.Second

// clearLocks waits for git's locks to go. A purge that broke off leaves them where its git died: none was there when it
// began, and no git that lives has one of a ref for so long. Another lock is an error that wraps disk.ErrLocked.
func (p *purger) clearLocks(ctx context.Context) error {
	for {
		var lock string
		err := disk.Await(ctx, patience, func() error {
			return gitconfig.WalkGit(p.folder, func(name string, _ fs.DirEntry) error {
				if lock = name; strings.HasSuffix(name, ".lock") && !strings.HasPrefix(name, ".git/objects/") {
					return disk.ErrLocked
				}
				return nil
			})
		})
		if !errors.Is(err, disk.ErrLocked) {
			return err
		}
		if lock == indexLock || !p.d.Exists(gitconfig.PurgePath) {
			return fmt.Errorf("git has %s; if no git command runs here, remove it: %w", lock, disk.ErrLocked)
		}
		if err := p.d.Remove(lock); err != nil {
			return err
		}
	}
}
