package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mem/repo/disk"
)

func TestSharedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "LEARNINGS.md")
	openShared := func(t *testing.T, path string, fault disk.Fault) *disk.SharedFile {
		t.Helper()
		return &disk.SharedFile{Files: disk.Files{Fault: fault}, Path: path}
	}
	is := func(t *testing.T, want string, mode fs.FileMode) {
		t.Helper()
		data, err := os.ReadFile(path)
		info, errMode := os.Stat(path)
		if err != nil || errMode != nil || string(data) != want || info.Mode().Perm() != mode {
			t.Errorf("the file holds %q, mode %v (%v, %v); want %q, mode %v", data, info.Mode(), err, errMode, want, mode)
		}
	}
	f := openShared(t, path, nil)
	if _, err := f.Read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	for name, text := range map[string]string{"LEARNINGS.md": "old", ".mem-note": "mine", ".mem-my-LEARNINGS.md.txt": "mine too", ".mem-3w5e11264sgsf-LEARNINGS.md~": "of a dead process"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(path, 0o664); err != nil {
		t.Fatal(err)
	}
	if data, err := f.Read(); err != nil || string(data) != "old" {
		t.Errorf("Read() = %q, %v", data, err)
	}
	if err := f.Replace([]byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	is(t, "new", 0o664)
	names, _ := filepath.Glob(filepath.Join(dir, ".mem-*"))
	if got := strings.ReplaceAll(strings.Join(names, " "), dir+"/", ""); got != ".mem-my-LEARNINGS.md.txt .mem-note" {
		t.Errorf("beside it are %q", got)
	}
	t.Run("changed before", func(t *testing.T) {
		if err := f.Replace([]byte("old"), []byte("newer")); !errors.Is(err, disk.ErrChanged) {
			t.Errorf("the error is %v", err)
		}
		is(t, "new", 0o664)
	})
	t.Run("changed at the last moment", func(t *testing.T) {
		late := openShared(t, path, func(op disk.Op) error {
			if op.Kind == "sync" {
				return os.WriteFile(path, []byte("new, and an agent's"), 0o600)
			}
			return nil
		})
		if err := late.Replace([]byte("new"), []byte("newer")); !errors.Is(err, disk.ErrChanged) {
			t.Errorf("the error is %v", err)
		}
		is(t, "new, and an agent's", 0o664)
	})
	t.Run("read-only", func(t *testing.T) {
		if err := os.Chmod(path, 0o444); err != nil {
			t.Fatal(err)
		}
		if err := f.Replace([]byte("new, and an agent's"), nil); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("the error is %v", err)
		}
		is(t, "new, and an agent's", 0o444)
	})
	t.Run("a link", func(t *testing.T) {
		link := filepath.Join(dir, "link.md")
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		f := openShared(t, link, nil)
		if _, err := f.Read(); !errors.Is(err, disk.ErrLink) {
			t.Errorf("the error is %v", err)
		}
		if err := f.Replace([]byte("new, and an agent's"), nil); err == nil {
			t.Error("a link was replaced")
		}
	})
	if names, _ := filepath.Glob(filepath.Join(dir, ".mem-*")); len(names) != 2 {
		t.Errorf("left behind: %q", names)
	}
}
