package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"mem/fault"
)

// ErrLocked is wrapped when another process held a lock for the whole wait.
var ErrLocked = fault.New(fault.Later, "locked by another process", "wait for the other process, then run any mem command")

// A Lock is held until it is released or the process ends.
type Lock struct {
	f      *os.File
	Waited bool // another process had it first
}

// AcquireLock takes the advisory lock on a file, creating it if need be, and waits for at most wait. The file is never
// removed. It holds the process id of the last holder, for people and messages.
func (d *Dir) AcquireLock(ctx context.Context, name string, wait time.Duration) (*Lock, error) {
	l, err := d.lock(ctx, name, wait, d.openMaking)
	if err != nil {
		return nil, err
	}
	// Only a courtesy: a failure to write the id must not cost the lock.
	n, _ := l.f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	_ = l.f.Truncate(int64(n)) // only now: the disk need not look for a place
	return l, nil
}

// HoldFile takes the advisory lock on a file that exists, and leaves its content
// alone. It is how a process shows that a file is still its own.
func (d *Dir) HoldFile(ctx context.Context, name string, wait time.Duration) (*Lock, error) {
	return d.lock(ctx, name, wait, d.openFile)
}

func (d *Dir) lock(ctx context.Context, name string, wait time.Duration, open func(string, int) (*os.File, error)) (l *Lock, err error) {
	tries := 0
	err = Await(ctx, wait, func() error {
		tries++
		f, err := open(name, os.O_RDWR)
		if err != nil {
			return fmt.Errorf("open lock: %w", AsWriteError(err))
		}
		if l, err = d.holdOpen(f, name); err == nil {
			l.Waited = tries > 1
		}
		return err
	})
	return l, err
}

// Await calls try again while its error wraps ErrLocked, for at most wait, and returns the last error.
func Await(ctx context.Context, wait time.Duration, try func() error) error {
	deadline := time.After(wait)
	for pause := time.Millisecond; ; pause = min(2*pause, 16*time.Millisecond) {
		err := try()
		if !errors.Is(err, ErrLocked) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return err
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// holdOpen locks an open file that must still be the one of that name.
func (d *Dir) holdOpen(f *os.File, name string) (*Lock, error) {
	if ok, err := tryLock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", filepath.Join(d.Path(), filepath.FromSlash(name)), AsWriteError(err)), f.Close())
	} else if !ok {
		err := ErrLocked
		holder := make([]byte, 32)
		n, _ := f.ReadAt(holder, 0)
		if pid := strings.TrimSpace(string(holder[:n])); pid != "" {
			err = fmt.Errorf("%s is held by process %s: %w", name, pid, ErrLocked)
		}
		return nil, errors.Join(err, f.Close())
	}
	// A person may have removed the file meanwhile, and another process may hold a lock on its successor.
	held, errHeld := f.Stat()
	named, err := d.Lstat(name)
	switch {
	case errHeld != nil || err != nil && !errors.Is(err, fs.ErrNotExist): // it cannot be told
		return nil, errors.Join(AsWriteError(fmt.Errorf("lock %s: %w", name, errors.Join(errHeld, err))), f.Close())
	case err != nil || !os.SameFile(held, named):
		return nil, errors.Join(fmt.Errorf("%s was replaced: %w", name, ErrLocked), f.Close())
	}
	return &Lock{f: f}, nil
}

// Release gives the lock back.
func (l *Lock) Release() error { return l.f.Close() }

// An Op is one change, about to be made.
type Op struct {
	Kind string // "create", "write", "sync", "rename", "link", "remove", "mkdir", "syncdir"
	Dir  string // the folder of the Dir, which paths are below
	Path string
	To   string // of a rename or link

	First bool // of the flushes that are under way at the same time
}

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

// IsExhausted reports whether an error says nothing about the file that it names: the process ran out of open
// files or memory.
func IsExhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

// AsWriteError makes the error of a change wrap ErrWrite, with the same text, if the system refused or failed
// the change, rather than just found or missed a file. A Dir does so itself.
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
