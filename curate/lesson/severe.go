package lesson

import (
	"mem/curate/proposal"
	"mem/guard"
	"mem/index"
	"mem/repo"
)

// severePrefix begins the ids under which lessons of high severity are offered for pinning.
const severePrefix = "severe-"

func severeID(it *index.Item) string { return severePrefix + hashShort(it.ID) }

// mostSevere bounds what is offered for pinning at a time: pins take half of what is shown.
const mostSevere = 5

// severeProposals offers lessons of high severity for pinning, the best first, each once.
func severeProposals(m *repo.Memory, kept map[string]bool) (list []proposal.Proposal) {
	for _, pos := range m.Index.Rank(m.Now()) {
		it := &m.Index.Items[pos]
		if it.Severity != "high" || it.Pinned || kept[severeID(it)] {
			continue
		}
		list = append(list, proposal.Proposal{
			ID: severeID(it), Kind: proposal.Severe, Title: shortText(it.ShownText(), maxTitle), Text: guard.Line(it.ShownText()),
			From: []string{it.ID}, Domain: guard.Line(it.Domain), Tags: shownTags(it), Notes: []string{
				"of high severity: approving it pins the lesson, so that every session is shown it",
				"to leave it to its rank: reject, and it is not offered again",
			},
		})
		if len(list) == mostSevere {
			break
		}
	}
	return list
}

// A severeLesson is offered for pinning.
type severeLesson struct {
	oldLesson
}

func findSevere(m *repo.Memory, id string) (severeLesson, error) {
	it, err := findKept(m, id, severeID)
	return severeLesson{oldLesson{heldLesson{m, it}}}, err
}

// Approve pins the lesson. Should it be unpinned, it is not offered again.
func (s severeLesson) Approve(d proposal.Decision) (repo.Message, error) {
	if err := s.refuseWords(d); err != nil {
		return repo.Message{}, err
	}
	if err := addDistinct(s.m, severeID(s.Item), d.Reason, s.Item); err != nil {
		return repo.Message{}, err
	}
	_, msg, err := Change{Verb: Pin, IDs: []string{s.ID}, Reason: d.Reason}.Apply(s.m)
	return msg, err
}

// Reject leaves the lesson to its rank, for good.
func (s severeLesson) Reject(d proposal.Decision) (repo.Message, error) {
	return keepFor(s.m, severeID(s.Item), "no pin", "= ", s.Item, d)
}
