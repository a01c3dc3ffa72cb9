package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/go-json-experiment/json"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
)

// A journal says what a commit under way changes, so that the next process
// can finish it.
type journal struct {
	Ref  string       `json:"ref"`
	Old  string       `json:"old"`
	New  string       `json:"new"`
	Puts []journalPut `json:"puts"`
}

type journalPut struct {
	Path   string `json:"path"`
	Before string `json:"before"` // in the work tree
	Index  string `json:"index"`  // in git's index
	Blob   string `json:"blob"`   // what the commit puts there
}

// hashOf reads a hash of the journal; zero if it is not one.
func hashOf(s string) object.Hash {
	h, _ := object.ParseHash(s)
	return h
}

// readJournal returns the journal, if there is one.
func (s *Store) readJournal() (j journal, found bool, err error) {
	line, err := s.d.ReadFile(journalPath, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return journal{}, false, nil
	}
	if err != nil {
		return journal{}, false, fmt.Errorf("read journal: %w", err)
	}
	if j, err = parseJournal(line); err != nil {
		// The journal is complete before the branch moves, so this one
		// belongs to a commit that never was, on a disk that lied.
		s.warn(fmt.Sprintf("an unreadable journal was set aside in %s", rescueDir))
		return journal{}, false, errors.Join(s.rescue(journalPath, line), s.d.Remove(journalPath))
	}
	return j, true, nil
}

// parseJournal decodes a journal. Each path in it is one that a work tree can
// hold, and its branch is a ref; anything else was not written by mem.
func parseJournal(line []byte) (j journal, err error) {
	if err := json.Unmarshal(line, &j); err != nil {
		return journal{}, err
	}
	if !isRef(j.Ref) {
		return journal{}, fmt.Errorf("branch %q", j.Ref)
	}
	for _, p := range j.Puts {
		if !validPath(p.Path) {
			return journal{}, fmt.Errorf("path %q", p.Path)
		}
	}
	return j, nil
}

// validPath reports whether path may name a file of the work tree.
func validPath(path string) bool {
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

// readBehind returns what the files of a commit under way, or of one whose process
// died, held before, by path, once the branch has moved. It only reads: a
// journal that cannot be read is left for the next Recover.
func (s *Store) readBehind(head Head) map[string]object.Hash {
	line, err := s.d.ReadFile(journalPath, maxFile)
	if err != nil {
		return nil
	}
	j, err := parseJournal(line)
	if err != nil || j.Ref != head.Ref {
		return nil
	}
	if done, err := s.hasHappened(head, j); err != nil || !done {
		return nil
	}
	before := map[string]object.Hash{}
	for _, p := range j.Puts {
		before[p.Path] = hashOf(p.Before)
	}
	return before
}
