package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
)

// An Op is one change, about to be made.
type Op struct {
	Kind string // "create", "write", "sync", "rename", "link", "remove", "mkdir", "syncdir"
	Dir  string // the folder of the Dir, which paths are below
	Path string
	To   string // of a rename or link

	First bool // of the flushes that are under way at the same time
}

// IsFlush reports whether it makes other changes durable.
func (op Op) IsFlush() bool { return op.Kind == "sync" || op.Kind == "syncdir" }

// A Fault is asked before every change. When it returns an error the change
// is not made and fails with that error. Only tests have one.
type Fault func(Op) error

// InOrder takes steps up to the first that fails.
func InOrder(steps ...func() error) (err error) {
	for i := 0; err == nil && i < len(steps); i++ {
		err = steps[i]()
	}
	return err
}

// makeChange makes one change, unless a path leads through a link or a test objects.
func (d *Dir) makeChange(op Op, do func() error) error {
	err := d.checkPath(op.Path)
	if err == nil && (op.Kind == "rename" || op.Kind == "link") {
		err = d.checkPath(op.To)
	}
	if err == nil && d.fault != nil {
		op.Dir = d.Path()
		err = d.fault(op)
	}
	if err == nil {
		err = do()
	}
	return AsWriteError(err)
}

// flush makes the contents of files and the names in folders durable, all at the same time: the
// disk is waited for once. It closes the files.
//
// After a failed fsync the page cache may claim that all is well; trying again would lie, so
// the first error of a file stands.
func (d *Dir) flush(files []*staged, folders []string) (ofFolders []error, ofFiles error) {
	var all sync.WaitGroup
	isFirst := true
	begin := func(err *error, kind, name string, do func() error) {
		op := Op{Kind: kind, Path: name, First: isFirst}
		isFirst = false
		if *err = d.makeChange(op, func() error { return nil }); *err == nil {
			all.Go(func() { *err = AsWriteError(do()) })
		}
	}
	for _, s := range files {
		begin(&s.err, "sync", s.temp, func() (err error) {
			if err = d.syncFile(s.f); err != nil {
				return fmt.Errorf("sync: %w", err)
			}
			s.info, err = s.f.Stat()
			return err
		})
	}
	ofFolders = make([]error, len(folders))
	for i, name := range folders {
		begin(&ofFolders[i], "syncdir", name, func() error {
			f, err := d.openFolder(name)
			if err != nil {
				return err
			}
			return errors.Join(d.syncFolder(f), f.Close())
		})
	}
	all.Wait()
	for _, s := range files {
		ofFiles = errors.Join(ofFiles, s.err, s.f.Close())
		s.f = nil
	}
	return ofFolders, ofFiles
}

// IsExhausted reports whether an error says nothing of the file that it names: there
// are no more open files, or no memory, to be had.
func IsExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

// AsWriteError lets the error of a change wrap ErrWrite, with the same text, if it
// says that the system refused or failed it, and not just what is or is not
// there. A Dir does so itself.
func AsWriteError(err error) error {
	var errno syscall.Errno
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) || !errors.As(err, &errno) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return &writeError{err}
}

// A writeError reads like its cause and wraps ErrWrite too.
type writeError struct{ error }

// Unwrap returns the cause and ErrWrite.
func (e *writeError) Unwrap() []error { return []error{e.error, ErrWrite} }
