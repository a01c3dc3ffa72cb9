//go:build unix

package disk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mem/envtest"
)

// TestReplaceBeside replaces and makes files in a folder that is not mem's, and leaves everything else there alone.
func TestReplaceBeside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.json", ".mem-1-a.json~", ".mem-2-a.json~", ".mem-backup", ".mem-backup-2-a.json~", ".mem-1-b.json~", ".mem--a.json~", ".mem-1-a.json"} {
		envtest.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("theirs"), 0o600))
	}
	d := open(t, dir)
	held, err := d.HoldFile(t.Context(), ".mem-2-a.json~", 0)
	envtest.NoError(t, err)
	defer held.Release()
	envtest.NoError(t, errors.Join(d.ReplaceFile("a.json", []byte("new"), 0o640), d.AddFile("c.json", []byte("new"), 0o644)))
	envtest.Wraps(t, fs.ErrExist, d.AddFile("a.json", []byte("other"), 0o644), "Add of what is there")
	envtest.NoError(t, d.SyncDirs("gone", ".")) // git's repack removed it meanwhile
	names, err := d.ListFolder(".")
	want := []string{".mem--a.json~", ".mem-1-a.json", ".mem-1-b.json~", ".mem-2-a.json~", ".mem-backup", ".mem-backup-2-a.json~", "a.json", "c.json"}
	envtest.Same(t, want, names)
	envtest.Wraps(t, nil, err)
	for name, mode := range map[string]fs.FileMode{"a.json": 0o640, "c.json": 0o644} {
		info, err := os.Stat(filepath.Join(dir, name))
		data, errRead := os.ReadFile(filepath.Join(dir, name))
		envtest.StopIf(t, err != nil || errRead != nil || string(data) != "new",
			"%s: %q, %v, %v", name, data, err, errRead)
		got := info.Mode().Perm()
		envtest.FailIf(t, got != mode && os.PathSeparator == '/', "%s has mode %o, want %o", name, got, mode)
	}
}

// Of all who add the same file at once, one does, whole.
func TestAddAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() {
			d := open(t, dir)
			errs[i] = d.AddFile("file", fmt.Append(nil, "of ", i), 0o644)
		})
	}
	all.Wait()
	won := -1
	for i, err := range errs {
		switch {
		case err == nil && won < 0:
			won = i
		case !errors.Is(err, fs.ErrExist):
			t.Errorf("%d: %v, and %d did", i, err, won)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "file"))
	want := fmt.Sprint("of ", won)
	envtest.FailIf(t, err != nil || string(data) != want, "%q, %v, want %q", data, err, want)
	entries, err := os.ReadDir(dir)
	envtest.FailIf(t, err != nil || len(entries) != 1, "%d files are left, %v", len(entries), err)
}
