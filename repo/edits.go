package repo

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
	"mem/repo/walk"
)

// growsDaily reports whether the files of a folder are looked at only when they
// are needed: there are more with every day, and looking at all of them would make
// each command slower than the one before.
func growsDaily(folder string) bool {
	return folder == "daily" || folder == "monthly" || folder == "learnings/archived"
}

// loadMemory reads the index, and looks at every other file in the history for what
// a person changed, and for new ones where they count.
func (r *Root) loadMemory(m *Memory) error {
	if err := r.loadIndex(m); err != nil {
		return err
	}
	if err := m.lookForEdits(growsDaily); err != nil {
		return err
	}
	return r.loadFound(m)
}

// loadLeftOut looks for files of mem's last commit that a later one left out and
// that still lie where they were.
func (r *Root) loadLeftOut(m *Memory) error {
	files, err := walk.ListLeftOut(r.d, r.store, m.tx.Head, m.tx.Tree)
	for path, blob := range files {
		if f, lookErr := m.tx.Look(path, object.Hash{}, false); lookErr == nil && f.Blob == blob {
			_, lookErr = m.lookAt(path, true)
			err = errors.Join(err, lookErr)
		}
	}
	return err
}

// LookAtJournal looks for edits in the files that other commands look at only when
// they need them, so that EditedFiles knows of them too.
func (m *Memory) LookAtJournal() error {
	if m.tx == nil {
		return nil
	}
	return m.lookForEdits(nil)
}

// lookForEdits looks at those of the files in the history that a person changed. One
// that is a link or a folder now, or too large, is left alone: the history keeps what
// it was, and the rest can still be used.
func (m *Memory) lookForEdits(skip func(folder string) bool) (err error) {
	if m.known, err = m.tx.Store.ListFiles(m.tx.Tree, skip); err != nil {
		return err
	}
	m.skip = skip
	var odd []string
	for path, blob := range m.known {
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
		m.warnOnce("left alone: " + odd[0] + " is not a regular file, or too large; the history keeps what it was")
	} else if len(odd) > 1 {
		m.warnOnce(fmt.Sprintf("left alone: %s and %d more are not regular files, or too large; the history keeps what they were", odd[0], len(odd)-1))
	}
	return nil
}

// warnOnce warns once of files that are left alone, however often they are seen.
func (r *Root) warnOnce(what string) {
	if !slices.Contains(r.warned, what) {
		r.warned = append(r.warned, what)
		r.opts.Warn(what)
	}
}

// maxFound is the size up to which a new file in the right place is committed.
const maxFound = 256 << 10

// loadFound looks for what a person put where sessions and reviews read: rules,
// and what was agreed in other forms. Files elsewhere that mem did not make are
// left to the person.
func (r *Root) loadFound(m *Memory) error {
	folders := []string{"rules", "context"}
	below, _ := m.ListFolders("context") // a link in its place, say, has none
	for _, name := range below {
		folders = append(folders, "context/"+name)
	}
	for _, folder := range folders {
		names, _ := m.ListTexts(folder)
		for _, name := range names {
			at := path.Join(folder, name)
			if _, old := m.known[at]; old || m.files[at] != nil || !r.d.IsSmallFile(at, maxFound) {
				continue
			}
			// One that cannot be read is left as it is, as links are.
			if f, err := m.tx.Look(at, object.Hash{}, true); err != nil || !f.Changed || f.Staged {
				continue
			}
			if _, err := m.lookAt(at, true); err != nil {
				return err
			}
		}
	}
	return nil
}
