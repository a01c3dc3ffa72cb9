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
		g.ID = spanID(g.Trace, fresh[0].ID, fresh[len(fresh)-1].ID)
	}
	g.Pass(n)
	return record.HasConversation(fresh)
}

// ReadSession returns what known does not cover of a session, or the reason why
// there is nothing to ask about.
func ReadSession(known Traces, s *session.Session, opts Options) (*Reading, Reason) {
	id := Identity(s)
	unread := known.findUnread(id, s)
	switch {
	case len(s.Events) == 0:
		return nil, EmptySession
	case len(unread) == 0:
		return nil, NothingNew
	}
	first, last := s.Events[unread[0]].ID, s.Events[unread[len(unread)-1]].ID
	g := &Reading{
		Head: Head{ID: spanID(id, first, last), At: opts.Now, Label: opts.label(), Agent: s.Agent, Session: PlainID(s.ID), Trace: id, Mark: newMark(s, opts.Now)},
		Path: s.Path, SessionModel: opts.SessionModel,
	}
	var ok bool
	if g.Record, ok = record.Make(s, unread); !ok {
		return nil, EmptySession
	}
	return g, ""
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
