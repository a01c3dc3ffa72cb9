// Package journal is the note of a commit under way, by which the next process can finish
// what a dead one began.
package journal

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"mem/repo/disk"
	"mem/repo/gitstore/branch"
	"mem/repo/gitstore/object"
)

// A Journal says what a commit changes.
type Journal struct {
	Ref  string `json:"ref"`
	Old  string `json:"old"`
	New  string `json:"new"`
	Puts []Put  `json:"puts"`
}

// A Put is one file of it.
type Put struct {
	Path   string `json:"path"`
	Before string `json:"before"` // in the work tree
	Index  string `json:"index"`  // in git's index
	Blob   string `json:"blob"`   // what the commit puts there
}

// HashOf reads a hash of the journal; zero if it is not one.
func HashOf(s string) object.Hash {
	h, _ := object.ParseHash(s)
	return h
}

// Encode returns the text of a journal.
func Encode(j Journal) ([]byte, error) {
	line, err := json.Marshal(j)
	if err != nil {
		err = fmt.Errorf("encode journal: %w", err)
	}
	return line, err
}

// Parse decodes a journal. Each path in it is one that a work tree can hold, and its
// branch is a ref; anything else was not written by mem.
func Parse(line []byte) (j Journal, err error) {
	if err := json.Unmarshal(line, &j); err != nil {
		return Journal{}, err
	}
	if !branch.IsRef(j.Ref) {
		return Journal{}, fmt.Errorf("branch %q", j.Ref)
	}
	for _, p := range j.Puts {
		if !isValidPath(p.Path) {
			return Journal{}, fmt.Errorf("path %q", p.Path)
		}
	}
	return j, nil
}

// isValidPath reports whether path may name a file of the work tree.
func isValidPath(path string) bool {
	if !disk.IsPath(path) {
		return false
	}
	for step := range strings.SplitSeq(path, "/") {
		if !object.IsValidName(step) {
			return false
		}
	}
	return true
}
