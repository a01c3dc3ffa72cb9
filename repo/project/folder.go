package project

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mem/repo/disk"
)

// ErrNotRoot is wrapped for a folder that holds something else than a memory.
var ErrNotRoot = errors.New("not a memory root")

// CheckFolder refuses a folder that holds something else, such as the project
// itself: mem commits only to what is a memory, or could become one.
func CheckFolder(path string, d *disk.Dir) error {
	if isMemory(d) {
		return nil
	}
	names, err := d.ListFolder(".")
	if err != nil {
		return fmt.Errorf("open memory root: %w", err)
	}
	for _, name := range names {
		if name != "core" && name != ".git" && !strings.HasPrefix(name, ".mem-init") {
			if isMemory(d) { // another process made the memory meanwhile
				return nil
			}
			return fmt.Errorf("%s holds %s: %w", path, name, ErrNotRoot)
		}
	}
	return nil
}

// isMemory reports whether a folder holds something that only a memory holds.
func isMemory(d *disk.Dir) bool {
	return slices.ContainsFunc([]string{"core/index.json", "core/CORE.md", ".git/mem", "long-term-memory.md"}, d.Exists)
}
