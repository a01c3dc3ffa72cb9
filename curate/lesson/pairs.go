package lesson

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"mem/curate/lesson/similarity"
	"mem/curate/proposal"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
)

const pairPrefix = "pair-"

// mostPairs is how many pairs of either kind are offered at once.
const mostPairs = 50

// pairID is what a pair is called, whichever lesson is named first.
func pairID(a, b string) string {
	sum := sha256.Sum256([]byte(min(a, b) + "\n" + max(a, b)))
	return pairPrefix + hex.EncodeToString(sum[:4])
}

// A pair is two active lessons. Approving it keeps the first.
type pair struct {
	id         string
	keep, drop int // places
	opposite   bool
	likeness   float64
}

// pairs returns all pairs of active lessons that nobody told apart, the most
// alike first.
func pairs(m *repo.Memory, apart map[string]bool) (list []pair) {
	ix := m.Index
	ranked := ix.Rank(m.Now())
	statements := make([]similarity.Statement, len(ranked))
	for i, pos := range ranked {
		it := &ix.Items[pos]
		text, _ := guard.Clean(it.Text)
		statements[i] = similarity.Statement{Text: index.StripAvoid(text), Avoid: it.Kind == index.AntiPattern}
	}
	id := func(first, second int) string { return pairID(ix.Items[ranked[first]].ID, ix.Items[ranked[second]].ID) }
	for _, f := range similarity.FindPairs(statements, func(first, second int) bool { return len(apart) > 0 && apart[id(first, second)] }) {
		p := pair{id: id(f.First, f.Second), keep: ranked[f.First], drop: ranked[f.Second], opposite: f.Opposite, likeness: f.Likeness}
		if p.opposite && ix.Items[p.drop].LastSeen.After(ix.Items[p.keep].LastSeen) {
			p.keep, p.drop = p.drop, p.keep
		}
		list = append(list, p)
	}
	return list
}

// pairProposals returns the proposals for pairs. A lesson that is like several others
// is offered with one of them at a time.
func pairProposals(m *repo.Memory, apart map[string]bool) (list []proposal.Proposal) {
	dropped := map[int]bool{}
	count := map[bool]int{}
	for _, p := range pairs(m, apart) {
		if dropped[p.drop] || count[p.opposite] == mostPairs {
			continue
		}
		dropped[p.drop] = true
		count[p.opposite]++
		list = append(list, p.asProposal(m.Index))
	}
	return list
}

func (p pair) asProposal(ix *index.Index) proposal.Proposal {
	keep, drop := &ix.Items[p.keep], &ix.Items[p.drop]
	out := proposal.Proposal{
		ID: p.id, Kind: proposal.Duplicate, Title: shortText(keep.Text), Text: guard.Line(keep.Text),
		From: []string{keep.ID, drop.ID}, Domain: guard.Line(keep.Domain), Tags: shownTags(keep),
	}
	why := "it ranks better"
	if p.opposite {
		out.Kind = proposal.Contradiction
		why = "it was seen last"
	}
	out.Notes = []string{describeLesson("stays", keep) + "; " + why, describeLesson("is superseded", drop)}
	if ordinary(keep.ID) && ordinary(drop.ID) {
		out.Notes = append(out.Notes, fmt.Sprintf("the other way round: mem supersede %s %s", keep.ID, drop.ID))
	}
	out.Notes = append(out.Notes, "to keep both: reject, and the two are not offered again")
	return out
}

// ordinary reports whether an id has the form that mem gives them, and so may
// stand in a command: anybody may have written the index.
func ordinary(id string) bool { return lessonName().FindString(id) == id && id != "" }

// describeLesson is a lesson of a pair in one line.
func describeLesson(what string, it *index.Item) string {
	times := render.Plural(max(1, it.Hits), "once", fmt.Sprintf("%d times", it.Hits))
	return fmt.Sprintf("%s: %s %s (seen %s, last %s)", what, guard.Line(it.ID), guard.Line(it.Text), times, it.LastSeen.UTC().Format(time.DateOnly))
}

// pairOf returns the pair with an id that waits for a decision.
func pairOf(m *repo.Memory, id string) (pair, error) {
	apart, problem := readDistinct(m)
	if problem != nil {
		return pair{}, fmt.Errorf("%w: %s %s", proposal.ErrInvalid, problem.Path, problem.Why)
	}
	if apart[id] {
		return pair{}, fmt.Errorf("%s: both stay: %w", id, proposal.ErrDecided)
	}
	for _, p := range pairs(m, apart) {
		if p.id == id {
			return p, nil
		}
	}
	for i := range m.Index.Items {
		if it := &m.Index.Items[i]; it.SupersededBy != "" && pairID(it.ID, it.SupersededBy) == id {
			return pair{}, fmt.Errorf("%s: %s supersedes %s: %w", id, it.SupersededBy, it.ID, proposal.ErrDecided)
		}
	}
	return pair{}, fmt.Errorf("%q: %w", id, proposal.ErrUnknown)
}

func approvePair(m *repo.Memory, id string, d proposal.Decision) (repo.Message, error) {
	p, err := pairOf(m, id)
	if err != nil {
		return repo.Message{}, err
	}
	if d.Title != "" {
		return repo.Message{}, errNameless
	}
	keep, drop := m.Index.Items[p.keep].ID, m.Index.Items[p.drop].ID
	_, msg, err := Change{Verb: Supersede, IDs: []string{drop}, By: keep, Reason: d.Reason}.Apply(m)
	if err != nil {
		return repo.Message{}, fmt.Errorf("supersede %s: %w", drop, err)
	}
	if d.Text == "" {
		return msg, nil
	}
	if err := rewordLesson(m.Index, p.keep, d.Text); err != nil {
		return repo.Message{}, err
	}
	it := &m.Index.Items[p.keep]
	if other := findActiveTwin(m.Index, it.Key, p.keep); other != nil {
		return repo.Message{}, fmt.Errorf("%w: %s says exactly this already", proposal.ErrInvalid, other.ID)
	}
	msg.Body = append(msg.Body, "reworded "+it.Text)
	return msg, nil
}

func rejectPair(m *repo.Memory, id string, d proposal.Decision) (repo.Message, error) {
	p, err := pairOf(m, id)
	if err != nil {
		return repo.Message{}, err
	}
	a, b := &m.Index.Items[p.keep], &m.Index.Items[p.drop]
	if err := addDistinct(m, a, b, d.Reason); err != nil {
		return repo.Message{}, err
	}
	return apartMessage(a, b, d.Reason), nil
}

func reopenPair(m *repo.Memory, id string) (repo.Message, error) {
	apart, problem := readDistinct(m)
	switch {
	case problem != nil:
		return repo.Message{}, fmt.Errorf("%w: %s %s", proposal.ErrInvalid, problem.Path, problem.Why)
	case !apart[id]:
		if _, err := pairOf(m, id); err != nil {
			return repo.Message{}, err
		}
		return repo.Message{}, nil // it waits
	}
	lines, err := removeDistinct(m, id)
	return repo.Message{Subject: "reopen: " + id, Body: lines}, err
}

// apartMessage is the message of the commit that tells two lessons apart.
func apartMessage(a, b *index.Item, reason string) repo.Message {
	msg := repo.Message{
		Subject: "distinct: " + shortText(a.Text), Body: []string{"= " + a.Text, "= " + b.Text},
		Trailers: []repo.Trailer{{Key: "Mem-Item", Value: a.ID}, {Key: "Mem-Item", Value: b.ID}},
	}
	if reason != "" {
		msg.Body = append(msg.Body, "because "+reason)
	}
	return msg
}
