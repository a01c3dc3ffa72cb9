package main

import (
	"errors"
	"path/filepath"
	"strings"
	"time"

	"mem/repo"
	"mem/repo/disk/disktest"
	"mem/repo/incoming"
	"mem/workspace"
	"mem/workspace/remote"
)

// withSync is the first seed of the histories in which mem sync does what git pull does
// in the others, through a bare repository, which squashes at times as hosts do.
const withSync = 2000

func (w *history) hasSync() bool { return w.seed >= withSync }

// hub is the bare repository.
func (w *history) hub() string { return filepath.Join(w.folder, "hub.git") }

// sync is mem sync. What both wrote by hand is left to a person, who merges it with git.
func (w *history) sync(c *clone) bool {
	w.Helper()
	before := w.head(c)
	environ := workspace.Environ{"HOME=" + filepath.Join(w.folder, "home"), "MEM_TRUST=" + c.dir, "GIT_CONFIG_NOSYSTEM=1", "MEM_HOOK_WORKER=false"}
	now := w.tick(c)
	world := workspace.World{
		Environ: environ, Dir: w.folder, Clock: func() time.Time { return now }, Fault: new(disktest.Plan).Fault, Note: func(string, ...any) {},
	}
	if c.driver {
		world.Binary = w.binary
	}
	ws, err := workspace.New(world, workspace.Options{Root: c.dir, Now: now})
	if err != nil {
		w.wrong(c, "sync", err.Error())
	}
	opts := remote.Options{Remote: w.hub(), Ref: "refs/heads/main", RequirePerson: func() error { return nil }}
	_, err = remote.Sync(w.ctx, ws, opts)
	err = errors.Join(err, ws.CloseRoots())
	w.tellMade(c, before, nil)
	c.since = nil
	switch {
	case errors.Is(err, incoming.ErrConflict), errors.Is(err, repo.ErrBusy):
		w.counts["sync: left to a person"]++
		w.note("  %v", err)
		return false
	case err != nil:
		w.wrong(c, "sync", err.Error())
	}
	w.check(c, "after a sync")
	return true
}

// exchangeBySync lets all have what the hub has, in two rounds.
func (w *history) exchangeBySync() {
	for range 2 {
		for _, c := range w.clones {
			w.note("%s exchange", filepath.Base(c.dir))
			if !w.sync(c) {
				before := w.head(c)
				w.must(c, "fetch", "-q", w.hub(), "main")
				theirs := w.must(c, "rev-parse", "FETCH_HEAD")
				_, _ = w.git(c, "merge", "-q", "--no-edit", "FETCH_HEAD")
				w.must(c, "add", "-A")
				w.must(c, "commit", "-qm", "messy")
				w.messy[w.head(c)] = true
				w.truth[w.head(c)] = w.truth[before].join(w.truth[theirs])
				w.look(c, "a merge by hand")
				w.sync(c)
			}
		}
	}
}

// isSync reports whether a commit is the merge of a sync.
func isSync(m commit) bool {
	return len(m.parents) == 2 && strings.HasPrefix(m.subject, "sync: merge ")
}
