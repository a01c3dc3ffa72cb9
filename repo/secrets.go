package repo

import (
	"maps"
	"slices"

	"mem/guard"
)

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
	c.r.warnOnce(guard.Line(path) + " holds what looks like a secret: left out of the commit, until it is taken out")
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
