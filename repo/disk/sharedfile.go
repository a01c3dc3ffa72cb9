package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

const (
	maxShared = 4 << 20 // bytes of a file that EditShared changes
	maxTries  = 5       // to change a file that another program keeps changing
)

// ReadShared returns what a file holds that people and agents write too, such as the
// LEARNINGS.md of a project. A missing one wraps fs.ErrNotExist, a link ErrLink.
func (f Files) ReadShared(path string) (data []byte, err error) {
	err = f.in(path, func(d *Dir, name string) error {
		data, err = d.ReadFile(name, maxShared)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return data, nil
}

// EditShared is EditFile for such a file, which nothing locks.
func (f Files) EditShared(path string, edit func(old []byte) []byte) error {
	return f.in(path, func(d *Dir, name string) error {
		_, err := d.EditFile(name, maxShared, edit)
		return err
	})
}

// EditFile gives a file of at most limit bytes the content that edit returns for what it holds, as
// ReplaceIf does, and returns what it was; nil if nothing changes. It looks again if another program
// changed the file meanwhile. If that goes on, the error wraps ErrChanged. A read-only file
// wraps fs.ErrPermission and ErrWrite.
func (d *Dir) EditFile(name string, limit int64, edit func(old []byte) []byte) (was fs.FileInfo, err error) {
	for try := 1; ; try++ {
		old, info, err := d.ReadState(name, limit)
		if err == nil && info.Mode().Perm()&0o222 == 0 {
			err = AsWriteError(fmt.Errorf("%s is read-only: %w", name, fs.ErrPermission))
		}
		if err != nil {
			return nil, fmt.Errorf("replace %s: %w", name, err)
		}
		data := edit(old)
		if bytes.Equal(old, data) {
			return nil, nil
		}
		if err = d.ReplaceIf(name, old, data); !errors.Is(err, ErrChanged) || try == maxTries {
			return info, err
		}
	}
}
