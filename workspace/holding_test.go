package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mem/curate/lesson"
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
	noError(t, err)
	defer w.CloseRoots()
	_, err = w.Change(t.Context(), false, func(m *repo.Memory) (repo.Message, error) {
		m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: text, Origin: index.OriginUser}}})
		return repo.Message{Subject: "learn: " + text}, nil
	})
	noError(t, err)
	m, err := w.ViewRoot()
	noError(t, err)
	return m.Index.Items[0].ID
}

func TestEachHolder(t *testing.T) {
	dir, notes := t.TempDir(), 0
	for _, name := range []string{"p/.git", "home"} {
		noError(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
	}
	home := filepath.Join(dir, "home")
	world := workspace.World{
		Environ: workspace.Environ{"HOME=" + home}, Dir: filepath.Join(dir, "p"), Version: "test",
		Clock: func() time.Time { return noon }, Note: func(string, ...any) { notes++ },
	}
	project, own := learnIn(t, world, "", "Use pnpm"), learnIn(t, world, filepath.Join(home, ".mem"), "Sign the commits")
	refused := errors.New("no")
	for name, tt := range map[string]struct {
		root string
		ids  []string
		one  bool   // the command changes one memory alone
		fail string // memory in which it fails
		want string // the calls: memory, trial, and ids
		err  error
	}{
		"the project's":  {ids: []string{project}, want: "p:" + project},
		"unknown":        {ids: []string{"m-00000000"}, want: "p:m-00000000"},
		"the own":        {ids: []string{own}, want: "home:" + own},
		"named":          {root: ".mem", ids: []string{own}, err: lesson.ErrUnknown},
		"named, unknown": {root: ".mem", ids: []string{"m-00000000"}, want: "p:m-00000000"},
		"both":           {ids: []string{project, own}, want: "p?" + project + " home?" + own + " p:" + project + " home:" + own},
		"both as one":    {ids: []string{project, own}, one: true, err: workspace.ErrApart},
		"both, one not":  {ids: []string{own, project}, fail: "home?", want: "p?" + project + " home?" + own, err: refused},
		"and an unknown": {ids: []string{own, project, "m-00000000"}, want: "p:" + own + "," + project + ",m-00000000"},
	} {
		notes = 0
		var got []string
		err := workspace.EachHolder(world, workspace.Options{Root: tt.root, Now: noon}, tt.ids, !tt.one, func(w *workspace.Workspace, ids []string, isTrial bool) error {
			at := filepath.Base(filepath.Dir(w.At.Root)) + map[bool]string{true: "?", false: ":"}[isTrial]
			got = append(got, at+strings.Join(ids, ","))
			if at == tt.fail {
				return refused
			}
			return nil
		})
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" || !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, want %v\n%s", name, err, tt.err, diff)
		}
		if isNoted := notes > 0; isNoted != strings.Contains(tt.want, "home:") {
			t.Errorf("%s: %d notes", name, notes)
		}
	}
}
