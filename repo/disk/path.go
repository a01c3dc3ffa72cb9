package disk

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Takes reports whether a Dir on this system takes the path name: relative,
// with forward slashes, without empty, "." or ".." steps, and valid UTF-8. The
// folder itself is ".". Every other path is refused with fs.ErrInvalid.
func Takes(name string) bool {
	return fs.ValidPath(name) && !strings.Contains(name, "\x00") && filepath.ToSlash(name) == name && filepath.IsLocal(name)
}

// Clean reports whether a Dir takes the path name on every system: Takes, but
// not the folder itself, nor the characters that mean something to Windows.
func Clean(name string) bool {
	return Takes(name) && name != "." && !strings.ContainsAny(name, "\\:")
}

func invalid(name string) error { return fmt.Errorf("path %q: %w", name, fs.ErrInvalid) }
