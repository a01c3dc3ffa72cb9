//go:build !unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// syncFolder does nothing: Windows has no way to flush a folder, and writes the
// names of files through on its own.
func syncFolder(*os.File) error { return nil }

// CheckWrite asks whether this user may change what is at path, where the system can tell.
func CheckWrite(string) error { return nil }

// OwnerOf returns the user who owns a file or folder; false if the system cannot
// tell.
func OwnerOf(fs.FileInfo) (uid int, ok bool) { return 0, false }

// NoTerminal keeps a program, and what it starts, from a terminal to ask on.
func NoTerminal() *syscall.SysProcAttr { return nil }
