// Package disk changes files in one folder so that a crash at any moment leaves each of them either as it was or as it
// was meant to be.
//
// Every path is relative, with forward slashes, and is resolved inside the folder by os.Root, which refuses links that
// leave it; links in the middle of a path are refused altogether. Files are created 0600 and folders 0700 whatever the
// umask.
//
// disk knows nothing of git or of memory. It is the only place where mem creates, renames or removes files, which is
// what makes fault injection possible: a Fault sees every change before it happens, and only a Dir that was opened
// without one flushes for real.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mem/fault"
)

// Errors that callers tell apart.
var (
	// ErrLink is wrapped when a path leads through a symbolic link, or ends
	// in something that is neither a regular file nor a folder.
	ErrLink = fault.New(fault.Config, "not a regular file or folder",
		"make it a regular file, or a folder, again; 'git status' in the memory shows what was there")
	// ErrTooLarge is wrapped when a file is larger than the reader allows.
	ErrTooLarge = errors.New("file too large")
	// ErrWrite is wrapped when the system refuses or fails a change: no room, no permission, a broken disk. What was
	// not there, or there already, is no such error.
	ErrWrite = fault.New(fault.Disk, "the disk did not take it", "check who owns the folder and may write to it, and whether the disk has room")
)

// The modes of everything that a Dir creates.
const (
	fileMode = 0o600
	dirMode  = 0o700
)

// A Dir is a folder whose files can be changed.
type Dir struct {
	root    *os.Root
	mode    fs.FileMode // of the folders that it makes
	folders sync.Map    // paths that were seen to be folders

	fault                Fault                // nil but in tests
	syncFile, syncFolder func(*os.File) error // make the content of an open file, or the names in a folder, durable
}

// Open opens the folder at path, which must exist.
func Open(path string) (*Dir, error) { return Files{}.Open(path) }

// Close releases the folder. Files opened through it stay open.
func (d *Dir) Close() error { return d.root.Close() }

// Path returns the folder's path as it was opened.
func (d *Dir) Path() string { return d.root.Name() }

// checkPath makes sure that a path leads through folders that are there.
func (d *Dir) checkPath(name string) error {
	if !IsPath(name) {
		return pathError(name)
	}
	return d.checkFolder(path.Dir(name))
}

// checkFolder makes sure that all of a path is folders. os.Root follows a link that
// stays inside, which would give one file two names. Each folder is looked at once.
func (d *Dir) checkFolder(name string) error {
	if !IsPath(name) {
		return pathError(name)
	}
	at := ""
	for step := range strings.SplitSeq(name, "/") {
		at = path.Join(at, step)
		if _, known := d.folders.Load(at); known {
			continue
		}
		if info, err := d.root.Lstat(at); err != nil {
			return err
		} else if !info.IsDir() {
			return fmt.Errorf("%s: %w", at, ErrLink)
		}
		d.folders.Store(at, nil)
	}
	return nil
}

// openFile opens a regular file without following a link at its end: os.Root follows one
// that stays inside, so that the lock could turn out to be the index.
func (d *Dir) openFile(name string, flag int) (f *os.File, err error) {
	for range 10 { // another process may replace it between the look and the opening
		info, err := d.Lstat(name)
		if err == nil && !info.Mode().IsRegular() {
			err = ErrLink
		}
		if err == nil {
			f, err = d.root.OpenFile(name, flag, fileMode)
		}
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", name, err)
		}
		if opened, err := f.Stat(); err == nil && os.SameFile(info, opened) {
			return f, nil
		}
		_ = f.Close() // nothing was written
	}
	return nil, fmt.Errorf("open %s: it is replaced again and again", name)
}

// openMaking is openFile for a file that is to be written: it is made if it is missing. The folder must be there.
func (d *Dir) openMaking(name string, flag int) (f *os.File, err error) {
	err = retryGone(func() error { // another process may remove it in between
		if !d.Exists(name) {
			if err := d.CreateFile(name); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
		f, err = d.openFile(name, flag)
		return err
	})
	return f, AsWriteError(err)
}

// Lstat describes a path without following a link at its end.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	if err := d.checkPath(name); err != nil {
		return nil, err
	}
	return d.root.Lstat(name)
}

// Exists reports whether there is anything at name.
func (d *Dir) Exists(name string) bool {
	_, err := d.Lstat(name)
	return err == nil
}

// isGone reports whether there is nothing at name. Where that cannot be told it reports false.
func (d *Dir) isGone(name string) bool {
	_, err := d.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// ReadFile returns the content of a regular file of at most limit bytes.
func (d *Dir) ReadFile(name string, limit int64) ([]byte, error) {
	data, _, err := d.ReadState(name, limit)
	return data, err
}

// ReadState is ReadFile and describes the file that was read. By then another file may have the name.
func (d *Dir) ReadState(name string, limit int64) ([]byte, fs.FileInfo, error) {
	f, err := d.openFile(name, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if info.Size() > limit {
		return nil, nil, fmt.Errorf("%s holds %d bytes, the limit is %d: %w", name, info.Size(), limit, ErrTooLarge)
	}
	data, err := io.ReadAll(io.LimitReader(f, info.Size()))
	return data, info, err
}

// StreamFile opens a file for reading from its beginning.
func (d *Dir) StreamFile(name string) (*os.File, error) { return d.openFile(name, os.O_RDONLY) }

// ListFolder returns the names in a folder, sorted, without those that IsPath refuses. A missing folder has none.
func (d *Dir) ListFolder(name string) ([]string, error) {
	f, err := d.openFolder(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1) // ReadDir would look at each file
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !IsPath(name) })
	slices.Sort(names)
	return names, nil
}

func (d *Dir) openFolder(name string) (*os.File, error) {
	if err := d.checkFolder(name); err != nil {
		return nil, err
	}
	return d.root.Open(name)
}

// WriteLoose replaces the content of a file in place, and AppendLoose adds to it; neither is durable. Use it
// for expendable files that can prove themselves complete: a reader may find only a part, or a new beginning
// before an old end.
func (d *Dir) WriteLoose(name string, data []byte) error { return d.writeLoose(name, data, 0) }

// AppendLoose is described at WriteLoose. Processes that append at the same time do not mix their lines.
func (d *Dir) AppendLoose(name string, data []byte) error {
	return d.writeLoose(name, data, os.O_APPEND)
}

func (d *Dir) writeLoose(name string, data []byte, flag int) error {
	if err := d.makeParents(name); err != nil {
		return err
	}
	f, err := d.openMaking(name, os.O_WRONLY|flag)
	if err != nil {
		return err
	}
	err = d.writeTo(f, name, data)
	if err == nil && flag&os.O_APPEND == 0 {
		err = d.makeChange(Op{Kind: "write", Path: name}, func() error { return f.Truncate(int64(len(data))) })
	}
	return errors.Join(err, f.Close())
}

func (d *Dir) newFile(name string, mode fs.FileMode) (f *os.File, err error) {
	err = d.makeChange(Op{Kind: "create", Path: name}, func() (err error) {
		if f, err = d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode); err != nil {
			return err
		}
		if err := f.Chmod(mode); err != nil { // an umask of 0777 exists somewhere
			return errors.Join(err, f.Close(), d.Remove(name))
		}
		return nil
	})
	return f, err
}

// CreateFile makes a new, empty file; it fails with fs.ErrExist if there is one.
func (d *Dir) CreateFile(name string) error {
	f, err := d.newFile(name, fileMode)
	if err != nil {
		return err
	}
	return f.Close()
}

func (d *Dir) writeTo(f *os.File, name string, data []byte) error {
	return d.makeChange(Op{Kind: "write", Path: name}, func() error {
		_, err := f.Write(data)
		return err
	})
}

// SyncFile makes durable what another program wrote to a file.
func (d *Dir) SyncFile(name string) error {
	f, err := d.openFile(name, os.O_RDWR)
	if err == nil {
		_, err = d.flush([]*staged{{temp: name, f: f}}, nil)
	}
	return err
}

// Rename moves a file over whatever is at to.
func (d *Dir) Rename(name, to string) error {
	return d.makeChange(Op{Kind: "rename", Path: name, To: to}, func() error { return d.root.Rename(name, to) })
}

// Link gives a file a second name; it fails with fs.ErrExist if that is taken, which makes it a lock.
func (d *Dir) Link(name, to string) error {
	return d.makeChange(Op{Kind: "link", Path: name, To: to}, func() error { return d.root.Link(name, to) })
}

// Remove deletes a file or an empty folder, if it is there.
func (d *Dir) Remove(name string) error {
	err := d.makeChange(Op{Kind: "remove", Path: name}, func() error { return d.root.Remove(name) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// RemoveAll deletes a file, or a folder and all that is in it, if it is there.
func (d *Dir) RemoveAll(name string) error {
	return d.makeChange(Op{Kind: "remove", Path: name}, func() error { return d.root.RemoveAll(name) })
}

// MkdirAll creates a folder and its parents, and makes them durable.
func (d *Dir) MkdirAll(name string) error {
	parents := map[string]bool{}
	if err := d.mkdirAll(name, parents); err != nil {
		return err
	}
	return d.SyncDirs(slices.Sorted(maps.Keys(parents))...)
}

func (d *Dir) makeParents(name string) error {
	if !IsPath(name) {
		return pathError(name)
	}
	return d.MkdirAll(path.Dir(name))
}

// mkdirAll creates a folder and its parents, one change after the other, and adds to dirty
// the folders that must be synced for that to last.
func (d *Dir) mkdirAll(name string, dirty map[string]bool) error {
	d.folders.Delete(name) // git may have removed it
	if err := d.checkFolder(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := d.mkdirAll(path.Dir(name), dirty); err != nil {
		return err
	}
	err := d.makeChange(Op{Kind: "mkdir", Path: name}, func() error { return d.root.Mkdir(name, d.mode) })
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	dirty[path.Dir(name)] = true
	return nil
}

// SameFile reports whether two names lead to one file, without following links.
func (d *Dir) SameFile(a, b string) bool {
	x, errX := d.Lstat(a)
	y, errY := d.Lstat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// IsPath reports whether a Dir on this system takes the path name: relative, with forward slashes, without empty, "."
// or ".." steps, and valid UTF-8. The folder itself is ".". Every other path is refused with fs.ErrInvalid.
func IsPath(name string) bool {
	return fs.ValidPath(name) && !strings.Contains(name, "\x00") && filepath.ToSlash(name) == name && filepath.IsLocal(name)
}

// IsPortable reports whether a Dir takes the path name on every system: IsPath, but
// not the folder itself, nor the characters that mean something to Windows.
func IsPortable(name string) bool {
	return IsPath(name) && name != "." && !strings.ContainsAny(name, "\\:")
}

func pathError(name string) error { return fmt.Errorf("path %q: %w", name, fs.ErrInvalid) }
