package union

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
)

// How much core/traces.json holds; reflect/watermark says why.
const (
	maxTraces      = 500
	maxReflections = 1000
)

// traces is core/traces.json, as far as merging it asks for; reflect/watermark
// knows what it means.
type traces struct {
	Version     int              `json:"version"`
	Traces      map[string]trace `json:"traces"`
	Reflections []string         `json:"reflections"` // latest last
	Unknown     jsontext.Value   `json:",embed"`
}

// A trace is how far a session was read.
type trace struct {
	Last    string         `json:"last"`
	At      time.Time      `json:"at"`
	Events  int            `json:"events"`
	Read    time.Time      `json:"read"`
	Unknown jsontext.Value `json:",embed"`
}

// mergeTraces takes the further one of each trace, and the reflections of both.
// There is no third version to look at: what was read stays read, also if what was
// learned of it is taken back.
func mergeTraces(ours, theirs []byte) ([]byte, error) {
	if len(ours) == 0 || len(theirs) == 0 {
		return []byte(cmp.Or(string(ours), string(theirs))), nil
	}
	o, err := readTraces(ours)
	if err != nil {
		return nil, err
	}
	t, err := readTraces(theirs)
	if err != nil {
		return nil, err
	}
	for id, x := range t.Traces {
		if y, ok := o.Traces[id]; !ok || compareTraces(y, x) < 0 {
			o.Traces[id] = x
		}
	}
	dropOldest(o.Traces)
	o.Reflections = mergeReflections(o.Reflections, t.Reflections)
	if string(t.Unknown) > string(o.Unknown) { // members of a mem to come
		o.Unknown = t.Unknown
	}
	data, err := json.Marshal(o, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("encode traces: %w", err)
	}
	return append(data, '\n'), nil
}

func readTraces(data []byte) (t traces, err error) {
	if err := json.Unmarshal(data, &t); err != nil {
		return t, fmt.Errorf("%w: %w", ErrUnsure, err)
	}
	if t.Version > 1 {
		return t, fmt.Errorf("traces of version %d: %w", t.Version, index.ErrNewerVersion)
	}
	if t.Version = 1; t.Traces == nil {
		t.Traces = map[string]trace{}
	}
	return t, nil
}

// compareTraces orders traces by how far they are.
func compareTraces(a, b trace) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Events, b.Events), a.Read.Compare(b.Read),
		strings.Compare(a.Last, b.Last), strings.Compare(string(a.Unknown), string(b.Unknown)))
}

// dropOldest drops the traces that are too many.
func dropOldest(all map[string]trace) {
	ids := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(all[a].Read.Compare(all[b].Read), strings.Compare(a, b))
	})
	for _, id := range ids[:max(0, len(ids)-maxTraces)] {
		delete(all, id)
	}
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
	all := slices.Concat(both, one)
	return all[max(0, len(all)-maxReflections):]
}
