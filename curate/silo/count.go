package silo

import (
	"os"
	"path/filepath"

	"mem/repo"
)

// maxCounted is how many files are counted before it is enough to know that
// there are many.
const maxCounted = 10_000

// Count returns how many files in silos look like memories that were not taken
// over, and how many silos they are in. No file of a silo is read; those that
// wait for a yes, or got a no, are known by where they lie.
func Count(m *repo.Memory, opts Options) (memories, silos int, err error) {
	list, err := find(opts)
	if err != nil {
		return 0, 0, err
	}
	var known map[string]bool
	for _, s := range list {
		if s.why != "" {
			continue
		}
		names, err := os.ReadDir(s.real)
		if err != nil {
			continue // said by the command that looks closer
		}
		here := 0
		for _, e := range names {
			if !e.Type().IsRegular() || !candidate(e.Name()) || memories+here >= maxCounted {
				continue
			}
			if known == nil {
				if known, err = decided(m); err != nil {
					return 0, 0, err
				}
			}
			if !known[filepath.Join(s.Dir, e.Name())] {
				here++
			}
		}
		if here > 0 {
			memories, silos = memories+here, silos+1
		}
	}
	return memories, silos, nil
}

// decided returns the paths of the files that wait for a person or that a
// person turned down.
func decided(m *repo.Memory) (map[string]bool, error) {
	s, err := load(m)
	if err != nil {
		return nil, err
	}
	paths := map[string]bool{}
	for _, c := range s.all {
		if c.status != pending && c.status != rejected {
			continue
		}
		for _, from := range c.seen {
			paths[from.path] = true
		}
	}
	return paths, nil
}
