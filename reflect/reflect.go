// Package reflect turns a session into lessons and counts them in a memory.
//
// The data flows in one direction:
//
//	session.Session → fresh events, cleaned and redacted → prompt → answer
//	  → lessons, each with the origin of the words behind it → Pending
//	  → one commit through repo.Root.Settle, or the root's queue
//
// Oracles are asked before the root is locked and only ever propose text.
// What counts as new is decided twice, when the session is read and again
// under the lock, so that a retry, a second process or a second machine adds
// nothing.
//
// The package also drains the queue and writes the monthly rollup. It knows
// neither git nor the command line.
package reflect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"mem/index"
	"mem/oracle"
	"mem/repo"
	"mem/session"
	"mem/trace"
)

// A Reason says why nothing was learned. The zero value means that something
// was.
type Reason string

// The reasons. They are part of the JSON output.
const (
	Disabled     Reason = "disabled"      // switched off in the configuration
	NothingNew   Reason = "nothing new"   // this session, or this reflection, is known already
	NothingToSay Reason = "no lessons"    // the oracle found nothing worth keeping
	EmptySession Reason = "empty session" // nobody said anything in it
	NoOracle     Reason = "no oracle"     // none of the configured ones could answer
	BadAnswer    Reason = "bad answer"    // the answer was unusable, after one repair too
	Spent        Reason = "budget spent"  // models may not be asked again today
)

// A Reflector reflects on sessions.
type Reflector struct {
	Oracles    []oracle.Oracle // asked in order; the first usable answer counts
	Global     bool            // lessons for all projects instead of this one
	MaxLessons int             // per side; 0 means 8
	Wait       bool            // rather leave a session for later than ask others when a budget is spent
	Warn       func(string)    // told what a person should know; nil for nobody
}

// defaultLessons is how many lessons a side one reflection brings at most.
const defaultLessons = 8

// Options are about one reflection.
type Options struct {
	Now   time.Time
	Label string // "task" or "manual"; "" is "task"
}

func (o Options) label() string { return cmp.Or(o.Label, "task") }

// A Pending reflection is complete but not yet counted.
type Pending struct {
	ID       string    `json:"id,omitzero"` // "" means that each call counts
	At       time.Time `json:"at"`
	Label    string    `json:"label"`
	Agent    string    `json:"agent,omitzero"`
	Session  string    `json:"session,omitzero"`
	Trace    string    `json:"trace,omitzero"` // identity of the trace
	Model    string    `json:"model,omitzero"` // who put the lessons into words
	Mark     *Mark     `json:"mark,omitzero"`  // how far the trace was read
	Fixes    []Lesson  `json:"fixes,omitzero"`
	Mistakes []Lesson  `json:"mistakes,omitzero"`
}

// A Lesson is one proposed mistake or fix with what supports it, and what
// was said of where it belongs: nothing if it is zero.
type Lesson struct {
	Text     string       `json:"text"`
	Origin   index.Origin `json:"origin,omitzero"`
	Span     string       `json:"span,omitzero"` // first and last supporting event
	Held     bool         `json:"held,omitzero"` // it reads like an order; a person must look at it
	Domain   string       `json:"domain,omitzero"`
	Tags     []string     `json:"tags,omitzero"`     // in their form, sorted
	Severity string       `json:"severity,omitzero"` // "high" or ""
}

// Session asks for the lessons of what is new in a session. A nil Pending
// comes with the reason why there is nothing to count.
func (r Reflector) Session(ctx context.Context, m *repo.Memory, s *session.Session, opts Options) (*Pending, Reason, error) {
	g, reason, err := read(m.Read, s, nil, opts)
	if err != nil || reason != "" {
		return nil, reason, err
	}
	return r.Ask(ctx, g)
}

// Ask asks for the lessons of a reading.
func (r Reflector) Ask(ctx context.Context, g *Reading) (*Pending, Reason, error) {
	answer, reason, err := r.ask(ctx, g.Events)
	if err != nil || reason != "" {
		return nil, reason, err
	}
	p := &Pending{
		ID: g.ID, At: g.At, Label: g.Label, Agent: g.Agent, Session: g.Session, Trace: g.Trace,
		Model: answer.model, Mark: g.Mark,
		Fixes:    heard(r.support(answer.Fixes, g.Events), g.Told, g.Events),
		Mistakes: heard(r.support(answer.Mistakes, g.Events), g.Told, g.Events),
	}
	if len(p.Fixes)+len(p.Mistakes) == 0 {
		return nil, NothingToSay, nil
	}
	return p, "", nil
}

// Question returns what Session would ask, without asking.
func (r Reflector) Question(m *repo.Memory, s *session.Session) (oracle.Request, Reason, error) {
	g, reason, err := read(m.Read, s, nil, Options{})
	if err != nil || reason != "" {
		return oracle.Request{}, reason, err
	}
	return r.request(g.Events), "", nil
}

// Finished takes lessons that somebody already extracted, such as the agent
// itself.
func (r Reflector) Finished(f *trace.Finished, opts Options) (*Pending, Reason) {
	p := &Pending{
		ID: cleanID(f.ID), At: opts.Now, Label: opts.label(), Session: cleanID(f.Session), Model: cleanID(f.Model),
		Fixes: r.support(f.Fixes, nil), Mistakes: r.support(f.Mistakes, nil),
	}
	if len(p.Fixes)+len(p.Mistakes) == 0 {
		return nil, NothingToSay
	}
	return p, ""
}

// A Counted lesson is what became of one lesson.
type Counted struct {
	ID        string       `json:"id"`
	Text      string       `json:"text"`
	Kind      index.Kind   `json:"kind"`
	Status    index.Status `json:"status"`
	Hits      int          `json:"hits"`
	New       bool         `json:"new"`
	Confirmed bool         `json:"confirmed"`
	Recurred  bool         `json:"recurred"`
}

// An Outcome is what became of a reflection.
type Outcome struct {
	Reason  Reason // "" when something was learned
	ID      string
	Lessons []Counted
	Commit  repo.Commit
	Queued  error // why it waits in the queue instead of being committed; nil if it does not
}

// Apply counts a reflection in the root, in one commit. When the root cannot
// be changed now, the reflection is queued, durably, and Outcome.Queued says
// why; a later Drain counts it.
func Apply(ctx context.Context, root *repo.Root, p *Pending) (Outcome, error) {
	var o Outcome
	commit, err := root.Settle(ctx, p.At, func(m *repo.Memory) (repo.Message, error) {
		var msg repo.Message
		var err error
		o, msg, err = p.CountInto(m)
		return msg, err
	})
	if Postponed(err) {
		return Postpone(root, p, err)
	}
	o.Commit = commit
	return o, err
}

// Postpone queues a reflection, durably, because of why. A later Drain counts
// it.
func Postpone(root *repo.Root, p *Pending, why error) (Outcome, error) {
	if err := enqueue(root, p); err != nil {
		return Outcome{}, err
	}
	return Outcome{ID: p.ID, Queued: why}, nil
}

// Postponed reports whether the same call can succeed later without anybody
// repairing anything.
func Postponed(err error) bool {
	return errors.Is(err, repo.ErrLocked) || errors.Is(err, repo.ErrBusy) || errors.Is(err, repo.ErrLost)
}

// warnf is Warn for those who need a function.
func (r Reflector) warnf(s string) { r.warn("%s", s) }

func (r Reflector) warn(format string, args ...any) {
	if r.Warn != nil {
		r.Warn(fmt.Sprintf(format, args...))
	}
}

// Numbers returns how many lessons were new and how many were known.
func (o Outcome) Numbers() (fresh, again int) {
	for _, l := range o.Lessons {
		if l.New {
			fresh++
		} else {
			again++
		}
	}
	return fresh, again
}
