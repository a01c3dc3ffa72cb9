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

	"mem/envtest"
)

// content is what the file at path holds, and its mode.
func content(t *testing.T, path string) (string, fs.FileMode) {
	t.Helper()
	data, err := os.ReadFile(path)
	info, errStat := os.Stat(path)
	envtest.NoError(t, errors.Join(err, errStat))
	return string(data), info.Mode().Perm()
}

// A person's file keeps its mode and stays the link that it is; a new one gets the mode, in folders that fit it.
func TestWriteFile(t *testing.T) {
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, filepath.FromSlash(name)) }
	envtest.NoError(t, errors.Join(os.WriteFile(at("old"), []byte("old"), 0o640), os.Symlink("old", at("link")), os.WriteFile(at(".mem-dead-old~"), nil, 0o600)))
	var files disk.Files
	for path, mode := range map[string]fs.FileMode{"link": 0o600, "new": 0o644, "open/a/new": 0o644, "closed/a/new": 0o600} {
		envtest.NoError(t, files.WriteFile(at(path), []byte("new"), mode))
		want := mode
		if path == "link" {
			want = 0o640
		}
		got, mode := content(t, at(path))
		envtest.FailIf(t, got != "new" || mode != want, "%s holds %q with mode %o, want %o", path, got, mode, want)
	}
	for path, want := range map[string]fs.FileMode{"open": 0o755, "open/a": 0o755, "closed": 0o700, "closed/a": 0o700} {
		if info, err := os.Stat(at(path)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %o: %v", path, info.Mode(), want, err)
		}
	}
	if to, err := os.Readlink(at("link")); err != nil || to != "old" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	envtest.NoError(t, errors.Join(files.RemoveFile(at("link")), files.RemoveFile(at("new")), files.RemoveFile(at("new"))))
	left, err := os.ReadDir(top)
	names := namesOf(left)
	envtest.FailIf(t, err != nil || names != "closed old open ", "left are %s, %v", names, err)
}

func namesOf(entries []fs.DirEntry) (names string) {
	for _, e := range entries {
		names += e.Name() + " "
	}
	return names
}

// A new file comes with its folders, and never in the place of another.
func TestAddFile(t *testing.T) {
	top := t.TempDir()
	var files disk.Files
	path := filepath.Join(top, "a", "b", "f")
	envtest.NoError(t, files.AddFile(path, []byte("new"), 0o644))
	got, mode := content(t, path)
	envtest.FailIf(t, got != "new" || mode != 0o644, "the file holds %q with mode %o", got, mode)
	envtest.NoError(t, os.WriteFile(filepath.Join(top, "a", "b", ".mem-x-f~"), nil, 0o600))
	envtest.Wraps(t, fs.ErrExist, files.AddFile(path, []byte("other"), 0o644), "the same again")
	full := disk.Files{Fault: func(op disk.Op) error {
		if op.Kind == "link" {
			return fs.ErrPermission
		}
		return nil
	}}
	envtest.Wraps(t, disk.ErrWrite, full.AddFile(filepath.Join(top, "a", "g"), nil, 0o644), "a disk that refuses")
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
		err := late.AddFile(filepath.Join(t.TempDir(), "a", "f"), []byte("new"), 0o644)
		envtest.FailIf(t, seen == 0 || !errors.Is(err, disk.ErrWrite) || errors.Is(err, fs.ErrExist),
			"a disk that fails to %s at the end: %v", kind, err)
	}
	for folder, want := range map[string]string{filepath.Join(top, "a"): "b ", filepath.Dir(path): "f "} {
		if entries, err := os.ReadDir(folder); err != nil || namesOf(entries) != want {
			t.Errorf("%s holds %s, want %s: %v", folder, namesOf(entries), want, err)
		}
	}
}
