package workspace_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mem/envtest"
	"mem/index"
	"mem/workspace"
)

// Processes that make a memory at once do not take each other for strangers.
func TestFirstWritersAtOnce(t *testing.T) {
	for range 5 {
		world, _ := newWorld(t)
		world.Note = func(string, ...any) {}
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				w, err := workspace.New(world, workspace.Options{Now: noon})
				if err == nil {
					_, err = w.Change(t.Context(), false, learn(fmt.Sprintf("Lesson %d", i)))
				}
				if err != nil {
					t.Error(err)
					return
				}
				err = w.LeaveRoots()
				envtest.FailIf(t, err != nil, "%v", err)
			})
		}
		all.Wait()
		m, err := open(t, world, "").ViewRoot()
		envtest.StopIf(t, err != nil || len(m.Index.Items) != 8, "%d lessons, %v", len(m.Index.Items), err)
		for _, it := range m.Index.Items {
			envtest.Same(t, index.OriginUser, it.Origin, it.Text, "has the origin")
		}
	}
}

// What waited is not forgotten, even if it was queued while the person said yes, and without a place for the key no
// memory is made that the next command would not know (design, §10).
func TestWaitingIsTaken(t *testing.T) {
	world, _ := newWorld(t)
	w := open(t, world, "")
	if _, err := w.Change(t.Context(), false, learn("Use pnpm")); err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(w.At.Root, ".git", "mem", "trust")
	ours, err := os.ReadFile(mark)
	if err == nil {
		err = os.WriteFile(mark, []byte("a b\n"), 0o600)
	}
	envtest.NoError(t, err)
	stranger := open(t, world, "")
	_, err = stranger.OpenRoot()
	envtest.StopIf(t, !errors.Is(err, workspace.ErrUntrusted), "another person's memory is opened: %v", err)
	_, err = stranger.CreateRoot(t.Context())
	envtest.StopIf(t, !errors.Is(err, workspace.ErrUntrusted), "another person's memory is adopted: %v", err)
	if err := os.WriteFile(mark, ours, 0o600); err != nil { // another process has said yes
		t.Fatal(err)
	}
	queue, err := stranger.Queue(t.Context())
	envtest.NoError(t, err)
	_, err = queue.AddJob(noon, []byte(`{"at":"2026-02-03T10:00:00Z","label":"task","fixes":[{"text":"Read the log first"}]}`))
	envtest.NoError(t, err)
	again := open(t, world, "")
	_, err = again.Change(t.Context(), false, learn("Use tabs"))
	envtest.NoError(t, err)
	m, err := again.ViewRoot()
	envtest.FailIf(t, err != nil || len(m.Index.Items) != 3, "%d lessons, %v", len(m.Index.Items), err)

	world, _ = newWorld(t)
	world.Environ = nil
	w = open(t, world, "")
	_, err = w.Change(t.Context(), false, learn("Use pnpm"))
	envtest.Wraps(t, workspace.ErrKey, err, "without a home")
	_, err = os.Stat(w.At.Root)
	envtest.FailIf(t, err == nil, "without a home a memory is made")
}
