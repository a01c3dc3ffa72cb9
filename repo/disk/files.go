package disk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

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
	return f.within(root), nil
}

// within is Open for a folder that is open already; Close closes it.
func (f Files) within(root *os.Root) *Dir {
	l := layer{before: f.Fault, syncFile: (*os.File).Sync, syncFolder: system.SyncFolder}
	if f.Fault != nil { // the test decides what goes wrong, and what lasts
		skip := func(*os.File) error { return nil }
		l.syncFile, l.syncFolder = skip, skip
	}
	return &Dir{root: root, layer: l, mode: dirMode, folders: map[string]*os.Root{}}
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

// AddFile makes a new file at name, a path below the folder base, with the
// folders on the way. No link leads it out of base. If something has the name
// the error wraps fs.ErrExist, and with any other error the file may be there.
// Whatever fails, a folder that AddFile made for the file does not stay empty.
func (f Files) AddFile(base, name string, data []byte, mode fs.FileMode) (err error) {
	if err := makeMissing(base, folderMode(mode)); err != nil {
		return err
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return AsWriteError(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	folder, file := path.Split(filepath.ToSlash(name))
	folder = path.Clean(folder)
	isNew, err := makeBelow(root, folder, folderMode(mode))
	if err == nil {
		err = f.below(root, folder, func(d *Dir) error {
			// What cannot be removed does no harm.
			_ = d.SweepBeside(context.Background(), file)
			return d.AddFile(file, data, mode)
		})
	}
	if err != nil && isNew {
		// The folder is left in place if the file is there. "Not empty" is not for the caller: it would
		// read as if the name had been taken.
		_ = root.Remove(folder)
	}
	return err
}

// makeBelow makes a folder below root and those above it, durably, and reports
// whether the last one was missing. Links that stay below root are followed.
func makeBelow(root *os.Root, folder string, mode fs.FileMode) (isNew bool, err error) {
	at := ""
	for step := range strings.SplitSeq(folder, "/") {
		parent := cmp.Or(at, ".")
		at = path.Join(at, step)
		err := root.Mkdir(at, mode)
		if isNew = err == nil; !isNew && !errors.Is(err, fs.ErrExist) {
			return false, AsWriteError(err)
		}
		if !isNew {
			continue
		}
		above, err := root.Open(parent)
		if err == nil {
			err = errors.Join(system.SyncFolder(above), above.Close())
		}
		if err != nil {
			return true, AsWriteError(err)
		}
	}
	return isNew, nil
}

// SweepAdded removes what a process left that died in AddFile.
func (f Files) SweepAdded(base, name string) {
	root, err := os.OpenRoot(base)
	if err != nil {
		return
	}
	defer root.Close()
	folder, file := path.Split(filepath.ToSlash(name))
	_ = f.below(root, path.Clean(folder), func(d *Dir) error { return d.SweepBeside(context.Background(), file) })
}

// IsVacant reports whether AddFile can make the file at path: its folder is
// missing, or holds nothing but what a process left that died in AddFile.
func IsVacant(path string) bool {
	folder, file := filepath.Split(path)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		_, err := os.Lstat(filepath.Clean(folder)) // it may be a link that leads nowhere
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !isLeftover(e.Name(), file) })
}

// in calls do with the folder at path.
func (f Files) in(path string, do func(*Dir) error) error {
	d, err := f.Open(path)
	if err != nil {
		return AsWriteError(err)
	}
	return errors.Join(do(d), d.Close())
}

// below calls do with a folder below root.
func (f Files) below(root *os.Root, folder string, do func(*Dir) error) error {
	sub, err := root.OpenRoot(folder)
	if err != nil {
		return AsWriteError(err)
	}
	d := f.within(sub)
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
