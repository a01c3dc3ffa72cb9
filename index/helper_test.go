package index_test

import (
	"fmt"
	stdreflect "reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mem/index"
)

var t0 = time.Date(2026, 2, 3, 4, 5, 6, 7e6, time.UTC)

func day(n int) time.Time { return t0.AddDate(0, 0, n) }

// whole compares everything of an index but the guess at its size. Absent
// and empty lists are one.
var whole = cmp.Options{
	cmp.Exporter(func(stdreflect.Type) bool { return true }),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".size" }, cmp.Ignore()),
	cmpopts.EquateEmpty(),
}

// failer is what diff needs of a test, of rapid's as well.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// diff fails the test if got is not want.
func diff(t failer, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if d := cmp.Diff(want, got, append(opts, whole)...); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func load(t testing.TB, data string) (*index.Index, index.Report) {
	t.Helper()
	ix, report, err := index.Load([]byte(data), t0)
	if err != nil {
		t.Fatalf("Load(%s): %v", data, err)
	}
	return ix, report
}

func encode(t testing.TB, ix *index.Index) string {
	t.Helper()
	data, err := ix.Encode()
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	return string(data)
}

// said is a lesson of the agent from a session.
func said(text, session string) index.Lesson {
	return index.Lesson{Text: text, Origin: index.OriginAgent, Source: index.Source{Trace: "claude:" + session, Session: session}}
}

func fixes(texts ...string) index.Reflection {
	var r index.Reflection
	for _, text := range texts {
		r.Fixes = append(r.Fixes, index.Lesson{Text: text})
	}
	return r
}

func mistakes(texts ...string) index.Reflection {
	return index.Reflection{Mistakes: fixes(texts...).Fixes}
}

// anyTime draws a moment as an index holds it.
var anyTime = rapid.Custom(func(t *rapid.T) time.Time {
	return t0.Add(time.Duration(rapid.IntRange(-1e6, 1e6).Draw(t, "minutes")) * time.Minute)
})

var anyStatus = rapid.SampledFrom([]index.Status{
	index.Active, index.Active, index.Active, index.Quarantined, index.Superseded, index.Retired, index.Compiled,
})

// anyItem draws a record whose key is one of a few, so that records meet.
var anyItem = rapid.Custom(func(t *rapid.T) index.Item {
	kind := rapid.SampledFrom([]index.Kind{index.Learning, index.AntiPattern}).Draw(t, "kind")
	text := fmt.Sprintf("Lesson %d", rapid.IntRange(0, 30).Draw(t, "n"))
	if kind == index.AntiPattern {
		text = index.Avoid(text)
	}
	it := index.Item{
		Key: index.Key(text), Text: text, Kind: kind, Status: anyStatus.Draw(t, "status"),
		Hits:      rapid.IntRange(1, 5).Draw(t, "hits"),
		Score:     float64(rapid.IntRange(0, 20).Draw(t, "score")) / 4,
		FirstSeen: anyTime.Draw(t, "first"), LastSeen: anyTime.Draw(t, "last"),
		Pinned:   rapid.IntRange(0, 4).Draw(t, "pinned") == 0,
		Domain:   rapid.SampledFrom([]string{"", "go", "git"}).Draw(t, "domain"),
		Recurred: rapid.IntRange(0, 2).Draw(t, "recurred"),
		Tags:     rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 2).Draw(t, "tags"),
	}
	for i := range rapid.IntRange(0, 12).Draw(t, "sources") {
		it.Sources = append(it.Sources, index.Source{Session: fmt.Sprintf("s%d", i), At: anyTime.Draw(t, "at")})
	}
	if rapid.Bool().Draw(t, "by") {
		it.By = map[string]index.Counts{"d4e5f6": {Hits: 1, Score: 1}}
	}
	return it
})

// anyIndex draws an index whose records have different ids.
var anyIndex = rapid.Custom(func(t *rapid.T) *index.Index {
	ix := &index.Index{UpdatedAt: t0, Items: rapid.SliceOfN(anyItem, 0, 24).Draw(t, "items")}
	for i := range ix.Items {
		ix.Items[i].ID = fmt.Sprintf("m-%08x", i)
	}
	return ix
})
