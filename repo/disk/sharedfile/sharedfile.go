// Package sharedfile changes a file that others write too, without a lock around it, and loses
// nothing of what they write.
package sharedfile

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

	"mem/repo/disk"
)

// maxSize bounds the file.
const maxSize = 4 << 20

// A File is a file that people and agents write too, without a lock, such as
// the LEARNINGS.md of a project.
type File struct {
	d    *disk.Dir
	name string
}

// Open opens the folder of the file at path. The file need not be there.
func Open(files disk.Files, path string) (*File, error) {
	d, err := files.Open(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &File{d: d, name: filepath.Base(path)}, nil
}

// Read returns what the file holds. A missing one wraps fs.ErrNotExist, a link
// disk.ErrLink.
func (s *File) Read() ([]byte, error) {
	data, err := s.d.ReadFile(s.name, maxSize)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.name, err)
	}
	return data, nil
}

// Replace gives the file new content if it still holds the old one, and wraps
// disk.ErrChanged otherwise. It is replaced as a whole, durably, and keeps its mode. A
// read-only file wraps fs.ErrPermission and disk.ErrWrite.
func (s *File) Replace(ctx context.Context, old, data []byte) error {
	if info, err := s.d.Lstat(s.name); err == nil && info.Mode().Perm()&0o222 == 0 {
		return disk.AsWriteError(fmt.Errorf("%s is read-only: %w", s.name, fs.ErrPermission))
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
func (s *File) Close() error { return s.d.Close() }
