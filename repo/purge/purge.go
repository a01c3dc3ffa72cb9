// Package purge takes words out of a memory for good: of its files, of the whole history in
// all refs and stashes, of what git remembers of them, and of mem's private files.
//
// What is to be done is noted first, and until it is done nothing else writes to the memory. The history goes
// through git fast-export and git fast-import, with a filter between, in a copy that shares nothing but objects
// to read. It is searched, its pack and the files follow, and one transaction moves the refs. Then git drops what is old, and all
// is searched. A purge that broke off is done again from the start, which finds less to do.
package purge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
)

// ErrLeft is wrapped when something still holds the words.
var ErrLeft = errors.New("the words are still there")

// ErrRefused is wrapped when a memory cannot be purged as it stands.
var ErrRefused = errors.New("nothing was purged")

// KnownPath is where a clone keeps what the person knows.
const KnownPath = gitstore.PrivateDir + "/known"

const lockWait = 10 * time.Second

// A Purger purges the memory in a folder.
type Purger struct {
	Folder  string
	Environ []string
	Files   disk.Files
	Project string // as for repo.Options
	Now     time.Time

	Reseal   func(said, was []byte) ([]byte, error) // seals what the person knows anew, of which the commits have other ids; nil for nothing
	Patience time.Duration                          // after which a lock of git is dead; zero is two seconds
}

// A Result says what was done.
type Result struct {
	Commits int `json:"commits"` // that were written anew
	Files   int `json:"files"`   // of the work tree and of mem's own that changed
}

// ReadNote returns what a purge that broke off was about; nothing without one.
func (p Purger) ReadNote() (w Words, found bool, err error) {
	data, err := os.ReadFile(filepath.Join(p.Folder, filepath.FromSlash(gitconfig.PurgePath)))
	if errors.Is(err, fs.ErrNotExist) {
		return w, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &w)
	}
	return w, true, err
}

// Announce notes what is about to be purged, before the first effect: before a lesson leaves the index, or
// something is fetched that has the words.
func (p Purger) Announce(ctx context.Context, w Words) error {
	return p.locked(ctx, func(d *disk.Dir) error {
		_, err := p.begin(ctx, d, &w)
		return err
	})
}

// begin notes what is about to be purged, adds what was noted before, and removes what a purge that broke off left. The caller has
// mem's lock.
func (p Purger) begin(ctx context.Context, d *disk.Dir, w *Words) (*gitstore.Store, error) {
	store, err := gitstore.Open(d, false, func(string) {})
	if err != nil {
		return nil, err
	}
	return store, disk.InOrder(
		func() error { return store.Reap(ctx, "", lockWait) }, // git cannot pass what mem left when it died
		func() error { return p.clearLocks(ctx, d) },
		func() error { return check(d, store) },
		func() error { return p.note(d, w) },
	)
}

// note adds to what is to be purged what was noted before.
func (p Purger) note(d *disk.Dir, w *Words) error {
	was, _, err := p.ReadNote()
	for to, from := range map[*[]string][]string{&w.IDs: was.IDs, &w.Texts: was.Texts, &w.Names: was.Names} {
		*to = slices.Compact(slices.Sorted(slices.Values(slices.Concat(*to, from))))
	}
	data, err2 := json.Marshal(w)
	if err = errors.Join(err, err2); err != nil {
		return fmt.Errorf("note what to purge: %w", err)
	}
	return d.WriteFile(gitconfig.PurgePath, data, gitstore.TempDir)
}

// Revoke takes back what Announce noted, when all is done.
func (p Purger) Revoke() error {
	return p.locked(context.Background(), func(d *disk.Dir) error {
		return errors.Join(d.Remove(gitconfig.PurgePath), d.SyncDir(gitstore.PrivateDir))
	})
}

// locked calls f while nothing else writes to the memory.
func (p Purger) locked(ctx context.Context, f func(d *disk.Dir) error) error {
	d, err := p.Files.Open(p.Folder)
	if err != nil {
		return fmt.Errorf("open memory root: %w", err)
	}
	lock, err := d.AcquireLock(ctx, gitstore.LockPath, lockWait)
	if err != nil {
		return errors.Join(fmt.Errorf("lock memory: %w", err), d.Close())
	}
	packing, err := d.AcquireLock(ctx, gitstore.PackLockPath, lockWait) // what is packed now is copied
	if err != nil {
		return errors.Join(fmt.Errorf("wait for git to pack: %w", err), lock.Release(), d.Close())
	}
	return errors.Join(f(d), packing.Release(), lock.Release(), d.Close())
}

// Run purges what was announced, and leaves the note to Revoke. It wraps ErrRefused and ErrLeft.
func (p Purger) Run(ctx context.Context) (res Result, err error) {
	err = p.locked(ctx, func(d *disk.Dir) error {
		var w Words
		store, err := p.begin(ctx, d, &w)
		if err != nil {
			return err
		}
		return disk.InOrder(
			func() error { return p.rewrite(ctx, d, w, &res) },
			func() error { return p.beginLogs(d, store) },
			func() error { return p.forget(ctx, d, store) },
			func() error { return p.search(ctx, newCleaner(w), func(string) bool { return true }) },
			func() error { return p.clearLocks(ctx, d) }, // a git that ended well may have failed to remove one
			func() error { return gitconfig.Flush(d) },
		)
	})
	return res, err
}

// check refuses what could not be purged whole.
func check(d *disk.Dir, store *gitstore.Store) error {
	head, err := store.ReadHead()
	what := ""
	switch {
	case err != nil:
		return err
	case head.Ref == "":
		what = "no branch is checked out"
	case d.Exists(".git/shallow"):
		what = "this is a shallow clone, which does not have the whole history"
	case d.Exists(".git/worktrees"):
		what = "the memory has linked work trees, with files and logs of their own; 'git worktree list' names them"
	case !d.Exists(gitconfig.PurgePath):
		what = gitconfig.FindOperation(d)
	}
	if what != "" {
		return fmt.Errorf("%w: %s", ErrRefused, what)
	}
	return nil
}

// indexLock is a lock that a person's git has for as long as an editor is open. A purge never lets git take it.
const indexLock = ".git/index.lock"

// clearLocks waits for git's locks to go. A purge that broke off leaves them where its git died: none was there when it
// began, and no git that lives has one of a ref for so long. Another lock is an error that wraps disk.ErrLocked.
func (p Purger) clearLocks(ctx context.Context, d *disk.Dir) error {
	for {
		var lock string
		err := disk.Await(ctx, cmp.Or(p.Patience, 2*time.Second), func() error {
			return gitconfig.WalkGit(p.Folder, func(name string, _ fs.DirEntry) error {
				if lock = name; strings.HasSuffix(name, ".lock") && !strings.HasPrefix(name, ".git/objects/") {
					return disk.ErrLocked
				}
				return nil
			})
		})
		if !errors.Is(err, disk.ErrLocked) {
			return err
		}
		if lock == indexLock || !d.Exists(gitconfig.PurgePath) {
			return fmt.Errorf("git has %s; if no git command runs here, remove it: %w", lock, disk.ErrLocked)
		}
		if err := d.Remove(lock); err != nil {
			return err
		}
	}
}
