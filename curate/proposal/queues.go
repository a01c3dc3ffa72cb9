package proposal

import (
	"errors"
	"fmt"

	"mem/repo"
)

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

// FindPending returns the proposal that waits under an id as ListPending lists it.
// Its errors are those of Find.
func (qs Queues) FindPending(m *repo.Memory, id string) (Proposal, error) {
	for _, q := range qs {
		if _, err := q.Find(m, id); errors.Is(err, ErrUnknown) {
			continue
		} else if err != nil {
			return Proposal{}, err
		}
		list, _, err := q.ListPending(m)
		for _, p := range list {
			if p.ID == id {
				return p, nil
			}
		}
		if err != nil {
			return Proposal{}, err
		}
	}
	return Proposal{}, fmt.Errorf("%q: %w", id, ErrUnknown)
}

// Find returns what waits under an id.
func (qs Queues) Find(m *repo.Memory, id string) (Pending, error) {
	for _, q := range qs {
		if p, err := q.Find(m, id); !errors.Is(err, ErrUnknown) {
			return p, err
		}
	}
	return nil, fmt.Errorf("%q: %w", id, ErrUnknown)
}

// Reopen lets wait again what was turned down.
func (qs Queues) Reopen(m *repo.Memory, id string) (repo.Message, error) {
	for _, q := range qs {
		if msg, err := q.Reopen(m, id); !errors.Is(err, ErrUnknown) {
			return msg, err
		}
	}
	return repo.Message{}, fmt.Errorf("%q: %w", id, ErrUnknown)
}

// Approve finds a proposal and approves it.
func (qs Queues) Approve(m *repo.Memory, id string, d Decision) (repo.Message, error) {
	return qs.decide(m, id, func(p Pending) (repo.Message, error) { return p.Approve(d) })
}

// Reject finds a proposal and turns it down.
func (qs Queues) Reject(m *repo.Memory, id string, d Decision) (repo.Message, error) {
	return qs.decide(m, id, func(p Pending) (repo.Message, error) { return p.Reject(d) })
}

// ApplyEdit finds a proposal and takes its edited draft back.
func (qs Queues) ApplyEdit(m *repo.Memory, id string, draft []byte) (repo.Message, error) {
	return qs.decide(m, id, func(p Pending) (repo.Message, error) { return p.ApplyEdit(draft) })
}

// ReadDraft finds a proposal and returns what a person may edit.
func (qs Queues) ReadDraft(m *repo.Memory, id string) ([]byte, error) {
	p, err := qs.Find(m, id)
	if err != nil {
		return nil, err
	}
	return p.ReadDraft()
}

func (qs Queues) decide(m *repo.Memory, id string, f func(Pending) (repo.Message, error)) (repo.Message, error) {
	p, err := qs.Find(m, id)
	if err != nil {
		return repo.Message{}, err
	}
	return f(p)
}
