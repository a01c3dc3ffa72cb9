package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile writes a person's own file: all of it or none. A link stays a
// link, to the new content, and the mode stays.
func replaceFile(path string, data []byte) (err error) {
	wrap := func(err error) error { return fmt.Errorf("write configuration: %w", err) }
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return wrap(err)
	}
	f, err := os.CreateTemp(dir, ".config-*.toml")
	if err != nil {
		return wrap(err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return wrap(errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
