package lesson

import (
	"fmt"

	"mem/curate/proposal"
	"mem/guard"
	"mem/index"
	"mem/repo"
)

// oldPrefix begins the ids under which lessons are offered that may be over.
const oldPrefix = "old-"

func oldID(it *index.Item) string { return oldPrefix + hashShort(it.ID) }

// oldProposals offers the lessons that may be over, each once: what a person wants to
// keep is in kept.
func (q Queue) oldProposals(m *repo.Memory, kept map[string]bool) (list []proposal.Proposal) {
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		if it.Status != index.Active || kept[oldID(it)] || q.Outdated == nil {
			continue
		}
		why := q.Outdated(it)
		if why == "" {
			continue
		}
		list = append(list, proposal.Proposal{
			ID: oldID(it), Kind: proposal.Outdated, Title: shortText(it.Text, maxTitle), Text: guard.Line(it.Text),
			From: []string{it.ID}, Domain: guard.Line(it.Domain), Tags: shownTags(it), Notes: []string{
				guard.Line(why), describeLesson("would be retired", it), "to keep it: reject, and it is not offered again",
			},
		})
		if len(list) == mostPairs {
			break
		}
	}
	return list
}

// An oldLesson may be over. Approving retires it.
type oldLesson struct {
	heldLesson
}

func findOld(m *repo.Memory, id string) (oldLesson, error) {
	it, err := findKept(m, id, oldID)
	return oldLesson{heldLesson{m, it}}, err
}

// findKept returns the active lesson that is offered under an id, unless a person said
// that it is left in place.
func findKept(m *repo.Memory, id string, idOf func(*index.Item) string) (*index.Item, error) {
	kept, problem := readDistinct(m)
	if problem != nil {
		return nil, fmt.Errorf("%w: %s %s", proposal.ErrInvalid, problem.Path, problem.Why)
	}
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		switch {
		case idOf(it) != id:
		case it.Status != index.Active:
			return nil, fmt.Errorf("%s: %s is %s: %w", id, it.ID, statusName(it), proposal.ErrDecided)
		case kept[id]:
			return nil, fmt.Errorf("%s: %s is left in place: %w", id, it.ID, proposal.ErrDecided)
		default:
			return it, nil
		}
	}
	return nil, fmt.Errorf("%q: %w", id, proposal.ErrUnknown)
}

// Approve retires the lesson. Should it be restored, it is not offered again.
func (o oldLesson) Approve(d proposal.Decision) (repo.Message, error) {
	if err := o.refuseWords(d); err != nil {
		return repo.Message{}, err
	}
	if err := addDistinct(o.m, oldID(o.Item), d.Reason, o.Item); err != nil {
		return repo.Message{}, err
	}
	return o.heldLesson.Reject(d)
}

// refuseWords refuses a decision that would change the words.
func (o oldLesson) refuseWords(d proposal.Decision) error {
	if d.Title != "" || d.Text != "" {
		return fmt.Errorf("%w: approving it leaves the words of the lesson as they are", proposal.ErrInvalid)
	}
	return nil
}

// Reject keeps the lesson, for good.
func (o oldLesson) Reject(d proposal.Decision) (repo.Message, error) {
	return keepFor(o.m, oldID(o.Item), "keep", "= ", o.Item, d)
}

// keepFor notes a decision that is not to be asked for again.
func keepFor(m *repo.Memory, id, verb, mark string, it *index.Item, d proposal.Decision) (repo.Message, error) {
	msg := lessonMessage(verb, mark, it)
	if d.Reason != "" {
		msg.Body = append(msg.Body, "because "+d.Reason)
	}
	return msg, addDistinct(m, id, d.Reason, it)
}
