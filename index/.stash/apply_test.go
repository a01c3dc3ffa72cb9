package index_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mem/index"
	"mem/index/codec"
)

// texts are the texts of the records, in file order.
func texts(ix *index.Index) []string {
	var out []string
	for i := range ix.Items {
		out = append(out, ix.Items[i].Text)
	}
	return out
}

func TestApply(t *testing.T) {
	ix := &index.Index{}
	r := index.Reflection{
		Mistakes: []index.Lesson{said("  Guessing   the port ", "s1"), said("avoid: X", "s1")},
		Fixes:    []index.Lesson{said("Read the log", "s1"), said("read  the LOG", "s1"), said("AVOID: x", "s1"), said(" \ufeff", "s1")},
	}
	now := t0.Add(999 * time.Microsecond).In(time.FixedZone("", 7200))
	changes := ix.Apply(r, now)
	ix.Normalize()
	item := func(text string, kind index.Kind, pos, n int) index.Item {
		src := []index.Source{{ID: ix.Items[0].Sources[0].ID, N: n, Trace: "claude:s1", Session: "s1", At: t0}}
		return index.Item{
			Key: strings.ToLower(text), Text: text, Kind: kind, Hits: 1, Score: 1, FirstSeen: t0, LastSeen: t0,
			ID: ix.Items[pos].ID, Origin: index.OriginAgent, Sources: src,
		}
	}
	diff(t, "index", &index.Index{
		Version: index.Version, UpdatedAt: t0,
		Items: []index.Item{
			item("Read the log", index.Learning, 0, 0),
			item("Avoid: x", index.AntiPattern, 1, 2),
			item("Avoid: Guessing the port", index.AntiPattern, 2, 3),
		},
	}, ix)
	diff(t, "changes", []index.Change{{Pos: 0, New: true}, {Pos: 1, New: true}, {Pos: 2, New: true}}, changes)
	for _, it := range ix.Items {
		if len(it.ID) != len("m-12345678") || !strings.HasPrefix(it.ID, "m-") {
			t.Errorf("id %q", it.ID)
		}
	}
	again := &index.Index{}
	again.Apply(r, now)
	again.Normalize()
	diff(t, "the same on another machine", ix, again)
}

func TestApplyAgain(t *testing.T) {
	ix := &index.Index{}
	ix.Apply(index.Reflection{Fixes: fixes("One", "Two").Fixes, Mistakes: fixes("Three").Fixes}, t0)
	ids := []string{ix.Items[0].ID, ix.Items[1].ID, ix.Items[2].ID}
	changes := ix.Apply(index.Reflection{Fixes: fixes("avoid: THREE", "TWO", "two").Fixes, Mistakes: fixes("one").Fixes}, day(1))
	diff(t, "changes", []index.Change{{Pos: 2}, {Pos: 1}, {Pos: 3, New: true}}, changes)
	diff(t, "texts", []string{"One", "TWO", "Avoid: THREE", "Avoid: one"}, texts(ix))
	for i, want := range []struct {
		hits  int
		score float64
		kind  index.Kind
	}{{1, 1, index.Learning}, {2, 2.16, index.Learning}, {2, 2.16, index.AntiPattern}, {1, 1, index.AntiPattern}} {
		if it := ix.Items[i]; it.Hits != want.hits || it.Score != want.score || it.Kind != want.kind {
			t.Errorf("record %d: %d hits, score %v, kind %s; want %v", i, it.Hits, it.Score, it.Kind, want)
		}
	}
	for i, id := range ids {
		if ix.Items[i].ID != id {
			t.Errorf("record %d changed its id", i)
		}
	}
	if it := ix.Items[1]; !it.FirstSeen.Equal(t0) || !it.LastSeen.Equal(day(1)) {
		t.Errorf("seen first %v, last %v", it.FirstSeen, it.LastSeen)
	}
}

// A lesson is met again however long it is.
func TestApplyAgainAtAnyLength(t *testing.T) {
	ix := &index.Index{}
	for turn := range 2 {
		for n := 1; n <= 600; n++ {
			ix.Apply(fixes(fmt.Sprintf("%0*d.", n, 7)), day(turn))
		}
	}
	if len(ix.Items) != 600 {
		t.Errorf("%d lessons, want 600", len(ix.Items))
	}
	for _, it := range ix.Items {
		if it.Hits != 2 {
			t.Errorf("a lesson of %d bytes was met %d times", len(it.Text), it.Hits)
		}
	}
}

// The kind that a record was born with stays, even where the file says
// something else than the text.
func TestApplyKeepsKind(t *testing.T) {
	ix, _ := load(t, `{"version":1,"items":[{"key":"avoid: x","text":"Avoid: x","kind":"learning"},{"key":"y","text":"y","kind":"antiPattern"}]}`)
	ix.Apply(index.Reflection{Fixes: fixes("Y").Fixes, Mistakes: fixes("X").Fixes}, t0)
	for i, kind := range []index.Kind{index.Learning, index.AntiPattern} {
		if it := ix.Items[i]; it.Kind != kind || it.Hits != 2 {
			t.Errorf("record %d: kind %s, %d hits; want %s, 2", i, it.Kind, it.Hits, kind)
		}
	}
}

func TestApplyNothing(t *testing.T) {
	for _, r := range []index.Reflection{{}, fixes(""), mistakes(" ", "Avoid:", "avoid: AVOID:")} {
		ix := &index.Index{Version: 1, UpdatedAt: t0}
		if changes := ix.Apply(r, day(3)); len(changes) != 0 {
			t.Errorf("Apply(%v) = %v", r, changes)
		}
		diff(t, "index", &index.Index{Version: 1, UpdatedAt: t0}, ix)
	}
}

// UpdatedAt follows from the records: it is the newest sighting or stamp.
func TestUpdatedAt(t *testing.T) {
	ix := &index.Index{UpdatedAt: t0}
	updated := func(want time.Time) {
		t.Helper()
		if ix.Normalize(); !ix.UpdatedAt.Equal(want) {
			t.Errorf("UpdatedAt = %v, want %v", ix.UpdatedAt, want)
		}
	}
	updated(time.Time{})
	ix.Apply(fixes("x"), day(-2))
	updated(day(-2))
	ix.Apply(fixes("x"), day(-3))
	if it := ix.Items[0]; !it.FirstSeen.Equal(day(-3)) || !it.LastSeen.Equal(day(-2)) || it.Hits != 2 {
		t.Errorf("from %v to %v after %d hits", it.FirstSeen, it.LastSeen, it.Hits)
	}
	updated(day(-2))
	ix.Items[0].Change(day(1), func(it *index.Item) { it.Pinned = true })
	updated(day(1))
}

// What was retired is not learned anew with other punctuation, and the first words of
// a reworded lesson mean that lesson.
func TestApplyKnowsOtherNames(t *testing.T) {
	ix := &index.Index{}
	ix.Apply(fixes("Use `--force`", "Old words"), t0)
	ix.Apply(mistakes("asking twice"), t0)
	for i := range ix.Items {
		ix.Items[i].Status = index.Retired
	}
	ix.RewordRecords(map[string]string{ix.Items[1].ID: "New words"}, t0)
	ix.Apply(fixes("use --force!", "OLD WORDS"), day(1))
	ix.Apply(mistakes("Asking, twice."), day(1))
	diff(t, "texts", []string{"Use `--force`", "New words", "Avoid: asking twice"}, texts(ix))
	ix.Apply(fixes("asking twice"), day(2)) // the opposite of what was retired
	if len(ix.Items) != 4 {
		t.Errorf("%d records", len(ix.Items))
	}
}

// An index of a newer version stays one: changing it in memory must not make
// it writable.
// A lesson is known by what its record became part of, however often that happened: the
// old wording makes no record beside it, and two wordings of one reflection count once.
func TestApplyFollowsMerges(t *testing.T) {
	ix := &index.Index{}
	ix.Apply(fixes("one", "two", "three"), t0)
	ids := []string{ix.Items[0].ID, ix.Items[1].ID, ix.Items[2].ID}
	ix.RewordRecords(map[string]string{ids[1]: "twice", ids[2]: "twice"}, t0)
	ix.RewordRecords(map[string]string{ids[0]: "all", ids[1]: "all"}, t0.Add(time.Minute))
	ix.Apply(fixes("three", "two"), t0.Add(time.Hour))
	if len(ix.Items) != 1 || ix.Items[0].Hits != 4 {
		t.Errorf("%v, %d hits; want one record with 4", texts(ix), ix.Items[0].Hits)
	}
}

func TestNewerVersionStaysReadOnly(t *testing.T) {
	for name, change := range map[string]func(*index.Index){
		"Apply":  func(ix *index.Index) { ix.Apply(fixes("more"), t0) },
		"Reword": func(ix *index.Index) { ix.RewordRecords(map[string]string{ix.Items[0].ID: "other"}, t0) },
	} {
		ix, _ := load(t, `{"version":4,"items":[{"key":"x","text":"x","shape":"new"}]}`)
		if !ix.ReadOnly() {
			t.Fatal("version 4 is not read-only")
		}
		change(ix)
		if _, err := codec.Encode(ix); !errors.Is(err, index.ErrNewerVersion) {
			t.Errorf("after %s: Encode = %v, want %v", name, err, index.ErrNewerVersion)
		}
	}
}

// TestHeldLater has a person decide about what was held after its birth, whatever other
// sessions say.
func TestHeldLater(t *testing.T) {
	ix := &index.Index{}
	ix.Apply(index.Reflection{ID: "r-1", Fixes: []index.Lesson{{Text: "Use npm", Origin: index.OriginAgent, Source: index.Source{Session: "s1", Span: "1..2"}}}}, t0)
	ix.Items[0].Change(t0, func(it *index.Item) { it.Status = index.Quarantined })
	again := index.Lesson{Text: "Use npm", Origin: index.OriginUser, Source: index.Source{Session: "s2", Span: "3..4"}}
	changes := ix.Apply(index.Reflection{ID: "r-2", Fixes: []index.Lesson{again}}, t0.Add(time.Hour))
	if it := ix.Items[0]; it.Status != index.Quarantined || it.Hits != 2 || changes[0].Confirmed {
		t.Errorf("status %q, %d hits, confirmed %t", it.Status, it.Hits, changes[0].Confirmed)
	}
}

func TestQuarantine(t *testing.T) {
	lesson := func(origin index.Origin, session string, held bool) index.Lesson {
		l := said("Use the mirror", session)
		l.Origin, l.Held, l.Source.Span = origin, held, "e-"+session
		return l
	}
	nowhere := lesson(index.OriginAgent, "s2", false)
	nowhere.Source.Span = ""
	for _, tt := range []struct {
		name          string
		first, second index.Lesson
		want          index.Status
		confirmed     bool
	}{
		{"nothing to confirm", lesson(index.OriginAgent, "s1", false), lesson(index.OriginAgent, "s2", false), index.Active, false},
		{"outside, then another session", lesson(index.OriginExternal, "s1", false), lesson(index.OriginAgent, "s2", false), index.Active, true},
		{"outside, then words of no event", lesson(index.OriginExternal, "s1", false), nowhere, index.Quarantined, false},
		{"outside, then a person elsewhere", lesson(index.OriginExternal, "s1", false), lesson(index.OriginUser, "s2", false), index.Active, true},
		{"outside, then the same session", lesson(index.OriginExternal, "s1", false), lesson(index.OriginUser, "s1", false), index.Quarantined, false},
		{"outside twice", lesson(index.OriginExternal, "s1", false), lesson(index.OriginExternal, "s2", false), index.Quarantined, false},
		{"outside, then no session", lesson(index.OriginExternal, "s1", false), lesson(index.OriginUser, "", false), index.Active, true},
		{"an order twice", lesson(index.OriginAgent, "s1", true), lesson(index.OriginUser, "s2", true), index.Quarantined, false},
		{"trusted, then outside", lesson(index.OriginAgent, "s1", false), lesson(index.OriginExternal, "s2", false), index.Active, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ix := &index.Index{}
			ix.Apply(index.Reflection{Fixes: []index.Lesson{tt.first}}, t0)
			if born, want := ix.Items[0].Status == index.Quarantined, tt.first.Held || tt.first.Origin == index.OriginExternal; born != want {
				t.Errorf("quarantined at birth: %t, want %t", born, want)
			}
			if len(ix.Rank(t0)) > 0 && ix.Items[0].Status != index.Active {
				t.Error("a quarantined record is ranked")
			}
			changes := ix.Apply(index.Reflection{Fixes: []index.Lesson{tt.second}}, day(1))
			it := ix.Items[0]
			if it.Status != tt.want || it.Hits != 2 || changes[0].Confirmed != tt.confirmed {
				t.Errorf("status %q, %d hits, confirmed %t; want %q, 2, %t", it.Status, it.Hits, changes[0].Confirmed, tt.want, tt.confirmed)
			}
			if tt.confirmed && it.Origin != tt.second.Origin {
				t.Errorf("origin %q, want that of the confirmation, %q", it.Origin, tt.second.Origin)
			}
		})
	}
}

// agents.md M5: a fork has the events of the session that it was copied from.
func TestApplyCountsCopiedEventsOnce(t *testing.T) {
	const a, b, c = "5cca58b7-0000-4000-8000-000000000001", "5cca58b7-0000-4000-8000-000000000002", "5cca58b7-0000-4000-8000-000000000003"
	from := func(trace, span string) index.Reflection {
		l := said("Use the mirror", trace)
		l.Source.Trace, l.Source.Span = trace, span
		return index.Reflection{Fixes: []index.Lesson{l}}
	}
	for _, tt := range []struct {
		name, span, trace, again string
		hits                     int
	}{
		{"the same event", a, "claude:fork", a, 1},
		{"part of an event", a + "#1", "claude:fork", a + "#1", 1},
		{"the same and more", a + ".." + b, "claude:fork", a + ".." + c, 1},
		{"another event", a, "claude:fork", b, 2},
		{"the same session, which was read before", a, "claude:s1", a, 2},
		{"an id that says what was said", "x1f", "codex:s2", "x1f", 2},
		{"an id of pi", "0a1b2c3d", "pi:fork", "0a1b2c3d", 1},
		{"part of an event of pi", "0a1b2c3d#1..5cca58b7", "pi:fork", "0a1b2c3d#1", 1},
		{"such an id elsewhere", "0a1b2c3d", "other:s2", "0a1b2c3d", 2},
		{"no hex", "message1", "pi:fork", "message1", 2},
		{"no event", "", "claude:fork", "", 2},
	} {
		ix := &index.Index{}
		ix.Apply(from("claude:s1", tt.span), t0)
		ix.Apply(from(tt.trace, tt.again), day(1))
		if got := ix.Items[0].Hits; got != tt.hits {
			t.Errorf("%s: %d hits, want %d", tt.name, got, tt.hits)
		}
	}
}

func TestStatusStays(t *testing.T) {
	for _, status := range []index.Status{index.Retired, index.Superseded, index.Compiled, "from the future"} {
		ix := &index.Index{}
		ix.Apply(fixes("x"), t0)
		ix.Items[0].Status = status
		for n := 1; n <= 3; n++ {
			changes := ix.Apply(fixes("X"), day(n))
			recurred := 0
			if status == index.Compiled {
				recurred = n
			}
			if it := ix.Items[0]; it.Status != status || it.Hits != n+1 || it.Recurred != recurred || changes[0].Recurred != (recurred > 0) {
				t.Errorf("%s after %d sightings: %+v, %+v", status, n+1, it, changes[0])
			}
		}
		if len(ix.Rank(t0)) != 0 {
			t.Errorf("a record of status %q is ranked", status)
		}
	}
}

func TestSourcesKeepFirstAndLatest(t *testing.T) {
	ix := &index.Index{}
	var before []index.Source
	for n := range 25 {
		ix.Apply(index.Reflection{Fixes: []index.Lesson{said("x", fmt.Sprintf("s%02d", n))}}, day(n))
		sources := ix.Items[0].Sources
		want := []string{"s00"}
		for i := max(1, n-8); i <= n; i++ {
			want = append(want, fmt.Sprintf("s%02d", i))
		}
		var got []string
		for _, s := range sources {
			got = append(got, s.Session)
		}
		diff(t, "sources", want, got)
		if !sources[len(sources)-1].At.Equal(day(n)) {
			t.Errorf("the latest source is of %v", sources[len(sources)-1].At)
		}
		before = slices.Clone(sources)
	}
	c := ix.Clone()
	c.Apply(index.Reflection{Fixes: []index.Lesson{said("x", "more")}}, day(30))
	diff(t, "sources of the index that was cloned", before, ix.Items[0].Sources)
	if ix.Items[0].By != nil || ix.Items[0].Hits != 25 {
		t.Error("changing the clone changed the original")
	}
}

// A reflection counts once, by its id; one without an id each time.
func TestApplyCountsAReflectionOnce(t *testing.T) {
	ix := &index.Index{}
	hits := func(r index.Reflection, now time.Time, want int) {
		t.Helper()
		ix.Apply(r, now)
		if got := ix.Items[0].Hits; got != want {
			t.Errorf("%d hits, want %d", got, want)
		}
	}
	named := index.Reflection{ID: "r-1f9c2a7e03bb", Fixes: fixes("x").Fixes}
	hits(named, t0, 1)
	hits(named, day(1), 1)
	hits(fixes("x"), day(2), 2)
	hits(fixes("x"), day(2), 3)
	odd := index.Reflection{ID: "no line can hold\nthis", Fixes: fixes("x").Fixes}
	hits(odd, day(3), 4)
	hits(odd, day(4), 4)
	if id := ix.Items[0].Sources[3].ID; len(id) != len(named.ID) {
		t.Errorf("a sighting is called %q", id)
	}
}

// A copy of the model in the document: counting one text at a time.
func TestApplyLaws(t *testing.T) {
	words := rapid.SampledFrom([]string{"a", "A", " a ", "b", "Avoid: a", "avoid:B", "", "c  d", "C\u00a0D", "Avoid:"})
	rapid.Check(t, func(t *rapid.T) {
		ix := anyIndex.Draw(t, "index")
		before := ix.Clone()
		r := index.Reflection{
			Fixes:    fixes(rapid.SliceOfN(words, 0, 6).Draw(t, "fixes")...).Fixes,
			Mistakes: fixes(rapid.SliceOfN(words, 0, 6).Draw(t, "mistakes")...).Fixes,
		}
		want := map[string]bool{}
		for _, l := range r.Fixes {
			if index.SaysAvoid(l.Text) {
				l.Text = index.AddAvoid(l.Text)
			}
			want[index.KeyOf(l.Text)] = true
		}
		for _, l := range r.Mistakes {
			want[index.KeyOf(index.AddAvoid(l.Text))] = true
		}
		delete(want, "")
		changes := ix.Apply(r, t0)
		if len(changes) != len(want) {
			t.Fatalf("%d changes for %d keys", len(changes), len(want))
		}
		touched := map[int]bool{}
		for _, c := range changes {
			if touched[c.Pos] || !want[ix.Items[c.Pos].Key] || c.New != (c.Pos >= len(before.Items)) {
				t.Fatalf("change %+v of %q", c, ix.Items[c.Pos].Key)
			}
			touched[c.Pos] = true
		}
		ids := map[string]bool{}
		for i, it := range ix.Items {
			if ids[it.ID] {
				t.Fatalf("id %s twice", it.ID)
			}
			ids[it.ID] = true
			switch {
			case i >= len(before.Items):
			case !touched[i]:
				diff(t, "a record that was not seen", before.Items[i], it)
			case it.ID != before.Items[i].ID || it.Key != before.Items[i].Key || it.Kind != before.Items[i].Kind || it.Hits != before.Items[i].Hits+1:
				t.Fatalf("record %d went from %+v to %+v", i, before.Items[i], it)
			}
		}
	})
}

func TestApplyPrefersTheActiveRecord(t *testing.T) {
	ix := &index.Index{Items: []index.Item{
		{Key: "use it", Text: "Use it", Kind: index.Learning, Hits: 1, Score: 1, ID: "m-00000001", Status: index.Retired},
		{Key: "use it", Text: "Use it", Kind: index.Learning, Hits: 1, Score: 1, ID: "m-00000002"},
	}}
	ix.Apply(index.Reflection{Fixes: []index.Lesson{{Text: "use it"}}}, t0)
	if ix.Items[0].Hits != 1 || ix.Items[1].Hits != 2 {
		t.Errorf("hits = %d and %d, want the active one to gain", ix.Items[0].Hits, ix.Items[1].Hits)
	}
}

func TestApplyFilesLessons(t *testing.T) {
	ix := &index.Index{}
	see := func(l index.Lesson) index.Item {
		ix.Apply(index.Reflection{Fixes: []index.Lesson{l}}, day(0))
		it := ix.Items[0]
		return index.Item{Domain: it.Domain, Tags: it.Tags, Confidence: it.Confidence, Severity: it.Severity, Pinned: it.Pinned}
	}
	for _, step := range []struct {
		name string
		l    index.Lesson
		want index.Item
	}{
		{"nothing said", index.Lesson{Text: "x"}, index.Item{}},
		{"gaps are filled", index.Lesson{Text: "x", Domain: "coding", Tags: []string{"go", "test"}}, index.Item{Domain: "coding", Tags: []string{"go", "test"}}},
		{"and stay so", index.Lesson{Text: "x", Domain: "general", Tags: []string{"vi"}, Confidence: "low"},
			index.Item{Domain: "coding", Tags: []string{"go", "test"}, Confidence: "low"}},
		{"a guess about a person's words too", index.Lesson{Text: "x", Origin: index.OriginUser, Guessed: true, Domain: "general", Tags: []string{"vi"}, Confidence: "high"},
			index.Item{Domain: "coding", Tags: []string{"go", "test"}, Confidence: "low"}},
		{"but a person knows better", index.Lesson{Text: "x", Origin: index.OriginUser, Domain: "technical", Confidence: "high", Severity: "high", Pinned: true},
			index.Item{Domain: "technical", Tags: []string{"go", "test"}, Confidence: "high", Severity: "high", Pinned: true}},
	} {
		diff(t, step.name, step.want, see(step.l), cmpopts.IgnoreUnexported(index.Item{}))
	}
}

// The same failure with the same cure is one lesson, however it is worded; with another
// cure it is another.
func TestSameCueIsAHit(t *testing.T) {
	ix := &index.Index{}
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	learn := func(text, cure string) {
		at = at.Add(time.Hour)
		ix.Apply(index.Reflection{Fixes: []index.Lesson{{
			Text: text, Cue: index.Literals{Command: "bun test", Error: "cannot find module '…'"}, Remedy: index.Literals{Command: cure}, Why: "why " + text,
		}}}, at)
	}
	learn("Build first", "bun run build")
	learn("Run the build before the tests", "bun run build")
	learn("Install first", "bun install")
	learn("No cue for this", "")
	learn("Nor for this", "")
	var got []string
	for _, it := range ix.Items {
		got = append(got, fmt.Sprintf("%s %d %s", it.Text, it.Hits, it.Why))
	}
	want := []string{"Build first 2 why Build first", "Install first 1 why Install first", "No cue for this 1 why No cue for this", "Nor for this 1 why Nor for this"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestConfirm: what another session of a person, or another failure with
// the same cure, brings again is held for sure; what a model or an agent says again is not.
func TestConfirm(t *testing.T) {
	cured := func(l *index.Lesson) {
		l.Cue, l.Remedy = index.Literals{Command: "make", Error: "no rule"}, index.Literals{Command: "make all"}
	}
	for _, tt := range []struct {
		name, before, session, model string
		origin                       index.Origin
		change                       func(*index.Lesson)
		want                         string
	}{
		{name: "a person", origin: index.OriginUser, want: "high"},
		{name: "a person, of what was medium", before: "medium", origin: index.OriginUser, want: "high"},
		{name: "a person, in a session", origin: index.OriginUser, session: "s2", model: "heuristic", want: "high"},
		{name: "in the same session", origin: index.OriginUser, session: "s1", want: ""},
		{name: "a model", origin: index.OriginUser, session: "s2", model: "claude", want: ""},
		{name: "an agent", origin: index.OriginAgent, session: "s2", want: ""},
		{name: "a file", origin: index.OriginImport, want: ""},
		{name: "only noted", before: "low", origin: index.OriginUser, want: "low"},
		{name: "a person says how sure", origin: index.OriginUser, change: func(l *index.Lesson) { l.Confidence = "medium" }, want: "medium"},
		{name: "held", origin: index.OriginUser, change: func(l *index.Lesson) { l.Held = true }, want: ""},
		{name: "filed by its words", origin: index.OriginUser, change: func(l *index.Lesson) { l.Guessed = true }, want: "high"},
		{name: "cured again", origin: index.OriginTool, session: "s2", model: "heuristic", change: cured, want: "high"},
		{name: "cured, says a model", origin: index.OriginTool, session: "s2", model: "claude", change: cured, want: ""},
		{name: "cured, in the same session", origin: index.OriginTool, session: "s1", model: "heuristic", change: cured, want: ""},
	} {
		ix := &index.Index{}
		ix.Apply(index.Reflection{Fixes: []index.Lesson{{Text: "One", Confidence: tt.before, Source: index.Source{Session: "s1"}}}}, t0)
		l := index.Lesson{Text: "one", Origin: tt.origin, Source: index.Source{Session: tt.session, Model: tt.model}}
		if tt.change != nil {
			tt.change(&l)
		}
		ix.Apply(index.Reflection{Fixes: []index.Lesson{l}}, day(1))
		if it := ix.Items[0]; it.Confidence != tt.want || it.Hits != 2 {
			t.Errorf("%s: confidence %q, want %q", tt.name, it.Confidence, tt.want)
		}
	}
}
