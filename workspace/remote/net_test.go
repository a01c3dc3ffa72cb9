package remote_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/repo"
	"mem/repo/disk/disktest"
	"mem/workspace"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// A net is some memories and the repository that they share, in a folder.
type net struct {
	*testing.T
	folder string
}

// in opens a memory, and calls f with it.
func (n net) in(name string, f func(w *workspace.Workspace) error) error {
	w, err := workspace.New(workspace.World{
		Environ: workspace.Environ{"HOME=" + filepath.Join(n.folder, "home"), "PATH=" + os.Getenv("PATH")},
		Dir:     n.folder, Clock: func() time.Time { return noon }, Fault: new(disktest.Plan).Fault, Note: func(string, ...any) {},
		RequirePerson: func(bool) error { return nil },
	}, workspace.Options{Root: filepath.Join(n.folder, name), Now: noon})
	if err != nil {
		return err
	}
	return errors.Join(f(w), w.CloseRoots())
}

func (n net) git(folder string, args ...string) string {
	n.Helper()
	return envtest.Git(n, filepath.Join(n.folder, folder), args...)
}

// learn notes something in one memory.
func (n net) learn(name, text string) {
	n.Helper()
	envtest.NoError(n, n.in(name, func(w *workspace.Workspace) error {
		if _, err := w.CreateRoot(n.Context()); err != nil {
			return err
		}
		_, err := w.Change(n.Context(), false, func(m *repo.Memory) (repo.Message, error) {
			m.Learn(facts.Fact{ID: "r-" + name + text, Fixes: []index.Lesson{{Text: text}}})
			return repo.Message{Subject: "learn"}, nil
		})
		return err
	}))
}

// checkHas says whether a memory has these lessons, once each, and no others.
func (n net) checkHas(name string, want ...string) error {
	has := map[string]int{}
	if err := n.in(name, func(w *workspace.Workspace) error {
		m, err := w.ViewRoot()
		if err == nil {
			for _, it := range m.Index.Items {
				has[it.Text] = it.Hits
			}
		}
		return err
	}); err != nil {
		return err
	}
	if got := slices.Sorted(maps.Keys(has)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		return fmt.Errorf("%s has %q, want %q", name, got, want)
	}
	for text, hits := range has {
		if hits != 1 {
			return fmt.Errorf("%s counts %q %d times", name, text, hits)
		}
	}
	return nil
}

// checkSame says whether two memories have the same index.
func (n net) checkSame(one, other string) error {
	a, err := os.ReadFile(filepath.Join(n.folder, one, repo.IndexPath))
	b, err2 := os.ReadFile(filepath.Join(n.folder, other, repo.IndexPath))
	if err = errors.Join(err, err2); err == nil && !bytes.Equal(a, b) {
		err = fmt.Errorf("%s has\n%s%s has\n%s", one, a, other, b)
	}
	return err
}
