package union

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
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
// were counted. Package reflect/watermark knows what it means.
type Traces struct {
	Version     int             `json:"version"`
	Marks       map[string]Mark `json:"traces"`      // by the identities of sessions
	Reflections []string        `json:"reflections"` // latest last
	Unknown     jsontext.Value  `json:",embed"`
}

// A Mark is how far a session was read.
type Mark struct {
	Last    string         `json:"last"`   // id of the last event
	At      time.Time      `json:"at"`     // of the last event; zero if it carries no time
	Events  int            `json:"events"` // seen in all
	Read    time.Time      `json:"read"`   // when
	Unknown jsontext.Value `json:",embed"`
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

// mergeTraces takes the further one of each trace, and the reflections of both.
// There is no third version to look at: what was read stays read, also if what was
// learned of it is taken back.
func mergeTraces(ours, theirs []byte) ([]byte, error) {
	if len(ours) == 0 || len(theirs) == 0 {
		return []byte(cmp.Or(string(ours), string(theirs))), nil
	}
	var sides [2]Traces
	for i, data := range [][]byte{ours, theirs} {
		t, err := ReadTraces(data)
		if errors.Is(err, ErrTraces) {
			err = fmt.Errorf("%w: %w", ErrUnsure, err)
		}
		if err != nil {
			return nil, err
		}
		sides[i] = t
	}
	o, t := sides[0], sides[1]
	for id, x := range t.Marks {
		if y, ok := o.Marks[id]; !ok || compareMarks(y, x) < 0 {
			o.Marks[id] = x
		}
	}
	o.Reflections = mergeReflections(o.Reflections, t.Reflections)
	o.Bound()
	if string(t.Unknown) > string(o.Unknown) { // members of a mem to come
		o.Unknown = t.Unknown
	}
	return o.Encode()
}

// compareMarks orders marks by how far they are.
func compareMarks(a, b Mark) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Events, b.Events), a.Read.Compare(b.Read),
		strings.Compare(a.Last, b.Last), strings.Compare(string(a.Unknown), string(b.Unknown)))
}

// mergeReflections puts what both have first, and then what one has, in an order
// that does not depend on which is which.
func mergeReflections(ours, theirs []string) []string {
	if slices.Compare(ours, theirs) > 0 {
		ours, theirs = theirs, ours
	}
	sides := map[string]int{} // 1 is ours alone, 2 theirs, 3 both
	for _, id := range ours {
		sides[id] |= 1
	}
	for _, id := range theirs {
		sides[id] |= 2
	}
	has := func(side int) func(id string) bool { return func(id string) bool { return sides[id] == side } }
	switch { // so that merging it again changes nothing
	case !slices.ContainsFunc(theirs, has(2)):
		return ours
	case !slices.ContainsFunc(ours, has(1)):
		return theirs
	}
	both := slices.DeleteFunc(slices.Clone(ours), func(id string) bool { return sides[id] != 3 })
	one := slices.DeleteFunc(slices.Sorted(maps.Keys(sides)), has(3))
	return slices.Concat(both, one)
}
