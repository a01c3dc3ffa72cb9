package repo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mem/index"
	"mem/repo/gitstore"
)

// A Packing says what came of asking git to put objects together, which each commit writes in files of their own.
type Packing struct {
	At     time.Time `json:"at,omitzero"`
	Failed string    `json:"failed,omitzero"` // why git did nothing
}

// IsPackDue reports whether so much was committed since that a worker should ask git again.
func (r *Root) IsPackDue() bool { return r.store.IsRepackDue(1) }

// Pack lets git put the objects together, if that is due and no other process does. What git says against it is noted.
func (r *Root) Pack(ctx context.Context, now time.Time) error {
	if !r.IsPackDue() {
		return nil
	}
	p := Packing{At: now.UTC()}
	if err := r.store.Repack(ctx, now); ctx.Err() != nil || errors.Is(err, ErrLocked) {
		return ctx.Err()
	} else if err != nil {
		p.Failed = err.Error()
	}
	return r.KeepValue(NotePacked, p)
}

// Describe says why the history takes more room than it needs; "" for no reason.
func (p Packing) Describe() string {
	if p.Failed == "" {
		return ""
	}
	return fmt.Sprintf("on %s git did not pack the history: %s", p.At.Format(time.DateOnly), p.Failed)
}

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

// ReadCues returns what index.FindCues looks in; nil if there is no table of the index as it is.
func (r *Root) ReadCues() []byte {
	table, err := r.d.ReadFile(cuesPath, maxCues)
	if err != nil || !index.AreCuesOf(table, r.sealCues()) {
		return nil
	}
	return table
}

// AreCuesOld reports whether there is a table that another mem made: the worker makes it anew.
func (r *Root) AreCuesOld() bool {
	table, err := r.d.ReadFile(cuesPath, maxCues)
	return err == nil && index.IsOldCues(table)
}

// updateCues makes the table of a memory unless there is one. It is what is on the disk, and
// the caller holds the root's lock. Without a table nothing is lost but hints.
func (r *Root) updateCues(m *Memory) {
	if r.ReadCues() == nil {
		_ = r.d.WriteLoose(cuesPath, index.MakeCues(m.Index, r.sealCues()))
	}
}
