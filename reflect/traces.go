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

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/guard"
	"mem/index"
	"mem/repo"
	"mem/session"
)

// How much core/traces.json remembers. A session that fell out of it and is
// reflected on again is still recognised by its reflection ids.
const (
	maxMarks       = 500
	maxReflections = 1000
)

// A traces file is core/traces.json: how far each session was read, and which
// reflections were counted. It is committed together with what was learned,
// so that no crash can separate the two.
type traces struct {
	Version     int             `json:"version"`
	Marks       map[string]Mark `json:"traces"`
	Reflections []string        `json:"reflections"` // latest last
	Unknown     jsontext.Value  `json:",embed"`
}

// A Mark is how far a session was read.
type Mark struct {
	Last   string    `json:"last"`   // id of the last event
	At     time.Time `json:"at"`     // of the last event; zero if it carries no time
	Events int       `json:"events"` // seen in all
	Read   time.Time `json:"read"`   // when
}

// Identity names a session for ever, wherever its file lies.
func Identity(s *session.Session) string {
	id := plainID(s.ID)
	if id == "" && len(s.Events) > 0 {
		id = "at-" + digest(s.CWD, s.Events[0].ID, s.Started.String())
	}
	return s.Agent + ":" + id
}

// plainID is the id of a session as it may be kept and shown: an agent's own
// ids are, but a session's file may come from anywhere.
func plainID(id string) string {
	plain := guard.Line(id)
	if len(plain) > 128 {
		return "id-" + digest(plain)
	}
	return plain
}

// digest is a short name for a few strings.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// spanID names the reflection on these events of a trace. The same span gives
// the same name on every machine.
func spanID(identity string, events []session.Event) string {
	return "r-" + digest(identity, events[0].ID, events[len(events)-1].ID)
}

// cleanID makes an id that came from outside safe to keep: one line, no
// secrets, not too long.
func cleanID(id string) string {
	id = strings.ReplaceAll(guard.Line(id), " ", "-")
	if len(id) > 128 {
		return "r-" + digest(id)
	}
	return id
}

// readTraces reads core/traces.json with file, which reads a file of a memory.
func readTraces(file func(string) ([]byte, error)) (traces, error) {
	t := traces{Version: 1, Marks: map[string]Mark{}}
	data, err := file(repo.TracesPath)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return t, fmt.Errorf("%s: %w: %w", repo.TracesPath, ErrTraces, err)
	}
	if t.Version > 1 {
		return t, fmt.Errorf("%s: version %d: %w", repo.TracesPath, t.Version, index.ErrNewerVersion)
	}
	if t.Marks == nil {
		t.Marks = map[string]Mark{}
	}
	return t, nil
}

// ErrTraces is wrapped when core/traces.json cannot be read. It was left as
// it is.
var ErrTraces = errors.New("not a readable list of traces")

// knows reports whether the reflection was counted before.
func (t *traces) knows(id string) bool { return id != "" && slices.Contains(t.Reflections, id) }

// note records a counted reflection and how far its session was read.
func (t *traces) note(p *Pending) {
	t.Reflections = append(t.Reflections, p.ID)
	if over := len(t.Reflections) - maxReflections; over > 0 {
		t.Reflections = slices.Delete(t.Reflections, 0, over)
	}
	if p.Mark == nil {
		return
	}
	t.Marks[p.Trace] = *p.Mark
	forget(t.Marks)
}

func (t *traces) write(m *repo.Memory) error {
	data, err := json.Marshal(t, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("encode %s: %w", repo.TracesPath, err)
	}
	return m.Write(repo.TracesPath, append(data, '\n'))
}

// further takes over the marks that are further than those of t.
func (t *traces) further(marks map[string]Mark) {
	for id, mark := range marks {
		// Of a long session only the end is seen, of a rewritten one less than
		// before: there time tells more than the number of events.
		was, ok := t.Marks[id]
		if !ok || mark.At.After(was.At) || mark.At.Equal(was.At) && mark.Events > was.Events {
			t.Marks[id] = mark
		}
	}
}

func markOf(s *session.Session, now time.Time) *Mark {
	last := s.Events[len(s.Events)-1]
	return &Mark{Last: last.ID, At: last.Time.UTC(), Events: len(s.Events), Read: now.UTC()}
}

// unread returns the events of s that were not read before. A session that
// goes on in a file of its own has the history of the other one copied: what
// was read there is not new here.
func (t *traces) unread(s *session.Session) []session.Event {
	if mark, ok := t.Marks[Identity(s)]; ok || s.Parent == "" {
		return unread(s, mark)
	}
	parent, ok := t.Marks[s.Agent+":"+plainID(parentID(s))]
	if !ok {
		return s.Events
	}
	for i, e := range slices.Backward(s.Events) {
		if e.ID == parent.Last {
			return s.Events[i+1:]
		}
	}
	// It left the other one at an earlier point. What it copied from there is
	// older than itself, unless the agent dated the copy anew.
	return slices.DeleteFunc(slices.Clone(s.Events), func(e session.Event) bool {
		return e.Time.Before(s.Born) && !e.Time.After(parent.At)
	})
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

// unread returns the events that a mark does not cover. When the event that
// was last is gone, because the agent rewrote the file, time decides.
func unread(s *session.Session, mark Mark) []session.Event {
	if mark.Last == "" {
		return s.Events
	}
	for i, e := range slices.Backward(s.Events) {
		if e.ID == mark.Last {
			return s.Events[i+1:]
		}
	}
	if mark.At.IsZero() {
		return s.Events
	}
	for i, e := range s.Events {
		if e.Time.After(mark.At) {
			return s.Events[i:]
		}
	}
	return nil
}
