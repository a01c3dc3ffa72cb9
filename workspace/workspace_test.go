package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/repo"
	"mem/workspace"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// newWorld returns a world in an empty project, and what was noted in it.
func newWorld(t *testing.T) (workspace.World, *[]string) {
	t.Helper()
	dir, notes := t.TempDir(), &[]string{}
	for _, name := range []string{"p/.git", "home"} {
		envtest.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
	}
	return workspace.World{
		Environ: workspace.Environ{"HOME=" + filepath.Join(dir, "home")}, Dir: filepath.Join(dir, "p"),
		Clock: func() time.Time { return noon }, Version: "test",
		Note: func(format string, _ ...any) { *notes = append(*notes, format) },
	}, notes
}

func open(t *testing.T, world workspace.World, root string) *workspace.Workspace {
	t.Helper()
	w, err := workspace.New(world, workspace.Options{Root: root, Now: noon})
	envtest.NoError(t, err)
	t.Cleanup(func() { _ = w.CloseRoots() })
	return w
}

// learn is a change that adds a lesson.
func learn(text string) func(*repo.Memory) (repo.Message, error) {
	return func(m *repo.Memory) (repo.Message, error) {
		m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: text, Origin: index.OriginUser}}})
		return repo.Message{Subject: "learn: " + text}, nil
	}
}

func TestChange(t *testing.T) {
	world, _ := newWorld(t)
	w := open(t, world, "")
	planned, err := w.Change(t.Context(), true, learn("Use pnpm"))
	envtest.NoError(t, err)
	if planned.Status != workspace.Planned || planned.Commit != "" || planned.Subject != "learn: Use pnpm" || len(planned.Files) == 0 {
		t.Errorf("planned %+v", planned)
	}
	diff, err := planned.Diff()
	if n := strings.Count(diff, "\n+++ b/"); err != nil || n != len(planned.Files) || !strings.Contains(diff, "--- /dev/null") {
		t.Errorf("%d diffs for %d files, %v", n, len(planned.Files), err)
	}
	_, err = os.Stat(w.At.Root)
	envtest.Wraps(t, os.ErrNotExist, err, "a dry run made", w.At.Root)
	done, err := w.Change(t.Context(), false, learn("Use pnpm"))
	envtest.FailIf(t, err != nil || done.Status != workspace.Done || len(done.Commit) < 40, "done %+v, %v", done, err)
	files := slices.DeleteFunc(done.Files, func(name string) bool { return strings.HasPrefix(name, facts.Folder) })
	envtest.Same(t, planned.Files, files, "files as planned (-) and as changed (+")
	nothing, err := w.Change(t.Context(), false, func(*repo.Memory) (repo.Message, error) { return repo.Message{}, nil })
	envtest.FailIf(t, err != nil || nothing.Status != workspace.Nothing || nothing.Commit != "",
		"nothing to change: %+v, %v", nothing, err)
	if nothing.Call("approved"); nothing.Status != workspace.Nothing {
		t.Errorf("nothing is called %q", nothing.Status)
	}
	if done.Call("approved"); done.Status != "approved" {
		t.Errorf("done is called %q", done.Status)
	}
	failed := errors.New("no")
	_, err = w.Change(t.Context(), false, func(*repo.Memory) (repo.Message, error) { return repo.Message{}, failed })
	envtest.Wraps(t, failed, err, "a failing change")
	err = w.LeaveRoots()
	envtest.FailIf(t, err != nil, "%v", err)
}

// A command opens its memory once, and counts what waits in the queue once.
// TestReviewIsShort checks that a person is asked about ten proposals at most, in twelve lines each.
func TestReviewIsShort(t *testing.T) {
	world, _ := newWorld(t)
	w := open(t, world, "")
	_, err := w.Change(t.Context(), false, func(m *repo.Memory) (repo.Message, error) {
		for i := range 12 {
			text := fmt.Sprintf("Step %d takes %s", i, strings.Repeat("many words ", 80))
			m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: text, Origin: index.OriginExternal}}})
		}
		return repo.Message{Subject: "learn: twelve"}, nil
	})
	envtest.NoError(t, err)
	m, err := w.ViewRoot()
	envtest.NoError(t, err)
	list, _, err := workspace.Queues.ListPending(m)
	envtest.NoError(t, err)
	var out strings.Builder
	r := workspace.Review{Workspace: w, Out: &out, Ask: func(_ context.Context, question string) (string, error) {
		out.WriteString(question + "\n")
		return "s", nil
	}}
	envtest.NoError(t, r.Run(t.Context(), list))
	cards := strings.Split(out.String(), " of 10  ")[1:]
	envtest.FailIf(t, len(list) != 12 || len(cards) != 10 || !strings.Contains(cards[9], "12 still pending"),
		"of %d proposals, %d cards:\n%s", len(list), len(cards), out.String())
	for _, card := range cards {
		n := strings.Count(strings.SplitAfter(card, " > ")[0], "\n") + 1
		envtest.FailIf(t, n > 12, "%d lines:\n%s", n, card)
	}
}

func TestQueueIsCountedOnce(t *testing.T) {
	world, notes := newWorld(t)
	w := open(t, world, "")
	root, err := w.CreateRoot(t.Context())
	envtest.NoError(t, err)
	again, err := w.OpenRoot()
	envtest.FailIf(t, err != nil || again != root, "opened twice: %v", err)
	enqueue := func() {
		_, err := root.AddJob(noon, []byte(`{"at":"2026-02-03T10:00:00Z","label":"task","fixes":[{"text":"Read the log first"}]}`))
		envtest.NoError(t, err)
	}
	enqueue()
	for range 2 {
		_, err := w.Change(t.Context(), false, learn("Use pnpm"))
		envtest.NoError(t, err)
		enqueue()
	}
	if jobs, err := root.ListJobs(); err != nil || len(jobs) != 1 || len(*notes) != 1 {
		t.Errorf("%d jobs wait, %v; noted %q", len(jobs), err, *notes)
	}
}
