package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxFolders is how many folders are kept open.
const maxFolders = 64

// openRoot opens the folder at name, or returns the one that is open: open folders
// save walking the whole path for every file. A link is refused, even one that
// stays inside, because it would give one file two names.
func (d *Dir) openRoot(name string) (*os.Root, error) {
	if !IsPath(name) {
		return nil, pathError(name)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if name == "." {
		return d.root, nil
	}
	if f, ok := d.folders[name]; ok {
		return f, nil
	}
	f, at := d.root, ""
	for step := range strings.SplitSeq(name, "/") {
		at = path.Join(at, step)
		var err error
		if f, err = d.enter(f, at); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// enter opens the folder at name, whose parent is open, or returns the one that
// is open.
func (d *Dir) enter(parent *os.Root, name string) (*os.Root, error) {
	if f, ok := d.folders[name]; ok {
		return f, nil
	}
	info, err := parent.Lstat(path.Base(name))
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: %w", name, ErrLink)
	}
	f, err := parent.OpenRoot(path.Base(name))
	if err != nil {
		return nil, err
	}
	if len(d.folders) >= maxFolders {
		if err := d.closeFolders(); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	d.folders[name] = f
	return f, nil
}

// closeBelow closes an open folder that may be about to go away.
func (d *Dir) closeBelow(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for at, f := range d.folders {
		if at == name || strings.HasPrefix(at, name+"/") {
			// Nothing was written through the handle itself.
			_ = f.Close()
			delete(d.folders, at)
		}
	}
}

// ReleaseFolders closes the open folders. Another program may have replaced them
// since they were opened, as git does when it changes branches.
func (d *Dir) ReleaseFolders() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closeFolders()
}

func (d *Dir) closeFolders() error {
	var errs []error
	for _, f := range d.folders {
		errs = append(errs, f.Close())
	}
	clear(d.folders)
	return errors.Join(errs...)
}

// MakeFolder creates the folder at path and its parents where they are missing, and
// makes them durable.
func MakeFolder(path string) error { return AsWriteError(makeFolders(path, dirMode)) }

// makeFolders is Make with a mode for new folders.
func makeFolders(path string, mode fs.FileMode) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	top := filepath.Dir(path)
	for {
		if _, err := os.Stat(top); err == nil || !errors.Is(err, fs.ErrNotExist) {
			break
		}
		top = filepath.Dir(top)
	}
	name, err := filepath.Rel(top, path)
	if err != nil || name == "." { // the root of the disk
		return err
	}
	d, err := Open(top)
	if err != nil {
		return err
	}
	d.mode = mode
	if info, err := os.Stat(path); err == nil && info.IsDir() { // or a link to one
		return errors.Join(d.SyncDir("."), d.Close())
	}
	return errors.Join(d.MkdirAll(filepath.ToSlash(name)), d.Close())
}

// MkdirAll creates a folder and its parents, and makes them durable.
func (d *Dir) MkdirAll(name string) error {
	parents := map[string]bool{}
	if err := d.mkdirAll(name, parents); err != nil {
		return err
	}
	return d.SyncDirs(slices.Collect(maps.Keys(parents)))
}

// mkdirAll creates a folder and its parents, and adds to dirty the folders that
// must be synced for that to last.
func (d *Dir) mkdirAll(name string, dirty map[string]bool) error {
	if name == "." {
		return nil
	}
	info, err := d.Lstat(name)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return fmt.Errorf("%s: %w", name, ErrLink)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	parent := path.Dir(name)
	if err := d.mkdirAll(parent, dirty); err != nil {
		return err
	}
	err = d.makeChange(Op{Kind: "mkdir", Path: name}, func() error {
		folder, base, err := d.openParent(name)
		if err != nil {
			return err
		}
		return folder.Mkdir(base, d.mode)
	})
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	dirty[parent] = true
	return nil
}

// SyncDir makes the names in a folder durable.
func (d *Dir) SyncDir(name string) error { return d.SyncDirs([]string{name}) }

// SyncDirs makes the names in several folders durable, many at a time.
func (d *Dir) SyncDirs(names []string) error {
	slices.Sort(names)
	var errs []error
	for some := range slices.Chunk(names, maxOpen) {
		errs = append(errs, d.syncDirs(new(round), some)...)
	}
	return errors.Join(errs...)
}

// syncDirs adds folders to a round, and waits for all of it.
func (d *Dir) syncDirs(r *round, names []string) []error {
	errs := make([]error, len(names))
	for i, name := range names {
		if errs[i] = r.ask(d, "syncdir", name); errs[i] != nil {
			continue
		}
		// Opened one after the other: a folder may be closed to open another.
		f, err := d.openFolder(name)
		if err != nil {
			errs[i] = AsWriteError(err)
			continue
		}
		r.flushes.Go(func() { errs[i] = AsWriteError(errors.Join(d.layer.syncFolder(f), f.Close())) })
	}
	r.flushes.Wait()
	return errs
}

func (d *Dir) openFolder(name string) (*os.File, error) {
	folder, err := d.openRoot(name)
	if err != nil {
		return nil, err
	}
	return folder.Open(".")
}
