package facts

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
)

// How much core/traces.json holds. A session that fell out of it and is reflected on
// again is still recognised by its reflection ids.
const (
	maxMarks       = 500
	maxReflections = 1000
)

// Traces is core/traces.json: how far each session was read, and which reflections
// were counted. Package reflect knows what it means.
type Traces struct {
	Version     int             `json:"version"`
	Marks       map[string]Mark `json:"traces"`      // by the identities of sessions
	Reflections []string        `json:"reflections"` // latest last
	Unknown     jsontext.Value  `json:",embed"`
}

// ErrTraces is wrapped when core/traces.json cannot be read.
var ErrTraces = errors.New("not a readable list of traces")

// ReadTraces decodes core/traces.json. What a newer version wrote wraps
// index.ErrNewerVersion.
func ReadTraces(data []byte) (t Traces, err error) {
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &t); err != nil {
		return t, fmt.Errorf("%w: %w", ErrTraces, err)
	}
	if t.Version > 1 {
		return t, fmt.Errorf("version %d: %w", t.Version, index.ErrNewerVersion)
	}
	if t.Version = 1; t.Marks == nil {
		t.Marks = map[string]Mark{}
	}
	return t, nil
}

// Encode returns core/traces.json.
func (t Traces) Encode() ([]byte, error) {
	data, err := json.Marshal(t, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("encode traces: %w", err)
	}
	return append(data, '\n'), nil
}

// Bound drops what is too much, oldest first.
func (t *Traces) Bound() {
	DropOldest(t.Marks)
	t.Reflections = t.Reflections[max(0, len(t.Reflections)-maxReflections):]
}

// DropOldest drops the marks that are too many, oldest first.
func DropOldest(marks map[string]Mark) {
	if len(marks) <= maxMarks {
		return
	}
	oldest := slices.SortedFunc(maps.Keys(marks), func(a, b string) int {
		return cmp.Or(marks[a].Read.Compare(marks[b].Read), cmp.Compare(a, b))
	})
	for _, id := range oldest[:len(oldest)-maxMarks] {
		delete(marks, id)
	}
}

// Read adds what a fact says of how far sessions were read, also if it counts no longer: what was read stays read.
// Of two marks of a session the further one stands.
func (t *Traces) Read(f Fact) {
	if f.Kind == Reflection && !slices.Contains(t.Reflections[max(0, len(t.Reflections)-maxReflections):], f.ID) {
		t.Reflections = append(t.Reflections, f.ID)
	}
	t.Reflections = append(t.Reflections, f.Read...)
	if f.Mark != nil {
		t.TakeMark(f.Trace, *f.Mark)
	}
	for _, trace := range slices.Sorted(maps.Keys(f.Marks)) {
		t.TakeMark(trace, f.Marks[trace])
	}
}

// TakeMark notes how far a session was read, unless it was read further.
func (t *Traces) TakeMark(trace string, m Mark) {
	m.At, m.Read = m.At.Truncate(time.Millisecond), m.Read.Truncate(time.Millisecond) // as the fact has it
	// Of a long session only the end is seen, of a rewritten one less than before: there time tells
	// more than the number of events.
	if was, ok := t.Marks[trace]; !ok || m.At.After(was.At) || m.At.Equal(was.At) && m.Events >= was.Events {
		t.Marks[trace] = m
	}
}

// Traces returns how far the facts say that sessions were read.
func (l *Log) Traces() Traces {
	t := Traces{Version: 1, Marks: map[string]Mark{}}
	for _, f := range l.facts {
		t.Read(f)
	}
	t.Bound()
	return t
}
