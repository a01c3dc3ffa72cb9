package repo

import (
	"errors"
	"fmt"
	"slices"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
)

// quiet are the folders whose files are looked at only when they are needed:
// they grow with every day, and looking at all of them would make each
// command slower than the one before.
func quiet(folder string) bool {
	switch folder {
	case "daily", "monthly", "learnings/archived":
		return true
	}
	return false
}

// loadEdits looks at every other file in the history for what a person
// changed, and for new ones where they count.
func (r *Root) loadEdits(m *Memory) error {
	files, err := r.store.ListFiles(m.tx.Tree, quiet)
	if err != nil {
		return err
	}
	if err := m.lookForEdits(files); err != nil {
		return err
	}
	return r.loadFound(m, files)
}

// LookAtJournal looks at the files that grow with time, which are otherwise
// only looked at when they are needed, so that Edited knows of them too.
func (m *Memory) LookAtJournal() error {
	if m.tx == nil {
		return nil
	}
	files, err := m.store.ListFiles(m.tx.Tree, nil)
	if err != nil {
		return err
	}
	return m.lookForEdits(files)
}

// lookForEdits looks at those of the files that a person changed. One that is a
// link or a folder now, or too large, is left alone: the history goes on with
// what it was, and it does not keep the rest from being used.
func (m *Memory) lookForEdits(files map[string]object.Hash) error {
	var odd []string
	for path, blob := range files {
		if m.files[path] != nil {
			continue
		}
		f, err := m.tx.Look(path, blob, false)
		if errors.Is(err, disk.ErrLink) || errors.Is(err, disk.ErrTooLarge) {
			odd = append(odd, path)
			continue
		}
		if err != nil {
			return err
		}
		if !f.Changed || f.Staged {
			continue // what a person staged is the person's to commit
		}
		if _, err := m.lookAt(path, true); err != nil {
			return err
		}
	}
	if slices.Sort(odd); len(odd) == 1 {
		m.odd("left alone: " + odd[0] + " is no plain file, or too large; the history keeps what it was")
	} else if len(odd) > 1 {
		m.odd(fmt.Sprintf("left alone: %s and %d more are no plain files, or too large; the history keeps what they were", odd[0], len(odd)-1))
	}
	return nil
}

// tellOfOdd tells of files that were left alone, once: one command may load the
// memory several times.
func (r *Root) tellOfOdd(what string) {
	if what != r.warnedOfOdd {
		r.warnedOfOdd = what
		r.opts.Warn(what)
	}
}
