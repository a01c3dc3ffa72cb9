//go:build unix

package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"mem/repo/disk"
)

// content is what the file at path holds, and its mode.
func content(t *testing.T, path string) (string, fs.FileMode) {
	t.Helper()
	data, err := os.ReadFile(path)
	info, errStat := os.Stat(path)
	if err := errors.Join(err, errStat); err != nil {
		t.Fatal(err)
	}
	return string(data), info.Mode().Perm()
}

// A person's file keeps its mode and stays the link that it is; a new one gets
// the mode, in folders that fit it.
func TestWriteFile(t *testing.T) {
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, filepath.FromSlash(name)) }
	if err := errors.Join(os.WriteFile(at("old"), []byte("old"), 0o640), os.Symlink("old", at("link")), os.WriteFile(at(".mem-dead-old~"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	var files disk.Files
	for path, mode := range map[string]fs.FileMode{"link": 0o600, "new": 0o644, "open/a/new": 0o644, "closed/a/new": 0o600} {
		if err := files.WriteFile(at(path), []byte("new"), mode); err != nil {
			t.Fatal(err)
		}
		want := mode
		if path == "link" {
			want = 0o640
		}
		if got, mode := content(t, at(path)); got != "new" || mode != want {
			t.Errorf("%s holds %q with mode %o, want %o", path, got, mode, want)
		}
	}
	for path, want := range map[string]fs.FileMode{"open": 0o755, "open/a": 0o755, "closed": 0o700, "closed/a": 0o700} {
		if info, err := os.Stat(at(path)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %o: %v", path, info.Mode(), want, err)
		}
	}
	if to, err := os.Readlink(at("link")); err != nil || to != "old" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if err := errors.Join(files.RemoveFile(at("link")), files.RemoveFile(at("new")), files.RemoveFile(at("new"))); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(top)
	if names := namesOf(left); err != nil || names != "closed old open " {
		t.Errorf("left are %s, %v", names, err)
	}
}

func namesOf(entries []fs.DirEntry) (names string) {
	for _, e := range entries {
		names += e.Name() + " "
	}
	return names
}

// A new file comes with its folder or not at all, and never out of its base.
func TestAddFile(t *testing.T) {
	top := t.TempDir()
	base := filepath.Join(top, "base")
	var files disk.Files
	if !disk.IsVacant(filepath.Join(base, "a", "b", "f")) {
		t.Error("what is missing is not vacant")
	}
	if err := files.AddFile(base, filepath.Join("a", "b", "f"), []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, mode := content(t, filepath.Join(base, "a", "b", "f")); got != "new" || mode != 0o644 {
		t.Errorf("the file holds %q with mode %o", got, mode)
	}
	if err := files.AddFile(base, "a/b/f", []byte("other"), 0o644); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the same again: %v, want ErrExist", err)
	}
	if disk.IsVacant(filepath.Join(base, "a", "b", "f")) {
		t.Error("what is taken is vacant")
	}
	if err := errors.Join(os.Symlink(top, filepath.Join(base, "out")), os.Symlink("a", filepath.Join(base, "in")), os.WriteFile(filepath.Join(base, "a", "b", ".mem-x-f~"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	files.SweepAdded(base, "a/b/f")
	for _, name := range []string{"out/f", "out/c/f", "../f", "/f"} {
		if err := files.AddFile(base, name, []byte("new"), 0o644); err == nil {
			t.Errorf("%s led out of the folder", name)
		}
	}
	if err := files.AddFile(base, "in/c/f", []byte("new"), 0o644); err != nil {
		t.Error(err)
	}
	full := disk.Files{Fault: func(op disk.Op) error {
		if op.Kind == "link" {
			return fs.ErrPermission
		}
		return nil
	}}
	if err := full.AddFile(base, "a/d/f", nil, 0o644); !errors.Is(err, disk.ErrWrite) {
		t.Errorf("a disk that refuses: %v", err)
	}
	// A file that AddFile itself has written is not in its way.
	for _, kind := range []string{"remove", "syncdir"} {
		seen := 0
		late := disk.Files{Fault: func(op disk.Op) error {
			if op.Kind == "link" {
				seen++
			}
			if seen > 0 && op.Kind == kind {
				return syscall.EIO
			}
			return nil
		}}
		err := late.AddFile(t.TempDir(), "a/f", []byte("new"), 0o644)
		if seen == 0 || !errors.Is(err, disk.ErrWrite) || errors.Is(err, fs.ErrExist) {
			t.Errorf("a disk that fails to %s at the end: %v", kind, err)
		}
	}
	for folder, want := range map[string]string{top: "base ", base: "a in out ", filepath.Join(base, "a"): "b c ", filepath.Join(base, "a", "b"): "f "} {
		if entries, err := os.ReadDir(folder); err != nil || namesOf(entries) != want {
			t.Errorf("%s holds %s, want %s: %v", folder, namesOf(entries), want, err)
		}
	}
}
