package disk

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
)

// maxShared bounds a SharedFile.
const maxShared = 4 << 20

// A SharedFile is a file that people and agents write too, without a lock around it, such as
// the LEARNINGS.md of a project. Nothing of what they write is lost.
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
