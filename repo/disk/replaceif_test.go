package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"mem/repo/disk"

	"mem/envtest"
)

// ReplaceIf replaces what it was told about, with its mode, and nothing else.
func TestReplaceIf(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "list.md")
	envtest.NoError(t, errors.Join(os.WriteFile(at, []byte("old"), 0o600), os.Chmod(at, 0o640)))
	var meanwhile func()
	d, err := disk.Files{Fault: func(op disk.Op) error {
		if op.Kind == "rename" && meanwhile != nil {
			meanwhile()
		}
		return nil
	}}.Open(dir)
	envtest.NoError(t, err)
	defer d.Close()
	envtest.NoError(t, d.ReplaceIf("list.md", []byte("old"), []byte("new")))
	for name, change := range map[string]string{"the same length": "hew", "longer": "new and more", "shorter": ""} {
		meanwhile = func() {
			envtest.Wraps(t, nil, os.WriteFile(at, []byte(change), 0o600))
		}
		envtest.Wraps(t, disk.ErrChanged, d.ReplaceIf("list.md", []byte("new"), []byte("newer")), name)
		data, err := os.ReadFile(at)
		envtest.FailIf(t, err != nil || string(data) != change, "%s: %q, %v", name, data, err)
		meanwhile = nil
		envtest.NoError(t, d.ReplaceIf("list.md", []byte(change), []byte("new")))
	}
	info, err := os.Stat(at)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	names, err := d.ListFolder(".")
	envtest.FailIf(t, err != nil || len(names) != 1, "left in the folder: %q, %v", names, err)
	envtest.Wraps(t, fs.ErrNotExist, d.ReplaceIf("none.md", nil, nil), "of a missing file")
}
