package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// ReplaceFile is WriteShared for a file in a folder that is not mem's own: the new
// file is beside the old one until it has its name, and gets the mode.
func (d *Dir) ReplaceFile(name string, data []byte, mode fs.FileMode) error {
	return d.writeHeld(heldWrite{name: name, temp: path.Dir(name), data: data, mode: mode, publish: d.Rename})
}

// ErrChanged is wrapped when a file does not hold what it is expected to.
var ErrChanged = errors.New("another program changed it meanwhile")

// ReplaceIf is ReplaceFile for a file that other programs write too, without a lock. It
// keeps its mode, and is replaced only if it holds old at the last moment: what
// comes between that look and the rename is not seen, which is why the new file
// is durable before the look. A missing file wraps fs.ErrNotExist.
func (d *Dir) ReplaceIf(name string, old, data []byte) error {
	info, err := d.Lstat(name)
	if err != nil {
		return err
	}
	return d.writeHeld(heldWrite{name: name, temp: path.Dir(name), data: data, mode: info.Mode().Perm(), publish: func(temp, name string) error {
		return d.renameIf(temp, name, func() error {
			now, state, err := d.ReadState(name, int64(len(old)))
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrTooLarge) ||
				err == nil && (!bytes.Equal(now, old) || state.Mode() != info.Mode()) {
				return ErrChanged
			}
			return err
		})
	}})
}

// AddFile is ReplaceFile for a new name. The error wraps fs.ErrExist if something
// has it by then.
func (d *Dir) AddFile(name string, data []byte, mode fs.FileMode) error {
	return d.writeHeld(heldWrite{name: name, temp: path.Dir(name), data: data, mode: mode, publish: func(temp, name string) error {
		if err := d.Link(temp, name); err != nil {
			return err
		}
		return d.Remove(temp)
	}})
}

// SweepBeside removes what dead processes left of ReplaceFile and AddFile for this
// name, and nothing else that a person may keep in the folder.
func (d *Dir) SweepBeside(ctx context.Context, name string) error {
	return d.sweepWhere(ctx, path.Dir(name), func(entry string) bool { return isLeftover(entry, path.Base(name)) })
}

// isLeftover reports whether ReplaceFile and AddFile give such a name to the new
// file that is to become base.
func isLeftover(entry, base string) bool {
	unique, ok := strings.CutPrefix(entry, TempPrefix)
	if !ok {
		return false
	}
	unique, ok = strings.CutSuffix(unique, "-"+base+tempSuffix)
	return ok && unique != "" && len(unique) <= 13 && strings.Trim(unique, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// maxShared bounds the size of a SharedFile.
const maxShared = 4 << 20

// A SharedFile is a file that people and agents write too, without a lock, such as
// the LEARNINGS.md of a project.
type SharedFile struct {
	d    *Dir
	name string
}

// OpenShared opens the folder of the file at path. The file need not be there.
func (f Files) OpenShared(path string) (*SharedFile, error) {
	d, err := f.Open(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &SharedFile{d: d, name: filepath.Base(path)}, nil
}

// Read returns what the file holds. A missing one wraps fs.ErrNotExist, a link
// ErrLink.
func (s *SharedFile) Read() ([]byte, error) {
	data, err := s.d.ReadFile(s.name, maxShared)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.name, err)
	}
	return data, nil
}

// Replace gives the file new content if it still holds the old one, and wraps
// ErrChanged otherwise. It is replaced as a whole, durably, and keeps its mode. A
// read-only file wraps fs.ErrPermission and ErrWrite.
func (s *SharedFile) Replace(ctx context.Context, old, data []byte) error {
	if info, err := s.d.Lstat(s.name); err == nil && info.Mode().Perm()&0o222 == 0 {
		return AsWriteError(fmt.Errorf("%s is read-only: %w", s.name, fs.ErrPermission))
	}
	if err := s.d.SweepBeside(ctx, s.name); err != nil {
		return fmt.Errorf("replace %s: %w", s.name, err)
	}
	if err := s.d.ReplaceIf(s.name, old, data); err != nil {
		return fmt.Errorf("replace %s: %w", s.name, err)
	}
	return nil
}

// Close releases the folder.
func (s *SharedFile) Close() error { return s.d.Close() }
