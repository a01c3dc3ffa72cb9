//go:build unix

package disk

// This is what differs between operating systems: locking and flushing, who owns a file.

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// tryLock takes the advisory lock on an open file, which lasts until the file is
// closed. It reports false if another process has it.
func tryLock(f *os.File) (ok bool, err error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		default:
			return err == nil, err
		}
	}
}

// syncFolder makes the names in an open folder durable. Some disks cannot flush a
// folder at all, and say so; there is nothing more to be done there.
func syncFolder(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// CheckWrite asks whether this user may change what is at path, and changes nothing.
func CheckWrite(path string) error { return syscall.Access(path, 2) }

// OwnerOf returns the user who owns a file or folder; false if the system cannot tell.
func OwnerOf(info fs.FileInfo) (uid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// NoTerminal keeps a program, and what it starts, from a terminal to ask on.
func NoTerminal() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
