package evidence_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mem/curate/evidence"
	"mem/envtest"
)

var git = envtest.Git

var sources = map[string]string{
	"main.go": "x", "sub/a.go": "x", "sub/gone.go": "x", ".gitignore": "*.log\n/build/\n", "x.log": "x", "sub/y.log": "x",
	"build/out.go": "x", "sub/build/in.go": "x", "sub/.gitignore": "!y.log\nb?.go\n", "sub/b1.go": "x", "name with\nnewline": "x",
}

var listed = []string{".gitignore", "main.go", "name with\nnewline", "sub/.gitignore", "sub/a.go", "sub/build/in.go", "sub/y.log"}

func TestCodeFiles(t *testing.T) {
	dir := t.TempDir()
	tree(t, dir, sources)
	envtest.NoError(t, os.Remove(filepath.Join(dir, "sub/gone.go")))
	t.Setenv("TMPDIR", t.TempDir()) // to see what is left there
	// What others leave in the environment of a hook must not count.
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		t.Setenv(name, filepath.Join(dir, "nowhere"))
	}
	check := func(t *testing.T, dir string, want []string) {
		t.Helper()
		got, err := evidence.ListFiles(t.Context(), dir)
		envtest.NoError(t, err)
		envtest.Same(t, want, got)
	}
	t.Run("outside of a repository", func(t *testing.T) {
		check(t, dir, listed)
		envtest.Same(t, "", evidence.HeadCommit(t.Context(), dir), "the commit is")
		left, _ := filepath.Glob(filepath.Join(os.TempDir(), "mem-code-*"))
		envtest.FailIf(t, len(left) > 0, "left behind: %q", left)
	})
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		os.Unsetenv(name)
	}
	git(t, dir, "init", "-q")
	git(t, dir, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x")
	tree(t, dir, map[string]string{"sub/gone.go": "x", "lib/c.go": "x", "nested/d.go": "x"})
	git(t, filepath.Join(dir, "nested"), "init", "-q")
	git(t, dir, "add", "sub/gone.go", "main.go")
	envtest.NoError(t, os.Remove(filepath.Join(dir, "sub/gone.go")))
	t.Setenv("GIT_DIR", filepath.Join(dir, "nowhere"))
	t.Run("in a repository", func(t *testing.T) {
		canary := filepath.Join(dir, ".git", "ran")
		config := "[core]\n\tfsmonitor = \"touch " + canary + "; false\"\n"
		file := filepath.Join(dir, ".git", "config")
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, append(data, config...), 0o600)
		}
		envtest.NoError(t, err)
		check(t, dir, []string{".gitignore", "lib/c.go", "main.go", "name with\nnewline", "sub/.gitignore", "sub/a.go", "sub/build/in.go", "sub/gone.go", "sub/y.log"})
		check(t, filepath.Join(dir, "sub"), []string{".gitignore", "a.go", "build/in.go", "gone.go", "y.log"})
		_, err = os.Stat(canary)
		envtest.FailIf(t, err == nil, "the configuration of the code made git run a program")
		got := evidence.HeadCommit(t.Context(), dir)
		envtest.FailIf(t, len(got) != 40, "the commit is %q", got)
	})
	t.Run("no folder", func(t *testing.T) {
		_, err := evidence.ListFiles(t.Context(), filepath.Join(dir, "nowhere"))
		envtest.Wraps(t, evidence.ErrCode, err, "the error")
	})
	t.Run("no git", func(t *testing.T) {
		t.Setenv("PATH", "")
		_, err := evidence.ListFiles(t.Context(), dir)
		envtest.Wraps(t, evidence.ErrCode, err, "the error")
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := evidence.ListFiles(ctx, dir)
		envtest.FailIf(t, !errors.Is(err, context.Canceled) || errors.Is(err, evidence.ErrCode), "the error is %v", err)
	})
}
