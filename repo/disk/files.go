package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	d := &Dir{root: root, mode: dirMode, fault: f.Fault, syncFile: (*os.File).Sync, syncFolder: syncFolder}
	if f.Fault != nil { // the test decides what goes wrong, and what lasts
		skip := func(*os.File) error { return nil }
		d.syncFile, d.syncFolder = skip, skip
	}
	return d, nil
}

// WriteFile replaces or makes the file at path: all of it or none. A symbolic
// link stays one, to the new content. A file keeps its mode and a new one gets
// mode; missing folders are made, for the owner alone unless mode lets others
// read. What a process left beside it that died in WriteFile is removed.
func (f Files) WriteFile(path string, data []byte, mode fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return f.add(path, mode, func(d *Dir, name string) error { return d.ReplaceFile(name, data, mode) })
}

// AddFile makes a new file at path, with the folders on the way. If something has the name
// the error wraps fs.ErrExist, and with any other error the file may be there.
func (f Files) AddFile(path string, data []byte, mode fs.FileMode) error {
	return f.add(path, mode, func(d *Dir, name string) error { return d.AddFile(name, data, mode) })
}

// add makes the folder of a file with this mode where it is missing, and calls do as in does.
func (f Files) add(path string, mode fs.FileMode, do func(d *Dir, name string) error) error {
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		ofFolder := fs.FileMode(dirMode)
		if mode&0o044 != 0 {
			ofFolder = 0o755
		}
		if err := f.makeFolders(folder, ofFolder); err != nil {
			return AsWriteError(err)
		}
	}
	return f.in(path, do)
}

// RemoveFile removes the file at path, or the link there, durably.
func (f Files) RemoveFile(path string) error {
	return f.in(path, func(d *Dir, name string) error { return errors.Join(d.Remove(name), d.SyncDir(".")) })
}

// in calls do with the folder of the file at path, and its name there.
func (f Files) in(path string, do func(d *Dir, name string) error) error {
	d, err := f.Open(filepath.Dir(path))
	if err != nil {
		return AsWriteError(err)
	}
	return errors.Join(do(d, filepath.Base(path)), d.Close())
}

// MakeFolder creates the folder at path and its parents where they are missing, and
// makes them durable.
func (f Files) MakeFolder(path string) error { return AsWriteError(f.makeFolders(path, dirMode)) }

// makeFolders is MakeFolder with a mode for new folders.
func (f Files) makeFolders(path string, mode fs.FileMode) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	top := filepath.Dir(path)
	for _, err = os.Stat(top); errors.Is(err, fs.ErrNotExist); _, err = os.Stat(top) {
		top = filepath.Dir(top)
	}
	d, err := f.Open(top)
	if err != nil {
		return err
	}
	d.mode = mode
	name, err := filepath.Rel(top, path)
	if info, errStat := os.Stat(path); errStat == nil && info.IsDir() { // or a link to one
		err = d.SyncDir(".")
	} else if err == nil {
		err = d.MkdirAll(filepath.ToSlash(name))
	}
	return errors.Join(err, d.Close())
}

const (
	maxShared = 4 << 20 // bytes of a file that EditShared changes
	maxTries  = 5       // to change a file that another program keeps changing
)

// ReadShared returns what a file holds that people and agents write too, such as the
// LEARNINGS.md of a project. A missing one wraps fs.ErrNotExist, a link ErrLink.
func (f Files) ReadShared(path string) (data []byte, err error) {
	err = f.in(path, func(d *Dir, name string) error {
		data, err = d.ReadFile(name, maxShared)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return data, nil
}

// EditShared is EditFile for such a file, which nothing locks.
func (f Files) EditShared(path string, edit func(old []byte) []byte) error {
	return f.in(path, func(d *Dir, name string) error {
		_, err := d.EditFile(name, maxShared, edit)
		return err
	})
}

// EditFile gives a file of at most limit bytes the content that edit returns for what it holds, as
// ReplaceIf does, and returns what it was; nil if nothing changes. It looks again if another program
// changed the file meanwhile. If that goes on, the error wraps ErrChanged. A read-only file
// wraps fs.ErrPermission and ErrWrite.
func (d *Dir) EditFile(name string, limit int64, edit func(old []byte) []byte) (was fs.FileInfo, err error) {
	for try := 1; ; try++ {
		old, info, err := d.ReadState(name, limit)
		if err == nil && info.Mode().Perm()&0o222 == 0 {
			err = AsWriteError(fmt.Errorf("%s is read-only: %w", name, fs.ErrPermission))
		}
		if err != nil {
			return nil, fmt.Errorf("replace %s: %w", name, err)
		}
		data := edit(old)
		if bytes.Equal(old, data) {
			return nil, nil
		}
		if err = d.ReplaceIf(name, old, data); !errors.Is(err, ErrChanged) || try == maxTries {
			return info, err
		}
	}
}
