package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// tryLock takes the advisory lock on an open file, which lasts until the file is
// closed. It reports false if another process has it.
func tryLock(f *os.File) (ok bool, err error) {
	// The byte far behind the content keeps the process id readable.
	at := windows.Overlapped{Offset: 1 << 30}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// syncFolder does nothing: Windows has no way to flush a folder, and writes the names of files through on its own.
func syncFolder(*os.File) error { return nil }

// CheckWrite asks whether this user may change what is at path, where the system can tell.
func CheckWrite(string) error { return nil }

// OwnerOf returns the user who owns a file or folder; false if the system cannot tell.
func OwnerOf(fs.FileInfo) (uid int, ok bool) { return 0, false }

// NoTerminal keeps a program, and what it starts, from a terminal to ask on.
func NoTerminal() *syscall.SysProcAttr { return nil }
