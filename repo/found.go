package repo

import (
	"io/fs"
	"path"
	"strings"

	"mem/repo/gitstore/object"
)

// maxFound is the size of a file that is taken in for lying in the right place.
const maxFound = 256 << 10

// loadFound looks for what a person put where sessions and reviews read: rules,
// and what was agreed in other forms. Files elsewhere that mem did not make are
// the person's own business. known are the files in the history.
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
			if _, old := known[at]; old || m.files[at] != nil || !r.plain(at) {
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

// plain reports whether a path is that of a text of a usual size.
func (r *Root) plain(at string) bool {
	info, err := r.d.Lstat(at)
	return err == nil && info.Mode().Type() == fs.FileMode(0) && info.Size() <= maxFound && !strings.HasPrefix(path.Base(at), ".")
}
