package reflect

import (
	"time"

	"mem/oracle"
	"mem/reflect/record"
	"mem/reflect/watermark"
	"mem/repo"
	"mem/session"
)

// A Reading is what is new in a session: all that it takes to ask for its
// lessons, clean and free of secrets, so that it can wait in the queue even if
// the session's file goes away.
type Reading struct {
	ID      string          `json:"id"` // of the reflection that it will be
	At      time.Time       `json:"at"`
	Label   string          `json:"label"`
	Agent   string          `json:"agent"`
	Session string          `json:"session,omitzero"`
	Trace   string          `json:"trace"`         // identity of the session
	Path    string          `json:"path,omitzero"` // of its file, which may be gone
	Mark    *watermark.Mark `json:"mark"`          // how far it was read
	Events  []session.Event `json:"events"`        // as they may be shown
	Told    []string        `json:"told,omitzero"` // what mem showed the session
}

// ReadSession returns what known does not cover of a session, or the reason why
// there is nothing to ask about.
func ReadSession(known watermark.File, s *session.Session, opts Options) (*Reading, Reason) {
	fresh := known.UnreadEvents(s)
	if len(fresh) == 0 {
		if len(s.Events) == 0 {
			return nil, EmptySession
		}
		return nil, NothingNew
	}
	events := record.Prepare(fresh)
	if !record.HasConversation(events) {
		return nil, EmptySession
	}
	identity := watermark.Identity(s)
	shown := record.FindShown(s.Events)
	for i := range shown {
		shown[i] = record.Scrub(shown[i])
	}
	return &Reading{
		ID: watermark.SpanID(identity, fresh), At: opts.Now, Label: opts.label(), Agent: s.Agent, Session: watermark.PlainID(s.ID),
		Trace: identity, Path: s.Path, Mark: watermark.NewMark(s, opts.Now), Events: events, Told: shown,
	}, ""
}

// ReadPast is ReadSession for a session of the past, dated when it ended but not
// later than now. root may be nil: there is no memory yet.
func ReadPast(root *repo.Root, s *session.Session, now time.Time) (*Reading, Reason, error) {
	known := watermark.Empty()
	if root != nil {
		var err error
		if known, err = watermark.ReadRoot(root); err != nil {
			return nil, "", err
		}
	}
	if n := len(s.Events); n > 0 {
		if end := s.Events[n-1].Time.UTC(); !end.IsZero() && end.Before(now) {
			now = end
		}
	}
	g, reason := ReadSession(known, s, Options{Now: now})
	return g, reason, nil
}

// EstimateTokens estimates how many tokens it takes to ask a model about a
// reading, question and answer.
func (r Reflector) EstimateTokens(g *Reading) int {
	req := r.newRequest(g.Events)
	return oracle.Estimate(req.System) + oracle.Estimate(req.Prompt) + req.MaxTokens
}
