package workspace_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

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
				if err := w.LeaveRoots(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		m, err := open(t, world, "").ViewRoot()
		if err != nil || len(m.Index.Items) != 8 {
			t.Fatalf("%d lessons, %v", len(m.Index.Items), err)
		}
		for _, it := range m.Index.Items {
			if it.Origin != index.OriginUser {
				t.Errorf("%s has the origin %s", it.Text, it.Origin)
			}
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
	noError(t, err)
	stranger := open(t, world, "")
	if _, err := stranger.OpenRoot(); !errors.Is(err, workspace.ErrUntrusted) {
		t.Fatalf("another person's memory is opened: %v", err)
	}
	if _, err := stranger.CreateRoot(t.Context()); !errors.Is(err, workspace.ErrUntrusted) {
		t.Fatalf("another person's memory is adopted: %v", err)
	}
	if err := os.WriteFile(mark, ours, 0o600); err != nil { // another process has said yes
		t.Fatal(err)
	}
	queue, err := stranger.Queue(t.Context())
	noError(t, err)
	if _, err := queue.AddJob(noon, []byte(`{"at":"2026-02-03T10:00:00Z","label":"task","fixes":[{"text":"Read the log first"}]}`)); err != nil {
		t.Fatal(err)
	}
	again := open(t, world, "")
	if _, err := again.Change(t.Context(), false, learn("Use tabs")); err != nil {
		t.Fatal(err)
	}
	if m, err := again.ViewRoot(); err != nil || len(m.Index.Items) != 3 {
		t.Errorf("%d lessons, %v", len(m.Index.Items), err)
	}

	world, _ = newWorld(t)
	world.Environ = nil
	w = open(t, world, "")
	if _, err := w.Change(t.Context(), false, learn("Use pnpm")); !errors.Is(err, workspace.ErrKey) {
		t.Errorf("without a home: %v", err)
	}
	if _, err := os.Stat(w.At.Root); err == nil {
		t.Error("without a home a memory is made")
	}
}
