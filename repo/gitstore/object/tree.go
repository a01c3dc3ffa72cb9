package object

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The modes of the entries that mem writes or looks for.
const (
	ModeFile = "100644"
	ModeTree = "40000"
)

// An Entry is one line of a tree object.
type Entry struct {
	Mode string
	Name string
	Hash Hash
}

// IsTree reports whether the entry is a folder.
func (e Entry) IsTree() bool { return e.Mode == ModeTree }

// IsFile reports whether the entry is a regular file, executable or not.
func (e Entry) IsFile() bool { return strings.HasPrefix(e.Mode, "100") }

// sortName is what git sorts by: folders as if they ended in a slash.
func (e Entry) sortName() string {
	if e.IsTree() {
		return e.Name + "/"
	}
	return e.Name
}

// ParseTree reads the entries of a tree object, which git keeps sorted. Names
// that git itself refuses to check out are damage. A journal folder may hold
// thousands of entries, so ParseTree does only what every entry needs.
func ParseTree(data []byte) ([]Entry, error) {
	entries := make([]Entry, 0, len(data)/32)
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		zero := bytes.IndexByte(data, 0)
		if space < 0 || zero < space || len(data) < zero+21 {
			return nil, fmt.Errorf("%w: tree object", ErrDamaged)
		}
		e := Entry{Mode: string(data[:space]), Name: string(data[space+1 : zero])}
		if !IsValidName(e.Name) {
			return nil, fmt.Errorf("%w: a tree has an entry named %q", ErrDamaged, e.Name)
		}
		copy(e.Hash[:], data[zero+1:])
		entries = append(entries, e)
		data = data[zero+21:]
	}
	return entries, nil
}

// IsValidName reports whether a tree entry may have this name: one step of a path
// that leads neither out of the tree nor into git's own folder.
func IsValidName(name string) bool {
	switch {
	case name == "" || name == "." || name == "..", strings.Contains(name, "/"):
		return false
	}
	return !strings.EqualFold(name, ".git")
}

// EncodeTree returns the content of a tree object with these entries.
func EncodeTree(entries []Entry) []byte {
	size := 0
	for _, e := range entries {
		size += len(e.Mode) + len(e.Name) + 22
	}
	out := make([]byte, 0, size)
	for _, e := range entries {
		out = append(out, e.Mode...)
		out = append(out, ' ')
		out = append(out, e.Name...)
		out = append(out, 0)
		out = append(out, e.Hash[:]...)
	}
	return out
}

// SetEntry puts e in its place, replacing the entry of that name; with a zero
// hash it removes it. An executable bit is kept. entries may be changed.
func SetEntry(entries []Entry, e Entry) []Entry {
	if i := slices.IndexFunc(entries, func(o Entry) bool { return o.Name == e.Name }); i >= 0 {
		if old := entries[i]; !e.IsTree() && old.IsFile() {
			e.Mode = old.Mode
		}
		entries = slices.Delete(entries, i, i+1)
	}
	if e.Hash.IsZero() {
		return entries
	}
	i, _ := slices.BinarySearchFunc(entries, e, func(a, b Entry) int { return cmp.Compare(a.sortName(), b.sortName()) })
	return slices.Insert(entries, i, e)
}
