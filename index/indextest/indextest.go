// Package indextest draws indexes and compares them. It is for tests alone.
package indextest

import (
	"fmt"
	stdreflect "reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mem/facts"
	"mem/index"
)

// T0 is when most tests are.
var T0 = time.Date(2026, 2, 3, 4, 5, 6, 7e6, time.UTC)

// Day is T0 so many days later.
func Day(n int) time.Time { return T0.AddDate(0, 0, n) }

// whole compares everything of an index. Absent and empty lists are one.
var whole = cmp.Options{
	cmp.Exporter(func(stdreflect.Type) bool { return true }),

	cmpopts.EquateEmpty(),
}

// Apply adds a fact at a moment.
func Apply(ix *index.Index, f facts.Fact, at time.Time) []index.Change {
	f.At = at
	return facts.Add(ix, f)
}

// failer is what Diff needs of a test, of rapid's as well.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// Diff fails the test if got is not want.
func Diff(t failer, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, append(opts, whole)...); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// Load decodes an index at T0.
func Load(t testing.TB, data string) (*index.Index, index.Report) {
	t.Helper()
	ix, report, err := index.Load([]byte(data), T0)
	if err != nil {
		t.Fatalf("Load(%s): %v", data, err)
	}
	return ix, report
}

// Encode returns the bytes of an index.
func Encode(t testing.TB, ix *index.Index) string {
	t.Helper()
	data, err := ix.Encode()
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	return string(data)
}

// Record is a record of version 1 with defaults for what a test leaves out.
func Record(key, text string) index.Item {
	return index.Item{Key: key, Text: text, Kind: index.Learning, Hits: 1, Score: 1, FirstSeen: T0, LastSeen: T0}
}

// AnyTime draws a moment as an index holds it.
var AnyTime = rapid.Custom(func(t *rapid.T) time.Time {
	return T0.Add(time.Duration(rapid.IntRange(-1e6, 1e6).Draw(t, "minutes")) * time.Minute)
})

var anyStatus = rapid.SampledFrom([]index.Status{
	index.Active, index.Active, index.Active, index.Quarantined, index.Superseded, index.Retired, index.Compiled,
})

// anyItem draws a record whose key is one of a few, so that records meet.
var anyItem = rapid.Custom(func(t *rapid.T) index.Item {
	kind := rapid.SampledFrom([]index.Kind{index.Learning, index.AntiPattern}).Draw(t, "kind")
	text := fmt.Sprintf("Lesson %d", rapid.IntRange(0, 30).Draw(t, "n"))
	if kind == index.AntiPattern {
		text = index.AddAvoid(text)
	}
	it := index.Item{
		Key: index.KeyOf(text), Text: text, Kind: kind, Status: anyStatus.Draw(t, "status"),
		Hits:      rapid.IntRange(1, 5).Draw(t, "hits"),
		Score:     float64(rapid.IntRange(0, 20).Draw(t, "score")) / 4,
		FirstSeen: AnyTime.Draw(t, "first"), LastSeen: AnyTime.Draw(t, "last"),
		Pinned:   rapid.IntRange(0, 4).Draw(t, "pinned") == 0,
		Domain:   rapid.SampledFrom([]string{"", "go", "git"}).Draw(t, "domain"),
		Recurred: rapid.IntRange(0, 2).Draw(t, "recurred"),
		Tags:     rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 2).Draw(t, "tags"),
	}
	for i := range rapid.IntRange(0, 12).Draw(t, "sources") {
		it.Sources = append(it.Sources, index.Source{Session: fmt.Sprintf("s%d", i), At: AnyTime.Draw(t, "at")})
	}
	if it.LastSeen.Before(it.FirstSeen) {
		it.FirstSeen, it.LastSeen = it.LastSeen, it.FirstSeen
	}
	return it
})

// AnyIndex draws an index whose records have different ids.
var AnyIndex = rapid.Custom(func(t *rapid.T) *index.Index {
	ix := &index.Index{UpdatedAt: T0, Items: rapid.SliceOfN(anyItem, 0, 24).Draw(t, "items")}
	for i := range ix.Items {
		ix.Items[i].ID = fmt.Sprintf("m-%08x", i)
	}
	return ix
})
