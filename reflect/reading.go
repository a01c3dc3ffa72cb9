package reflect

import (
	"slices"
	"time"

	"mem/index"
	"mem/reflect/answer"
	"mem/reflect/record"
	"mem/session"
)

// A Reading is what is new in a session: all that it takes to ask for its
// lessons, clean and free of secrets. In the queue it waits without its events if the
// session's file has them.
type Reading struct {
	Head
	record.Record
	Path         string `json:"path,omitzero"` // of the session's file, which may be gone
	SessionModel string `json:"sessionModel,omitzero"`
	Headless     bool   `json:"headless,omitzero"` // its prompts are a person's, though it ran without one
}

// mostBefore is how many events of what was asked about before stay with a reading.
const mostBefore = 100

// DropRead drops what was read since by another process. It returns false if that is all of it.
func (g *Reading) DropRead(known Traces) bool {
	if known.Covers(g.ID, g.Trace, g.Mark) {
		return false
	}
	mark, ok := known.Marks[g.Trace]
	if !ok {
		return true
	}
	fresh := eventsAfter(g.Events, mark)
	n := len(g.Events) - len(fresh)
	if n > 0 && len(fresh) > 0 {
		g.ID = spanID(g.Trace, fresh)
	}
	g.Before, g.Events = keepBefore(slices.Concat(g.Before, g.Events[:n])), g.Events[n:]
	return record.HasConversation(fresh)
}

// keepBefore returns the first words of a person, and the latest events.
func keepBefore(events []session.Event) []session.Event {
	cut := max(0, len(events)-mostBefore)
	goal := slices.IndexFunc(events[:cut], func(e session.Event) bool { return e.Kind == session.UserText && e.Origin == session.Human })
	if goal < 0 {
		return events[cut:]
	}
	return slices.Concat(events[goal:goal+1], events[cut:])
}

// ReadSession returns what known does not cover of a session, or the reason why
// there is nothing to ask about.
func ReadSession(known Traces, s *session.Session, opts Options) (*Reading, Reason) {
	s = record.MarkFetched(s, false)
	fresh := known.UnreadEvents(s)
	switch {
	case len(s.Events) == 0:
		return nil, EmptySession
	case len(fresh) == 0:
		return nil, NothingNew
	}
	old := s.Events[:slices.IndexFunc(s.Events, func(e session.Event) bool { return e.ID == fresh[0].ID })]
	r, ok := record.Make(s.Events, old, keepBefore(old), fresh)
	if !ok {
		return nil, EmptySession
	}
	id := Identity(s)
	return &Reading{
		Head:   Head{ID: spanID(id, fresh), At: opts.Now, Label: opts.label(), Agent: s.Agent, Session: PlainID(s.ID), Trace: id, Mark: newMark(s, opts.Now)},
		Record: r, Path: s.Path, SessionModel: opts.SessionModel,
	}, ""
}

// readPast is ReadSession for a session of the past, dated when it ended but not later than now.
func readPast(known Traces, s *session.Session, now time.Time) (*Reading, Reason) {
	if n := len(s.Events); n > 0 {
		if end := s.Events[n-1].Time.UTC(); !end.IsZero() && end.Before(now) {
			now = end
		}
	}
	return ReadSession(known, s, Options{Now: now})
}

// DoubtNote says why a lesson that the agent of a session notes in it is held; "" if some event
// says it. The call with which it is noted is none.
func DoubtNote(s *session.Session, text string) string {
	g, reason := ReadSession(Traces{}, s, Options{})
	if reason != "" {
		return ""
	}
	events := slices.DeleteFunc(g.Events, func(e session.Event) bool {
		return len(record.ListNoted([]session.Event{e})) > 0
	})
	stated := []index.Lesson{{Text: text}}
	_, fixes, _ := answer.Bind(answer.Answer{Fixes: stated}, 1, answer.Record{Events: events})
	if len(fixes) == 0 || fixes[0].Doubt == answer.AsOrder {
		return ""
	}
	return fixes[0].Doubt
}
