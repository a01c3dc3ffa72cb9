package repo

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mem/facts"
	"mem/guard"
)

// Bounds for files that the last commit does not have.
const (
	maxNewFile  = 256 << 10
	maxNewFiles = 500
	maxScanned  = 64 << 20 // of one that a person edited
)

// listHeld returns the files of a person, edited, staged or new, with secrets that the last
// commit does not have: no commit of mem gets them, but the person's next one may. Hidden folders belong to other
// programs, and what is no regular file, or too large, is not committed.
func (m *Memory) listHeld() []string {
	found := map[string]bool{} // by path, of the files looked at
	look := func(name string, limit int64) {
		data, err := m.root.d.ReadFile(name, limit)
		found[name] = err == nil && m.isLeak(name, data)
	}
	for name, blob := range m.tx.ListStaged(m.known) {
		if !strings.HasPrefix(name, facts.Folder+"/") {
			look(name, maxNewFile)
			staged, err := m.tx.Store.ReadBlob(blob)
			found[name] = found[name] || err == nil && m.isLeak(name, staged)
		}
	}
	for _, name := range m.edits {
		look(name, maxScanned)
	}
	for folders := []string{"."}; len(folders) > 0; folders = folders[1:] {
		names, _ := m.tx.ListFolder(folders[0], false) // one that cannot be listed is not committed either
		for _, name := range slices.Sorted(maps.Keys(names)) {
			at := path.Join(folders[0], name)
			_, old := m.known[at]
			_, seen := found[at]
			switch {
			case old || seen || len(found) >= maxNewFiles:
			case !names[name]:
				look(at, maxNewFile)
			case name[0] != '.' && !isOfLog(at):
				folders = append(folders, at)
			}
		}
	}
	maps.DeleteFunc(found, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(found))
}

const heldOut = " holds what looks like a secret: left out of the commit, until it is taken out"

// keepOut keeps a person's edit with a secret in it out of the commit, and says so.
// The file is left as it is. The index is made anew each time, and gets the edit
// without the secret.
func (c *chain) keepOut(path string) {
	if path == IndexPath {
		c.r.warnOnce(path + " holds what looks like a secret: taken out of it")
		f := c.m.files[path]
		c.m.stageWrite(path, guard.ScrubNew(nil, f.Data))
		return
	}
	c.held[path] = true
	c.r.warnOnce(guard.Line(path) + heldOut)
}

// releaseHeld makes room for what the callback or a view writes to files that are
// kept out: they lose the secret, and a copy of what the person wrote is set aside.
func (c *chain) releaseHeld() error {
	for _, path := range slices.Sorted(maps.Keys(c.held)) {
		w, written := c.m.staged[path]
		if !written {
			continue
		}
		to, err := c.r.store.Rescue(path, c.m.files[path].Data)
		if err != nil {
			return err
		}
		if w.data != nil {
			c.m.stageWrite(path, guard.ScrubNew(nil, w.data))
		}
		c.touched[path] = true // a new one that is removed is in no commit
		delete(c.held, path)
		c.r.opts.Warn(path + " was written to, without the secret; the edited file is in " + to)
	}
	return nil
}

// isNewLeak reports whether a file holds what looks like a secret and did not hold it
// before.
func isNewLeak(old, data []byte) bool {
	n := guard.CountSecrets(string(data))
	return n > 0 && n > guard.CountSecrets(string(old))
}

// isLeak is isNewLeak for a file of a person: such an edit gets into no commit. The name of one that the last commit does
// not have counts too.
func (m *Memory) isLeak(name string, data []byte) bool {
	old, _ := m.ReadCommitted(name) // without it all of the file is new
	return old == nil && guard.CountSecrets(name) > 0 || isNewLeak(old, data)
}
