package repo

import (
	"path"
	"strings"

	"mem/repo/gitstore/object"
)

// maxFound is the size up to which a new file is committed for lying in the right
// place.
const maxFound = 256 << 10

// loadFound looks for what a person put where sessions and reviews read: rules,
// and what was agreed in other forms. Files elsewhere that mem did not make are
// left to the person. known are the files in the history.
func (r *Root) loadFound(m *Memory, known map[string]object.Hash) error {
	folders := []string{"rules", "context"}
	below, _ := m.ListFolders("context") // a link in its place, say, has none
	for _, name := range below {
		folders = append(folders, "context/"+name)
	}
	for _, folder := range folders {
		names, _ := m.ListTexts(folder)
		for _, name := range names {
			at := path.Join(folder, name)
			if _, old := known[at]; old || m.files[at] != nil || !r.isText(at) {
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

// isText reports whether there is a regular file of a usual size at a path, and not
// a hidden one.
func (r *Root) isText(at string) bool {
	info, err := r.d.Lstat(at)
	return err == nil && info.Mode().IsRegular() && info.Size() <= maxFound && !strings.HasPrefix(path.Base(at), ".")
}
