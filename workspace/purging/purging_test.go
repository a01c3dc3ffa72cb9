package purging_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
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

// A purge that dies before it rewrites anything has changed nothing, or says that it is not finished and is
// finished by --continue: a lesson that has left the index is never left in the history without a word.
func TestDiesEarly(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	folder := filepath.Join(t.TempDir(), "m")
	template := folder + "-before"
	err := in(t, folder, nil, func(w *workspace.Workspace) error {
		_, err := w.Change(t.Context(), false, func(m *repo.Memory) (repo.Message, error) {
			m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: canary}, {Text: "Run make first"}}})
			return repo.Message{Subject: "learn"}, nil
		})
		return err
	})
	if err == nil {
		err = os.Rename(folder, template)
	}
	if err != nil {
		t.Fatal(err)
	}
	said := func(folder string, args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", folder}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatal(string(out))
		}
		return string(out)
	}
	noted := 0
	for n := 1; n < 120; n += 4 {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(folder, os.DirFS(template)); err != nil {
			t.Fatal(err)
		}
		plan := disktest.Plan{At: n}
		if err := in(t, folder, plan.Fault, purge(t.Context(), false)); err == nil {
			t.Fatalf("%d: it did not die", n)
		}
		isNoted := false
		_ = in(t, folder, nil, func(w *workspace.Workspace) (err error) {
			_, isNoted, err = purging.NewPurger(w).ReadNote()
			return err
		})
		if isNoted {
			noted++
		} else if !strings.Contains(said(folder, "show", "HEAD:"+repo.IndexPath), canary) {
			t.Fatalf("%d: the lesson left the index, and nothing says that it is still in the history", n)
		}
		if err := in(t, folder, nil, purge(t.Context(), isNoted)); err != nil {
			t.Fatalf("%d: %v", n, err)
		}
		if index := said(folder, "show", "HEAD:"+repo.IndexPath); !strings.Contains(index, `"purged": [`) || strings.Contains(said(folder, "log", "-p", "--all"), canary) {
			t.Fatalf("%d: it is still there, or may come again:\n%s", n, index)
		}
	}
	if noted < 5 {
		t.Errorf("it was noted %d times", noted)
	}
}
