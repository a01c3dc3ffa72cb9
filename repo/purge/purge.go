// Package purge takes words out of a memory for good: of its files, of the whole history in
// all refs and stashes, of what git remembers of them, and of mem's private files.
//
// The history goes through git fast-export and git fast-import, with a filter between, into
// refs of its own; one transaction moves the real refs there. Then the files follow, the logs go, git
// packs what is left, and every object and file is searched. What is to be done is noted
// first, and until it is done nothing else writes to the memory: a purge that broke off is
// done again from the start, which finds less to do.
package purge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/reflog"
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
	Patience time.Duration                          // after which a lock of git that did not change is dead; zero is two seconds
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
		if _, err := p.open(ctx, d); err != nil {
			return err
		}
		return p.announce(ctx, d, w)
	})
}

func (p Purger) announce(ctx context.Context, d *disk.Dir, w Words) error {
	if err := p.check(ctx, d); err != nil {
		return err
	}
	note, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("note what to purge: %w", err)
	}
	return d.WriteFile(gitconfig.PurgePath, note, gitstore.TempDir)
}

// Revoke takes back what Announce noted, if nothing was fetched, or all is done.
func (p Purger) Revoke() error { return p.locked(context.Background(), finish) }

func finish(d *disk.Dir) error { return errors.Join(d.Remove(idsPath), d.Remove(gitconfig.PurgePath)) }

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

// Run purges the words. If these are Awaited, it leaves the note to Revoke. It wraps ErrRefused and ErrLeft.
func (p Purger) Run(ctx context.Context, w Words) (res Result, err error) {
	err = p.locked(ctx, func(d *disk.Dir) error { return p.run(ctx, d, w, &res) })
	return res, err
}

func (p Purger) run(ctx context.Context, d *disk.Dir, w Words, res *Result) error {
	store, err := p.open(ctx, d)
	if err != nil {
		return err
	}
	c := newCleaner(w)
	return inOrder(
		func() error { return p.announce(ctx, d, w) },
		func() error { return p.rewrite(ctx, d, c, res) },
		func() error { return p.cleanFiles(d, c, res) },
		func() error { return p.forget(ctx, d, store) },
		func() error { return p.verify(ctx, d, c) },
		func() error { return p.clearLocks(ctx, d) }, // a git that ended well may have failed to remove one
		func() error { return gitconfig.Flush(d) },
		func() error {
			if w.Awaited {
				return nil
			}
			return finish(d)
		},
	)
}

// inOrder takes steps up to the first that fails.
func inOrder(steps ...func() error) (err error) {
	for i := 0; err == nil && i < len(steps); i++ {
		err = steps[i]()
	}
	return err
}

// check refuses what could not be purged whole.
func (p Purger) check(ctx context.Context, d *disk.Dir) error {
	if what := gitconfig.FindOperation(d); what != "" && !d.Exists(gitconfig.PurgePath) {
		return fmt.Errorf("%w: %s", ErrRefused, what)
	}
	if d.Exists(".git/shallow") {
		return fmt.Errorf("%w: this is a shallow clone, which does not have the whole history", ErrRefused)
	}
	if d.Exists(".git/worktrees") {
		return fmt.Errorf("%w: the memory has linked work trees, with files and logs of their own; 'git worktree list' names them", ErrRefused)
	}
	if _, err := p.git(ctx, "symbolic-ref", "-q", "HEAD"); err != nil {
		return fmt.Errorf("%w: no branch is checked out", ErrRefused)
	}
	return nil
}

// rewrite writes the history anew, as far as it holds the words, and moves all refs to it.
func (p Purger) rewrite(ctx context.Context, d *disk.Dir, c cleaner, res *Result) error {
	if err := errors.Join(p.deleteRefs(ctx, area, "refs/tags/"+tagStart), p.keepStashes(ctx)); err != nil {
		return err
	}
	old, err := p.listRefs(ctx, "refs")
	if err != nil {
		return err
	}
	maps.DeleteFunc(old, func(ref, _ string) bool { // what a remote has is fetched again, and the stashes have refs now
		return strings.HasPrefix(ref, "refs/remotes/") || ref == "refs/stash"
	})
	ids, err := p.export(ctx, c, slices.Sorted(maps.Keys(old)), res)
	if err != nil {
		return err
	}
	return inOrder(
		func() error { return gitconfig.Flush(d) },
		func() error { return noteIDs(d, ids) },
		func() error { return p.moveRefs(ctx, old) },
		func() error { return p.beginLog(ctx, d) },
		func() error { return p.storeStashes(ctx) },
	)
}

// stashArea is where stashes are while the logs, which list them, are made anew.
const stashArea = "refs/mem-stash/"

// keepStashes gives each stash a ref, unless a purge that broke off did: git makes and removes one ref after the
// other, and as long as not all are there, the list is whole.
func (p Purger) keepStashes(ctx context.Context) error {
	kept, err := p.listRefs(ctx, stashArea)
	if err != nil {
		return err
	}
	list, err := p.git(ctx, "stash", "list", "--format=%H")
	stashes := strings.Fields(list)
	if len(kept) >= len(stashes) {
		return err
	}
	var updates strings.Builder
	for i, id := range stashes {
		fmt.Fprintf(&updates, "update %s%05d %s\n", stashArea, i, id)
	}
	return errors.Join(err, p.updateRefs(ctx, updates.String()))
}

// storeStashes makes the list of stashes anew. forget removes their refs.
func (p Purger) storeStashes(ctx context.Context) error {
	kept, err := p.listRefs(ctx, stashArea)
	if err != nil || len(kept) == 0 {
		return err
	}
	if _, err := p.git(ctx, "update-ref", "-d", "refs/stash"); err != nil {
		return err
	}
	for _, ref := range slices.Backward(slices.Sorted(maps.Keys(kept))) {
		said, err := p.git(ctx, "log", "-1", "--format=%s", kept[ref])
		if err != nil {
			return err
		}
		if _, err := p.git(ctx, "stash", "store", "-q", "-m", strings.TrimSpace(said), kept[ref]); err != nil {
			return err
		}
	}
	return nil
}

// moveRefs moves all refs to their new history, together.
func (p Purger) moveRefs(ctx context.Context, old map[string]string) error {
	made, err := p.listRefs(ctx, "refs")
	if err != nil {
		return err
	}
	var updates strings.Builder
	for _, ref := range slices.Sorted(maps.Keys(old)) {
		name, isTag := strings.CutPrefix(ref, "refs/tags/")
		is := made[area+strings.TrimPrefix(ref, "refs/")]
		if tag, annotated := made["refs/tags/"+tagStart+name]; isTag && annotated {
			is = tag
		}
		if is == "" {
			return fmt.Errorf("%w: git did not write %s anew", ErrRefused, ref)
		}
		fmt.Fprintf(&updates, "update %s %s %s\n", ref, is, old[ref])
	}
	if err := p.updateRefs(ctx, updates.String()); err != nil {
		return err
	}
	return p.deleteRefs(ctx, area, "refs/tags/"+tagStart)
}

// beginLog makes the logs anew, and notes the new history as mem's own doing: one that git brought
// would wait for the person.
func (p Purger) beginLog(ctx context.Context, d *disk.Dir) error {
	for _, path := range []string{".git/logs", ".git/ORIG_HEAD", ".git/FETCH_HEAD"} {
		if err := d.RemoveAll(path); err != nil {
			return err
		}
	}
	said, err := p.git(ctx, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD")
	if err != nil {
		return err
	}
	tip, branch, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if err := d.MkdirAll(path.Dir(".git/logs/" + branch)); err != nil {
		return err
	}
	to, _ := object.ParseHash(tip)
	signature := object.Signature(gitconfig.ReadIdentity(d, p.Project, p.Environ).Committer, p.Now.UTC())
	return reflog.Append(d, branch, object.Hash{}, to, signature, reflog.Own+"purge")
}
