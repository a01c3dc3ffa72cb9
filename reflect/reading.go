package reflect

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo"
	"mem/trace"
)

// errReading means that a queued session is not one.
var errReading = errors.New("it cannot be read")

// A Reading is what is new in a session: all that it takes to ask for its
// lessons, clean and free of secrets, so that it can wait in the queue even if
// the session's file goes away.
type Reading struct {
	ID      string        `json:"id"` // of the reflection that it will be
	At      time.Time     `json:"at"`
	Label   string        `json:"label"`
	Agent   string        `json:"agent"`
	Session string        `json:"session,omitzero"`
	Trace   string        `json:"trace"`         // identity of the session
	Path    string        `json:"path,omitzero"` // of its file, which may be gone
	Mark    *Mark         `json:"mark"`          // how far it was read
	Events  []trace.Event `json:"events"`        // as they may be shown
	Told    []string      `json:"told,omitzero"` // what mem showed the session
}

// read returns what is new in a session, or the reason why there is nothing to
// ask about. file reads a file of the memory; also says how far sessions were
// read that had no lesson, which no commit tells.
func read(file func(string) ([]byte, error), s *trace.Session, also map[string]Mark, opts Options) (*Reading, Reason, error) {
	traces, err := readTraces(file)
	if err != nil {
		return nil, "", err
	}
	traces.further(also)
	fresh := traces.unread(s)
	if len(fresh) == 0 {
		if len(s.Events) == 0 {
			return nil, EmptySession, nil
		}
		return nil, NothingNew, nil
	}
	events := prepare(fresh)
	if !hasConversation(events) {
		return nil, EmptySession, nil
	}
	id := Identity(s)
	lines := told(s.Events)
	for i := range lines {
		lines[i] = scrub(lines[i])
	}
	return &Reading{
		ID: spanID(id, fresh), At: opts.Now, Label: opts.label(), Agent: s.Agent, Session: s.ID, Trace: id, Path: s.Path,
		Mark: markOf(s, opts.Now), Events: events, Told: lines,
	}, "", nil
}

// Defer keeps what is new in a session for a Worker, durably and free of
// secrets. It does not load the memory: what was learned before does not
// matter yet, and an agent waits. The reason says why there is nothing to keep.
func Defer(root *repo.Root, s *trace.Session, opts Options) (Reason, error) {
	g, reason, err := read(root.File, s, readMarks(root), opts)
	if err != nil || reason != "" {
		return reason, err
	}
	// In one piece from the start: a large buffer that grows is slow.
	data := bytes.NewBuffer(make([]byte, 0, 4<<10+g.size()*5/4))
	if err := json.MarshalWrite(data, g); err != nil {
		return "", fmt.Errorf("queue session: %w", err)
	}
	_, err = root.Defer(opts.Now, digest(g.Trace), data.Bytes())
	return "", err
}

// deferred returns what Defer kept under a name.
func deferred(root *repo.Root, name string) (*Reading, error) {
	data, err := root.Deferred(name)
	if err != nil {
		return nil, err
	}
	var g Reading
	if err := json.Unmarshal(data, &g); err != nil {
		return nil, fmt.Errorf("%w: %w", errReading, err)
	}
	if g.Trace == "" || g.Mark == nil || len(g.Events) == 0 {
		return nil, errReading
	}
	return &g, nil
}

// size is about how many bytes it takes to write g.
func (g *Reading) size() int {
	n := 0
	for i := range g.Events {
		e := &g.Events[i]
		n += 256 + len(e.Text) + len(e.Input) + len(e.Reason)
	}
	for _, l := range g.Told {
		n += len(l)
	}
	return n
}

// covers reports whether g holds all that an earlier reading of the same
// session does.
func (g *Reading) covers(earlier *Reading) bool {
	last := earlier.Events[len(earlier.Events)-1].ID
	return g.Trace == earlier.Trace && slices.ContainsFunc(g.Events, func(e trace.Event) bool { return e.ID == last })
}

// rest drops what was read since by another process. It returns false if that
// is all of it.
func (g *Reading) rest(t traces) bool {
	if t.knows(g.ID) || (&Pending{Trace: g.Trace, Mark: g.Mark}).stale(t) {
		return false
	}
	mark, ok := t.Marks[g.Trace]
	if !ok {
		return true
	}
	fresh := unread(&trace.Session{Events: g.Events}, mark)
	if len(fresh) < len(g.Events) && len(fresh) > 0 {
		g.ID = spanID(g.Trace, fresh)
	}
	g.Events = fresh
	return hasConversation(fresh)
}
