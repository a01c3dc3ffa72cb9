package repo_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mem/repo"

	"mem/envtest"
)

// Keep takes over the very bytes; a new secret is refused, one that a person put there stays.
func TestKeep(t *testing.T) {
	const text = "\ufeff---\r\nname: a\r\n---\r\n⚓️ \u200bx\n"
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789\n"
	r, err := repo.Create(t.Context(), filepath.Join(t.TempDir(), ".mem"), repo.Options{}) // which warns of a person's secret
	envtest.NoError(t, err)
	defer r.Close()
	keep := func(data string) error {
		_, err := r.Settle(context.Background(), t0, func(m *repo.Memory) (repo.Message, error) {
			return repo.Message{Subject: "keep"}, m.KeepFile("memories/user/a.md", []byte(data))
		})
		return err
	}
	at := filepath.Join(r.Path(), "memories/user/a.md")
	envtest.NoError(t, keep(text))
	data, err := os.ReadFile(at)
	envtest.FailIf(t, err != nil || string(data) != text, "%q, %v", data, err)
	envtest.Wraps(t, repo.ErrSecret, keep(text+secret), "a secret")
	envtest.Wraps(t, repo.ErrSecret, keep(text+"gh\u200bp_abcdefghijklmnopqrstuvwxyz0123456789\n"), "a hidden secret")
	envtest.NoError(t, os.WriteFile(at, []byte(text+secret), 0o600))
	envtest.Wraps(t, nil, keep(text+"more\n"+secret), "a person's own secret")
}

// A callback sees the folders as they will be, and what it removes is gone
// from the work tree, from git's index and from the next commit.
func TestListsAndRemoves(t *testing.T) {
	r := create(t, repo.Options{})
	settle(t, r, func(m *repo.Memory) (repo.Message, error) {
		text := []byte("text\n")
		return repo.Message{Subject: "learn"}, errors.Join(m.WriteFile("learnings/coding/b.md", text),
			m.WriteFile("learnings/coding/a.md", text), m.WriteFile("learnings/process/c.md", text))
	})
	for _, link := range []string{"link", ".hidden"} {
		if err := os.Symlink(t.TempDir(), filepath.Join(r.Path(), "learnings", link)); err != nil {
			t.Skip(err)
		}
	}
	settle(t, r, func(m *repo.Memory) (repo.Message, error) {
		if err := errors.Join(m.RemoveFile("learnings/coding/a.md"), m.RemoveFile("learnings/coding/never.md"),
			m.WriteFile("learnings/archived/a.md", []byte("text\n"))); err != nil {
			return repo.Message{}, err
		}
		for folder, want := range map[string][]string{"learnings/coding": {"b.md"}, "learnings/archived": {"a.md"}, "learnings/none": nil} {
			got, err := m.ListTexts(folder)
			if err != nil {
				return repo.Message{}, err
			}
			envtest.Same(t, want, got, folder)
		}
		got, err := m.ListFolders("learnings")
		envtest.Same(t, []string{"archived", "coding", "process"}, got)
		envtest.Wraps(t, nil, err)
		return repo.Message{Subject: "archive"}, nil
	})
	_, err := os.Lstat(filepath.Join(r.Path(), "learnings/coding/a.md"))
	envtest.FailIf(t, !os.IsNotExist(err), "the file is still there: %v", err)
	want := "learnings/archived/a.md\nlearnings/coding/b.md\nlearnings/process/c.md\n"
	envtest.Same(t, want, git(t, r.Path(), "ls-files", "learnings"), "ls-files")
	envtest.NoError(t, errors.Join(os.Remove(filepath.Join(r.Path(), "learnings/link")), os.Remove(filepath.Join(r.Path(), "learnings/.hidden"))))
	sound(t, r.Path())
}
