package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"

	"mem/envtest"
)

// A Dir that was opened without a fault asks the system to flush, and says what
// the system answered. A pipe cannot be flushed, nor can what is closed.
func TestFlushIsReal(t *testing.T) {
	d, err := Open(t.TempDir())
	envtest.NoError(t, err)
	defer d.Close()
	r, w, err := os.Pipe()
	envtest.NoError(t, err)
	defer r.Close()
	defer w.Close()
	if err := d.syncFile(w); err == nil || runtime.GOOS == "linux" && !errors.Is(err, syscall.EINVAL) {
		t.Errorf("flushing a pipe: %v, want EINVAL", err)
	}
	folder, err := os.Open(d.Path())
	envtest.NoError(t, err)
	envtest.Wraps(t, nil, d.syncFolder(folder), "flushing a folder")
	folder.Close()
	if err := d.syncFolder(folder); !errors.Is(err, os.ErrClosed) && runtime.GOOS != "windows" {
		t.Errorf("flushing a folder that is closed: %v, want ErrClosed", err)
	}
}

// Every change that has to last is flushed: each file whose "sync" and each
// folder whose "syncdir" was announced, under the name that it had then.
func TestEverySyncFlushes(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(dir)
	envtest.NoError(t, err)
	defer d.Close()
	var mu sync.Mutex
	var want, got []fs.FileInfo
	note := func(list *[]fs.FileInfo, info fs.FileInfo, err error) error {
		mu.Lock()
		defer mu.Unlock()
		*list = append(*list, info)
		return err
	}
	d.fault = func(op Op) error {
		if op.Kind != "sync" && op.Kind != "syncdir" {
			return nil
		}
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(op.Path)))
		return note(&want, info, err)
	}
	flush := func(f *os.File) error {
		info, err := f.Stat()
		return note(&got, info, err)
	}
	d.syncFile, d.syncFolder = flush, flush
	check := func(what string, min int, err error) {
		t.Helper()
		envtest.NoError(t, err)
		envtest.FailIf(t, len(want) < min || len(want) != len(got),
			"%s: %d flushes announced, %d made, want at least %d", what, len(want), len(got), min)
		for _, w := range want {
			envtest.FailIf(t, !slices.ContainsFunc(got, func(g fs.FileInfo) bool { return os.SameFile(w, g) }),
				"%s: %s was not flushed", what, w.Name())
		}
		want, got = nil, nil
	}
	check("MkdirAll", 2, d.MkdirAll("a/b"))
	check("Append", 2, d.AppendTo([]byte("x"), "a/1", "a/b/2"))
	check("Write", 3, d.WriteFile("a/1", []byte("z"), "temp"))
	check("WriteFile", 2, d.WriteFile("a/1", []byte("z"), "temp"))
	check("Replace", 2, d.ReplaceFile("a/1", []byte("z"), 0o640))
	check("ReplaceIf", 2, d.ReplaceIf("a/1", []byte("z"), []byte("zz")))
	check("Add", 2, d.AddFile("a/3", []byte("z"), 0o640))
	b := d.NewBatch("temp")
	for i := range 5 {
		envtest.NoError(t, b.Add(fmt.Sprintf("c%d/f", i%2), []byte("x")))
	}
	b.Remove("a/3")
	check("Publish", 5+1+2+1+1, b.Publish())
}

// What the system refuses wraps ErrWrite and reads as before; what is there or is not there does not.
func TestErrWrite(t *testing.T) {
	for _, err := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS, fs.ErrPermission, &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}} {
		if got := AsWriteError(err); !errors.Is(got, ErrWrite) || !errors.Is(got, err) || got.Error() != err.Error() {
			t.Errorf("Refused(%v) = %v", err, got)
		}
	}
	for _, err := range []error{nil, fs.ErrExist, fs.ErrNotExist, ErrLink, ErrLocked, ErrChanged, pathError("/")} {
		got := AsWriteError(err)
		envtest.FailIf(t, errors.Is(got, ErrWrite) || !errors.Is(got, err), "Refused(%v) = %v", err, got)
	}
	dir := t.TempDir()
	d, err := Files{Fault: func(Op) error { return syscall.ENOSPC }}.Open(dir)
	envtest.NoError(t, err)
	defer d.Close()
	envtest.NoError(t, os.WriteFile(filepath.Join(dir, "f"), nil, 0o600))
	for what, do := range map[string]func() error{
		"MkdirAll":  func() error { return d.MkdirAll("a/b") },
		"Append":    func() error { return d.AppendTo([]byte("x"), "f") },
		"Create":    func() error { return d.CreateFile("g") },
		"Overwrite": func() error { return d.WriteLoose("f", []byte("x")) },
		"Write":     func() error { return d.WriteFile("f", []byte("x"), ".") },
		"Replace":   func() error { return d.ReplaceFile("f", []byte("x"), 0o600) },
		"ReplaceIf": func() error { return d.ReplaceIf("f", nil, []byte("x")) },
		"Add":       func() error { return d.AddFile("g", []byte("x"), 0o600) },
		"Rename":    func() error { return d.Rename("f", "g") },
		"Link":      func() error { return d.Link("f", "g") },
		"Remove":    func() error { return d.Remove("f") },
		"SyncDir":   func() error { return d.SyncDirs(".") },
	} {
		err := do()
		envtest.FailIf(t, !errors.Is(err, ErrWrite) || !errors.Is(err, syscall.ENOSPC), "%s = %v, want ErrWrite", what, err)
	}
	for what, do := range map[string]func() error{
		"Read":  func() error { _, err := d.ReadFile("a", 10); return err },
		"Lstat": func() error { _, err := d.Lstat("a"); return err },
		"Link":  func() error { d.fault = nil; return d.Link("f", "f") },
	} {
		err := do()
		envtest.FailIf(t, err == nil || errors.Is(err, ErrWrite), "%s = %v, which is not ErrWrite", what, err)
	}
}

// A flush that failed is not made up for by one that seems to succeed: the file is never published.
func TestFailedFlushStands(t *testing.T) {
	d, err := Open(t.TempDir())
	envtest.NoError(t, err)
	defer d.Close()
	b := d.NewBatch("temp")
	envtest.NoError(t, b.Add("f", []byte("x")))
	d.syncFile = func(*os.File) error { return syscall.EIO }
	err = SyncBatches(b)
	envtest.FailIf(t, !errors.Is(err, syscall.EIO) || !errors.Is(err, ErrWrite), "Sync = %v", err)
	d.syncFile = (*os.File).Sync
	if err := b.Publish(); !errors.Is(err, syscall.EIO) || d.Exists("f") {
		t.Errorf("Publish = %v; the file is there: %t", err, d.Exists("f"))
	}
}
