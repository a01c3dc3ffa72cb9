package repo_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mem/envtest"
	"mem/repo"
	"mem/repo/disk"
)

// TestCollectorBeside lets git collect and repack all the time, beside a person who commits, writers and readers: no command
// may say that the repository is damaged, and nothing may be lost. The person does not stash: that is a hard reset, and a
// commit of another program may come between its look at HEAD and its end.
func TestCollectorBeside(t *testing.T) {
	const many = 32
	commands := 40
	if envtest.IsWhole() {
		commands = 2000
	}
	dir := filepath.Join(t.TempDir(), ".mem")
	envtest.NoError(t, writer(t.Context(), dir, "first", 1))
	git(t, dir, "config", "user.name", "p")
	git(t, dir, "config", "user.email", "p@x")
	done := make(chan struct{})
	var beside, at sync.WaitGroup
	for who, script := range [][][]string{
		{{"gc", "-q"}, {"repack", "-adq"}},
		{{"repack", "-q"}, {"prune-packed", "-q"}, {"pack-refs", "--all"}},
		{{"add", "notes.txt"}, {"commit", "-q", "-m", "p"}, {"commit", "-q", "-am", "p"}, {"commit", "-q", "--allow-empty", "-m", "p"}, {"status"}},
	} {
		beside.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
				}
				_ = os.WriteFile(filepath.Join(dir, "notes.txt"), fmt.Append(nil, who, i), 0o600) // a text of its own
				for _, args := range script {
					_, _ = plainGit(dir, args...) // refused while mem is at it
				}
			}
		})
	}
	var next, counted, waits atomic.Int64
	counted.Store(1)
	for w := range many {
		at.Go(func() {
			for i := next.Add(1); int(i) <= commands; i = next.Add(1) {
				err := error(nil)
				if i%2 == 0 {
					err = readAll(dir)
				} else if err = writer(t.Context(), dir, fmt.Sprint(w, "/", i), 1); err == nil {
					counted.Add(1)
				}
				switch {
				case errors.Is(err, repo.ErrBusy), errors.Is(err, repo.ErrLost), errors.Is(err, disk.ErrLocked):
					waits.Add(1)
				case err != nil:
					t.Errorf("command %d: %v", i, err)
				}
			}
		})
	}
	at.Wait()
	close(done)
	beside.Wait()
	// A commit of the person may be of an index that git had read before mem wrote it: mem's next one has it all again.
	got := counters(t, dir, "--invert-grep", "--grep=^p$")
	for i := range got[1:] {
		envtest.FailIf(t, got[i+1] < got[i], "a commit lowered the counter: %v", got)
	}
	envtest.Same(t, counted.Load(), int64(got[len(got)-1]))
	git(t, dir, "fsck", "--strict", "--no-dangling")
	t.Logf("%d commands, %d commits, %d told to wait", commands, len(got), waits.Load())
}

// readAll reads the memory as commands do.
func readAll(dir string) error {
	r, err := repo.Open(dir, repo.Options{})
	if err != nil {
		return err
	}
	_, err = r.View(t0)
	if err == nil {
		_, _, err = r.ListEdits()
	}
	if err == nil {
		n := 0
		err = r.WalkHistory(func(repo.Revision) bool { n++; return n < 50 })
	}
	return errors.Join(err, r.Close())
}
