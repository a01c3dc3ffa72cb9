package repo

import (
	"errors"
	"fmt"
	"slices"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
)

// growsDaily reports whether the files of a folder are looked at only when they
// are needed: there are more with every day, and looking at all of them would make
// each command slower than the one before.
func growsDaily(folder string) bool {
	return folder == "daily" || folder == "monthly" || folder == "learnings/archived"
}

// loadEdits looks at every other file in the history for what a person
// changed, and for new ones where they count.
func (r *Root) loadEdits(m *Memory) error {
	files, err := r.store.ListFiles(m.tx.Tree, growsDaily)
	if err != nil {
		return err
	}
	if err := m.lookForEdits(files); err != nil {
		return err
	}
	return r.loadFound(m, files)
}

// LookAtJournal looks for edits in the files that other commands look at only when
// they need them, so that EditedFiles knows of them too.
func (m *Memory) LookAtJournal() error {
	if m.tx == nil {
		return nil
	}
	files, err := m.tx.Store.ListFiles(m.tx.Tree, nil)
	if err != nil {
		return err
	}
	return m.lookForEdits(files)
}

// lookForEdits looks at those of the files that a person changed. One that is a
// link or a folder now, or too large, is left alone: the history keeps what it
// was, and the rest can still be used.
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
		if err == nil && f.Changed && !f.Staged { // what a person staged is the person's to commit
			_, err = m.lookAt(path, true)
		}
		if err != nil {
			return err
		}
	}
	if slices.Sort(odd); len(odd) == 1 {
		m.warnOfOdd("left alone: " + odd[0] + " is not a regular file, or too large; the history keeps what it was")
	} else if len(odd) > 1 {
		m.warnOfOdd(fmt.Sprintf("left alone: %s and %d more are not regular files, or too large; the history keeps what they were", odd[0], len(odd)-1))
	}
	return nil
}

// warnOfOdd warns of files that are left alone, once: a command may load the
// memory several times.
func (r *Root) warnOfOdd(what string) {
	if what != r.warnedOfOdd {
		r.warnedOfOdd = what
		r.opts.Warn(what)
	}
}
