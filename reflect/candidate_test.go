package reflect

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/envtest"
	"mem/index"
)

// ranNext is a sighting in a session of a day that knows no cure, and ran commands next.
func ranNext(day int, line string, next string) Sighting {
	s := seen(day, "", "")
	s.Text, s.Cue.Error, s.Next = "`x` fails with `"+line+"`", "no '…'", next
	return s
}

// seen is a sighting in a session of a day, with a cure and perhaps a reason.
func seen(day int, cure, why string) Sighting {
	return Sighting{
		Trace: fmt.Sprint("claude:s", day), Reflection: fmt.Sprint("r-", day), At: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC),
		Lesson: index.Lesson{Text: fmt.Sprintf("Run `%s`, %d", cure, day), Why: why, Remedy: index.Literals{Command: cure}},
	}
}

func TestBest(t *testing.T) {
	const why, same, other = "The hook lints clones below tmp", "The hook lints clones that lie below tmp/", "The disk is full"
	for _, tt := range []struct {
		name      string
		seen      []Sighting
		text, why string
	}{
		{"one session", []Sighting{seen(1, "a", why)}, "Run `a`, 1", ""},
		{"of equals the latest", []Sighting{seen(1, "a", ""), seen(2, "b", "")}, "Run `b`, 2", ""},
		{"the cure of most, in the latest words", []Sighting{seen(1, "a", ""), seen(2, "b", ""), seen(3, "a", ""), seen(4, "c", "")}, "Run `a`, 3", ""},
		{"a reason of two sessions", []Sighting{seen(1, "a", why), seen(2, "b", other), seen(3, "a", same)}, "Run `a`, 3", same},
		{"what two of three ran next", []Sighting{ranNext(1, "no 'a'", "b; c"), ranNext(2, "no 'a'", "c"), ranNext(3, "no 'a'", "d")}, "When `x` fails with `no 'a'`, run `c`", ""},
		{"of other names", []Sighting{ranNext(1, "no 'a'", "c"), ranNext(2, "no 'b'", "c")}, "When `x` fails with `no '…'`, run `c`", ""},
		{"half of them", []Sighting{ranNext(1, "no 'a'", "c"), ranNext(2, "no 'a'", "c"), ranNext(3, "no 'a'", "d"), ranNext(4, "no 'a'", "e")}, "`x` fails with `no 'a'`", ""},
		{"two commands in both", []Sighting{ranNext(1, "no 'a'", "b; c"), ranNext(2, "no 'a'", "b; c")}, "`x` fails with `no 'a'`", ""},
		{"two reasons", []Sighting{seen(1, "a", why), seen(2, "a", other)}, "Run `a`, 2", ""},
	} {
		table := map[string]Candidate{}
		for _, s := range slices.Backward(tt.seen) {
			addSighting(table, "k", s)
		}
		got := table["k"].best()
		diff := cmp.Diff([]string{tt.text, tt.why}, []string{got.Text, got.Why})
		envtest.FailIf(t, diff != "" || table["k"].Sessions != len(tt.seen), "%s (-want +got):\n%s", tt.name, diff)
	}
}

// TestIsLesson: two sessions agree if their error names the same, or was cured by the same.
func TestIsLesson(t *testing.T) {
	for _, tt := range []struct {
		errors, cures [2]string
		want          bool
	}{
		{[2]string{"no 'a'", "no 'a'"}, [2]string{"x", "y"}, true},
		{[2]string{"no 'a'", "no 'b'"}, [2]string{"x", "x"}, true},
		{[2]string{"no 'a'", "no 'b'"}, [2]string{"x", "y"}, false},
	} {
		table := map[string]Candidate{}
		for i, cure := range tt.cures {
			s := seen(i+1, cure, "")
			s.Text = "Run `" + cure + "` before `t`: otherwise it fails with `" + tt.errors[i] + "`"
			addSighting(table, "k", s)
		}
		envtest.Same(t, tt.want, table["k"].isLesson(), tt, "IsLesson")
	}
}

// TestAdd: sessions in any order, and again, give the same table.
func TestAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.SliceOfNDistinct(rapid.IntRange(1, 28), 1, 8, rapid.ID).Draw(t, "days")
		a, b := map[string]Candidate{}, map[string]Candidate{}
		for _, day := range days {
			addSighting(a, "k", seen(day, "x", ""))
		}
		for _, day := range slices.Concat(rapid.Permutation(days).Draw(t, "others"), days) {
			addSighting(b, "k", seen(day, "x", ""))
		}
		diff := cmp.Diff(a, b)
		envtest.StopIf(t, diff != "", "%v", diff)
	})
}

// TestBound: what only one session shows goes first, the oldest first, and what a purge took words out of.
func TestBound(t *testing.T) {
	table := map[string]Candidate{}
	for day := range 20 {
		addSighting(table, "many", seen(day+1, "x", ""))
	}
	fork := table["many"].Last()
	fork.Span, fork.Trace = "deadbeef..feedbeef", "pi:a"
	addSighting(table, "fork", fork)
	fork.Trace = "pi:b"
	if c := table["many"]; addSighting(table, "fork", fork).Sessions != 1 || c.Sessions != 20 || len(c.Seen) != 8 || c.Last().Trace != "claude:s20" {
		t.Errorf("%+v, or a copy of a session is one", c)
	}
	for i := range 2100 {
		s := seen(1, "x", "")
		s.At = s.At.Add(time.Duration(i) * time.Minute)
		addSighting(table, fmt.Sprint(i), s)
	}
	addSighting(table, "purged", seen(28, "[purged]", ""))
	boundCandidates(table)
	if len(table) != 2000 || table["many"].Sessions != 20 || table["purged"].Sessions+table["0"].Sessions > 0 || table["2099"].Sessions == 0 {
		t.Errorf("%d candidates, or others than the latest", len(table))
	}
}
