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
// possible: a Fault sees every change before it happens.
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
)

// Errors that callers tell apart.
var (
	// ErrLink is wrapped when a path leads through a symbolic link, or ends
	// in something that is neither a file nor a folder.
	ErrLink = errors.New("not a plain file or folder")
	// ErrTooLarge is wrapped when a file is larger than the reader allows.
	ErrTooLarge = errors.New("file too large")
)

// The modes of everything that a Dir creates.
const (
	fileMode = 0o600
	dirMode  = 0o700
)

// An Op is one change, about to be made.
type Op struct {
	Kind string // "create", "write", "sync", "rename", "link", "remove", "mkdir", "syncdir"
	Path string
	To   string // of a rename or link
}

// A Fault is asked before every change. When it returns an error the change
// is not made and fails with that error. Only tests have one.
type Fault func(Op) error

// A Dir is a folder whose files can be changed.
type Dir struct {
	root  *os.Root
	fault Fault

	mu      sync.Mutex
	folders map[string]*os.Root // open ones below root, by path
}

// Open opens the folder at path, which must exist.
func Open(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	return Within(root, nil), nil
}

// OpenFaulty is Open for tests: fault is asked before every change.
func OpenFaulty(path string, fault Fault) (*Dir, error) {
	d, err := Open(path)
	if err != nil {
		return nil, err
	}
	d.fault = fault
	return d, nil
}

// Close releases the folder. Files opened through it stay open.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return errors.Join(d.closeFolders(), d.root.Close())
}

// locate returns the open folder of a path and the name in it.
func (d *Dir) locate(name string) (*os.Root, string, error) {
	if !Takes(name) {
		return nil, "", invalid(name)
	}
	f, err := d.folder(path.Dir(name))
	return f, path.Base(name), err
}

// errReplaced says that a file was replaced while it was being opened.
var errReplaced = errors.New("replaced again and again")

// openFile opens a plain file without following a link at its end.
func (d *Dir) openFile(name string, flag int) (*os.File, error) {
	folder, base, err := d.locate(name)
	if err != nil {
		return nil, err
	}
	var f *os.File
	for range 10 {
		if f, err = openPlain(folder, base, flag); !errors.Is(err, errReplaced) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return f, nil
}

// openPlain is one attempt of openFile.
//
// The flag that forbids to follow is not enough: os.Root itself follows links
// that stay inside, so that the lock could turn out to be the index.
func openPlain(folder *os.Root, base string, flag int) (*os.File, error) {
	if flag&os.O_EXCL != 0 {
		return folder.OpenFile(base, flag|noFollow, fileMode)
	}
	create := flag&os.O_CREATE != 0
	info, err := folder.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist) && create:
		f, err := folder.OpenFile(base, flag|os.O_EXCL|noFollow, fileMode)
		if errors.Is(err, fs.ErrExist) {
			err = errReplaced
		}
		return f, err
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrLink
	}
	f, err := folder.OpenFile(base, flag&^(os.O_CREATE|os.O_TRUNC)|noFollow, fileMode)
	if errors.Is(err, fs.ErrNotExist) && create {
		return nil, errReplaced
	}
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(errReplaced, err, f.Close())
	}
	if flag&os.O_TRUNC != 0 {
		if err := f.Truncate(0); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, nil
}

// Path returns the folder's path as it was opened.
func (d *Dir) Path() string { return d.root.Name() }

// ask comes before every change.
func (d *Dir) ask(kind, name, to string) error {
	if !Takes(name) {
		return invalid(name)
	}
	if !Takes(to) && (kind == "rename" || kind == "link") {
		return invalid(to)
	}
	if d.fault == nil {
		return nil
	}
	return d.fault(Op{Kind: kind, Path: name, To: to})
}

// Lstat describes a path without following a link at its end.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	folder, base, err := d.locate(name)
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

// Read returns the content of a plain file of at most limit bytes.
func (d *Dir) Read(name string, limit int64) ([]byte, error) {
	data, _, err := d.ReadState(name, limit)
	return data, err
}

// ReadState is Read and describes the file that was read, which need not be
// the one that has the name by now.
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
	data := Buffer(int(info.Size()))[:info.Size()]
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	return data[:n], info, nil
}

// Stream opens a file for reading from its beginning.
func (d *Dir) Stream(name string) (io.ReadCloser, error) { return d.openFile(name, os.O_RDONLY) }

// List returns the names in a folder, sorted, without those that Takes
// refuses. A missing folder has none.
func (d *Dir) List(name string) ([]string, error) {
	f, err := d.openFolder(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if Takes(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// Append adds data to the end of files, creating them if need be, and makes it
// durable.
func (d *Dir) Append(data []byte, names ...string) error {
	errs := make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		if !Takes(name) {
			errs[i] = invalid(name)
			continue
		}
		if errs[i] = d.MkdirAll(path.Dir(name)); errs[i] != nil {
			continue
		}
		if d.fault != nil { // a test wants to know the order
			errs[i] = d.write(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, data)
			continue
		}
		all.Go(func() { errs[i] = d.write(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, data) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// Overwrite replaces the content of a file in place and makes it durable. It
// is for files that nobody reads before they are renamed, such as locks.
func (d *Dir) Overwrite(name string, data []byte) error {
	return d.write(name, os.O_WRONLY|os.O_TRUNC, data)
}

// Create makes a new, empty file; it fails with fs.ErrExist if there is one.
func (d *Dir) Create(name string) error {
	f, err := d.create(name)
	if err != nil {
		return err
	}
	return f.Close()
}

func (d *Dir) write(name string, flag int, data []byte) error {
	f, err := d.openFile(name, flag)
	if err != nil {
		return err
	}
	return errors.Join(d.fill(f, name, data), f.Close())
}

// fill writes an open file and makes its content durable.
func (d *Dir) fill(f *os.File, name string, data []byte) error {
	if err := d.ask("write", name, ""); err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := d.ask("sync", name, ""); err != nil {
		return err
	}
	_, err := d.flush(f)
	return err
}

// Rename moves a file over whatever is at to.
func (d *Dir) Rename(name, to string) error {
	return d.renameIf(name, to, func() error { return nil })
}

// renameIf is Rename after a last look, unless that fails.
func (d *Dir) renameIf(name, to string, look func() error) error {
	if _, _, err := d.locate(to); err != nil {
		return err
	}
	if err := d.ask("rename", name, to); err != nil {
		return err
	}
	if err := look(); err != nil {
		return err
	}
	d.forget(name)
	return d.root.Rename(filepath.FromSlash(name), filepath.FromSlash(to))
}

// Link gives a file a second name; it fails with fs.ErrExist if that is
// taken, which makes it a lock.
func (d *Dir) Link(name, to string) error {
	if err := d.ask("link", name, to); err != nil {
		return err
	}
	return d.root.Link(filepath.FromSlash(name), filepath.FromSlash(to))
}

// Remove deletes a file or an empty folder; a missing one is no error.
func (d *Dir) Remove(name string) error {
	if err := d.ask("remove", name, ""); err != nil {
		return err
	}
	d.forget(name)
	folder, base, err := d.locate(name)
	if err == nil {
		err = folder.Remove(base)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Write replaces a file durably: a new file beside it, synced, renamed, and
// the folder synced. temp is a folder for the new file, on the same disk.
func (d *Dir) Write(name string, data []byte, temp string) error {
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

// Takes reports whether a Dir on this system takes the path name: relative,
// with forward slashes, without empty, "." or ".." steps, and valid UTF-8. The
// folder itself is ".". Every other path is refused with fs.ErrInvalid.
func Takes(name string) bool {
	return fs.ValidPath(name) && !strings.Contains(name, "\x00") && filepath.ToSlash(name) == name && filepath.IsLocal(name)
}

func invalid(name string) error { return fmt.Errorf("path %q: %w", name, fs.ErrInvalid) }

// Clean reports whether a Dir takes the path name on every system: Takes, but
// not the folder itself, nor the characters that mean something to Windows.
func Clean(name string) bool {
	return Takes(name) && name != "." && !strings.ContainsAny(name, "\\:")
}
