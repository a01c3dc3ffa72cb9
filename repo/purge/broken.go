package purge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
)

// indexLock is a lock that a person's git has for as long as an editor is open. A purge never lets git take it.
const indexLock = ".git/index.lock"

// open opens the memory's repository, without the locks and files that a purge that broke off left. The caller
// has mem's lock.
func (p Purger) open(ctx context.Context, d *disk.Dir) (*gitstore.Store, error) {
	store, err := gitstore.Open(d, false, func(string) {})
	if err == nil {
		err = store.Reap(ctx, "", lockWait) // git cannot pass what mem left when it died
	}
	if err == nil {
		err = p.clearLocks(ctx, d)
	}
	if err == nil && d.Exists(gitconfig.PurgePath) {
		err = p.dropLeft(d)
	}
	return store, err
}

// clearLocks waits for git's locks to go. A purge that broke off leaves them where its git died: none was there when it
// began, and no git that lives has one of a ref for so long without a change. Another lock is an error that wraps disk.ErrLocked.
func (p Purger) clearLocks(ctx context.Context, d *disk.Dir) error {
	first, err := p.findLocks()
	now := first
	if err == nil {
		err = disk.Await(ctx, cmp.Or(p.Patience, 2*time.Second), func() (err error) {
			if now, err = p.findLocks(); err == nil && len(now) > 0 {
				err = disk.ErrLocked
			}
			return err
		})
	}
	if !errors.Is(err, disk.ErrLocked) {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if name == indexLock || !d.Exists(gitconfig.PurgePath) || first[name] != now[name] {
			return fmt.Errorf("git has %s since %s; if no git command runs here, remove it: %w", name, now[name].UTC().Format(time.RFC3339), disk.ErrLocked)
		}
		if err := d.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// findLocks returns git's locks, and when they were last changed.
func (p Purger) findLocks() (map[string]time.Time, error) {
	locks := map[string]time.Time{}
	return locks, gitconfig.WalkGit(p.Folder, func(name string, e fs.DirEntry) error {
		if !strings.HasSuffix(name, ".lock") || strings.HasPrefix(name, ".git/objects/") {
			return nil
		}
		info, err := e.Info()
		if err == nil {
			locks[name] = info.ModTime()
		}
		return err
	})
}

// dropLeft removes what git left where it died, and never removes itself: packs that were not done, reports, and
// that fast-import's pack is to be kept, which it does not say twice. A power cut leaves that without a word.
func (p Purger) dropLeft(d *disk.Dir) error {
	begun, err := d.Lstat(gitconfig.PurgePath)
	if err != nil {
		return err
	}
	return gitconfig.WalkGit(p.Folder, func(name string, e fs.DirEntry) error {
		base := path.Base(name)
		isLeft := strings.HasPrefix(base, "fast_import_crash_") || strings.HasPrefix(name, packFolder+"/.tmp-")
		if path.Dir(name) == packFolder && path.Ext(name) == ".keep" {
			said, err := d.ReadFile(name, 1<<10)
			info, errInfo := e.Info()
			isLeft = errors.Join(err, errInfo) == nil && !info.ModTime().Before(begun.ModTime()) && slices.Contains([]string{"", "fast-import"}, string(said))
		}
		if isLeft {
			return d.Remove(name)
		}
		return nil
	})
}

const packFolder = ".git/objects/pack"
