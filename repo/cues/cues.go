// Package cues keeps the table of what lessons are about in .git/mem/cues, for hooks that
// an agent waits for. Each commit of mem's makes it anew. It is believed only as long as the
// index is the file that it was made of: a table that is stale, torn or missing tells
// nothing, and the next commit, or the worker, makes it.
package cues

import (
	"fmt"

	"mem/index"
	"mem/index/cue"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/vouched"
)

const (
	tablePath = gitstore.PrivateDir + "/cues"
	maxTable  = 16 << 20
)

// A Keeper keeps the table of one root.
type Keeper struct{ d *disk.Dir }

// New returns the keeper of the root d.
func New(d *disk.Dir) *Keeper { return &Keeper{d} }

// seal names the index and what of it waits for the person, without reading them.
func (k *Keeper) seal() (seal string) {
	for _, name := range []string{index.Path, vouched.Path} {
		if info, err := k.d.Lstat(name); err == nil {
			seal += fmt.Sprintf("%d@%d,", info.Size(), info.ModTime().UnixNano())
		} else {
			seal += "none,"
		}
	}
	return seal
}

// ReadCues returns what cue.Find looks in; nil if there is no table of the index as it is.
func (k *Keeper) ReadCues() []byte {
	table, err := k.d.ReadFile(tablePath, maxTable)
	if err != nil || !cue.IsOf(table, k.seal()) {
		return nil
	}
	return table
}

// UpdateCues makes the table of an index, and of what waits in it, unless there is one. They are
// what is on the disk, and the caller holds the root's lock. Without a table nothing is
// lost but hints.
func (k *Keeper) UpdateCues(ix *index.Index, held *vouched.List) {
	if k.ReadCues() == nil {
		_ = k.d.WriteLoose(tablePath, cue.Make(ix, held.Waits, k.seal()))
	}
}
