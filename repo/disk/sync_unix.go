//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"
)

// syncFolder makes the names in a folder durable. Some disks cannot flush a
// folder at all, and say so; there is nothing more to be done there.
func syncFolder(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// noFollow makes opening a link fail instead of following it.
const noFollow = syscall.O_NOFOLLOW
