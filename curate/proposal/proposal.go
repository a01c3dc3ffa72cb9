// Package proposal is the gate between what was noticed and what is agreed: what
// waits for a person's decision, in one form for all kinds of it.
//
// Rules that suggest themselves, memories of other tools, lessons from outside
// that no person has confirmed, and lessons that seem to say the same each wait
// in a Queue. Queues lists what waits in all of them, shows a proposal, and hands
// the decision to the queue that the proposal is from, inside repo.Root.Settle.
package proposal

import (
	"errors"

	"mem/repo"
)

// Errors that callers tell apart.
var (
	ErrUnknown = errors.New("no pending proposal has this name")
	ErrDecided = errors.New("it has been decided already")
	ErrInvalid = errors.New("it cannot be accepted as it is")
)

// A Kind says what is proposed.
type Kind string

// The kinds, in the order in which people see them.
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
	Cohesion float64  `json:"cohesion"` // of a rule: the share of pairs of learnings that share tags; 0 if it has none
}

// A Decision is what a person adds to an approval or a rejection. The zero value
// adds nothing.
type Decision struct {
	Title  string // replaces the proposed one
	Text   string // replaces the proposed one
	Reason string // of a rejection
}

// A Problem is a file that was left alone, and why.
type Problem struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// A Queue holds the proposals of some kinds. Its methods are called inside Settle
// or on a view. Of an id that is not theirs the error wraps ErrUnknown, of one that
// was decided before ErrDecided.
type Queue interface {
	// ListPending lists what waits, in a fixed order.
	ListPending(m *repo.Memory) ([]Proposal, []Problem, error)
	// Find returns the proposal that waits under an id.
	Find(m *repo.Memory, id string) (Pending, error)
	// Reopen lets wait again what was turned down. What waits is left as it is.
	Reopen(m *repo.Memory, id string) (repo.Message, error)
}

// A Pending proposal waits for a decision. The methods change the memory in which
// it was found and return the message for the commit. Of a text that cannot be
// kept the error wraps ErrInvalid.
type Pending interface {
	// Approve makes what is proposed part of what was agreed.
	Approve(d Decision) (repo.Message, error)
	// Reject turns it down, for good.
	Reject(d Decision) (repo.Message, error)
	// ReadDraft returns what a person may edit, as Markdown. ApplyEdit takes the
	// edited text back; the proposal still waits then.
	ReadDraft() ([]byte, error)
	ApplyEdit(draft []byte) (repo.Message, error)
}
