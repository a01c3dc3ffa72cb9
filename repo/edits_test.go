package repo_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/repo"

	"mem/envtest"
)

// A file that a person replaced by something else is left alone, and named; it
// does not keep anything from being learned.
func TestOddFile(t *testing.T) {
	for name, odd := range map[string]func(dir, at string) error{
		"a link":   func(_, at string) error { return os.Symlink("/dev/zero", at) },
		"a folder": func(_, at string) error { return os.Mkdir(at, 0o700) },
		"too large": func(_, at string) error {
			return errors.Join(os.WriteFile(at, nil, 0o600), os.Truncate(at, 1<<40))
		},
		"a link for its folder": func(dir, at string) error {
			return errors.Join(os.Remove(filepath.Dir(at)), os.Symlink(dir, filepath.Dir(at)))
		},
		"a file for its folder": func(_, at string) error {
			return errors.Join(os.Remove(filepath.Dir(at)), os.WriteFile(filepath.Dir(at), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := create(t, repo.Options{})
			settle(t, r, func(m *repo.Memory) (repo.Message, error) {
				return repo.Message{Subject: "rule"}, m.WriteFile("rules/coding.md", []byte("One.\n"))
			})
			at := filepath.Join(r.Path(), "rules", "coding.md")
			if err := errors.Join(os.Remove(at), odd(t.TempDir(), at)); err != nil {
				t.Skip(err)
			}
			before, err := os.Lstat(filepath.Dir(at))
			envtest.NoError(t, err)
			var warned []string
			again, err := repo.Open(r.Path(), repo.Options{Warn: func(s string) { warned = append(warned, s) }})
			envtest.NoError(t, err)
			defer again.Close()
			c := settle(t, again, learn("Two"))
			envtest.FailIf(t, c.ID == "", "nothing was learned")
			settle(t, again, learn("Three"))
			envtest.FailIf(t, len(warned) == 0 || !strings.HasPrefix(warned[0], "left alone: rules/coding.md "),
				"warned %q", warned)
			envtest.Same(t, "One.\n", git(t, r.Path(), "show", "HEAD:rules/coding.md"), "the history says")
			after, err := os.Lstat(filepath.Dir(at))
			envtest.FailIf(t, err != nil || after.Mode() != before.Mode(), "rules is %v, %v", after, err)
		})
	}
}

// TestSecretInARecord: of what a person writes into the index or the journal no commit gets a secret.
func TestSecretInARecord(t *testing.T) {
	token := "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	dir := t.TempDir()
	prepared(t, dir)
	envtest.Write(t, strings.Replace(read(t, filepath.Join(dir, repo.IndexPath)), `"text": "Lesson of a`, `"text": "Lesson of a, not `+token, 1), dir, repo.IndexPath)
	envtest.Write(t, read(t, filepath.Join(dir, firstDay))+"\n## Mine\n\n"+token+"\n", dir, firstDay)
	for range 2 {
		envtest.NoError(t, count(t.Context(), dir, repo.Options{}, "x"))
	}
	if log := git(t, dir, "log", "-p", "--all"); strings.Contains(log, token) || !strings.Contains(log, "Lesson of a, not [redacted") {
		t.Errorf("the history has the secret, or not the edit:\n%s", log)
	}
	envtest.Wraps(t, nil, isFold(dir, []byte(read(t, filepath.Join(dir, repo.IndexPath)))))
}

// TestHandEditWithSecret keeps a file out of the commit into which a person wrote a
// secret, also one that an invisible character splits.
func TestHandEditWithSecret(t *testing.T) {
	token := "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"- plain " + token, []string{"rules/a.md holds what looks like a secret"}},
		{"- hidden " + token[:20] + "\u200b" + token[20:], []string{"rules/a.md holds what looks like a secret"}},
		{"- none", nil},
	} {
		r := create(t, repo.Options{})
		settle(t, r, func(m *repo.Memory) (repo.Message, error) {
			return repo.Message{Subject: "rule"}, m.WriteFile("rules/a.md", []byte("# A\n"))
		})
		envtest.NoError(t, os.WriteFile(filepath.Join(r.Path(), "rules", "a.md"), []byte("# A\n"+tt.text+"\n"), 0o600))
		var warned []string
		again, err := repo.Open(r.Path(), repo.Options{Warn: func(s string) {
			about, _, _ := strings.Cut(s, ":")
			warned = append(warned, about)
		}})
		envtest.NoError(t, err)
		defer again.Close()
		settle(t, again, learn("One"))
		envtest.Same(t, tt.want, warned, tt.text)
		m, err := again.View(time.Now())
		envtest.NoError(t, err)
		committed, err := m.ReadCommitted("rules/a.md")
		held := string(committed) == "# A\n"
		envtest.FailIf(t, err != nil || held != (tt.want != nil), "%q: committed %q, %v", tt.text, committed, err)
	}
}
