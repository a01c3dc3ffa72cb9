//go:build unix

package disk

import (
	"os"
	"syscall"
)

func syncDir(f *os.File) error { return f.Sync() }

// noFollow makes opening a link fail instead of following it.
const noFollow = syscall.O_NOFOLLOW
