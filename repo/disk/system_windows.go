package disk

import (
	"errors"
	"os"

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
