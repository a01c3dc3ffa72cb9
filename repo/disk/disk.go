// Package disk changes files in one folder so that a crash at any moment
// leaves each of them either as it was or as it was meant to be.
//
// Every path is relative, with forward slashes, and is resolved inside the
// folder: links that leave it are refused by the operating system's help, and
// links in the middle of a path are refused altogether. Files are created
// 0600 and folders 0700 whatever the umask.
//
// disk knows nothing of git or of memory. It is the only place where mem
// creates, renames or removes files, which is what makes fault injection
// possible: a Fault sees every change before it happens, and only a Dir that was
// opened without one flushes for real.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mem/repo/disk/system"
)

// Errors that callers tell apart.
var (
	// ErrLink is wrapped when a path leads through a symbolic link, or ends
	// in something that is neither a regular file nor a folder.
	ErrLink = errors.New("not a regular file or folder")
	// ErrTooLarge is wrapped when a file is larger than the reader allows.
	ErrTooLarge = errors.New("file too large")
	// ErrWrite is wrapped when the system refuses or fails a change: no room,
	// no permission, a broken disk. What was not there, or there already, is no
	// such error.
	ErrWrite = errors.New("the disk did not take it")
)

// The modes of everything that a Dir creates.
const (
	fileMode = 0o600
	dirMode  = 0o700
)

// A Dir is a folder whose files can be changed.
type Dir struct {
	root  *os.Root
	layer layer
	mode  fs.FileMode // of the folders that it makes

	mu      sync.Mutex
	folders map[string]*os.Root // open ones below root, by path
}

// Open opens the folder at path, which must exist.
func Open(path string) (*Dir, error) { return Files{}.Open(path) }

// Close releases the folder. Files opened through it stay open.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return errors.Join(d.closeFolders(), d.root.Close())
}

// openParent returns the open folder of a path and the name in it.
func (d *Dir) openParent(name string) (*os.Root, string, error) {
	if !IsPath(name) {
		return nil, "", pathError(name)
	}
	f, err := d.openRoot(path.Dir(name))
	return f, path.Base(name), err
}

// errReplaced says that a file was replaced while it was being opened.
var errReplaced = errors.New("replaced again and again")

// openFile opens a regular file without following a link at its end.
func (d *Dir) openFile(name string, flag int) (*os.File, error) {
	folder, base, err := d.openParent(name)
	if err != nil {
		return nil, err
	}
	var f *os.File
	for range 10 {
		if f, err = openRegular(folder, base, flag); !errors.Is(err, errReplaced) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return f, nil
}

// openRegular is one attempt of openFile.
//
// The flag that forbids following links is not enough: os.Root itself follows
// links that stay inside, so that the lock could turn out to be the index.
func openRegular(folder *os.Root, base string, flag int) (*os.File, error) {
	if flag&os.O_EXCL != 0 {
		return folder.OpenFile(base, flag|system.NoFollow, fileMode)
	}
	create := flag&os.O_CREATE != 0
	info, err := folder.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist) && create:
		f, err := folder.OpenFile(base, flag|os.O_EXCL|system.NoFollow, fileMode)
		if errors.Is(err, fs.ErrExist) {
			err = errReplaced
		}
		return f, err
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrLink
	}
	f, err := folder.OpenFile(base, flag&^os.O_CREATE|system.NoFollow, fileMode)
	if errors.Is(err, fs.ErrNotExist) && create {
		return nil, errReplaced
	}
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(errReplaced, err, f.Close())
	}
	return f, nil
}

// Path returns the folder's path as it was opened.
func (d *Dir) Path() string { return d.root.Name() }

// Lstat describes a path without following a link at its end.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	folder, base, err := d.openParent(name)
	if err != nil {
		return nil, err
	}
	return folder.Lstat(base)
}

// Exists reports whether there is anything at name.
func (d *Dir) Exists(name string) bool {
	_, err := d.Lstat(name)
	return err == nil
}

// IsSmallFile reports whether a regular file is there, of this many bytes at most.
func (d *Dir) IsSmallFile(name string, most int64) bool {
	info, err := d.Lstat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() <= most
}

// ReadFile returns the content of a regular file of at most limit bytes.
func (d *Dir) ReadFile(name string, limit int64) ([]byte, error) {
	data, _, err := d.ReadState(name, limit)
	return data, err
}

// ReadState is ReadFile and describes the file that was read. By then another file
// may have the name.
func (d *Dir) ReadState(name string, limit int64) ([]byte, fs.FileInfo, error) {
	f, err := d.openFile(name, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	return readOpen(f, name, limit)
}

// readOpen reads an open file and closes it.
func readOpen(f *os.File, name string, limit int64) ([]byte, fs.FileInfo, error) {
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if info.Size() > limit {
		return nil, nil, fmt.Errorf("%s holds %d bytes, the limit is %d: %w", name, info.Size(), limit, ErrTooLarge)
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	return data[:n], info, nil
}

// StreamFile opens a file for reading from its beginning.
func (d *Dir) StreamFile(name string) (io.ReadCloser, error) { return d.openFile(name, os.O_RDONLY) }

// ListFolder returns the names in a folder, sorted, without those that Takes
// refuses. A missing folder has none.
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

// WriteLoose replaces the content of a file in place, and AppendLoose adds to it, without
// making it durable. It is for what can do without, and says of itself that it is whole: a reader may
// find a part of it, and a new beginning before an old end.
func (d *Dir) WriteLoose(name string, data []byte) error { return d.writeLoose(name, data, 0) }

// AppendLoose is said at WriteLoose. Processes that append at the same time keep out of
// each other's lines.
func (d *Dir) AppendLoose(name string, data []byte) error {
	return d.writeLoose(name, data, os.O_APPEND)
}

func (d *Dir) writeLoose(name string, data []byte, flag int) error {
	if !IsPath(name) {
		return pathError(name)
	}
	if err := d.MkdirAll(path.Dir(name)); err != nil {
		return err
	}
	f, err := d.openFile(name, os.O_WRONLY|os.O_CREATE|flag)
	if err != nil {
		return AsWriteError(err)
	}
	err = d.writeTo(f, name, data)
	if err == nil && flag&os.O_APPEND == 0 {
		err = d.makeChange(Op{Kind: "write", Path: name}, func() error { return f.Truncate(int64(len(data))) })
	}
	return errors.Join(err, f.Close())
}

// CreateFile makes a new, empty file; it fails with fs.ErrExist if there is one.
func (d *Dir) CreateFile(name string) error {
	f, err := d.newFile(name, fileMode)
	if err != nil {
		return err
	}
	return f.Close()
}

// writeTo writes to an open file.
func (d *Dir) writeTo(f *os.File, name string, data []byte) error {
	return d.makeChange(Op{Kind: "write", Path: name}, func() error {
		_, err := f.Write(data)
		return err
	})
}

// syncFile makes what was written to an open file durable.
func (d *Dir) syncFile(f *os.File, name string) error {
	return d.makeChange(Op{Kind: "sync", Path: name, First: true}, func() error { return d.layer.syncFile(f) })
}

// SyncFile makes durable what another program wrote to a file.
func (d *Dir) SyncFile(name string) error {
	f, err := d.openFile(name, os.O_RDWR)
	if err != nil {
		return err
	}
	return errors.Join(d.syncFile(f, name), f.Close())
}

// Rename moves a file over whatever is at to.
func (d *Dir) Rename(name, to string) error {
	return d.renameIf(name, to, func() error { return nil })
}

// renameIf is Rename after a last look, unless that fails.
func (d *Dir) renameIf(name, to string, look func() error) error {
	if _, _, err := d.openParent(to); err != nil {
		return err
	}
	return d.makeChange(Op{Kind: "rename", Path: name, To: to}, func() error {
		if err := look(); err != nil {
			return err
		}
		d.closeBelow(name)
		return d.root.Rename(filepath.FromSlash(name), filepath.FromSlash(to))
	})
}

// Link gives a file a second name; it fails with fs.ErrExist if that is
// taken, which makes it a lock.
func (d *Dir) Link(name, to string) error {
	return d.makeChange(Op{Kind: "link", Path: name, To: to}, func() error {
		return d.root.Link(filepath.FromSlash(name), filepath.FromSlash(to))
	})
}

// Remove deletes a file or an empty folder, if it is there.
func (d *Dir) Remove(name string) error {
	err := d.makeChange(Op{Kind: "remove", Path: name}, func() error {
		d.closeBelow(name)
		folder, base, err := d.openParent(name)
		if err != nil {
			return err
		}
		return folder.Remove(base)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// RemoveAll deletes a file, or a folder and all that is in it, if it is there.
func (d *Dir) RemoveAll(name string) error {
	return d.makeChange(Op{Kind: "remove", Path: name}, func() error {
		d.closeBelow(name)
		return d.root.RemoveAll(filepath.FromSlash(name))
	})
}

// WriteFile replaces a file durably: a new file beside it, synced, renamed, and
// the folder synced. temp is a folder for the new file, on the same disk.
func (d *Dir) WriteFile(name string, data []byte, temp string) error {
	b := d.NewBatch(temp)
	if err := b.Add(name, data); err != nil {
		return errors.Join(err, b.Discard())
	}
	return b.Publish()
}

// SameFile reports whether two names lead to one file, without following
// links.
func (d *Dir) SameFile(a, b string) bool {
	x, errX := d.Lstat(a)
	y, errY := d.Lstat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// IsPath reports whether a Dir on this system takes the path name: relative,
// with forward slashes, without empty, "." or ".." steps, and valid UTF-8. The
// folder itself is ".". Every other path is refused with fs.ErrInvalid.
func IsPath(name string) bool {
	return fs.ValidPath(name) && !strings.Contains(name, "\x00") && filepath.ToSlash(name) == name && filepath.IsLocal(name)
}

// IsPortable reports whether a Dir takes the path name on every system: Takes, but
// not the folder itself, nor the characters that mean something to Windows.
func IsPortable(name string) bool {
	return IsPath(name) && name != "." && !strings.ContainsAny(name, "\\:")
}

func pathError(name string) error { return fmt.Errorf("path %q: %w", name, fs.ErrInvalid) }
