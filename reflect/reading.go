package reflect

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/repo"
	"mem/session"
	"mem/trace"
)

// A Reading holds the new part of a session: all that it takes to ask for its
// lessons, clean and free of secrets, which an oracle may be shown. In the queue it waits without its events if the
// session's file has them.
type Reading struct {
	Head
	Events  []session.Event `json:"events,omitzero"`
	Before  []session.Event `json:"before,omitzero"`  // what was asked about already: what the events answer
	Told    []string        `json:"told,omitzero"`    // what the session was shown and is not to learn from
	Outside bool            `json:"outside,omitzero"` // it had read something from outside before the events

	Path         string `json:"path,omitzero"` // of the session's file, which may be gone
	Dir          string `json:"dir,omitzero"`  // where the session began
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
		g.ID = "r-" + HashParts(g.Trace, fresh[0].ID, fresh[len(fresh)-1].ID)
	}
	g.Before, g.Events = keepLatest(slices.Concat(g.Before, g.Events[:n])), g.Events[n:]
	return hasConversation(g.Events)
}

// ReadSession returns the part of a session that known does not cover, or the reason why
// there is nothing to ask about.
func ReadSession(known Traces, s *session.Session, opts Options) (*Reading, Reason) {
	id, whole := Identity(s), *s
	s, whole.Events = &whole, s.Events[:countSettled(s.Events)]
	unread := known.findUnread(id, s)
	switch {
	case len(s.Events) == 0:
		return nil, EmptySession
	case len(unread) == 0:
		return nil, NothingNew
	}
	first, last := s.Events[unread[0]].ID, s.Events[unread[len(unread)-1]].ID
	g := &Reading{
		Head: Head{ID: "r-" + HashParts(id, first, last), At: opts.Now, Label: opts.label(), Agent: s.Agent, Session: PlainID(s.ID), Trace: id, Mark: newMark(s, opts.Now)},
		Path: s.Path, Dir: s.CWD, SessionModel: opts.SessionModel,
	}
	if g.record(s, unread); !hasConversation(g.Events) {
		return nil, EmptySession
	}
	return g, ""
}

// countSettled returns how many events of a session come before the calls still running: the last ones, maybe
// parallel, without a result. Their output is not there yet, so the next reading gets both call and result.
func countSettled(events []session.Event) int {
	n, back := len(events), map[string]bool{}
	for n > 0 && events[n-1].Kind == session.ToolResult {
		n--
		back[events[n].CallID] = true
	}
	settled := len(events)
	for n > 0 && events[n-1].Kind == session.ToolCall {
		n--
		if id := events[n].CallID; id != "" && !back[id] {
			settled = n
		}
	}
	return settled
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
		return len(listNoted([]session.Event{e})) > 0
	})
	stated := []index.Lesson{{Text: text}}
	_, fixes, _ := bind(trace.Stated{Fixes: stated}, 1, evidence{Events: events})
	if len(fixes) == 0 || fixes[0].Doubt == asOrder {
		return ""
	}
	return fixes[0].Doubt
}

// Traces are core/traces.json: how far each session was read, so that reflecting again takes only what is new.
//
// It is committed together with what was learned: no crash can separate the two. A session without a lesson makes no
// commit; this clone keeps its mark in a private note, so that no model is asked about the same events at every turn.
// Losing the note costs a question.
type Traces struct {
	facts.Traces

	last map[string]string // by the last event that was read, if no other session can have it: the identity of its session
}

// readTraces reads core/traces.json with read, which reads a file of a memory. With an error nothing counts as read; the
// file is left as it is.
func readTraces(read func(string) ([]byte, error)) (Traces, error) {
	data, err := read(repo.TracesPath)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = []byte("{}"), nil
	}
	if err != nil {
		return noTraces(), err
	}
	t, err := facts.ReadTraces(data)
	if err != nil {
		return noTraces(), fmt.Errorf("%s: %w", repo.TracesPath, err)
	}
	return newTraces(t), nil
}

func newTraces(t facts.Traces) Traces {
	f := Traces{t, map[string]string{}}
	for identity, mark := range t.Marks {
		f.take(identity, mark)
	}
	return f
}

func noTraces() Traces {
	return newTraces(facts.Traces{Version: 1, Marks: map[string]facts.Mark{}})
}

func (f *Traces) take(identity string, m facts.Mark) {
	if f.TakeMark(identity, m); facts.IsRandomID(identity, m.Last) {
		f.last[m.Last] = identity
	}
}

// TracesOf is readTraces for a root, nil if there is no memory yet, together with what this clone noted.
func TracesOf(root *repo.Root) (Traces, error) {
	if root == nil {
		return noTraces(), nil
	}
	t, err := readTraces(root.ReadTip)
	for id, mark := range repo.ReadValue[map[string]facts.Mark](root, repo.NoteMarks) {
		t.take(id, mark)
	}
	return t, err
}

// Covers reports whether a reflection was counted before, or its session was read
// at least as far as m says. An id of "" was never counted, a nil m never read.
func (f *Traces) Covers(id, identity string, m *facts.Mark) bool {
	isName := func(name string) bool { return name == id || name == facts.SightingID(id) } // versions before 4 had it as it was said
	if id != "" && slices.ContainsFunc(f.Reflections, isName) {
		return true
	}
	mark, ok := f.Marks[identity]
	return ok && m != nil && mark.Events >= m.Events && (mark.Last == m.Last || !mark.At.Before(m.At))
}

func newMark(s *session.Session, now time.Time) *facts.Mark {
	last := s.Events[len(s.Events)-1]
	return &facts.Mark{Last: last.ID, At: last.Time.UTC().Truncate(time.Millisecond), Events: len(s.Events), Read: now.UTC().Truncate(time.Millisecond)}
}

// findUnread returns the places of the events of s, the session of that identity, that were not read before. A session
// that goes on in a file of its own has the history of another one copied: what was
// read there, under whatever name, is not new here.
func (f *Traces) findUnread(identity string, s *session.Session) (places []int) {
	from := func(n int) (rest []int) {
		for i := range s.Events[n:] {
			rest = append(rest, n+i)
		}
		return rest
	}
	if mark, ok := f.Marks[identity]; ok {
		return from(len(s.Events) - len(eventsAfter(s.Events, mark)))
	}
	parent, isFork := f.Marks[s.Agent+":"+PlainID(parentID(s))]
	isFork = isFork && s.Parent != ""
	for i, e := range slices.Backward(s.Events) {
		if strings.HasPrefix(f.last[e.ID], s.Agent+":") || isFork && e.ID == parent.Last {
			return from(i + 1)
		}
	}
	if !isFork {
		return from(0)
	}
	// It left the other session at an earlier point. Events copied from there are older than the
	// session, unless the agent gave the copies new dates.
	return slices.DeleteFunc(from(0), func(i int) bool {
		at := s.Events[i].Time
		return at.Before(s.Born) && !at.Truncate(time.Millisecond).After(parent.At)
	})
}

// eventsAfter returns the events that a mark does not cover. When the event that
// was last is gone, because the agent rewrote the file, time decides.
func eventsAfter(events []session.Event, mark facts.Mark) []session.Event {
	if mark.Last == "" {
		return events
	}
	for i, e := range slices.Backward(events) {
		if e.ID == mark.Last {
			return events[i+1:]
		}
	}
	if mark.At.IsZero() {
		return events
	}
	for i, e := range events {
		if e.Time.Truncate(time.Millisecond).After(mark.At) {
			return events[i:]
		}
	}
	return nil
}

// parentID returns the id of the session that s goes on from. pi names the
// file instead, and ends its name with the id.
func parentID(s *session.Session) string {
	name, isFile := strings.CutSuffix(s.Parent, ".jsonl")
	if !isFile {
		return s.Parent
	}
	return name[strings.LastIndexAny(name, `_/\`)+1:]
}

// Identity names a session for ever, wherever its file lies.
func Identity(s *session.Session) string {
	id := PlainID(s.ID)
	if id == "" && len(s.Events) > 0 {
		id = "at-" + HashParts(s.CWD, s.Events[0].ID, s.Started.String())
	}
	return s.Agent + ":" + id
}

// PlainID is the id of a session as it may be kept and shown: an agent's own
// ids are, but a session's file may come from anywhere.
func PlainID(id string) string {
	return shortID(guard.Line(id), "id-")
}

// cleanID makes an id that came from outside safe to keep: one line, no
// secrets, not too long.
func cleanID(id string) string {
	return shortID(strings.ReplaceAll(guard.Line(id), " ", "-"), "r-")
}

// shortID returns an id, or a name for one that is too long.
func shortID(id, prefix string) string {
	if len(id) > 128 {
		return prefix + HashParts(id)
	}
	return id
}

// HashParts is a short name for a few strings.
func HashParts(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// maxNoted limits the marks kept only in this clone. A session that loses its mark is read again, by a
// model if there is one. Each new mark rewrites them all.
const maxNoted = 10_000

// NoteRead notes how far the sessions of some readings were read.
func NoteRead(root *repo.Root, read ...Head) error {
	return repo.AmendValue(root, repo.NoteMarks, func(marks map[string]facts.Mark) map[string]facts.Mark {
		if marks == nil {
			marks = map[string]facts.Mark{}
		}
		for _, h := range read {
			marks[h.Trace] = *h.Mark
		}
		facts.DropOldest(marks, maxNoted)
		return marks
	})
}
