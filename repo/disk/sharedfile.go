package disk

import (
	"fmt"
	"io/fs"
)

// maxShared bounds a SharedFile.
const maxShared = 4 << 20

// A SharedFile is a file that people and agents write too, without a lock around it, such as
// the LEARNINGS.md of a project. Nothing of what they write is lost.
type SharedFile struct {
	Files Files
	Path  string
}

// Read returns what the file holds. A missing one wraps fs.ErrNotExist, a link
// ErrLink.
func (s SharedFile) Read() (data []byte, err error) {
	err = s.Files.in(s.Path, func(d *Dir, name string) error {
		data, err = d.ReadFile(name, maxShared)
		return err
	})
	return data, err
}

// Replace gives the file new content if it still holds the old one, and wraps
// ErrChanged otherwise. It is replaced as a whole, durably, and keeps its mode. A
// read-only file wraps fs.ErrPermission and ErrWrite.
func (s SharedFile) Replace(old, data []byte) error {
	return s.Files.in(s.Path, func(d *Dir, name string) error {
		if info, err := d.Lstat(name); err == nil && info.Mode().Perm()&0o222 == 0 {
			return AsWriteError(fmt.Errorf("%s is read-only: %w", name, fs.ErrPermission))
		}
		if err := d.ReplaceIf(name, old, data); err != nil {
			return fmt.Errorf("replace %s: %w", name, err)
		}
		return nil
	})
}
