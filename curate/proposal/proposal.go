// Package proposal is the gate between what was noticed and what is agreed: what
// waits for a person's decision, in one form for all kinds of it.
//
// Rules that suggest themselves, memories of other tools, and lessons that no person
// has confirmed each wait in a Queue. Queues lists what waits in all of them, shows a proposal, and hands
// the decision to the queue that the proposal is from, inside repo.Root.Settle.
package proposal

import (
	"errors"
	"fmt"

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
	Rule        Kind = "rule"        // a pattern among learnings, or more of one that is a rule already
	Feedback    Kind = "feedback"    // what a person told another tool
	Quarantined Kind = "quarantined" // a lesson that is held, or against which something speaks
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
	// Proposal returns it as it is listed.
	Proposal() Proposal
	// Approve makes what is proposed part of what was agreed.
	Approve(d Decision) (repo.Message, error)
	// Reject turns it down, for good.
	Reject(d Decision) (repo.Message, error)
	// ReadDraft returns what a person may edit, as Markdown. ApplyEdit takes the
	// edited text back; the proposal still waits then.
	ReadDraft() ([]byte, error)
	ApplyEdit(draft []byte) (repo.Message, error)
}

// Queues are several queues as one, in the order in which people see what waits.
// A decision goes to the queue that knows the id.
type Queues []Queue

// ListPending lists what waits in all queues.
func (qs Queues) ListPending(m *repo.Memory) (list []Proposal, problems []Problem, err error) {
	for _, q := range qs {
		some, bad, err := q.ListPending(m)
		if err != nil {
			return nil, nil, err
		}
		list, problems = append(list, some...), append(problems, bad...)
	}
	return list, problems, nil
}

// askQueues returns what f returns of the queue that knows an id.
func askQueues[T any](qs Queues, id string, f func(Queue) (T, error)) (found T, err error) {
	for _, q := range qs {
		if found, err = f(q); !errors.Is(err, ErrUnknown) {
			return found, err
		}
	}
	return found, fmt.Errorf("%q: %w", id, ErrUnknown)
}

// FindPending returns the proposal that waits under an id as ListPending lists it.
func (qs Queues) FindPending(m *repo.Memory, id string) (Proposal, error) {
	return withPending(qs, m, id, func(p Pending) (Proposal, error) { return p.Proposal(), nil })
}

// Find returns what waits under an id.
func (qs Queues) Find(m *repo.Memory, id string) (Pending, error) {
	return askQueues(qs, id, func(q Queue) (Pending, error) { return q.Find(m, id) })
}

// Reopen lets wait again what was turned down.
func (qs Queues) Reopen(m *repo.Memory, id string) (repo.Message, error) {
	return askQueues(qs, id, func(q Queue) (repo.Message, error) { return q.Reopen(m, id) })
}

// Approve finds a proposal and approves it.
func (qs Queues) Approve(m *repo.Memory, id string, d Decision) (repo.Message, error) {
	return withPending(qs, m, id, func(p Pending) (repo.Message, error) { return p.Approve(d) })
}

// Reject finds a proposal and turns it down.
func (qs Queues) Reject(m *repo.Memory, id string, d Decision) (repo.Message, error) {
	return withPending(qs, m, id, func(p Pending) (repo.Message, error) { return p.Reject(d) })
}

// ApplyEdit finds a proposal and takes its edited draft back.
func (qs Queues) ApplyEdit(m *repo.Memory, id string, draft []byte) (repo.Message, error) {
	return withPending(qs, m, id, func(p Pending) (repo.Message, error) { return p.ApplyEdit(draft) })
}

// ReadDraft finds a proposal and returns what a person may edit.
func (qs Queues) ReadDraft(m *repo.Memory, id string) ([]byte, error) {
	return withPending(qs, m, id, Pending.ReadDraft)
}

func withPending[T any](qs Queues, m *repo.Memory, id string, f func(Pending) (T, error)) (result T, err error) {
	p, err := qs.Find(m, id)
	if err == nil {
		result, err = f(p)
	}
	return result, err
}
