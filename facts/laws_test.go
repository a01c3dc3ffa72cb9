package facts_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/index/indextest"
	"mem/render"
)

var (
	t0   = indextest.T0
	day  = indextest.Day
	diff = indextest.Diff
	long = strings.Repeat("Wait for the queue to drain before the next one is filled. ", 6)
)

// saidTexts are few, so that lessons repeat; from 20 to 400 characters.
var saidTexts = []string{"Use pnpm for all of it", "use pnpm  for ALL of it", "Avoid: guessing the port", "guessing the port", "Run pnpm, not npm, here", long, long + "Or not.", ""}

func idOf(text string) string { return index.BaseID(index.KeyOf(text)) }

// set is a decision that sets a member.
func set(id, name, value string) index.Decision {
	return index.Decision{Of: id, Set: jsontext.Value(fmt.Sprintf(`{%q:%s}`, name, value))}
}

func anyDecision(t *rapid.T) index.Decision {
	ids := rapid.SampledFrom([]string{idOf(saidTexts[0]), idOf(saidTexts[2]), idOf(saidTexts[4]), idOf(long), "m-00000000"})
	d := index.Decision{Of: ids.Draw(t, "of")}
	switch rapid.IntRange(0, 9).Draw(t, "decision") {
	case 0:
		d.Gone = true
	case 1:
		d.Into = ids.Draw(t, "into")
	case 2:
		d.Hits, d.Add, d.Seen = 2, 1.5, day(3)
	case 3, 4:
		d.Set = jsontext.Value(fmt.Sprintf(`{"status":"superseded","supersededBy":%q}`, ids.Draw(t, "by")))
	case 5, 6:
		d = set(d.Of, "text", fmt.Sprintf("%q", rapid.SampledFrom(saidTexts[:7]).Draw(t, "text")))
	default:
		d = set(d.Of, "status", rapid.SampledFrom([]string{`"retired"`, `""`, `"compiled"`}).Draw(t, "status"))
	}
	return d
}

// anyFact draws a fact; names are those of facts that it may undo.
func anyFact(t *rapid.T, i int, names []string, fold bool) facts.Fact {
	f := facts.Fact{ID: fmt.Sprintf("d-%012d", i), Kind: facts.Decision}
	kind := rapid.IntRange(0, 9).Draw(t, "kind")
	switch {
	case kind < 5:
		f.ID, f.Kind, f.Label, f.Trace = fmt.Sprintf("r-%012d", i), facts.Reflection, "task", fmt.Sprint("pi:s", i%4)
		f.Session, f.Mark = f.Trace, &facts.Mark{Last: "e", Events: i, Read: day(i)}
		for range rapid.IntRange(1, 3).Draw(t, "lessons") {
			l := index.Lesson{Text: rapid.SampledFrom(saidTexts).Draw(t, "text"), Source: index.Source{Trace: f.Trace, Session: f.Session, Span: "a..b"}}
			l.Origin = rapid.SampledFrom([]index.Origin{index.OriginUser, index.OriginAgent, index.OriginExternal}).Draw(t, "origin")
			if rapid.IntRange(0, 3).Draw(t, "cue") == 0 {
				l.Cue, l.Remedy = index.Literals{Command: "make", Error: "no rule"}, index.Literals{Command: "make all"}
			}
			side := &f.Fixes
			if rapid.Bool().Draw(t, "mistake") {
				side = &f.Mistakes
			}
			*side = append(*side, l)
		}
	case kind == 5:
		f.Kind, f.From = facts.Base, "other"
		it := indextest.Record(index.KeyOf(long), long)
		it.Hits, it.Score = rapid.IntRange(1, 4).Draw(t, "hits"), 2
		f.Old = []index.Old{{Item: it}}
	case kind == 6 && fold && len(names) > 0:
		f.Undo = []string{rapid.SampledFrom(names).Draw(t, "undo")}
	case kind == 7 && fold && len(names) > 0:
		f.Redo = []string{rapid.SampledFrom(names).Draw(t, "redo")}
	case kind == 8:
		f.Kind, f.Notes = facts.Edit, []facts.Note{{Day: "2026-02-03", Text: fmt.Sprint("## Note ", rapid.IntRange(0, 2).Draw(t, "note"))}}
	default:
		f.Changes = slices.Repeat([]index.Decision{{}}, rapid.IntRange(1, 3).Draw(t, "changes"))
		for i := range f.Changes {
			f.Changes[i] = anyDecision(t)
		}
	}
	return f
}

// anyLog draws what clones wrote whose clocks are an hour off, stand still, or are in 2106; the last is one that can be added.
func anyLog(t *rapid.T) (list []facts.Fact) {
	start := rapid.SampledFrom([]time.Time{t0, time.Date(2106, 2, 7, 6, 28, 15, 0, time.UTC)}).Draw(t, "start")
	var names []string
	n, last := int64(0), rapid.IntRange(0, 9).Draw(t, "facts")
	for i := range last + 1 {
		f := anyFact(t, i, names, i < last)
		names = append(names, f.ID)
		f.At = start.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "hour")) * time.Hour)
		n = max(n+1, f.At.UnixMilli())
		f.N = n
		list = append(list, f)
	}
	return list
}

// views are all that follows from a log, as files.
func views(t envtest.TB, l *facts.Log) map[string]string {
	t.Helper()
	data, err := l.Fold().Encode()
	traces, err2 := l.Traces().Encode()
	err = errors.Join(err, err2)
	envtest.NoError(t, err)
	all := map[string]string{"index": string(data), "traces": string(traces)}
	for name, data := range l.Journal().Files() {
		all[name] = string(data)
	}
	return all
}

// TestFoldLaws: facts come in any order, some twice, through files; those that count make the same bytes. A fact that
// comes last is added to what the others make, read from a file. Each lesson that another superseded leads to one
// that is not. What is undone is as if it had never been, but is known; what is redone is as it was.
func TestFoldLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := anyLog(t)
		want := views(t, facts.NewLog(list))
		var arrived []facts.Fact
		for i, f := range rapid.Permutation(slices.Concat(list, list[:len(list)/2])).Draw(t, "order") {
			path, data, err := f.Encode()
			envtest.NoError(t, err)
			again, err := facts.Decode(path, data)
			if path2, data2, _ := again.Encode(); err != nil || path2 != path || !bytes.Equal(data, data2) {
				t.Fatalf("%d: %v, %s:\n%s%s", i, err, path, data, data2)
			}
			arrived = append(arrived, again)
		}
		diff(t, "in another order", want, views(t, facts.NewLog(arrived)))

		before, last := facts.NewLog(list[:len(list)-1]), list[len(list)-1]
		data, _ := before.Fold().Encode()
		ix, _, err := index.Load(data, t0)
		envtest.NoError(t, err)
		facts.Add(ix, last)
		out, err := ix.Encode()
		diff(t, "the last one added", want["index"], string(out))
		for _, it := range ix.Items {
			for n, at := 0, &it; at.Status == index.Superseded; n++ {
				pos := ix.ByID(at.SupersededBy)
				if n > len(ix.Items) {
					t.Fatalf("%s leads to none that is shown, %v", it.ID, err)
				} else if pos < 0 {
					break
				}
				at = &ix.Items[pos]
			}
		}
		for date, parts := range before.Journal() {
			j := facts.Journal{date: facts.ParseDay(before.Journal().Render(date))}
			if j.Add(last); len(parts) > 0 {
				diff(t, date, want[render.JournalPath(date)], string(j.Render(date)))
			}
		}

		x := rapid.SampledFrom(list).Draw(t, "undone")
		undo := facts.Fact{ID: "d-u", Kind: facts.Decision, N: last.N + 1, Undo: []string{x.ID}}
		redo := facts.Fact{ID: "d-v", Kind: facts.Decision, N: last.N + 2, Redo: []string{x.ID}}
		if facts.NewLog(list).Counts(x.ID) {
			diff(t, "redone", want["index"], views(t, facts.NewLog(slices.Concat(list, []facts.Fact{undo, redo})))["index"])
		}
		undone := facts.NewLog(append(slices.Clone(list), undo)).Fold()
		never := facts.NewLog(slices.DeleteFunc(slices.Clone(list), func(f facts.Fact) bool { return f.ID == x.ID })).Fold()
		undone.Undone, never.Undone = nil, nil
		diff(t, "undone", never, undone)
	})
}

// TestDiffLaws: the difference of two indexes, added to one, gives the other, also one that another program wrote.
func TestDiffLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := facts.NewLog(anyLog(t)).Fold()
		b, texts, isPartial := a.Clone(), map[string]string{}, rapid.Bool().Draw(t, "partial")
		for i := range b.Items {
			it := &b.Items[i]
			switch rapid.IntRange(0, 7).Draw(t, "change") {
			case 0:
				if texts[it.ID] = rapid.SampledFrom(saidTexts[:7]).Draw(t, "text"); isPartial {
					texts[it.ID] += it.ID // the other program makes no two of them one
				}
			case 1:
				it.Pinned, it.Tags, it.Why = !it.Pinned, []string{"x"}, "because"
			case 2:
				it.Write("mood", jsontext.Value(`"good"`))
				it.Cue, it.Evidence = nil, &index.Evidence{Files: 2}
			case 3:
				it.Status, it.Hits, it.Score, it.LastSeen = index.Retired, it.Hits+3, it.Score+2.5, it.LastSeen.Add(time.Hour)
			}
		}
		facts.Reword(b, texts)
		if rapid.Bool().Draw(t, "take out") && len(b.Items) > 0 {
			b.Items = slices.Delete(slices.Clone(b.Items), 0, 1)
		}
		if rapid.Bool().Draw(t, "add") {
			it := indextest.Record("by hand", "By hand")
			it.ID = idOf("By hand")
			b.Items = append(b.Items, it)
		}
		b.SetUnknown("more", jsontext.Value("[1]"))
		f := facts.Fact{ID: "d-f", Kind: facts.Edit}
		f.Changes, f.Old = facts.Diff(a, b, isPartial)
		got := a.Clone()
		facts.Add(got, f)
		plain := func(ix *index.Index) map[string]string {
			all := map[string]string{}
			for _, it := range ix.Items {
				text := fmt.Sprint(it.Text, it.Hits, math.Round(it.Score*1e6), it.LastSeen)
				for _, f := range index.Fields {
					if !isPartial {
						text += "\n" + f.Name + f.Read(&it)
					}
				}
				if all[it.ID] = text; !isPartial {
					all[it.ID] += string(it.Unknown) + string(ix.Unknown)
				}
			}
			return all
		}
		want, has := plain(b), plain(got)
		if isPartial { // what it lacks is there still
			maps.DeleteFunc(has, func(id, _ string) bool { return want[id] == "" })
		}
		diff(t, "added", want, has)
	})
}

// TestFacts reads files that are not as they were written, and finds their order by their names alone.
func TestFacts(t *testing.T) {
	f := facts.Fact{ID: "r-1", Kind: facts.Reflection, N: time.Date(2106, 2, 7, 6, 28, 15, 123e6, time.UTC).UnixMilli(), Fixes: []index.Lesson{{Text: "Use pnpm"}}}
	path, data, err := f.Encode()
	n, ok := facts.OrderOf(path)
	envtest.FailIf(t, err != nil || !ok || n != f.N, "%s is of %d, %t, %v", path, n, ok, err)
	for _, name := range []string{"core/log", "core/log/2026-13/03T040506.007-1.jsonl", "core/log/2026-02/03T040506.007.jsonl", "x/" + path, path + "x"} {
		_, ok := facts.OrderOf(name)
		envtest.FailIf(t, ok, "%s is a fact", name)
	}
	for name, c := range map[string]struct {
		is   error
		data string
	}{
		"another name": {facts.ErrUnreadable, string(data) + `{"fact":"r-1","change":{"of":"m-1"}}` + "\n"},
		"cut off":      {facts.ErrUnreadable, strings.TrimSuffix(string(data), "\n")},
		"nothing":      {facts.ErrUnreadable, ""},
		"no kind":      {facts.ErrUnreadable, `{"fact":"r-1","n":1}` + "\n"},
		"of another":   {facts.ErrUnreadable, string(data) + `{"fact":"r-2","note":{"day":"2026-02"}}` + "\n"},
		"a conflict":   {facts.ErrUnreadable, "<<<<<<< ours\n" + string(data)},
		"a new kind":   {facts.ErrNewer, `{"fact":"x-1","kind":"dream","n":1}` + "\n"},
		"a new line":   {facts.ErrNewer, string(data) + `{"fact":"r-1","dream":1}` + "\n"},
	} {
		_, err := facts.Decode(path, []byte(c.data))
		envtest.FailIf(t, !errors.Is(err, c.is) || !strings.Contains(err.Error(), path), "%s: %v", name, err)
	}
}

// TestSpaces: facts that say the same share a chunk of 64 bytes, as git cuts files, only where their spaces are as many
// by chance.
func TestSpaces(t *testing.T) {
	owner, shared, total := map[string]int{}, 0, 0
	for i, size := range slices.Repeat([]int{20, 64, 150, 400}, 50) {
		f := facts.Fact{ID: fmt.Sprintf("r-%012x", i*7919), Kind: facts.Reflection, Fixes: []index.Lesson{{Text: strings.Repeat(long, 2)[:size]}}}
		_, data, err := f.Encode()
		envtest.NoError(t, err)
		for line := range bytes.Lines(data) {
			for chunk := range slices.Chunk(line, 64) {
				if o, has := owner[string(chunk)]; len(chunk) == 64 && has && o != i {
					shared++
				}
				total++
				owner[string(chunk)] = i
			}
		}
	}
	envtest.FailIf(t, shared*20 > total*19 || shared == 0, "%d of %d chunks are those of others", shared, total)
}

// TestFactsWithOneID: the first counts, whole; decisions about a lesson that comes later wait for it, in their order; what is purged does not come.
func TestFactsWithOneID(t *testing.T) {
	a, b := said("r-1", "Use pnpm"), said("r-1", "Use yarn")
	a.N, b.N = 1, 2
	early := facts.Fact{ID: "d-1", Kind: facts.Decision, N: 0, At: day(1), Changes: []index.Decision{set(idOf("Use pnpm"), "pinned", "true")}}
	ix := facts.NewLog([]facts.Fact{b, a, early}).Fold()
	envtest.FailIf(t, len(ix.Items) != 1 || ix.Items[0].Text != "Use pnpm" || !ix.Items[0].Pinned || len(ix.Waiting) > 0,
		"%+v", ix)
	late := facts.Fact{ID: "d-3", Kind: facts.Decision, At: day(0), Changes: []index.Decision{set(idOf("Use pnpm"), "pinned", "false")}} // of a clock that is behind
	if early.N, late.N, a.N = 1, 2, 3; facts.NewLog([]facts.Fact{late, a, early}).Fold().Items[0].Pinned {
		t.Error("of two decisions that waited the first counts")
	}
	early.N, a.N = 0, 1
	c := said("r-2", "Use pnpm", "Read it")
	c.N = 3
	purge := facts.Fact{ID: "d-2", Kind: facts.Decision, N: 4, Purged: []string{idOf("Use pnpm")}}
	if ix = facts.NewLog([]facts.Fact{purge, a, c, early}).Fold(); !slices.Equal(texts(ix), []string{"Read it"}) || !ix.IsPurged("use pnpm") || len(ix.Waiting) > 0 {
		t.Errorf("%+v", ix)
	}
}

// TestJournalLaws: what was rendered says nothing new; what a person makes of it is kept where it stands, and is nothing new then.
func TestJournalLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const date = "2026-02-03"
		j := facts.NewLog(anyLog(t)).Journal()
		isKnown := func(id string) bool { return false }
		if notes := j.DiffDay(date, j.Render(date), isKnown); len(notes) > 0 {
			t.Fatalf("%+v of\n%s", notes, j.Render(date))
		}
		parts := facts.ParseDay(j.Render(date))
		for range rapid.IntRange(1, 3).Draw(t, "edits") {
			at := rapid.IntRange(0, len(parts)).Draw(t, "at")
			switch n := rapid.IntRange(0, 2).Draw(t, "edit"); {
			case n == 0 && at < len(parts) && at > 0:
				parts = slices.Delete(parts, at, at+1)
			case n == 1 && at < len(parts):
				parts[at].Text += "\nreworded"
			case at > 0:
				parts = slices.Insert(parts, at, facts.Part{Text: fmt.Sprint("## Mine ", rapid.IntRange(0, 9).Draw(t, "mine"))})
			}
		}
		var texts []string
		for _, p := range parts {
			texts = append(texts, p.Text)
		}
		for i, text := range texts {
			if slices.Contains(texts[:i], text) {
				return // two parts that say the same are one
			}
		}
		want := strings.Join(texts, "\n\n") + "\n"
		for range 2 {
			j.Add(facts.Fact{ID: "d-e", Kind: facts.Edit, Notes: j.DiffDay(date, []byte(want), isKnown)})
			if got := string(j.Render(date)); got != want && len(texts) > 1 {
				t.Fatalf("%s", cmp.Diff(want, got))
			}
			notes := j.DiffDay(date, []byte(want), isKnown)
			envtest.StopIf(t, len(notes) > 0, "again %+v", notes)
		}
		notes := j.DiffDay(date, []byte("<<<<<<< ours\n"+want), isKnown)
		envtest.StopIf(t, len(notes) > 0, "of a conflict: %+v", notes)
	})
}

// TestTraces: of two marks the further one stands, and what is undone stays read.
func TestTraces(t *testing.T) {
	mark := func(id string, n int64, m facts.Mark) facts.Fact {
		return facts.Fact{ID: id, Kind: facts.Reflection, N: n, Trace: "pi:a", Mark: &m}
	}
	got := facts.NewLog([]facts.Fact{
		mark("r-1", 1, facts.Mark{Last: "a", At: day(1).Add(1), Events: 9}), mark("r-2", 2, facts.Mark{Last: "b", At: day(2), Events: 3}),
		mark("r-3", 3, facts.Mark{Last: "c", At: day(1), Events: 10}),
		{ID: "d-1", Kind: facts.Decision, N: 4, Undo: []string{"r-2"}, Read: []string{"r-0"}, Marks: map[string]facts.Mark{"pi:b": {Last: "d", At: day(1).Add(1)}}},
	}).Traces()
	want := map[string]facts.Mark{"pi:a": {Last: "b", At: day(2), Events: 3}, "pi:b": {Last: "d", At: day(1)}}
	diff(t, "marks", want, got.Marks)
	diff(t, "reflections", []string{"r-1", "r-2", "r-3", "r-0"}, got.Reflections)
}

// Whatever is read as a fact is written as the fact that it is.
func FuzzDecode(f *testing.F) {
	for _, fact := range []facts.Fact{said("r-1", "Use pnpm", long), {ID: "d-1", Kind: facts.Decision, Changes: []index.Decision{{Of: "m-1", Gone: true}}, Undo: []string{"r-1"}}} {
		_, data, _ := fact.Encode()
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fact, err := facts.Parse(data)
		if err != nil {
			envtest.FailIf(t, errors.Is(err, facts.ErrUnreadable) == errors.Is(err, facts.ErrNewer),
				"neither unreadable nor newer: %v", err)
			return
		}
		path, out, err := fact.Encode()
		envtest.NoError(t, err)
		again, err := facts.Decode(path, out)
		_, twice, _ := again.Encode()
		envtest.FailIf(t, err != nil || !bytes.Equal(out, twice), "%v\n%s\n%s", err, out, twice)
		views(t, facts.NewLog([]facts.Fact{fact}))
	})
}
