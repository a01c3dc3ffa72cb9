package disk_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mem/repo/disk"

	"mem/envtest"
)

func TestSharedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "LEARNINGS.md")
	edit := func(t *testing.T, fault disk.Fault, from, to string) error {
		t.Helper()
		return disk.Files{Fault: fault}.EditShared(path, func(old []byte) []byte {
			return []byte(strings.Replace(string(old), from, to, 1))
		})
	}
	is := func(t *testing.T, want string, mode fs.FileMode) {
		t.Helper()
		data, err := os.ReadFile(path)
		info, errMode := os.Stat(path)
		if err != nil || errMode != nil || string(data) != want || info.Mode().Perm() != mode {
			t.Errorf("the file holds %q, mode %v (%v, %v); want %q, mode %v", data, info.Mode(), err, errMode, want, mode)
		}
	}
	var none disk.Files
	_, err := none.ReadShared(path)
	envtest.Wraps(t, fs.ErrNotExist, err, "a missing file")
	envtest.Wraps(t, fs.ErrNotExist, edit(t, nil, "old", "new"), "a missing file")
	for name, text := range map[string]string{"LEARNINGS.md": "old", ".mem-note": "mine", ".mem-my-LEARNINGS.md.txt": "mine too", ".mem-3w5e11264sgsf-LEARNINGS.md~": "of a dead process"} {
		envtest.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	envtest.NoError(t, os.Chmod(path, 0o664))
	data, err := none.ReadShared(path)
	envtest.FailIf(t, err != nil || string(data) != "old", "ReadShared() = %q, %v", data, err)
	envtest.NoError(t, edit(t, nil, "old", "new"))
	is(t, "new", 0o664)
	names, _ := filepath.Glob(filepath.Join(dir, ".mem-*"))
	envtest.Same(t, ".mem-my-LEARNINGS.md.txt .mem-note", strings.ReplaceAll(strings.Join(names, " "), dir+"/", ""), "beside it are")
	t.Run("changed at the last moment", func(t *testing.T) {
		left := 2
		late := func(op disk.Op) error {
			if op.Kind != "sync" || left == 0 {
				return nil
			}
			left--
			return os.WriteFile(path, []byte("new, and an agent's"), 0o600)
		}
		envtest.Wraps(t, nil, edit(t, late, "new", "newer"), "the error is")
		is(t, "newer, and an agent's", 0o664)
		left = 1000
		n := 0
		envtest.Wraps(t, disk.ErrChanged, edit(t, func(op disk.Op) error {
			if op.Kind != "sync" {
				return nil
			}
			n++
			return os.WriteFile(path, []byte(strings.Repeat("newer ", n)), 0o600)
		}, "newer", "newest"), "the error is")
	})
	t.Run("read-only", func(t *testing.T) {
		envtest.NoError(t, os.Chmod(path, 0o444))
		envtest.Wraps(t, fs.ErrPermission, edit(t, nil, "newer", "newest"), "the error is")
	})
	t.Run("a link", func(t *testing.T) {
		link := filepath.Join(dir, "link.md")
		envtest.NoError(t, os.Symlink(path, link))
		_, err := none.ReadShared(link)
		envtest.Wraps(t, disk.ErrLink, err, "the error")
		envtest.Wraps(t, disk.ErrLink, none.EditShared(link, func([]byte) []byte { return nil }), "a link was replaced")
	})
	names, _ = filepath.Glob(filepath.Join(dir, ".mem-*"))
	envtest.FailIf(t, len(names) != 2, "left behind: %q", names)
}
