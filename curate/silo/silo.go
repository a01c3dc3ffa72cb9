// Package silo takes over what Claude Code keeps of its own: the memories that
// it writes below each project's folder, where no other agent reads them and
// where its own housekeeping deletes them without asking.
//
// The data flows: silos on this machine → sources, those that are recognised,
// and where each comes from → entries in memories/ of a memory, in one commit →
// only then, and only what that commit holds, taken out of the silo. What the
// agent learned of the person waits at a desk for a yes first; see [Feedback].
//
// The state of all this is what the last commit holds and what lies in the
// silos; there is no ledger. So a run that was interrupted anywhere is finished
// by the next one. Claude Code knows of no locks and may write at any moment:
// every step looks again at what it is about to change.
//
// It changes the files of a silo through package repo/disk, as a memory's own
// are changed: durably, and with every change known to the tests. Memories
// themselves are changed through package repo alone.
package silo

import (
	"time"

	"mem/curate/proposal"
	"mem/repo"
	"mem/repo/disk"
)

// Options are about one run. Only Places has to be set.
type Options struct {
	Places Places
	Moment time.Time     // by the real clock, to tell what was written just now
	Settle time.Duration // how old a file must be to be looked at; 0 takes all
	Follow bool          // links, as long as they lead to places inside the home

	Here  func(cwd string) bool // only what ran in such a folder; nil for all
	Alive func(pid int) bool    // whether a process runs; nil for no
	Fault disk.Fault            // for tests
}

// A State says how far a file of a silo is.
type State string

// The states.
const (
	Ready    State = "ready"    // it is taken over by apply
	Pending  State = "pending"  // it waits for a person's yes
	Rejected State = "rejected" // a person said no
	Left     State = "left"     // it is not recognised, or not now
	Removed  State = "removed"  // it is in the memory, and no longer in its silo
)

// An Item is one file of a silo and what becomes of it.
type Item struct {
	Source *Source
	State  State
	Why    string // of what was left, and of what is ready but was not removed
	Home   string // path in the memory; "" for what was left
	Change Change
}

// A Change says what an item does to the memory.
type Change string

// The changes. The zero value is none.
const (
	Added    Change = "added"    // a new entry
	Replaced Change = "replaced" // a later version of an entry
	Older    Change = "older"    // an earlier version of an entry, kept beside it
	Repeated Change = "repeated" // an entry with the same text, from another place
)

// A Result is what a run found and did.
type Result struct {
	Silos    []*Silo
	Items    []Item             // by silo and name
	Problems []proposal.Problem // silos and lines of their indexes that were left alone
	Commit   string             // "" if nothing had to be committed
	Files    []string           // of the memory that the commit changed

	has committed // what the memory has for good, once it is known
}

// taken is what the memory has for good after the commit of this run.
func (r *Result) taken(m *repo.Memory) (has committed, err error) {
	if r.has == nil {
		r.has, err = taken(m)
	}
	return r.has, err
}

// Count returns how many items are in a state, and in how many silos.
func (r *Result) Count(states ...State) (items, silos int) {
	seen := map[*Silo]bool{}
	for _, it := range r.Items {
		for _, s := range states {
			if it.State == s {
				items++
				seen[it.Source.Silo] = true
			}
		}
	}
	return items, len(seen)
}
