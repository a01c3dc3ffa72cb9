package curate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
)

// LessonQueue holds the lessons in quarantine, under their own ids.
type LessonQueue struct{}

// maxText is how many characters a lesson has at most that a person rewords.
const maxLesson = 1000

// ListPending lists the lessons in quarantine, in the order in which they came.
func (LessonQueue) ListPending(m *repo.Memory) (list []Proposal, problems []Problem, err error) {
	for i := range m.Index.Items {
		if it := &m.Index.Items[i]; it.Status == index.Quarantined {
			list = append(list, heldProposal(m, it))
		}
	}
	return list, nil, nil
}

func heldProposal(m *repo.Memory, it *index.Item) Proposal {
	p := Proposal{
		ID: it.ID, Kind: KindHeld, Title: shortText(it.Text, maxSubject), Text: guard.Line(it.Text),
		From: []string{it.ID}, Domain: guard.Line(it.Domain),
		Since: slices.MaxFunc([]time.Time{it.LastSeen, it.StampOf("status")}, time.Time.Compare), Weight: it.EffectiveScore(m.Now()),
	}
	for _, tag := range it.Tags {
		p.Tags = append(p.Tags, guard.Line(tag))
	}
	if old := findRival(m.Index, it); old != nil && old.Status == index.Active {
		p.Notes = append(p.Notes, describeLesson("approving it retires the one whose place it takes", old), "rejecting it leaves that one")
	} else if old != nil {
		p.Notes = append(p.Notes, describeLesson("against a rule, which stays in its file until you remove it", old))
	}
	for _, why := range reasonsHeld(it) {
		p.Notes = append(p.Notes, "held: "+why)
	}
	if it.Why != "" {
		p.Notes = append(p.Notes, "why: "+guard.Line(it.Why))
	}
	for _, s := range it.Sources {
		at := "at an unknown time"
		if !s.At.IsZero() {
			at = s.At.UTC().Format(time.DateOnly)
		}
		note := "said in " + guard.Line(cmp.Or(s.Trace, s.Session, "a session without a name")) + ", " + at
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

func describeLesson(what string, it *index.Item) string {
	times := render.Plural(max(1, it.Hits), "once", fmt.Sprintf("%d times", it.Hits))
	return fmt.Sprintf("%s: %s %s (seen %s, last %s)", what, guard.Line(it.ID), guard.Line(it.Text), times, it.LastSeen.UTC().Format(time.DateOnly))
}

// reasonsHeld says what speaks against a lesson; nil if nothing does that the
// lesson itself shows.
func reasonsHeld(it *index.Item) (why []string) {
	if it.Origin == index.OriginExternal {
		why = append(why, "its words come from outside, such as a web page")
	}
	for _, p := range guard.Lint(it.ShownText()) {
		why = append(why, fmt.Sprintf("it reads as an order (%s): %s", p.Rule, shortText(p.Text, maxSubject)))
	}
	return why
}

// Find returns the lesson with this id.
func (LessonQueue) Find(m *repo.Memory, id string) (Subject, error) {
	places, err := FindLessons(m.Index, []string{id})
	if err != nil {
		return nil, fmt.Errorf("%q: %w", id, ErrNoProposal)
	}
	return heldLesson{m, &m.Index.Items[places[0]]}, nil
}

// State is pending in quarantine, or else what the lesson is.
func (h heldLesson) State() string {
	if h.Status == index.Quarantined {
		return Pending
	}
	return cmp.Or(guard.Line(string(h.Status)), "active")
}

// Proposal returns the lesson as it is listed.
func (h heldLesson) Proposal() Proposal { return heldProposal(h.m, h.Item) }

// Reopen makes a lesson pending again that was retired.
func (h heldLesson) Reopen() (repo.Message, error) {
	h.Change(func(it *index.Item) { it.Status = index.Quarantined })
	return lessonMessage("reopen", "+ ", h.Item), nil
}

type heldLesson struct {
	m *repo.Memory
	*index.Item
}

var errNameless = fmt.Errorf("%w: a lesson has no name, only a text", ErrInvalid)

// Reword gives the lesson another text.
func (h heldLesson) Reword(d Decision) (repo.Message, error) {
	before, edited, text := h.Text, *h.Item, guard.Line(d.Text)
	switch {
	case d.Title != "":
		return repo.Message{}, errNameless
	case text == guard.Line(before):
		return repo.Message{}, nil
	case utf8.RuneCountInString(text) > maxLesson:
		return repo.Message{}, fmt.Errorf("%w: a lesson has at most %d characters", ErrInvalid, maxLesson)
	case !edited.SetText(text):
		return repo.Message{}, fmt.Errorf("%w: the lesson says nothing", ErrInvalid)
	}
	h.Change(func(it *index.Item) { *it = edited })
	msg := lessonMessage("reword", "- ", &index.Item{ID: h.ID, Text: before})
	msg.Subject, msg.Body = "reword: "+shortText(h.Text, maxSubject), append(msg.Body, "+ "+h.Text)
	return msg, nil
}

// Approve lets a lesson in: a person stands for it now. No other active lesson may say exactly the same.
func (h heldLesson) Approve() (repo.Message, error) {
	if other := findActiveTwin(h.m.Index, h.Item); other != nil {
		return repo.Message{}, fmt.Errorf("%w: %s says exactly this already", ErrInvalid, other.ID)
	}
	h.Change(func(it *index.Item) {
		it.Status, it.Origin = index.Active, index.OriginUser
		dropDoubt(it)
	})
	msg := lessonMessage("confirm", "+ ", h.Item)
	if old := (&applier{ix: h.m.Index}).takePlace(h.Item); old != nil {
		tell(&msg, "- ", old)
	}
	return msg, nil
}

// Reject retires a lesson.
func (h heldLesson) Reject(reason string) (repo.Message, error) {
	_, msg, err := LessonChange{Verb: Retire, IDs: []string{h.ID}, Reason: reason}.Apply(h.m)
	if err != nil {
		return repo.Message{}, fmt.Errorf("retire %s: %w", h.ID, err)
	}
	return msg, nil
}

func lessonMessage(verb, mark string, it *index.Item) repo.Message {
	msg := repo.Message{Subject: verb + ": " + shortText(it.Text, maxSubject)}
	tell(&msg, mark, it)
	return msg
}

// How much is kept of what people and agents say, in characters.
const (
	maxSubject = 60
	maxReason  = 240
)

func shortText(text string, most int) string { return render.Shorten(guard.Line(text), most-1) }

// confirm lets a person stand for a lesson that helped: it is as good as their own.
func (a *applier) confirm(it *index.Item) (bool, error) {
	switch {
	case it.Status == index.Retired || it.Status == index.Superseded:
		return false, refused("%s is %s; 'mem restore' brings it back", it.ID, it.Status)
	case it.Status == index.Quarantined && findActiveTwin(a.ix, it) != nil:
		return false, refused("%s says the same as %s, which is active", it.ID, findActiveTwin(a.ix, it).ID)
	case it.Status != index.Quarantined && it.Origin == index.OriginUser && it.Confidence == "high":
		return false, nil
	}
	if it.Status == index.Quarantined {
		it.Status = index.Active
		a.addNote("%s was quarantined; sessions are shown it from now on", it.ID)
		if old := a.takePlace(it); old != nil {
			a.addNote("%s, whose place it takes, is superseded", old.ID)
		}
	}
	it.Origin, it.Confidence = index.OriginUser, "high"
	dropDoubt(it)
	return true, nil
}

// hold takes a lesson out of sight until a person has looked at it: an agent that says
// that it is wrong may be wrong itself.
func (a *applier) hold(it *index.Item) (bool, error) {
	switch it.Status {
	case index.Quarantined:
		return false, nil
	case index.Active:
	default:
		return false, refused("%s is %s, and only a person can decide about it", it.ID, it.Status)
	}
	said := index.Doubt
	if a.Session != "" {
		said += " in session " + a.Session
	}
	if a.Reason != "" {
		said += ": " + shortText(a.Reason, maxReason)
	}
	if it.Why != "" {
		said = it.Why + "; " + said
	}
	it.Status, it.Why = index.Quarantined, said
	return true, nil
}

// dropDoubt takes out what an agent had against a lesson, once a person has decided.
func dropDoubt(it *index.Item) {
	it.DropHeld()
	why, _, _ := strings.Cut(it.Why, index.Doubt)
	it.Why = strings.TrimSuffix(why, "; ")
}
