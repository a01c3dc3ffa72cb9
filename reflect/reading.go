package reflect

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo"
	"mem/session"
)

// errReading means that a queued session is not one.
var errReading = errors.New("it cannot be read")

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
	Mark    *Mark           `json:"mark"`          // how far it was read
	Events  []session.Event `json:"events"`        // as they may be shown
	Told    []string        `json:"told,omitzero"` // what mem showed the session
}

// read returns what is new in a session, or the reason why there is nothing to
// ask about. file reads a file of the memory; also says how far sessions were
// read that had no lesson, which no commit tells.
func read(file func(string) ([]byte, error), s *session.Session, also map[string]Mark, opts Options) (*Reading, Reason, error) {
	known, err := readTraces(file)
	if err != nil {
		return nil, "", err
	}
	known.further(also)
	g, reason := known.read(s, opts)
	return g, reason, nil
}

// read returns what is new in a session to who knows t.
func (t *traces) read(s *session.Session, opts Options) (*Reading, Reason) {
	fresh := t.unread(s)
	if len(fresh) == 0 {
		if len(s.Events) == 0 {
			return nil, EmptySession
		}
		return nil, NothingNew
	}
	events := prepare(fresh)
	if !hasConversation(events) {
		return nil, EmptySession
	}
	id := Identity(s)
	lines := told(s.Events)
	for i := range lines {
		lines[i] = scrub(lines[i])
	}
	return &Reading{
		ID: spanID(id, fresh), At: opts.Now, Label: opts.label(), Agent: s.Agent, Session: plainID(s.ID), Trace: id, Path: s.Path,
		Mark: markOf(s, opts.Now), Events: events, Told: lines,
	}, ""
}

// Defer keeps what is new in a session for a Worker, durably and free of
// secrets. It does not load the memory: what was learned before does not
// matter yet, and an agent waits. The reason says why there is nothing to keep.
func Defer(root *repo.Root, s *session.Session, opts Options) (Reason, error) {
	known, err := readTraces(root.File)
	if err != nil {
		// In a merge it holds the marks of both sides, say. Who asks about the
		// session reads it again; till then all of it is kept.
		known = traces{Marks: map[string]Mark{}}
	}
	known.further(readMarks(root))
	g, reason := known.read(s, opts)
	if reason != "" {
		return reason, nil
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
	if errors.Is(err, repo.ErrNoJob) {
		return nil, fmt.Errorf("%w: %w", errReading, err)
	}
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
	if g.Trace != earlier.Trace {
		return false
	}
	has := map[string]bool{}
	for _, e := range g.Events {
		has[e.ID] = true
	}
	return !slices.ContainsFunc(earlier.Events, func(e session.Event) bool { return !has[e.ID] })
}

// join puts before g, the job of that name, what only an earlier reading still
// has: of a long file only the end is read. It returns false if the two do not
// fit together, or would be too much for one job.
func (g *Reading) join(root *repo.Root, name string, earlier *Reading) bool {
	i := slices.IndexFunc(earlier.Events, func(e session.Event) bool { return e.ID == g.Events[0].ID })
	if i <= 0 || g.Trace != earlier.Trace {
		return false
	}
	all := *g
	all.Events = slices.Concat(earlier.Events[:i], g.Events)
	all.ID = spanID(all.Trace, all.Events)
	for _, line := range earlier.Told {
		if !slices.Contains(all.Told, line) {
			all.Told = append(slices.Clip(all.Told), line)
		}
	}
	if !all.covers(earlier) {
		return false
	}
	data, err := json.Marshal(all)
	if err == nil {
		_, err = root.Defer(repo.JobTime(name), repo.JobKey(name), data)
	}
	if err != nil {
		return false
	}
	*g = all
	return true
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
	fresh := unread(&session.Session{Events: g.Events}, mark)
	if len(fresh) < len(g.Events) && len(fresh) > 0 {
		g.ID = spanID(g.Trace, fresh)
	}
	g.Events = fresh
	return hasConversation(fresh)
}
