package gitstore

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"mem/repo/disk"
)

// The modes of tree entries that mem writes or looks for.
const (
	modeFile = "100644"
	modeTree = "40000"
)

// A treeEntry is a line of a tree object.
type treeEntry struct {
	mode string
	name string
	hash Hash
}

func (e treeEntry) isTree() bool { return e.mode == modeTree }

// sortName is what git sorts by: folders as if they ended in a slash.
func (e treeEntry) sortName() string {
	if e.isTree() {
		return e.name + "/"
	}
	return e.name
}

// parseTree reads the entries of a tree object, which git keeps sorted. Names
// that git itself refuses to check out are damage. A journal folder may hold
// thousands of entries, so nothing is done per entry that is not needed.
func parseTree(data []byte) ([]treeEntry, error) {
	entries := make([]treeEntry, 0, len(data)/32)
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		zero := bytes.IndexByte(data, 0)
		if space < 0 || zero < space || len(data) < zero+21 {
			return nil, fmt.Errorf("%w: tree object", ErrDamaged)
		}
		e := treeEntry{mode: string(data[:space]), name: string(data[space+1 : zero])}
		if !validName(e.name) {
			return nil, fmt.Errorf("%w: a tree has an entry named %q", ErrDamaged, e.name)
		}
		copy(e.hash[:], data[zero+1:])
		entries = append(entries, e)
		data = data[zero+21:]
	}
	return entries, nil
}

// validName reports whether a tree entry may have this name: one step of a path
// that leads neither out of the tree nor into git's own folder.
func validName(name string) bool {
	switch {
	case name == "" || name == "." || name == "..", strings.Contains(name, "/"):
		return false
	}
	return !strings.EqualFold(name, gitDir)
}

func encodeTree(entries []treeEntry) []byte {
	size := 0
	for _, e := range entries {
		size += len(e.mode) + len(e.name) + 22
	}
	out := make([]byte, 0, size)
	for _, e := range entries {
		out = append(out, e.mode...)
		out = append(out, ' ')
		out = append(out, e.name...)
		out = append(out, 0)
		out = append(out, e.hash[:]...)
	}
	return out
}

func (s *Store) tree(h Hash) ([]treeEntry, error) {
	if h.IsZero() {
		return nil, nil
	}
	if entries, ok := s.trees[h]; ok {
		return entries, nil
	}
	data, err := s.read(plumbing.TreeObject, h)
	if err != nil {
		return nil, err
	}
	entries, err := parseTree(data)
	if err == nil {
		s.trees[h] = entries
	}
	return entries, err
}

// An Edit is a change to one file of a tree.
type Edit struct {
	Path string
	Blob Hash // zero removes the file
}

// Edit adds the tree that differs from base in the edits, and returns its
// name. Everything else in base stays as it is, whatever its mode.
func (w *Writer) Edit(base Hash, edits []Edit) (Hash, error) {
	known, err := w.s.tree(base)
	if err != nil {
		return Hash{}, err
	}
	entries := slices.Clone(known)
	below := map[string][]Edit{}
	for _, e := range edits {
		if folder, rest, nested := strings.Cut(e.Path, "/"); nested {
			below[folder] = append(below[folder], Edit{rest, e.Blob})
			continue
		}
		entries = setEntry(entries, treeEntry{modeFile, e.Path, e.Blob})
	}
	for folder, edits := range below {
		sub := Hash{}
		if i := slices.IndexFunc(entries, func(e treeEntry) bool { return e.name == folder && e.isTree() }); i >= 0 {
			sub = entries[i].hash
		}
		if sub, err = w.Edit(sub, edits); err != nil {
			return Hash{}, err
		}
		entries = setEntry(entries, treeEntry{modeTree, folder, sub})
	}
	if len(entries) == 0 {
		return Hash{}, nil
	}
	if slices.Equal(entries, known) {
		return base, nil
	}
	h, err := w.add(plumbing.TreeObject, encodeTree(entries))
	w.s.trees[h] = entries
	return h, err
}

// setEntry puts e in its place, replacing the entry of that name; with a zero
// hash it removes it. An executable bit stays.
func setEntry(entries []treeEntry, e treeEntry) []treeEntry {
	if i := slices.IndexFunc(entries, func(o treeEntry) bool { return o.name == e.name }); i >= 0 {
		if old := entries[i]; !old.isTree() && !e.isTree() && strings.HasPrefix(old.mode, "100") {
			e.mode = old.mode
		}
		entries = slices.Delete(entries, i, i+1)
	}
	if e.hash.IsZero() {
		return entries
	}
	i, _ := slices.BinarySearchFunc(entries, e, func(a, b treeEntry) int { return cmp.Compare(a.sortName(), b.sortName()) })
	return slices.Insert(entries, i, e)
}

// Find returns the blob at path in a tree, or zero when there is none.
func (s *Store) Find(tree Hash, path string) (Hash, error) {
	for {
		entries, err := s.tree(tree)
		if err != nil {
			return Hash{}, err
		}
		name, rest, nested := strings.Cut(path, "/")
		i := slices.IndexFunc(entries, func(e treeEntry) bool { return e.name == name && e.isTree() == nested })
		if i < 0 {
			return Hash{}, nil
		}
		if !nested {
			return entries[i].hash, nil
		}
		tree, path = entries[i].hash, rest
	}
}

// Files returns the regular files of a tree by path. Folders for which skip
// returns true are left out unread, and so is what this system's work trees
// cannot hold, such as a name that is not UTF-8.
func (s *Store) Files(tree Hash, skip func(folder string) bool) (map[string]Hash, error) {
	files := map[string]Hash{}
	return files, s.walk(tree, "", files, skip)
}

func (s *Store) walk(tree Hash, prefix string, files map[string]Hash, skip func(string) bool) error {
	entries, err := s.tree(tree)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch {
		case !disk.Takes(e.name):
		case e.isTree():
			if skip != nil && skip(prefix+e.name) {
				continue
			}
			if err := s.walk(e.hash, prefix+e.name+"/", files, skip); err != nil {
				return err
			}
		case strings.HasPrefix(e.mode, "100"):
			files[prefix+e.name] = e.hash
		}
	}
	return nil
}

// List returns the names of the plain files in a folder of the work tree,
// sorted.
func (s *Store) List(folder string) ([]string, error) { return s.d.List(folder) }

// Lstat describes a path in the work tree, without following a link.
func (s *Store) Lstat(name string) (fs.FileInfo, error) { return s.d.Lstat(name) }
