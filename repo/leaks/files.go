package leaks

import (
	"maps"
	"path"
	"slices"

	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
)

// A lister finds the files with what looks like a secret that a person edited, put
// into git's index, or put beside the files of the memory.
type lister struct {
	tx   *gitstore.Tx
	tip  map[string]object.Hash   // the files of the last commit
	skip func(folder string) bool // whose files are not looked at
	held map[string]bool          // by path, of the files looked at
}

// Bounds for files that the last commit does not have.
const (
	maxFile  = 256 << 10
	maxFiles = 500
)

// ListFiles returns those of the edited, staged and new files in which there are
// secrets that the last commit does not have. tip has its files, but for those of the
// folders to skip.
func ListFiles(tx *gitstore.Tx, tip map[string]object.Hash, edited []string, skip func(folder string) bool) []string {
	if tx == nil || tx.UnderWay() != "" {
		return nil
	}
	if skip == nil {
		skip = func(string) bool { return false }
	}
	l := lister{tx: tx, tip: tip, skip: skip, held: map[string]bool{}}
	for name, blob := range tx.Staged().ListStaged(tip) {
		if !skip(path.Dir(name)) {
			l.look(name, maxFile)
			staged, err := tx.Store.ReadBlob(blob)
			l.held[name] = l.held[name] || err == nil && l.isLeak(name, staged)
		}
	}
	for _, name := range edited {
		l.look(name, maxScanned)
	}
	l.walk(".")
	maps.DeleteFunc(l.held, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(l.held))
}

// walk looks at the files below a folder that the last commit does not have. Hidden
// folders belong to other programs.
func (l *lister) walk(folder string) {
	names, _ := l.tx.ListNames(folder) // one that cannot be listed is not committed either
	for _, name := range names {
		at := path.Join(folder, name)
		_, seen := l.held[at]
		if _, old := l.tip[at]; old || seen || len(l.held) >= maxFiles {
			continue
		}
		if !l.tx.IsFolder(at) {
			l.look(at, maxFile)
		} else if name[0] != '.' && !l.skip(at) {
			l.walk(at)
		}
	}
}

// look notes whether there is a secret in a file of the work tree. One that is no
// regular file, or too large, is not committed.
func (l *lister) look(name string, limit int64) {
	data, err := l.tx.Store.ReadFile(name, limit)
	l.held[name] = err == nil && l.isLeak(name, data)
}

func (l *lister) isLeak(name string, data []byte) bool {
	var old []byte // without it all of the file is new
	if blob, err := l.tx.Store.FindBlob(l.tx.Tree, name); err == nil && !blob.IsZero() {
		old, _ = l.tx.Store.ReadBlob(blob)
	}
	return IsLeak(name, old, data)
}
