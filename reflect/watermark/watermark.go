// Package watermark knows how far each session was read, so that reflecting
// again takes only what is new.
//
// A File is core/traces.json, which is committed together with what was
// learned: no crash can separate the two. A session without a lesson makes no
// commit; this clone keeps its mark in a private note, so that no model is asked
// about the same events at every turn. Losing the note costs a question.
package watermark

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"mem/facts"
	"mem/guard"
	"mem/repo"
	"mem/repo/private"
	"mem/session"
)

// A File is core/traces.json.
type File struct{ facts.Traces }

// A Mark is how far a session was read.
type Mark = facts.Mark

// ErrDamaged is wrapped when core/traces.json cannot be read. It was left as
// it is.
var ErrDamaged = facts.ErrTraces

// Empty returns the file of a memory that has read nothing.
func Empty() File { return File{facts.Traces{Version: 1, Marks: map[string]Mark{}}} }

// ReadFile reads core/traces.json with read, which reads a file of a memory.
func ReadFile(read func(string) ([]byte, error)) (File, error) {
	data, err := read(repo.TracesPath)
	if errors.Is(err, fs.ErrNotExist) {
		return Empty(), nil
	}
	if err != nil {
		return Empty(), err
	}
	t, err := facts.ReadTraces(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", repo.TracesPath, err)
	}
	return File{t}, err
}

// ReadRoot is ReadFile for a root, together with what this clone noted.
func ReadRoot(root *repo.Root) (File, error) {
	f, err := ReadFile(root.ReadTip)
	if err == nil {
		f.TakeNote(root)
	}
	return f, err
}

// Covers reports whether a reflection was counted before, or its session was read
// at least as far as m says. An id of "" was never counted, a nil m never read.
func (f *File) Covers(id, identity string, m *Mark) bool {
	isName := func(name string) bool { return name == id || name == facts.SightingID(id) } // versions before 4 had it as it was said
	if id != "" && slices.ContainsFunc(f.Reflections, isName) {
		return true
	}
	mark, ok := f.Marks[identity]
	return ok && m != nil && mark.Events >= m.Events && (mark.Last == m.Last || !mark.At.Before(m.At))
}

// takeFurther takes the marks that are further than those of f.
func (f *File) takeFurther(marks map[string]Mark) {
	for id, mark := range marks {
		// Of a long session only the end is seen, of a rewritten one less than
		// before: there time tells more than the number of events.
		was, ok := f.Marks[id]
		if !ok || mark.At.After(was.At) || mark.At.Equal(was.At) && mark.Events > was.Events {
			f.Marks[id] = mark
		}
	}
}

// NewMark returns the mark of a session that was read to its end at now.
func NewMark(s *session.Session, now time.Time) *Mark {
	last := s.Events[len(s.Events)-1]
	return &Mark{Last: last.ID, At: last.Time.UTC().Truncate(time.Millisecond), Events: len(s.Events), Read: now.UTC().Truncate(time.Millisecond)}
}

// UnreadEvents returns the events of s that were not read before. A session that
// goes on in a file of its own has the history of another one copied: what was
// read there, under whatever name, is not new here.
func (f *File) UnreadEvents(s *session.Session) []session.Event {
	if mark, ok := f.Marks[Identity(s)]; ok {
		return EventsAfter(s.Events, mark)
	}
	parent, ok := f.Marks[s.Agent+":"+PlainID(parentID(s))]
	read := map[string]bool{parent.Last: ok && s.Parent != ""}
	for id, mark := range f.Marks {
		if strings.HasPrefix(id, s.Agent+":") && facts.IsRandomID(id, mark.Last) {
			read[mark.Last] = true
		}
	}
	for i, e := range slices.Backward(s.Events) {
		if read[e.ID] {
			return s.Events[i+1:]
		}
	}
	if !ok || s.Parent == "" {
		return s.Events
	}
	// It left the other one at an earlier point. What it copied from there is
	// older than itself, unless the agent dated the copy anew.
	return slices.DeleteFunc(slices.Clone(s.Events), func(e session.Event) bool {
		return e.Time.Before(s.Born) && !e.Time.Truncate(time.Millisecond).After(parent.At)
	})
}

// EventsAfter returns the events that a mark does not cover. When the event that
// was last is gone, because the agent rewrote the file, time decides.
func EventsAfter(events []session.Event, mark Mark) []session.Event {
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
	plain := guard.Line(id)
	if len(plain) > 128 {
		return "id-" + HashParts(plain)
	}
	return plain
}

// CleanID makes an id that came from outside safe to keep: one line, no
// secrets, not too long.
func CleanID(id string) string {
	id = strings.ReplaceAll(guard.Line(id), " ", "-")
	if len(id) > 128 {
		return "r-" + HashParts(id)
	}
	return id
}

// SpanID names the reflection on these events of a session. The same span gives
// the same name on every machine.
func SpanID(identity string, events []session.Event) string {
	return "r-" + HashParts(identity, events[0].ID, events[len(events)-1].ID)
}

// HashParts is a short name for a few strings.
func HashParts(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// TakeNote takes the marks of this clone's note that are further than those of
// f. A note that cannot be read is empty.
func (f *File) TakeNote(root *repo.Root) {
	f.takeFurther(private.ReadValue[map[string]Mark](root.Area, private.NoteMarks))
}

// NoteMark notes how far a session was read.
func NoteMark(root *repo.Root, identity string, m Mark) error {
	return private.AmendValue(root.Area, private.NoteMarks, func(was map[string]Mark) map[string]Mark {
		marks := map[string]Mark{}
		maps.Copy(marks, was)
		marks[identity] = m
		facts.DropOldest(marks)
		return marks
	})
}
