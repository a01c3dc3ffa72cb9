package repo

import (
	"fmt"

	"mem/index/cue"
	"mem/repo/gitstore"
)

// The table of what lessons are about is for hooks that an agent waits for. Each commit of
// mem's makes it anew. It is believed only as long as the index is the file that it was made
// of: a table that is stale, torn or missing tells nothing, and the next commit, or the
// worker, makes it.
const (
	cuesPath = gitstore.PrivateDir + "/cues"
	maxCues  = 16 << 20
)

// sealCues names the index without reading it.
func (r *Root) sealCues() string {
	info, err := r.d.Lstat(IndexPath)
	if err != nil {
		return "none"
	}
	return fmt.Sprintf("%d@%d", info.Size(), info.ModTime().UnixNano())
}

// ReadCues returns what cue.Find looks in; nil if there is no table of the index as it is.
func (r *Root) ReadCues() []byte {
	table, err := r.d.ReadFile(cuesPath, maxCues)
	if err != nil || !cue.IsOf(table, r.sealCues()) {
		return nil
	}
	return table
}

// AreCuesOld reports whether there is a table that another mem made: the worker makes it anew.
func (r *Root) AreCuesOld() bool {
	table, err := r.d.ReadFile(cuesPath, maxCues)
	return err == nil && cue.IsOld(table)
}

// updateCues makes the table of a memory unless there is one. It is what is on the disk, and
// the caller holds the root's lock. Without a table nothing is lost but hints.
func (r *Root) updateCues(m *Memory) {
	if r.ReadCues() == nil {
		_ = r.d.WriteLoose(cuesPath, cue.Make(m.Index, r.sealCues()))
	}
}
