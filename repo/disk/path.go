package disk

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// IsPath reports whether a Dir on this system takes the path name: relative,
// with forward slashes, without empty, "." or ".." steps, and valid UTF-8. The
// folder itself is ".". Every other path is refused with fs.ErrInvalid.
func IsPath(name string) bool {
	return fs.ValidPath(name) && !strings.Contains(name, "\x00") && filepath.ToSlash(name) == name && filepath.IsLocal(name)
}

// IsPortable reports whether a Dir takes the path name on every system: Takes, but
// not the folder itself, nor the characters that mean something to Windows.
func IsPortable(name string) bool {
	return IsPath(name) && name != "." && !strings.ContainsAny(name, "\\:")
}

func pathError(name string) error { return fmt.Errorf("path %q: %w", name, fs.ErrInvalid) }
