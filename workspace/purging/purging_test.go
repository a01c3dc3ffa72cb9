package purging_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/disk/disktest"
	"mem/workspace"
	"mem/workspace/purging"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

const canary = "Keep silent about Kumquat-Zebra"

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// in calls f with the memory in a folder.
func in(t *testing.T, folder string, fault disk.Fault, f func(w *workspace.Workspace) error) error {
	t.Helper()
	w, err := workspace.New(workspace.World{
		Environ: workspace.Environ{"HOME=" + filepath.Dir(folder), "PATH=" + os.Getenv("PATH")},
		Dir:     filepath.Dir(folder), Clock: func() time.Time { return noon }, Fault: fault, Note: func(string, ...any) {},
	}, workspace.Options{Root: folder, Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.CloseRoots() }()
	return f(w)
}

// purge takes the canary out, or finishes what a purge began that broke off.
func purge(ctx context.Context, resume bool) func(w *workspace.Workspace) error {
	return func(w *workspace.Workspace) error {
		root, err := w.CreateRoot(ctx)
		if err != nil {
			return err
		}
		_, err = purging.Run(ctx, w, root, purging.Options{Item: index.BaseID(index.KeyOf(canary)), Resume: resume, Yes: true})
		return err
	}
}

// learn notes a lesson.
func learn(ctx context.Context, texts ...string) func(w *workspace.Workspace) error {
	return func(w *workspace.Workspace) error {
		_, err := w.Change(ctx, false, func(m *repo.Memory) (repo.Message, error) {
			for _, text := range texts {
				m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: text}}})
			}
			return repo.Message{Subject: "learn"}, nil
		})
		return err
	}
}

// A purge that dies has changed nothing, or says that it is not finished, lets nothing else be written, and is
// finished by --continue: a lesson that has left the index is never left in the history without a word. MEM_EVERY tries every place.
func TestDies(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	folder := filepath.Join(t.TempDir(), "m")
	template := folder + "-before"
	err := in(t, folder, nil, learn(t.Context(), canary, "Run make first"))
	if err == nil {
		err = os.Rename(folder, template)
	}
	if err != nil {
		t.Fatal(err)
	}
	said := func(folder string, args ...string) string { return envtest.Git(t, folder, args...) }
	step := 17
	if os.Getenv("MEM_EVERY") != "" {
		step = 1
	}
	for n := 1; ; n += step {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(folder, os.DirFS(template)); err != nil {
			t.Fatal(err)
		}
		plan := disktest.Plan{At: n}
		isDone := in(t, folder, plan.Fault, purge(t.Context(), false)) == nil
		isNoted, want := false, []string{"Run make first", "Read the log", "Wait for the lock"}
		_ = in(t, folder, nil, func(w *workspace.Workspace) (err error) {
			_, isNoted, err = purging.NewPurger(w).ReadNote()
			return err
		})
		if err := in(t, folder, nil, learn(t.Context(), want[1])); (err == nil) == isNoted || isNoted && !strings.Contains(err.Error(), "mem purge --continue") {
			t.Fatalf("%d: noted: %v, and what comes between: %v", n, isNoted, err)
		}
		if !isNoted && !isDone && !strings.Contains(said(folder, "show", "HEAD:"+repo.IndexPath), canary) {
			t.Fatalf("%d: the lesson left the index, and nothing says that it is still in the history", n)
		}
		if !isDone {
			err = in(t, folder, nil, purge(t.Context(), isNoted))
		}
		if err = errors.Join(err, in(t, folder, nil, learn(t.Context(), want[1:]...))); err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		index := said(folder, "show", "HEAD:"+repo.IndexPath)
		isLost := slices.ContainsFunc(want, func(text string) bool { return !strings.Contains(index, text) })
		if isLost || !strings.Contains(index, `"purged": [`) || strings.Contains(said(folder, "log", "-p", "--all"), canary) {
			t.Fatalf("%d: it is still there, may come again, or another lesson is lost:\n%s", n, index)
		}
		if said(folder, "fsck", "--strict"); isDone {
			t.Logf("%d places", n-1)
			return
		}
	}
}
