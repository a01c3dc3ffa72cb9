// Package preview shows what a planned change does to the files of a memory.
package preview

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/rogpeppe/go-internal/diff"

	"mem/index"
	"mem/index/withheld"
	"mem/repo"
)

// A FileDiff is what a planned change does to one file.
type FileDiff struct {
	Path    string
	Outside bool // of the memory
	Diff    []byte
}

// Compare returns how files of the memory that view reads differ from a planned one.
func Compare(view func() (*repo.Memory, error), after *repo.Memory, paths []string) (list []FileDiff, err error) {
	before, err := view()
	if err != nil {
		return nil, err
	}
	hidden := withheld.WordsOf(before.Index)
	for _, path := range paths {
		from, old, err := readFor(before, "a/", path)
		if err != nil {
			return nil, err
		}
		to, now, err := readFor(after, "b/", path)
		if err != nil {
			return nil, err
		}
		list = append(list, FileDiff{Path: path, Diff: hideAround(hidden, diff.Diff(from, old, to, now))})
	}
	return list, nil
}

// hideAround drops the lines around a change that say a withheld lesson: they were
// not asked for.
func hideAround(hidden *withheld.Words, text []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(text) {
		if line[0] != ' ' || hidden.StatusOf(string(line)) == index.Active {
			kept = append(kept, line...)
		}
	}
	return kept
}

// readFor reads a file, and returns its name for a diff.
func readFor(m *repo.Memory, side, path string) (name string, data []byte, err error) {
	data, err = m.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "/dev/null", nil, nil
	}
	return side + path, data, err
}
