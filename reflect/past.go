package reflect

import (
	"context"
	"io/fs"
	"time"

	"mem/oracle"
	"mem/repo"
	"mem/session"
)

// Unread returns what is new in a session of the past, dated when it ended, or
// the reason why there is nothing to ask about. root may be nil: there is no
// memory yet. at is now, which no session is later than.
func Unread(root *repo.Root, s *session.Session, at time.Time) (*Reading, Reason, error) {
	file := func(string) ([]byte, error) { return nil, fs.ErrNotExist }
	var marks map[string]Mark
	if root != nil {
		file, marks = root.File, readMarks(root)
	}
	if n := len(s.Events); n > 0 {
		if end := s.Events[n-1].Time.UTC(); !end.IsZero() && end.Before(at) {
			at = end
		}
	}
	return read(file, s, marks, Options{Now: at})
}

// Tokens estimates how many tokens it takes to ask a model about a reading,
// question and answer.
func (r Reflector) Tokens(g *Reading) int {
	req := r.request(g.Events)
	return oracle.Estimate(req.System) + oracle.Estimate(req.Prompt) + req.MaxTokens
}

// Learn asks for the lessons of a reading and counts them as Apply does, so
// that nobody is asked about the same events again.
func (r Reflector) Learn(ctx context.Context, root *repo.Root, g *Reading) (Outcome, error) {
	p, reason, err := r.Ask(ctx, g)
	if err != nil || p == nil && reason != NothingToSay {
		return Outcome{Reason: reason}, err
	}
	o := Outcome{Reason: reason}
	if p != nil {
		if o, err = Apply(ctx, root, p); err != nil {
			return o, err
		}
	}
	return o, keepMark(root, g.Trace, *g.Mark)
}
