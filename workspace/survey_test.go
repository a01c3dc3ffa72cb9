package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mem/envtest"
	"mem/repo"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// lay makes files in a folder; a name that ends in / is a folder.
func lay(t *testing.T, dir string, names ...string) string {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		folder := filepath.Dir(path)
		if name[len(name)-1] == '/' {
			folder = path
		}
		err := os.MkdirAll(folder, 0o700)
		if err == nil && folder != path {
			err = os.WriteFile(path, []byte("{}"), 0o600)
		}
		envtest.NoError(t, err)
	}
	return dir
}

// TestHoldsMemory is the question whether a folder has anything that a stranger may
// have put there. What a crash leaves of a root that is being made has not.
func TestHoldsMemory(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  bool
	}{
		{nil, false},
		{[]string{"core/"}, false},
		{[]string{"core/", ".git/HEAD", ".git/refs/heads/", ".git/objects/"}, false},
		{[]string{".git/refs/heads/", ".git/mem/spool/.mem-a"}, false},
		{[]string{"mem.toml"}, false}, // such a folder is not opened
		{[]string{"core/", ".git/objects/pack/", ".git/mem/tmp/", ".mem-init.lock"}, false},
		{[]string{".git/mem/", "rules/coding.md"}, true},
		{[]string{".git/mem/", "mem.toml"}, true},
		{[]string{".git/HEAD", ".git/objects/ab/cd"}, true}, // a commit that no branch names
		{[]string{".git/objects/pack/a.pack"}, true},
		{[]string{".git/objects/info/alternates"}, true},
		{[]string{"core/index.json"}, true},
		{[]string{"core/CORE.md"}, true},
		{[]string{"core/expertise.yaml"}, true},
		{[]string{"long-term-memory.md"}, true},
		{[]string{".git/refs/heads/main"}, true},
		{[]string{".git/packed-refs"}, true},
		{[]string{".git/mem/spool/20260101T000000.000000000Z-a.json"}, true},
	} {
		got, err := holdsMemory(lay(t, t.TempDir(), tt.names...))
		envtest.FailIf(t, got != tt.want || err != nil, "HoldsMemory of %q = %t, %v", tt.names, got, err)
	}
	got, err := holdsMemory(filepath.Join(t.TempDir(), "gone"))
	envtest.FailIf(t, got || err != nil, "nothing holds a memory: %v", err)
}

// A survey follows no links, and needs neither a repository nor an index. It misses
// nothing that sessions read, whatever its name, and however much lies before it.
func TestSurvey(t *testing.T) {
	dir := lay(t, t.TempDir(), "core/CORE.md", "rules/a.md", "rules/con.md", "memories/user/b.md", "daily/2026-01-01.md", "MEMORY.md")
	secret := lay(t, t.TempDir(), "secret.md")
	for _, name := range []string{"rules/link.md", "context"} {
		envtest.NoError(t, os.Symlink(filepath.Join(secret, "secret.md"), filepath.Join(dir, name)))
	}
	s, err := surveyRoot(dir, repo.Options{}, noon)
	envtest.NoError(t, err)
	diff := cmp.Diff(map[string]string{"MEMORY.md": "{}", "daily/2026-01-01.md": "{}", "memories/user/b.md": "{}", "rules/a.md": "{}", "rules/con.md": "{}"}, s.Texts)
	envtest.FailIf(t, diff != "", "%v", diff)
	envtest.FailIf(t, s.ID != "" || s.Journal != 1 || len(s.Files) != 6 || len(s.Index.Items) != 0,
		"the survey is %+v", s)
	for i := range 5001 {
		lay(t, dir, fmt.Sprintf("daily/%d", i))
	}
	_, err = surveyRoot(dir, repo.Options{}, noon)
	envtest.FailIf(t, err != nil, "thousands of days: %v", err)
	for i := range 5001 {
		lay(t, dir, fmt.Sprintf("rules/%d", i))
	}
	_, err = surveyRoot(dir, repo.Options{}, noon)
	envtest.Wraps(t, repo.ErrNotRoot, err, "more than can be looked at")
	_, err = surveyRoot(filepath.Join(dir, "gone"), repo.Options{}, noon)
	envtest.Wraps(t, repo.ErrNoRoot, err, "nothing")
}
