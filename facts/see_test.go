package facts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/facts"
	"mem/index"
	"mem/index/indextest"

	"mem/envtest"
)

// said is a reflection of an id with these fixes.
func said(id string, texts ...string) facts.Fact {
	f := facts.Fact{ID: id, Kind: facts.Reflection, At: t0}
	for _, text := range texts {
		f.Fixes = append(f.Fixes, index.Lesson{Text: text})
	}
	return f
}

// see adds a reflection with these lessons.
func see(ix *index.Index, at time.Time, lessons ...index.Lesson) []index.Change {
	return indextest.Apply(ix, facts.Fact{ID: fmt.Sprint("r-", at), Fixes: lessons}, at)
}

// texts are the texts of the records, in file order.
func texts(ix *index.Index) (list []string) {
	for i := range ix.Items {
		list = append(list, ix.Items[i].Text)
	}
	return list
}

func TestSee(t *testing.T) {
	ix := &index.Index{}
	f := said("r-1", "Read the log", "read  the LOG", "AVOID: x", " \ufeff")
	f.Mistakes = said("", "  Guessing   the port ", "avoid: X", "Avoid:").Fixes
	changes := indextest.Apply(ix, f, t0.Add(999*time.Microsecond))
	diff(t, "texts", []string{"Read the log", "Avoid: x", "Avoid: Guessing the port"}, texts(ix))
	diff(t, "changes", []index.Change{{Pos: 0, New: true}, {Pos: 1, New: true}, {Pos: 2, New: true}}, changes)
	want := indextest.Record("read the log", "Read the log")
	want.ID, want.Sessions, want.Sources = idOf("Read the log"), 1, []index.Source{{ID: "r-1", At: t0}}
	diff(t, "a lesson", want, ix.Items[0])
	envtest.FailIf(t, len(indextest.Apply(ix, f, day(1))) > 0 || ix.Items[0].Hits != 1, "a reflection counts twice")
	f = said("r-2", "avoid: GUESSING the port", "READ the log")
	f.Mistakes = said("", "read the log").Fixes
	diff(t, "changes", []index.Change{{Pos: 2}, {Pos: 0}, {Pos: 3, New: true}}, indextest.Apply(ix, f, day(1)))
	if it := ix.Items[0]; it.Hits != 2 || it.Score != 2.16 || it.Text != "READ the log" || !it.FirstSeen.Equal(t0) || !it.LastSeen.Equal(day(1)) || ix.Items[3].Kind != index.AntiPattern {
		t.Errorf("seen again: %+v", ix.Items)
	}
	indextest.Apply(ix, said("r-3", "read the log"), day(-2)) // by a clock that is behind
	if it := ix.Items[0]; !it.FirstSeen.Equal(day(-2)) || !it.LastSeen.Equal(day(1)) || !ix.UpdatedAt.Equal(day(1)) {
		t.Errorf("from %v to %v, updated %v", it.FirstSeen, it.LastSeen, ix.UpdatedAt)
	}
	for n := 4; n < 30; n++ {
		indextest.Apply(ix, said(fmt.Sprint("r-", n), "Avoid: x"), day(n))
	}
	if list := ix.Items[1].Sources; len(list) != 11 || list[0].ID != "r-1" || list[1].ID != "r-20" || list[10].ID != "r-29" || ix.Items[1].Hits != 27 {
		t.Errorf("%d hits, sources %+v", ix.Items[1].Hits, list)
	}
}

// TestOtherNames: what was retired is not learned anew in other punctuation, the words that a lesson once had mean
// it, and those of what became part of it; the same failure with the same cure is one lesson.
func TestOtherNames(t *testing.T) {
	ix := facts.NewLog([]facts.Fact{
		said("r-1", "Use `--force`", "Old words", "Two"), {ID: "d-1", N: 1, At: day(1), Changes: []index.Decision{
			set(idOf("Use `--force`"), "status", `"retired"`), set(idOf("Old words"), "text", `"New words"`), set(idOf("Two"), "text", `"new WORDS"`),
		}},
	}).Fold()
	indextest.Apply(ix, said("r-2", "use --force!", "OLD WORDS", "two"), day(2))
	diff(t, "texts", []string{"Use `--force`", "New words"}, texts(ix))
	envtest.FailIf(t, ix.Items[0].Hits != 2 || ix.Items[1].Hits != 3 || ix.Items[1].ID != idOf("Old words"),
		"%+v", ix.Items)
	cured := func(text, cure string) index.Lesson {
		return index.Lesson{Text: text, Cue: index.Literals{Command: "bun test", Error: "cannot find"}, Remedy: index.Literals{Command: cure}}
	}
	ix = &index.Index{}
	for i, l := range []index.Lesson{cured("Build first", "bun run build"), cured("Run the build", "bun run build"), cured("Install", "bun install"), cured("No cue", ""), cured("Nor here", "")} {
		see(ix, day(i), l)
	}
	diff(t, "texts", []string{"Build first", "Install", "No cue", "Nor here"}, texts(ix))
	ix = &index.Index{Items: []index.Item{indextest.Record("use it", "Use it"), indextest.Record("use it", "Use it")}}
	ix.Items[0].Status, ix.Items[0].ID, ix.Items[1].ID = index.Retired, "m-1", "m-2"
	see(ix, t0, index.Lesson{Text: "use it"})
	envtest.FailIf(t, ix.Items[0].Hits != 1 || ix.Items[1].Hits != 2, "not the active one gains: %+v", ix.Items)
}

func TestQuarantine(t *testing.T) {
	lesson := func(origin index.Origin, session, span string, held bool) index.Lesson {
		return index.Lesson{Text: "Use the mirror", Origin: origin, Held: held, Source: index.Source{Trace: "claude:" + session, Session: session, Span: span}}
	}
	const user, agent, external = index.OriginUser, index.OriginAgent, index.OriginExternal
	for _, tt := range []struct {
		name          string
		first, second index.Lesson
		want          index.Status
		confirmed     bool
	}{
		{"nothing to confirm", lesson(agent, "s1", "a", false), lesson(agent, "s2", "b", false), index.Active, false},
		{"outside, then another session", lesson(external, "s1", "a", false), lesson(agent, "s2", "b", false), index.Active, true},
		{"outside, then words of no event", lesson(external, "s1", "a", false), lesson(agent, "s2", "", false), index.Quarantined, false},
		{"outside, then a person elsewhere", lesson(external, "s1", "a", false), lesson(user, "s2", "b", false), index.Active, true},
		{"outside, then the same session", lesson(external, "s1", "a", false), lesson(user, "s1", "b", false), index.Quarantined, false},
		{"outside twice", lesson(external, "s1", "a", false), lesson(external, "s2", "b", false), index.Quarantined, false},
		{"outside, then no session", lesson(external, "s1", "a", false), lesson(user, "", "", false), index.Active, true},
		{"an order twice", lesson(agent, "s1", "a", true), lesson(user, "s2", "b", true), index.Quarantined, false},
		{"trusted, then outside", lesson(agent, "s1", "a", false), lesson(external, "s2", "b", false), index.Active, false},
	} {
		ix := &index.Index{}
		see(ix, t0, tt.first)
		envtest.FailIf(t, len(ix.Rank(t0)) > 0 == (tt.first.Held || tt.first.Origin == external),
			"%s: %+v at birth", tt.name, ix.Items[0])
		changes := see(ix, day(1), tt.second)
		if it := ix.Items[0]; it.Status != tt.want || it.Hits != 2 || changes[0].Confirmed != tt.confirmed || tt.confirmed && it.Origin != tt.second.Origin {
			t.Errorf("%s: %+v, %+v", tt.name, it, changes[0])
		}
	}
	for _, status := range []index.Status{index.Retired, index.Superseded, index.Compiled, index.Quarantined, "later"} { // a person decided so
		ix := facts.NewLog([]facts.Fact{said("r-1", "Use npm"), {ID: "d-1", N: 1, At: t0, Changes: []index.Decision{set(idOf("Use npm"), "status", fmt.Sprintf("%q", status))}}}).Fold()
		changes := see(ix, day(1), index.Lesson{Text: "use npm", Origin: user, Source: index.Source{Session: "s2", Span: "b"}})
		if it := ix.Items[0]; it.Status != status || it.Hits != 2 || changes[0].Confirmed || changes[0].Recurred != (status == index.Compiled) {
			t.Errorf("%s: %+v, %+v", status, it, changes)
		}
	}
}

// TestCopiedEvents: a fork has the events of the session that it was copied from.
func TestCopiedEvents(t *testing.T) {
	const a, b = "5cca58b7-0000-4000-8000-000000000001", "5cca58b7-0000-4000-8000-000000000002"
	for _, tt := range []struct {
		span, trace, again string
		hits               int
	}{
		{a, "claude:fork", a, 1}, {a + "#1", "claude:fork", a + "#1", 1}, {a + ".." + b, "claude:fork", a + "..x", 1}, {a, "claude:fork", b, 2}, {a, "claude:s1", a, 2},
		{"x1f", "codex:s2", "x1f", 2}, {"0a1b2c3d", "pi:fork", "0a1b2c3d", 1}, {"0a1b2c3d#1..5cca58b7", "pi:fork", "0a1b2c3d#1", 1}, {"0a1b2c3d", "other:s2", "0a1b2c3d", 2},
		{"message1", "pi:fork", "message1", 2}, {"", "claude:fork", "", 2},
	} {
		ix := &index.Index{}
		see(ix, t0, index.Lesson{Text: "x", Source: index.Source{Trace: "claude:s1", Session: "s1", Span: tt.span}})
		see(ix, day(1), index.Lesson{Text: "x", Source: index.Source{Trace: tt.trace, Session: tt.trace, Span: tt.again}})
		envtest.Same(t, tt.hits, ix.Items[0].Hits, tt)
	}
}

// TestFiled: gaps are filled; a person knows better, unless it is a guess about the words. What another session of a
// person, or another failure with the same cure, brings again is sure.
func TestFiled(t *testing.T) {
	ix := &index.Index{}
	for i, step := range []struct {
		l    index.Lesson
		want string
	}{
		{index.Lesson{}, " []  false"}, {index.Lesson{Domain: "coding", Tags: []string{"go"}}, "coding [go]  false"},
		{index.Lesson{Domain: "general", Tags: []string{"vi"}, Confidence: "low"}, "coding [go] low false"},
		{index.Lesson{Origin: index.OriginUser, Guessed: true, Domain: "general", Confidence: "high"}, "coding [go] low false"},
		{index.Lesson{Origin: index.OriginUser, Domain: "technical", Confidence: "high", Pinned: true}, "technical [go] high true"},
	} {
		step.l.Text = "x"
		see(ix, day(i), step.l)
		if it := ix.Items[0]; fmt.Sprint(it.Domain, " ", it.Tags, " ", it.Confidence, " ", it.Pinned) != step.want {
			t.Errorf("%+v: %+v", step, it)
		}
	}
	cue, remedy := index.Literals{Command: "make", Error: "no rule"}, index.Literals{Command: "make all"}
	from := func(session, model string) index.Source { return index.Source{Session: session, Model: model} }
	for i, tt := range []struct {
		before string
		l      index.Lesson
		want   string
	}{
		{"", index.Lesson{Origin: index.OriginUser}, "high"}, {"medium", index.Lesson{Origin: index.OriginUser}, "high"}, {"low", index.Lesson{Origin: index.OriginUser}, "low"},
		{"", index.Lesson{Origin: index.OriginUser, Source: from("s2", "heuristic")}, "high"}, {"", index.Lesson{Origin: index.OriginUser, Source: from("s1", "")}, ""},
		{"", index.Lesson{Origin: index.OriginUser, Source: from("s2", "claude")}, ""}, {"", index.Lesson{Origin: index.OriginAgent, Source: from("s2", "")}, ""},
		{"", index.Lesson{Origin: index.OriginImport}, ""}, {"", index.Lesson{Origin: index.OriginUser, Confidence: "medium"}, "medium"},
		{"", index.Lesson{Origin: index.OriginUser, Held: true}, ""}, {"", index.Lesson{Origin: index.OriginUser, Guessed: true}, "high"},
		{"", index.Lesson{Origin: index.OriginTool, Source: from("s2", "heuristic"), Cue: cue, Remedy: remedy}, "high"},
		{"", index.Lesson{Origin: index.OriginTool, Source: from("s2", "claude"), Cue: cue, Remedy: remedy}, ""},
		{"", index.Lesson{Origin: index.OriginTool, Source: from("s1", "heuristic"), Cue: cue, Remedy: remedy}, ""},
	} {
		ix, tt.l.Text = &index.Index{}, "one"
		see(ix, t0, index.Lesson{Text: "One", Confidence: tt.before, Source: from("s1", "")})
		see(ix, day(1), tt.l)
		it := ix.Items[0]
		envtest.FailIf(t, it.Confidence != tt.want || it.Hits != 2, "%d: %q, want %q", i, it.Confidence, tt.want)
	}
}

// TestReword: texts get the prefix of their kind, empty ones are left; those that become the same are one, which keeps
// the first place and id and takes what was seen last, its evidence with its confidence.
func TestReword(t *testing.T) {
	ix := facts.NewLog([]facts.Fact{{ID: "r-1", Fixes: said("", "One", "Two", "Three").Fixes, Mistakes: said("", "Four").Fixes, At: t0}}).Fold()
	ids := []string{ix.Items[0].ID, ix.Items[1].ID, ix.Items[2].ID, ix.Items[3].ID}
	joined := facts.Reword(ix, map[string]string{ids[0]: "  Avoid:  The   first ", ids[1]: " ", ids[2]: "Avoid:", ids[3]: "the fourth", "m-unknown": "x"})
	diff(t, "texts", []string{"The first", "Two", "Three", "Avoid: the fourth"}, texts(ix))
	facts.Reword(ix, map[string]string{ids[0]: "Two", ids[1]: "The first"})
	if diff(t, "swapped", []string{"Two", "The first", "Three", "Avoid: the fourth"}, texts(ix)); len(joined) > 0 {
		t.Errorf("joined %v", joined)
	}
	a, b, c := indextest.Record("a", "A"), indextest.Record("b", "B"), indextest.Record("c", "C")
	a.ID, a.Hits, a.Score, a.LastSeen, a.Confidence, a.Evidence, a.Tags = "m-a", 2, 2.16, day(1), "high", &index.Evidence{Files: 7}, []string{"x"}
	b.ID, b.FirstSeen, b.LastSeen, b.Pinned, b.Tags, b.DerivedFrom, b.Sources = "m-b", day(-5), day(2), true, []string{"y"}, []string{"m-z"}, []index.Source{{Session: "s", At: day(2)}}
	c.ID, c.Status = "m-c", index.Retired
	ix = &index.Index{Items: []index.Item{a, c, b}}
	diff(t, "joined", []facts.Joined{{Into: "m-a", From: []string{"m-b"}, Text: "Same"}}, facts.Reword(ix, map[string]string{"m-a": "same", "m-b": "Same", "m-c": "SAME"}))
	want := a
	want.Key, want.Text, want.Hits, want.Score, want.FirstSeen, want.LastSeen, want.Pinned = "same", "Same", 3, 3.16, day(-5), day(2), true
	want.Tags, want.DerivedFrom, want.Sources, want.Sessions = []string{"x", "y"}, []string{"m-b", "m-z"}, b.Sources, 1
	c.Key, c.Text = "same", "SAME"
	diff(t, "records", []index.Item{want, c}, ix.Items)
}

// TestTakeOver: what another memory counted is added once, by how much it grew; of two clones that convert the larger
// count stands where there are no sightings, and a lesson that was taken back is known.
func TestTakeOver(t *testing.T) {
	it := indextest.Record("use pnpm", "Use pnpm")
	it.ID, it.Hits = idOf("Use pnpm"), 4
	base := func(id, from string, n int64, hits int, seen ...string) facts.Fact {
		o := index.Old{Item: it}
		o.Item.Hits, o.Item.Score = hits, float64(hits)
		for _, s := range seen {
			o.Seen = append(o.Seen, index.Source{ID: s, At: t0})
		}
		return facts.Fact{ID: id, Kind: facts.Base, N: n, From: from, Old: []index.Old{o}, Taken: map[string]int{"r-9 m-gone": 2, "r-9 " + it.ID: 2}}
	}
	for name, c := range map[string]struct {
		list []facts.Fact
		hits int
	}{
		"an import, twice":      {[]facts.Fact{said("r-1", "use pnpm"), base("d-1", "cc", 2, 3), base("d-2", "cc", 3, 3)}, 4},
		"an import that grew":   {[]facts.Fact{said("r-1", "use pnpm"), base("d-1", "cc", 2, 3), base("d-2", "cc", 3, 5), base("d-3", "dd", 4, 1)}, 7},
		"two clones, version 1": {[]facts.Fact{base("d-1", "", 1, 3), base("d-2", "", 2, 5)}, 5},
		"two clones, version 3": {[]facts.Fact{base("d-1", "", 1, 2, "r-1", "r-2"), base("d-2", "", 2, 3, "r-1", "r-3", "r-4")}, 4},
		"and seen before":       {[]facts.Fact{base("d-1", "", 1, 2, "r-1", "r-2"), {ID: "r-2", Kind: facts.Reflection, N: 2, Fixes: said("", "use pnpm").Fixes}}, 2},
	} {
		ix := facts.NewLog(c.list).Fold()
		envtest.FailIf(t, len(ix.Items) != 1 || ix.Items[0].Hits != c.hits || !slices.Equal(ix.Undone, []string{"m-gone"}),
			"%s: %+v, %v", name, ix.Items, ix.Undone)
	}
	taught := []facts.Fact{said("r-1", "use pnpm"), {ID: "d-1", N: 1, Undo: []string{"r-1"}}}
	again := said("r-2", strings.ToUpper("use pnpm"))
	again.N = 2
	if u, v := facts.NewLog(taught).Fold(), facts.NewLog(append(taught, again)).Fold(); !slices.Equal(u.Undone, []string{it.ID}) || len(v.Undone) > 0 || len(v.Items) != 1 {
		t.Errorf("undone %v, learned again %v", u.Undone, v.Undone)
	}
}
