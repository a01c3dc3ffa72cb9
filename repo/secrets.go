package repo

import (
	"maps"
	"slices"

	"mem/guard"
	"mem/repo/leaks"
)

// holdsSecret reports whether a person wrote what looks like a secret into a file:
// such an edit gets into no commit.
func (m *Memory) holdsSecret(path string) bool {
	f, err := m.lookAt(path, true)
	if err != nil || !f.exist {
		return false
	}
	old, _ := m.ReadCommitted(path) // without it all of the file is new
	return leaks.IsLeak(path, old, f.data)
}

// ListHeld returns the files of a person with what looks like a secret: no commit of
// mem gets it, but the person's next one may.
func (m *Memory) ListHeld() []string {
	return leaks.ListFiles(m.tx, m.known, m.edits, m.skip)
}

const heldOut = " holds what looks like a secret: left out of the commit, until it is taken out"

// keepOut keeps a person's edit with a secret in it out of the commit, and says so.
// The file is left as it is. The index is made anew each time, and gets the edit
// without the secret.
func (c *chain) keepOut(path string) {
	if path == IndexPath {
		c.m.Index.Items = leaks.ScrubRecords(c.m.Index.Items)
		c.r.warnOnce(path + " holds what looks like a secret: taken out of it")
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
		to, err := c.r.store.Rescue(path, c.m.files[path].data)
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
