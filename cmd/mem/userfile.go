package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mem/agent/install"
)

// errChanged is wrapped when a person's file is no longer what mem looked at.
var errChanged = errors.New("another program changed it meanwhile")

// readUserFile reads a person's own file that is to be changed; one that is not
// there is nil. What cannot be replaced without losing something is refused.
func readUserFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("%s: %w: it is a link that leads nowhere", path, install.ErrRefused)
		}
		return nil, nil
	}
	refused := ""
	switch {
	case err != nil:
		return nil, fmt.Errorf("read settings: %w", err)
	case !info.Mode().IsRegular():
		refused = "it is no plain file"
	case info.Mode().Perm()&0o222 == 0:
		refused = "it is read-only"
	case info.Size() > install.MaxFile:
		refused = fmt.Sprintf("it has more than %d bytes", install.MaxFile)
	}
	if refused != "" {
		return nil, fmt.Errorf("%s: %w: %s", path, install.ErrRefused, refused)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return data, nil
}

// within refuses a path that links lead out of a folder: a project may come from
// somebody else, whose links must not choose what is changed.
func within(folder, path string) error {
	real := path
	for {
		if at, err := filepath.EvalSymlinks(real); err == nil {
			real = at
			break
		}
		up := filepath.Dir(real)
		if up == real {
			break
		}
		real = up
	}
	if at, err := filepath.EvalSymlinks(folder); err == nil {
		folder = at
	}
	if rel, err := filepath.Rel(folder, real); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s: %w: a link leads out of the project, to %s", path, install.ErrRefused, real)
	}
	return nil
}

// changeUserFile replaces a person's own file, makes it, or, if data is nil,
// removes it; but only if it still says what it said before. A new one gets
// the mode.
func (e Env) changeUserFile(path string, before, data []byte, mode fs.FileMode) error {
	now, err := readUserFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) || (now == nil) != (before == nil) {
		return fmt.Errorf("%s: %w", path, errChanged)
	}
	if data != nil {
		return e.replaceFile(path, data, mode)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return e.replaceFile(path, []byte{}, mode) // a link stays one
	}
	if err := e.Files.RemoveFile(path); err != nil {
		return fmt.Errorf("remove settings: %w", err)
	}
	return nil
}

// replaceFile writes a person's own file.
func (e Env) replaceFile(path string, data []byte, mode fs.FileMode) error {
	if err := e.Files.WriteFile(path, data, mode); err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	return nil
}
