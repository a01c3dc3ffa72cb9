package lesson

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"mem/curate/proposal"
	"mem/guard"
	"mem/index"
	"mem/repo"
)

// A Queue is where lessons wait for a person: those in quarantine, under their
// own ids, and pairs that seem to say the same or the opposite. The zero value
// works.
type Queue struct{}

var _ proposal.Queue = Queue{}

// maxText is how long a lesson is that a person puts into words, in characters.
const maxText = 1000

// ListPending lists the lessons in quarantine, in the order in which they came, then
// the pairs, at most fifty of either kind, the most alike first.
func (Queue) ListPending(m *repo.Memory) (list []proposal.Proposal, problems []proposal.Problem, err error) {
	for i := range m.Index.Items {
		if it := &m.Index.Items[i]; it.Status == index.Quarantined {
			list = append(list, quarantined(it))
		}
	}
	apart, problem := readDistinct(m)
	if problem != nil {
		// Without it, pairs that a person told apart would be offered again.
		return list, []proposal.Problem{*problem}, nil
	}
	return append(list, pairProposals(m, apart)...), nil, nil
}

// quarantined is the proposal to let a lesson in.
func quarantined(it *index.Item) proposal.Proposal {
	p := proposal.Proposal{
		ID: it.ID, Kind: proposal.Quarantined, Title: shortText(it.Text), Text: guard.Line(it.Text),
		From: []string{it.ID}, Domain: guard.Line(it.Domain), Tags: shownTags(it),
	}
	for _, why := range reasonsHeld(it) {
		p.Notes = append(p.Notes, "held: "+why)
	}
	for _, s := range it.Sources {
		note := "said in " + guard.Line(either(s.Trace, s.Session, "a session without a name")) + ", " + day(s.At)
		if s.Model != "" {
			note += ", put into words by " + guard.Line(s.Model)
		}
		p.Notes = append(p.Notes, note)
	}
	if it.Hits > 1 {
		p.Notes = append(p.Notes, fmt.Sprintf("seen %d times", it.Hits))
	}
	return p
}

// reasonsHeld says what speaks against a lesson; nil if nothing does that can be told
// from the lesson itself.
func reasonsHeld(it *index.Item) (why []string) {
	if it.Origin == index.OriginExternal {
		why = append(why, "its words come from outside, such as a web page")
	}
	for _, p := range guard.Lint(it.Text) {
		why = append(why, fmt.Sprintf("it reads as an order (%s): %s", p.Rule, shortText(p.Text)))
	}
	return why
}

// shownTags returns the tags of a lesson as they may be shown.
func shownTags(it *index.Item) (list []string) {
	for _, tag := range it.Tags {
		list = append(list, guard.Line(tag))
	}
	return list
}

func either(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

func day(t time.Time) string {
	if t.IsZero() {
		return "at an unknown time"
	}
	return t.UTC().Format(time.DateOnly)
}

// isPair reports whether an id is that of a pair.
func isPair(id string) bool { return strings.HasPrefix(id, pairPrefix) }

// errNameless refuses a name.
var errNameless = fmt.Errorf("%w: a lesson has no name, only a text", proposal.ErrInvalid)

// waiting returns the place of a lesson in quarantine.
func waiting(m *repo.Memory, id string) (int, error) {
	pos := m.Index.ByID(id)
	switch {
	case pos < 0:
		return -1, fmt.Errorf("%q: %w", id, proposal.ErrUnknown)
	case m.Index.Items[pos].Status != index.Quarantined:
		return -1, fmt.Errorf("%s is %s: %w", id, state(&m.Index.Items[pos]), proposal.ErrDecided)
	}
	return pos, nil
}

// state names the status of a lesson for people.
func state(it *index.Item) string {
	if it.Status == index.Active {
		return "active"
	}
	return guard.Line(string(it.Status))
}

// Approve lets a lesson in: a person stands for it now. Of a pair that says the
// same it keeps the lesson that ranks better, of one that says the opposite the
// one seen last; the other one is superseded.
func (Queue) Approve(m *repo.Memory, id string, d proposal.Decision) (repo.Message, error) {
	if isPair(id) {
		return approvePair(m, id, d)
	}
	pos, err := waiting(m, id)
	if err != nil {
		return repo.Message{}, err
	}
	if d.Title != "" {
		return repo.Message{}, errNameless
	}
	if d.Text != "" {
		if err := rewordLesson(m.Index, pos, d.Text); err != nil {
			return repo.Message{}, err
		}
	}
	it := &m.Index.Items[pos]
	if other := findActiveTwin(m.Index, it.Key, pos); other != nil {
		return repo.Message{}, fmt.Errorf("%w: %s says exactly this already", proposal.ErrInvalid, other.ID)
	}
	it.Status, it.Origin = index.Active, index.OriginUser
	m.Index.Touch(m.Now())
	return saying("confirm", "+ ", it), nil
}

// Reject retires a lesson, and remembers of a pair that both are to stay.
func (Queue) Reject(m *repo.Memory, id string, d proposal.Decision) (repo.Message, error) {
	if isPair(id) {
		return rejectPair(m, id, d)
	}
	pos, err := waiting(m, id)
	if err != nil {
		return repo.Message{}, err
	}
	_, msg, err := Change{Verb: Retire, IDs: []string{id}, Reason: d.Reason}.Apply(m)
	if err != nil {
		return repo.Message{}, fmt.Errorf("retire %s: %w", m.Index.Items[pos].ID, err)
	}
	return msg, nil
}

// Reopen lets a lesson that was retired wait again, and a pair that was told
// apart. What waits already is left as it is.
func (Queue) Reopen(m *repo.Memory, id string) (repo.Message, error) {
	if isPair(id) {
		return reopenPair(m, id)
	}
	pos := m.Index.ByID(id)
	if pos < 0 {
		return repo.Message{}, fmt.Errorf("%q: %w", id, proposal.ErrUnknown)
	}
	it := &m.Index.Items[pos]
	switch it.Status {
	case index.Quarantined:
		return repo.Message{}, nil
	case index.Retired:
		it.Status = index.Quarantined
		m.Index.Touch(m.Now())
		return saying("reopen", "+ ", it), nil
	}
	return repo.Message{}, fmt.Errorf("%s is %s, and only what was turned down can wait again: %w", id, state(it), proposal.ErrDecided)
}

// draftEnd is where the part of a draft ends that is taken back.
const draftEnd = "<!-- Only what is above this line is kept: the lesson, as one paragraph. -->"

// ReadDraft returns the text of a lesson in quarantine, and below it why it is
// held. The two of a pair are not edited: approving takes a text for the one
// that stays.
func (Queue) ReadDraft(m *repo.Memory, id string) ([]byte, error) {
	if isPair(id) {
		return nil, notEdited(m, id)
	}
	pos, err := waiting(m, id)
	if err != nil {
		return nil, err
	}
	p := quarantined(&m.Index.Items[pos])
	return []byte(p.Text + "\n\n" + draftEnd + "\n\n" + strings.Join(p.Notes, "\n") + "\n"), nil
}

// ApplyEdit gives a lesson in quarantine the text of an edited draft.
func (Queue) ApplyEdit(m *repo.Memory, id string, draft []byte) (repo.Message, error) {
	if isPair(id) {
		return repo.Message{}, notEdited(m, id)
	}
	pos, err := waiting(m, id)
	if err != nil {
		return repo.Message{}, err
	}
	text, _, _ := strings.Cut(string(draft), draftEnd)
	before := m.Index.Items[pos].Text
	if err := rewordLesson(m.Index, pos, text); err != nil {
		return repo.Message{}, err
	}
	it := &m.Index.Items[pos]
	if it.Text == before || guard.Line(before) == it.Text {
		it.Text, it.Key = before, index.Key(before)
		return repo.Message{}, nil
	}
	m.Index.Touch(m.Now())
	msg := saying("reword", "- ", &index.Item{ID: it.ID, Text: before})
	msg.Subject, msg.Body = "reword: "+shortText(it.Text), append(msg.Body, "+ "+it.Text)
	return msg, nil
}

// notEdited is the error of editing a pair.
func notEdited(m *repo.Memory, id string) error {
	if _, err := pairOf(m, id); err != nil {
		return err
	}
	return fmt.Errorf("%w: a pair is not edited; approving it takes a text for the lesson that stays", proposal.ErrInvalid)
}

// rewordLesson gives a lesson a text that a person wrote.
func rewordLesson(ix *index.Index, pos int, text string) error {
	text = guard.Line(text)
	it := &ix.Items[pos]
	switch {
	case utf8.RuneCountInString(text) > maxText:
		return fmt.Errorf("%w: a lesson has at most %d characters", proposal.ErrInvalid, maxText)
	case !it.SetText(text):
		return fmt.Errorf("%w: the lesson says nothing", proposal.ErrInvalid)
	}
	return nil
}

// saying is the message of a commit that changes one lesson.
func saying(verb, mark string, it *index.Item) repo.Message {
	return repo.Message{
		Subject: verb + ": " + shortText(it.Text), Body: []string{mark + it.Text},
		Trailers: []repo.Trailer{{Key: "Mem-Item", Value: it.ID}},
	}
}
