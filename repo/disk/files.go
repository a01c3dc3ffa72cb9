package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mem/repo/disk/system"
)

// Files changes files anywhere on this machine that belong to a person or a
// project rather than to mem: each of them whole, durably, and with the mode
// and the links that the person gave it. The zero value is what everything but
// tests uses.
type Files struct {
	Fault Fault // asked before every change; nil but in tests
}

// Open opens the folder at path, which must exist.
func (f Files) Open(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	l := layer{before: f.Fault, syncFile: (*os.File).Sync, syncFolder: system.SyncFolder}
	if f.Fault != nil { // the test decides what goes wrong, and what lasts
		skip := func(*os.File) error { return nil }
		l.syncFile, l.syncFolder = skip, skip
	}
	return &Dir{root: root, layer: l, mode: dirMode, folders: map[string]*os.Root{}}, nil
}

// WriteFile replaces or makes the file at path: all of it or none. A symbolic
// link stays one, to the new content. A file keeps its mode and a new one gets
// mode; missing folders are made, for the owner alone unless mode lets others
// read. What a process left beside it that died in WriteFile is removed.
func (f Files) WriteFile(path string, data []byte, mode fs.FileMode) error {
	path = followLink(path)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := makeMissing(filepath.Dir(path), folderMode(mode)); err != nil {
		return err
	}
	return f.in(filepath.Dir(path), func(d *Dir) error {
		_ = d.SweepBeside(context.Background(), filepath.Base(path)) // what cannot be removed does no harm
		return d.ReplaceFile(filepath.Base(path), data, mode)
	})
}

// RemoveFile removes the file at path, or the link there, durably.
func (f Files) RemoveFile(path string) error {
	return f.in(filepath.Dir(path), func(d *Dir) error {
		return errors.Join(d.Remove(filepath.Base(path)), d.SyncDir("."))
	})
}

// AddFile makes a new file at path, with the folders on the way. If something has the name
// the error wraps fs.ErrExist, and with any other error the file may be there.
func (f Files) AddFile(path string, data []byte, mode fs.FileMode) error {
	if err := makeMissing(filepath.Dir(path), folderMode(mode)); err != nil {
		return err
	}
	return f.in(filepath.Dir(path), func(d *Dir) error {
		_ = d.SweepBeside(context.Background(), filepath.Base(path)) // what cannot be removed does no harm
		return d.AddFile(filepath.Base(path), data, mode)
	})
}

// in calls do with the folder at path.
func (f Files) in(path string, do func(*Dir) error) error {
	d, err := f.Open(path)
	if err != nil {
		return AsWriteError(err)
	}
	return errors.Join(do(d), d.Close())
}

// makeMissing makes a folder unless there is something at path.
func makeMissing(path string, mode fs.FileMode) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return AsWriteError(makeFolders(path, mode))
}

// folderMode is the mode of a new folder around a file of this mode.
func folderMode(file fs.FileMode) fs.FileMode {
	if file&0o044 != 0 {
		return 0o755
	}
	return dirMode
}

// followLink is where a path leads.
func followLink(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
