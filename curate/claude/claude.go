// Package claude imports Claude Code's memories: what the agent writes below
// each project's folder, where no other agent reads it and where its own
// housekeeping deletes it without asking.
//
// The data flows: folders on this machine → files that are recognised, and where
// each comes from → entries in memories/ of a memory root, in one commit, see
// package imported → only then, and only what that commit holds, removed from
// Claude Code's folders.
//
// The last commit and the folders are the whole state; there is no ledger. So a
// run that was interrupted anywhere is finished by the next one. Claude Code
// knows of no locks and may write at any moment: every step looks again at what
// it is about to change.
//
// Files of Claude Code are changed through package repo/disk, as a memory root's
// own are: durably, and with every change known to the tests. Memory roots
// are changed through package repo alone.
package claude

import (
	"time"

	"mem/curate/claude/imported"
	"mem/curate/proposal"
	"mem/render"
	"mem/repo/disk"
)

// Options are about one run. Only Places has to be set.
type Options struct {
	Places Places
	Moment time.Time     // by the real clock, to tell what was written just now
	MinAge time.Duration // how old a file must be to be looked at; 0 takes all
	Follow bool          // links, as long as they lead to places inside the home

	Here  func(cwd string) bool // only what ran in such a folder; nil for all
	Alive func(pid int) bool    // whether a process runs; nil for no
	Fault disk.Fault            // for tests
}

// A State says how far a file is.
type State string

// The states.
const (
	Ready    State = "ready"    // Apply imports it
	Pending  State = "pending"  // it waits for a person's approval
	Rejected State = "rejected" // a person said no
	Left     State = "left"     // it is not recognised, or not now
	Removed  State = "removed"  // it was imported, and removed from its folder
)

// An Item is one file and what becomes of it.
type Item struct {
	Source *File           `json:",embed"`
	State  State           `json:"state"`
	Why    string          `json:"why,omitzero"`  // of what was left, and of what is ready but was not removed
	Home   string          `json:"home,omitzero"` // path in the memory root; "" for what was left
	Change imported.Change `json:"change,omitzero"`
}

// maxName is how much of a name Describe gives, in characters; some are prose.
const maxName = 100

// Describe says what an item is, or why it was left, for people.
func (it *Item) Describe() string {
	if it.State == Left {
		return it.Why
	}
	text := it.Source.Type + ", " + render.Shorten(it.Source.Name, maxName)
	switch {
	case it.Change == imported.Replaced && it.State == Pending:
		text += " (a new version)"
	case it.Change == imported.Replaced:
		text += " (replaced " + it.Home + ")"
	case it.Change == imported.Older:
		text += " (older than what the memory has)"
	case it.Change == imported.Repeated:
		text += " (as " + it.Home + ")"
	}
	if it.Why != "" {
		text += ": " + it.Why
	}
	return text
}

// A Result is what a run found and did.
type Result struct {
	Folders  []*Folder          `json:"-"`
	Items    []Item             `json:"items"`    // by folder and name
	Problems []proposal.Problem `json:"problems"` // folders and lines of their lists that were left alone
	Commit   string             `json:"commit"`   // "" if nothing had to be committed
	Files    []string           `json:"files"`    // of the memory root that the commit changed
}

// CountItems returns how many items are in one of the states, and in how many
// folders.
func (r *Result) CountItems(states ...State) (items, folders int) {
	seen := map[*Folder]bool{}
	for _, it := range r.Items {
		for _, s := range states {
			if it.State == s {
				items++
				seen[it.Source.Folder] = true
			}
		}
	}
	return items, len(seen)
}
