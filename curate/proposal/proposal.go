// Package proposal is the gate between what was noticed and what is agreed:
// what waits for a person's decision, in one form for all kinds of it.
//
// Rules that suggest themselves, memories of other tools, lessons that nobody
// vouches for, and lessons that seem to say the same each wait at a Queue. A
// command lists what waits at all queues, shows a proposal, and hands the
// decision to the queue that it came from, inside repo.Root.Settle.
package proposal

import (
	"errors"

	"mem/repo"
)

// Errors that callers tell apart.
var (
	ErrUnknown = errors.New("nothing waits under this name")
	ErrDecided = errors.New("it has been decided already")
	ErrInvalid = errors.New("it cannot be accepted as it is")
)

// A Kind says what is proposed.
type Kind string

// The kinds, in the order in which people are shown them.
const (
	Rule          Kind = "rule"          // a pattern among learnings, or more of one that is a rule already
	Feedback      Kind = "feedback"      // what a person told another tool
	Quarantined   Kind = "quarantined"   // a lesson whose words came from outside
	Duplicate     Kind = "duplicate"     // two lessons that seem to say the same
	Contradiction Kind = "contradiction" // two lessons that cannot both hold
)

// A Proposal is one thing that a person is asked to decide.
type Proposal struct {
	ID    string   `json:"id"` // what commands take; it never changes and is never given again
	Kind  Kind     `json:"kind"`
	Title string   `json:"title"` // one line
	Text  string   `json:"text"`  // what would be agreed, as it would be kept
	Files []string `json:"files"` // of the memory that approving it would change, besides the index and the views
	From  []string `json:"from"`  // what it rests on: ids of lessons, paths of learnings or of foreign files
	Notes []string `json:"notes"` // what else speaks for it or against it, one line each

	Domain   string   `json:"domain"`
	Tags     []string `json:"tags"`
	Cohesion float64  `json:"cohesion"` // of a rule: the share of pairs of learnings that are alike; 0 if it has none
}

// A Decision is what a person adds to a yes or a no. The zero value adds
// nothing.
type Decision struct {
	Title  string // replaces the proposed one
	Text   string // replaces the proposed one
	Reason string // of a no
}

// A Problem is a file that was left alone, and why.
type Problem struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// A Queue is where proposals of some kinds wait. Its methods are called inside
// Settle or on a view; those that decide change the memory and return the
// message for the commit. An id that is not theirs wraps ErrUnknown, one that
// was decided before ErrDecided, and a text that cannot be kept ErrInvalid.
type Queue interface {
	// Pending lists what waits, in a fixed order.
	ListPending(m *repo.Memory) ([]Proposal, []Problem, error)
	// Approve makes what is proposed part of what was agreed.
	Approve(m *repo.Memory, id string, d Decision) (repo.Message, error)
	// Reject turns it down, for good.
	Reject(m *repo.Memory, id string, d Decision) (repo.Message, error)
	// Reopen lets what was turned down wait again.
	Reopen(m *repo.Memory, id string) (repo.Message, error)
	// Draft returns what a person may edit, as Markdown, and Edit takes the
	// edited text back. It waits on: editing decides nothing.
	ReadDraft(m *repo.Memory, id string) ([]byte, error)
	ApplyEdit(m *repo.Memory, id string, draft []byte) (repo.Message, error)
}
