package workspace_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/repo"
	"mem/workspace"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

// learnIn makes a lesson in a memory, and returns its id.
func learnIn(t *testing.T, world workspace.World, root, text string) string {
	t.Helper()
	w, err := workspace.New(world, workspace.Options{Root: root, Now: noon})
	envtest.NoError(t, err)
	defer w.CloseRoots()
	_, err = w.Change(t.Context(), false, func(m *repo.Memory) (repo.Message, error) {
		m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: text, Origin: index.OriginUser}}})
		return repo.Message{Subject: "learn: " + text}, nil
	})
	envtest.NoError(t, err)
	m, err := w.ViewRoot()
	envtest.NoError(t, err)
	return m.Index.Items[len(m.Index.Items)-1].ID
}

func TestNewHolding(t *testing.T) {
	dir, notes := t.TempDir(), 0
	for _, name := range []string{"p/.git", "home"} {
		envtest.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
	}
	home := filepath.Join(dir, "home")
	world := workspace.World{
		Environ: workspace.Environ{"HOME=" + home}, Dir: filepath.Join(dir, "p"), Version: "test",
		Clock: func() time.Time { return noon }, Note: func(string, ...any) { notes++ },
	}
	project, own := learnIn(t, world, "", "Use pnpm"), learnIn(t, world, filepath.Join(home, ".mem"), "Sign the commits")
	second := learnIn(t, world, filepath.Join(home, ".mem"), "Ask before a push")
	for name, tt := range map[string]struct {
		root string
		ids  []string
		want string // the memory
	}{
		"the project's":   {ids: []string{project}, want: "p"},
		"unknown":         {ids: []string{"m-00000000"}, want: "p"},
		"the own":         {ids: []string{own}, want: "home"},
		"named":           {root: ".mem", ids: []string{own}, want: "p"},
		"named, unknown":  {root: ".mem", ids: []string{"m-00000000"}, want: "p"},
		"both":            {ids: []string{project, own}, want: "p"},
		"and an unknown":  {ids: []string{own, "m-00000000"}, want: "home"},
		"more of the own": {ids: []string{own, second, project}, want: "home"},
	} {
		notes = 0
		w, err := workspace.NewHolding(world, workspace.Options{Root: tt.root, Now: noon}, tt.ids)
		envtest.NoError(t, err)
		envtest.Same(t, tt.want, filepath.Base(filepath.Dir(w.At.Root)), name)
		envtest.NoError(t, w.LeaveRoots())
		envtest.Same(t, tt.want == "home", notes > 0, name, notes, "notes")
	}
}
