package index_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mem/index"
	"mem/index/indextest"

	"mem/envtest"
)

func about(id string, hits int, c index.Literals) index.Item {
	return index.Item{ID: id, Key: id, Text: "Lesson " + id, Status: index.Active, Origin: index.OriginUser, Hits: hits, LastSeen: indextest.T0, Cue: &c}
}

func ids(lines []index.CueLine) (list []string) {
	for _, l := range lines {
		list = append(list, l.ID)
	}
	return list
}

func TestFind(t *testing.T) {
	ix := &index.Index{Items: []index.Item{
		about("m-0", 1, index.Literals{Command: "bun test", Error: "tmp/clones"}),
		about("m-1", 1, index.Literals{Command: "bun test", Error: "cannot find module '…'"}),
		about("m-2", 3, index.Literals{Command: "Bun test"}),
		about("m-3", 1, index.Literals{Path: "./src/gen/"}),
		about("m-5", 1, index.Literals{Path: "/etc/hosts"}),
		about("held", 9, index.Literals{Command: "bun test"}),
		about("retired", 9, index.Literals{Command: "bun test"}),
		{ID: "m-4", Key: "m-4", Text: "about nothing", Status: index.Active},
	}}
	ix.Items[5].Status, ix.Items[6].Status = index.Quarantined, index.Retired
	table := index.MakeCues(ix, "seal")
	for _, tt := range []struct {
		keys []index.CueKey
		want []string
	}{
		{[]index.CueKey{index.CommandKey("bun test")}, []string{"m-2", "m-1"}},
		{[]index.CueKey{index.ErrorKey("cannot find module '…'"), index.CommandKey("bun test")}, []string{"m-1", "m-2"}},
		{[]index.CueKey{index.ErrorKey("tmp/clones")}, []string{"m-0"}},
		{[]index.CueKey{index.PathKey("src/gen")}, []string{"m-3"}},
		{[]index.CueKey{index.PathKey("/etc/hosts")}, []string{"m-5"}},
		{[]index.CueKey{index.PathKey("etc/hosts")}, []string{"m-5"}},
		{[]index.CueKey{index.PathKey("bun test"), index.CommandKey("bun"), index.CommandKey("")}, nil},
		{nil, nil},
	} {
		envtest.Same(t, tt.want, ids(index.FindCues([][]byte{table}, tt.keys)), tt.keys)
	}
	got := index.FindCues([][]byte{table}, []index.CueKey{index.CommandKey("bun test")})[0]
	envtest.Same(t, "Lesson m-2 (2026-02-03, ×3)", got.Text, "m-2 says")
	envtest.FailIf(t, got.Said() != "Lesson m-2" || !got.Seen.Equal(indextest.T0), "m-2 says %q, at %s", got.Said(), got.Seen)
}

// TestTwoTables: what the first table says is no longer so does not come out of the second, but the other way round.
func TestTwoTables(t *testing.T) {
	ix := &index.Index{Items: []index.Item{about("m-1", 1, index.Literals{Command: "make"})}}
	here := index.MakeCues(ix, "seal")
	ix.Items[0].Status = index.Retired
	gone := index.MakeCues(ix, "seal")
	keys := []index.CueKey{index.CommandKey("make")}
	got := index.FindCues([][]byte{gone, here}, keys)
	envtest.FailIf(t, got != nil, "a retired lesson is told: %+v", got)
	got = index.FindCues([][]byte{here, gone}, keys)
	envtest.FailIf(t, len(got) != 1 || got[0].Own, "found %+v", got)
	got = index.FindCues([][]byte{nil, here}, keys)
	envtest.FailIf(t, len(got) != 1 || !got[0].Own, "found %+v", got)
}

// TestForms: a command is looked up in its general form, however a lesson states it, and one that
// is run all the time is not.
func TestForms(t *testing.T) {
	for stated, want := range map[string]string{
		"git commit -m": "git commit -m", "`bun test x.ts` in apps/web": "bun test", "rtk bun": "rtk bun", "cd web && pnpm lint": "pnpm run lint", "cat -A": "cat -A",
		"ls X*": "", "cat": "", "cd": "", "git status": "", "git -C x log": "", "git add -C": "", "bun test --filter x": "", "grep foo": "",
	} {
		ix := &index.Index{Items: []index.Item{about("m-1", 1, index.Literals{Command: stated})}}
		table := string(index.MakeCues(ix, ""))
		for _, key := range []index.CueKey{index.CommandKey(want), index.FailureKey(want)} {
			if strings.Contains(table, "\n"+string(key)) != (want != "") || want == "" && strings.Count(table, "\n") > 1 {
				t.Errorf("%q is not looked up as %q", stated, want)
			}
		}
	}
}

// TestConfirmed: what the rules found in one session alone is not told at the action.
func TestConfirmed(t *testing.T) {
	rules := func(session string) index.Source { return index.Source{Trace: "claude:" + session, Model: "heuristic"} }
	for _, tt := range []struct {
		name string
		it   index.Item
		want bool
	}{
		{"one session", index.Item{Hits: 3, Sources: []index.Source{rules("a"), rules("a")}}, false},
		{"two sessions", index.Item{Hits: 2, Sessions: 2, Sources: []index.Source{rules("a"), rules("b")}}, true},
		{"a model", index.Item{Hits: 1, Sources: []index.Source{{Trace: "claude:a", Model: "opus"}}}, true},
		{"a reflection by hand", index.Item{Hits: 1, Sources: []index.Source{{ID: "r-1"}}}, true},
		{"a session, and not by whom", index.Item{Hits: 1, Sources: []index.Source{{Trace: "claude:a"}}}, false},
		{"a person", index.Item{Hits: 1, Sources: []index.Source{rules("a")}, Origin: index.OriginUser}, true},
		{"sources that are not kept", index.Item{Hits: 2}, true},
		{"seen once", index.Item{Hits: 1}, false},
	} {
		tt.it.ID, tt.it.Text, tt.it.Status, tt.it.Cue = "m-1", "Say so", index.Active, &index.Literals{Command: "make"}
		table := index.MakeCues(&index.Index{Items: []index.Item{tt.it}}, "")
		envtest.Same(t, tt.want, index.FindCues([][]byte{table}, []index.CueKey{index.CommandKey("make")}) != nil, tt.name)
	}
}

// TestErrorMarks: what only says that there is an error does not tell errors apart.
func TestErrorMarks(t *testing.T) {
	for _, line := range []string{"Error: connect econnrefused", "Uncaught Error: connect econnrefused", "fatal: connect econnrefused", "FATAL ERROR: connect econnrefused", "E connect econnrefused", "#/#/# connect econnrefused", "✘ [ERROR] connect econnrefused"} {
		envtest.Same(t, index.ErrorKey("connect econnrefused"), index.ErrorKey(line), line)
	}
	if index.ErrorKey("error ts#: x") == index.ErrorKey("x") || index.ErrorKey("errors: x") == index.ErrorKey("x") {
		t.Error("different errors have one key")
	}
}

// TestLaws: what the index says is found, nothing else, and no line breaks the table.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "go test", "go", "e\tf", "g\nh", ""})
		ix := &index.Index{}
		want := map[string][]string{}
		command := rapid.SampledFrom([]string{"a", "b", "go test", "go", ""})
		for i := range rapid.IntRange(0, 30).Draw(t, "items") {
			c := index.Literals{Command: command.Draw(t, "command"), Error: word.Draw(t, "error")}
			it := about(fmt.Sprintf("m-%02d", i), 1, c)
			it.Text += word.Draw(t, "more")
			ix.Items = append(ix.Items, it)
			want[c.Command] = append(want[c.Command], it.ID)
		}
		delete(want, "")
		table := index.MakeCues(ix, "seal")
		for _, w := range []string{"a", "b", "go test", "go", "other"} {
			envtest.Same(t, want[w], ids(index.FindCues([][]byte{table}, []index.CueKey{index.CommandKey(w)})), w)
		}
		cut := rapid.IntRange(0, len(table)-1).Draw(t, "cut")
		envtest.StopIf(t, index.AreCuesOf(table[:cut], "seal"), "the first %d of %d bytes pass for a table", cut, len(table))
		envtest.StopIf(t, !index.AreCuesOf(table, "seal") || index.AreCuesOf(table, "sea") || index.AreCuesOf(nil, ""),
			"a table is not known by its seal")
	})
}

// TestTableIsBounded: of many lessons those seen most often have a place.
func TestTableIsBounded(t *testing.T) {
	ix := &index.Index{}
	for i := range 5000 {
		ix.Items = append(ix.Items, about(fmt.Sprintf("m-%04d", i), i, index.Literals{Command: fmt.Sprint("c", i)}))
	}
	table := index.MakeCues(ix, "")
	envtest.Same(t, 8193, strings.Count(string(table), "\n"), "lines")
	if index.FindCues([][]byte{table}, []index.CueKey{index.CommandKey("c4999")}) == nil || index.FindCues([][]byte{table}, []index.CueKey{index.CommandKey("c903")}) != nil {
		t.Error("another lesson than the one seen least has no place")
	}
}

func FuzzFind(f *testing.F) {
	f.Add([]byte("mem cues 5 x 0\n0123456789abcdef\tm-1\t1\tmake\ttext\n"), "0123456789abcdef")
	f.Fuzz(func(t *testing.T, table []byte, key string) {
		for _, l := range index.FindCues([][]byte{table}, []index.CueKey{index.CueKey(key)}) {
			envtest.FailIf(t, !strings.Contains(string(table), "\t"+l.Remedy+"\t"+l.Text), "found %+v", l)
		}
	})
}
