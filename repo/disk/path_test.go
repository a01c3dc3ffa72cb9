package disk_test

import (
	"io/fs"
	"testing"

	"mem/envtest"
	"mem/repo/disk"
)

// TestMalformedPaths hands every operation paths that are none. They are
// refused with an error of their own, and nothing outside is touched.
func TestMalformedPaths(t *testing.T) {
	dir := t.TempDir()
	d, err := disk.Open(dir)
	envtest.NoError(t, err)
	defer d.Close()
	for _, name := range []string{"", "/", "/x", "/etc/hostname", "//", "a//b", "a/", "./a", "a/.", "..", "../x", "a/../b", "caf\xe9", "a\x00b", "\xe9/b"} {
		if disk.IsPath(name) || disk.IsPortable(name) {
			t.Errorf("%q: Takes is %v, Clean is %v", name, disk.IsPath(name), disk.IsPortable(name))
		}
		for what, do := range map[string]func() error{
			"Read":      func() error { _, err := d.ReadFile(name, 10); return err },
			"Lstat":     func() error { _, err := d.Lstat(name); return err },
			"Stream":    func() error { _, err := d.StreamFile(name); return err },
			"List":      func() error { _, err := d.ListFolder(name); return err },
			"MkdirAll":  func() error { return d.MkdirAll(name) },
			"Append":    func() error { return d.AppendTo([]byte("x"), name) },
			"Create":    func() error { return d.CreateFile(name) },
			"Overwrite": func() error { return d.WriteLoose(name, []byte("x")) },
			"Write":     func() error { return d.WriteFile(name, []byte("x"), "temp") },
			"Replace":   func() error { return d.ReplaceFile(name, []byte("x"), 0o600) },
			"Add":       func() error { return d.AddFile(name, []byte("x"), 0o600) },
			"Rename":    func() error { return d.Rename(name, "y") },
			"Rename to": func() error { return d.Rename("y", name) },
			"Link":      func() error { return d.Link(name, "y") },
			"Link to":   func() error { return d.Link("y", name) },
			"Remove":    func() error { return d.Remove(name) },
			"SyncDir":   func() error { return d.SyncDirs(name) },
			"Acquire":   func() error { _, err := d.AcquireLock(t.Context(), name, 0); return err },
			"Hold":      func() error { _, err := d.HoldFile(t.Context(), name, 0); return err },
		} {
			envtest.Wraps(t, fs.ErrInvalid, do(), what, name)
		}
	}
	names, err := d.ListFolder(".")
	envtest.FailIf(t, err != nil || len(names) > 0, "the folder holds %q, %v", names, err)
}

func TestClean(t *testing.T) {
	for name, want := range map[string]struct{ takes, clean bool }{
		".":                {true, false},
		"a":                {true, true},
		"a/b.md":           {true, true},
		".git/mem/journal": {true, true},
		"...":              {true, true},
		"ü/ö":              {true, true},
		"c:x":              {disk.IsPath("c:x"), false}, // Windows takes none of these
		`a\b`:              {disk.IsPath(`a\b`), false},
	} {
		if takes, clean := disk.IsPath(name), disk.IsPortable(name); takes != want.takes || clean != want.clean {
			t.Errorf("%q: Takes is %v, Clean is %v, want %v", name, takes, clean, want)
		}
	}
}
