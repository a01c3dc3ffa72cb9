package proposal

import (
	"errors"
	"fmt"

	"mem/repo"
)

// Queues are several queues as one, in the order in which people are shown
// what waits. A decision goes to the queue that knows the id.
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

// FindPending returns the proposal that waits under an id. An error is as for
// Approve.
func (qs Queues) FindPending(m *repo.Memory, id string) (found Proposal, err error) {
	err = qs.ask(id, func(q Queue) error {
		list, _, err := q.ListPending(m)
		if err != nil {
			return err
		}
		for _, p := range list {
			if p.ID == id {
				found = p
				return nil
			}
		}
		if _, err := q.ReadDraft(m, id); err != nil {
			return err // it may have been decided
		}
		return ErrUnknown
	})
	return found, err
}

// Approve makes what is proposed part of what was agreed.
func (qs Queues) Approve(m *repo.Memory, id string, d Decision) (repo.Message, error) {
	return qs.decide(id, func(q Queue) (repo.Message, error) { return q.Approve(m, id, d) })
}

// Reject turns it down, for good.
func (qs Queues) Reject(m *repo.Memory, id string, d Decision) (repo.Message, error) {
	return qs.decide(id, func(q Queue) (repo.Message, error) { return q.Reject(m, id, d) })
}

// Reopen lets what was turned down wait again.
func (qs Queues) Reopen(m *repo.Memory, id string) (repo.Message, error) {
	return qs.decide(id, func(q Queue) (repo.Message, error) { return q.Reopen(m, id) })
}

// ReadDraft returns what a person may edit.
func (qs Queues) ReadDraft(m *repo.Memory, id string) (draft []byte, err error) {
	err = qs.ask(id, func(q Queue) (err error) {
		draft, err = q.ReadDraft(m, id)
		return err
	})
	return draft, err
}

// ApplyEdit takes an edited draft back.
func (qs Queues) ApplyEdit(m *repo.Memory, id string, draft []byte) (repo.Message, error) {
	return qs.decide(id, func(q Queue) (repo.Message, error) { return q.ApplyEdit(m, id, draft) })
}

func (qs Queues) decide(id string, f func(Queue) (repo.Message, error)) (msg repo.Message, err error) {
	err = qs.ask(id, func(q Queue) (err error) {
		msg, err = f(q)
		return err
	})
	return msg, err
}

// ask calls f with one queue after the other until one knows the id.
func (qs Queues) ask(id string, f func(Queue) error) error {
	for _, q := range qs {
		if err := f(q); !errors.Is(err, ErrUnknown) {
			return err
		}
	}
	return fmt.Errorf("%q: %w", id, ErrUnknown)
}
