package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"mem/config"
)

// UserConfig is the person's configuration file; "" if there is no home for it.
func (w *Workspace) UserConfig() string {
	if xdg := w.Getenv("XDG_CONFIG_HOME"); xdg != "" {
		return filepath.Join(xdg, "mem", "config.toml")
	}
	if home := w.Home(); home != "" {
		return filepath.Join(home, ".config", "mem", "config.toml")
	}
	return ""
}

// maxRootConfig bounds the configuration of a memory, which may come from
// another person.
const maxRootConfig = 1 << 20

// readRootConfig reads the configuration file of a memory. One that leads
// elsewhere, such as to a device without an end, is not read.
func readRootConfig(path string) (*config.Source, error) {
	info, err := os.Lstat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxRootConfig) {
		return nil, fmt.Errorf("%w: %s is not a regular file of at most 1 MiB", config.ErrInvalid, path)
	}
	return readConfig(path)
}

// readConfig reads a configuration file; a missing one is nil.
func readConfig(path string) (*config.Source, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return &config.Source{Name: path, Data: data}, nil
}
