package disk

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// An Op is one change, about to be made.
type Op struct {
	Kind string // "create", "write", "sync", "rename", "link", "remove", "mkdir", "syncdir"
	Path string
	To   string // of a rename or link

	First bool // of the flushes that are under way at the same time
}

// IsFlush reports whether it makes other changes durable.
func (op Op) IsFlush() bool { return op.Kind == "sync" || op.Kind == "syncdir" }

// A round is of flushes that are under way at the same time: the disk is waited for once.
type round struct {
	flushes sync.WaitGroup
	isBegun bool
}

// ask is askLayer for one flush of the round.
func (r *round) ask(d *Dir, kind, name string) error {
	op := Op{Kind: kind, Path: name, First: !r.isBegun}
	r.isBegun = true
	return d.askLayer(op)
}

// A Fault is asked before every change. When it returns an error the change
// is not made and fails with that error. Only tests have one.
type Fault func(Op) error

// A layer is what stands between a Dir and the disk.
type layer struct {
	before     Fault                // nil but in tests
	syncFile   func(*os.File) error // makes the content of an open file durable
	syncFolder func(*os.File) error // makes the names in an open folder durable
}

// makeChange makes one change, unless the layer objects.
func (d *Dir) makeChange(op Op, do func() error) error {
	if err := d.askLayer(op); err != nil {
		return err
	}
	return AsWriteError(do())
}

// askLayer is the first half of makeChange.
func (d *Dir) askLayer(op Op) error {
	if !IsPath(op.Path) {
		return pathError(op.Path)
	}
	if !IsPath(op.To) && (op.Kind == "rename" || op.Kind == "link") {
		return pathError(op.To)
	}
	if d.layer.before == nil {
		return nil
	}
	return AsWriteError(d.layer.before(op))
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
