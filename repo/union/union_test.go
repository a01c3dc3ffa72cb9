package union_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/index"
	"mem/index/codec"
	"mem/render"
	"mem/repo/union"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

const day = "daily/2026-02-03.md"

// journal is a journal of entries "id minute text".
func journal(entries ...string) string {
	var data []byte
	for _, e := range entries {
		var id, text string
		var minute int
		if _, err := fmt.Sscanf(e, "%s %d %s", &id, &minute, &text); err != nil {
			panic(err)
		}
		data = render.Daily(data, render.Entry{ID: id, At: noon.Add(time.Duration(minute) * time.Minute), Label: "task", Fixes: []string{text}})
	}
	return string(data)
}

func TestMergeFile(t *testing.T) {
	const log = "# Changelog\n\n## 2026-02-01 add one\n\n- Added\n"
	edited := strings.Replace(journal("r-1 1 a", "r-2 2 b"), "- a\n", "- a, by hand\n", 1)
	for _, tt := range []struct{ name, path, base, ours, theirs, want string }{
		{"journal of two machines", day, journal("r-1 1 a"), journal("r-1 1 a", "r-2 9 b"), journal("r-1 1 a", "r-3 5 c"), journal("r-1 1 a", "r-3 5 c", "r-2 9 b")},
		{"journal of a new day", day, "", journal("r-2 9 b"), journal("r-3 5 c"), journal("r-3 5 c", "r-2 9 b")},
		{"an entry taken back", day, journal("r-1 1 a", "r-2 2 b"), journal("r-1 1 a", "r-2 2 b", "r-3 3 c"), journal("r-2 2 b"), journal("r-2 2 b", "r-3 3 c")},
		{"a day that one side removed", day, journal("r-1 1 a"), journal("r-1 1 a", "r-2 2 b"), "", journal("r-2 2 b")},
		{"traces that one side removed", "core/traces.json", `{"version":1}`, "", `{"version":1,"reflections":["r-1"]}`, `{"version":1,"reflections":["r-1"]}`},
		{"an entry edited", day, journal("r-1 1 a", "r-2 2 b"), edited, journal("r-1 1 a", "r-2 2 b", "r-3 3 c"), edited + journal("r-3 3 c")[len("# 2026-02-03\n"):]},
		{"an entry edited and taken back", day, journal("r-1 1 a", "r-2 2 b"), edited, journal("r-2 2 b", "r-3 3 c"), ""},
		{"one session on two machines, later", day, journal("r-0 0 z"), journal("r-0 0 z", "r-1 2 a"), journal("r-0 0 z", "r-1 1 a"), journal("r-0 0 z", "r-1 1 a")},
		{"one session on two machines, other words", day, "", journal("r-1 2 a"), journal("r-1 1 b"), journal("r-1 1 b", "r-1 2 a")},
		{"a conflict that was committed", day, journal("r-1 1 a"), journal("r-1 1 a") + "<<<<<<< ours\n", journal("r-1 1 a", "r-3 3 c"), ""},
		{"rules", "CHANGELOG.md", log, log + "\n## 2026-02-03 add three\n\n- x\n", log + "\n## 2026-02-02 add two\n\n- y\n", log + "\n## 2026-02-02 add two\n\n- y\n\n## 2026-02-03 add three\n\n- x\n"},
		{"a changelog of a person", "CHANGELOG.md", "mine\n", "mine\nand\n", "mine\nor\n", ""},
		{"a view", "core/CORE.md", "a", "b", "c", "b"},
		{"a month", "monthly/2026-02.md", "a\n", "b\n", "c\n", ""},
		{"a month that both summarised", "monthly/2026-02.md", "", "# 2026-02\n\n- a\n\n<!-- mem: from 1 reflection, by digest -->\n", "# 2026-02\n\n- a\n- b\n\n<!-- mem: from 2 reflections, by digest -->\n",
			"# 2026-02\n\n- a\n- b\n\n<!-- mem: from 2 reflections, by digest -->\n<!-- mem: from 1 reflection, by digest -->\n"},
		{"a month, one side", "monthly/2026-02.md", "a\n", "a\n", "c\n", "c\n"},
		{"another file", "notes.md", "a\n", "b\n", "c\n", ""},
		{"traces", "core/traces.json", "",
			`{"version":1,"traces":{"pi:a":{"last":"e2","at":"2026-02-03T04:05:06Z","events":2,"read":"2026-02-03T04:05:06Z"}},"reflections":["r-1","r-9"]}`,
			`{"version":1,"traces":{"pi:a":{"last":"e1","at":"2026-02-03T04:05:05Z","events":9,"read":"2026-02-03T04:05:06Z"},"pi:b":{"last":"x","at":"2026-02-03T04:05:06Z","events":1,"read":"2026-02-03T04:05:06Z","new":1}},"reflections":["r-1","r-5"],"more":{}}`,
			"{\n  \"version\": 1,\n  \"traces\": {\n    \"pi:a\": {\n      \"last\": \"e2\",\n      \"at\": \"2026-02-03T04:05:06Z\",\n      \"events\": 2,\n      \"read\": \"2026-02-03T04:05:06Z\"\n    },\n    \"pi:b\": {\n      \"last\": \"x\",\n      \"at\": \"2026-02-03T04:05:06Z\",\n      \"events\": 1,\n      \"read\": \"2026-02-03T04:05:06Z\",\n      \"new\": 1\n    }\n  },\n  \"reflections\": [\n    \"r-1\",\n    \"r-5\",\n    \"r-9\"\n  ],\n  \"more\": {}\n}\n"},
		{"traces of which one has all", "core/traces.json", "", `{"version":1,"traces":{},"reflections":["r-9","r-5","r-1"]}`, `{"version":1,"traces":{},"reflections":["r-1","r-9"]}`,
			"{\n  \"version\": 1,\n  \"traces\": {},\n  \"reflections\": [\n    \"r-9\",\n    \"r-5\",\n    \"r-1\"\n  ]\n}\n"},
		{"newer traces", "core/traces.json", "", `{"version":2}`, `{"version":1}`, ""},
		{"an index with markers", "core/index.json", "", "<<<<<<< ours\n{}", `{"version":3,"items":[]}`, ""},
		{"a newer index", "core/index.json", "", `{"version":9,"items":[]}`, `{"version":3,"items":[]}`, ""},
		{"an index with a lost record", "core/index.json", "", `{"version":3,"items":[{}]}`, `{"version":3,"items":[]}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := union.MergeFile(tt.path, []byte(tt.base), []byte(tt.ours), []byte(tt.theirs))
			if (err != nil) != (tt.want == "") {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// rule is a block of a file of rules.
func rule(name, day string, lines ...string) string {
	return "\n### " + name + "\n\n**Source:** Compiled from 3 learnings on " + day + "\n**Confidence:** HIGH\n\n- " + strings.Join(lines, "\n- ") + "\n"
}

// proposed is the file of a pattern.
func proposed(id, key, status, more string) string {
	return "---\nid: " + id + "\nstatus: " + status + "\ndetected: 2026-02-0" + key[len(key)-1:] + "\nkey: " + key + "\n" + more + "---\n\n# Proposed Rule: " + key + "\n\n- Do it\n"
}

const another = "<!-- mem: another pattern of this number -->\n"

// TestMergeRules: what two clones captured, proposed and approved is there, in one
// order, and what both changed by hand is left to git.
func TestMergeRules(t *testing.T) {
	const (
		coding, title, file = "rules/coding.md", "# Coding\n", "patterns/pattern-001.md"
		note, fields        = "learnings/coding/2026-02-03-a.md", "---\ndate: 2026-02-03\ntags: [a, b]\n---\n"
		own                 = "rules/coding/one.md"
	)
	one, two, three := rule("One", "2026-02-01", "a"), rule("Two", "2026-02-02", "b"), rule("Three", "2026-02-03", "c")
	p1, p2 := proposed("pattern-001", "coding/k1", "pending", ""), proposed("pattern-001", "coding/k2", "pending", "")
	agreed, more := proposed("pattern-001", "coding/k1", "approved", "decided: 2026-02-05\n"), proposed("pattern-001", "coding/k1", "pending", "times: 4\n")
	for _, tt := range []struct{ name, path, base, ours, theirs, want string }{
		{"the first rules of both", coding, "", title + three, title + two, title + three + two},
		{"a rule more on both", coding, title + one, title + one + three, title + one + two, title + one + three + two},
		{"a rule taken out", coding, title + one + two, title + two, title + one + two + three, title + two + three},
		{"one rule approved by both", own, "", rule("One", "2026-02-01", "a", "b"), rule("One", "2026-02-02", "a", "c"), rule("One", "2026-02-02", "a", "c", "b")},
		{"a rule that both added to", own, one, rule("One", "2026-02-02", "a", "b"), rule("One", "2026-02-03", "a", "c"), rule("One", "2026-02-03", "a", "c", "b")},
		{"one line edited by both", own, one, rule("One", "2026-02-01", "A, b"), rule("One", "2026-02-01", "A, c"), ""},
		{"edited, and taken out", own, one, rule("One", "2026-02-01", "b"), "", ""},
		{"a conflict that was committed", own, "", one, "<<<<<<< ours\n" + two, ""},
		{"a strategy approved by both", "context/strategies/plan.md", "", "# Plan\n\n**Compiled:** 2026-02-01\n\n- a\n\n---\n", "# Plan\n\n**Compiled:** 2026-02-02\n\n- b\n\n---\n", "# Plan\n\n**Compiled:** 2026-02-02\n\n- b\n- a\n\n---\n"},
		{"a learning of both", note, "", fields + "\n# A\n\nBecause b\n", fields + "\n# A\n\nBecause c\n", fields + "\n# A\n\nBecause c\nBecause b\n"},
		{"a learning archived by both", "learnings/archived/2026-02-03-a.md", fields + "\n# A\n", strings.Replace(fields, "tags", "archived_date: 2026-02-04\ntags", 1) + "\n# A\n", strings.Replace(fields, "tags", "archived_date: 2026-02-05\ntags", 1) + "\n# A\n",
			strings.Replace(fields, "tags", "archived_date: 2026-02-05\ntags", 1) + "\n# A\n"},
		{"pairs", "patterns/distinct.md", "# Distinct\n\n- m-1 m-2\n", "# Distinct\n\n- m-1 m-2\n- m-3 m-4\n", "# Distinct\n\n- m-1 m-2\n- m-5 m-6\n", "# Distinct\n\n- m-1 m-2\n- m-5 m-6\n- m-3 m-4\n"},
		{"two patterns of one number", file, "", p2, p1, p1 + another + p2},
		{"three", file, p1, p1 + another + p2, strings.Replace(p1, "k1", "k0", 2), strings.Replace(p1, "k1", "k0", 2) + another + p2},
		{"decided, and learned again", file, p1, agreed, more, agreed},
		{"decided by both", file, p1, strings.Replace(strings.Replace(agreed, "approved", "rejected", 1), "02-05", "02-06", 1), agreed, agreed},
		{"retired, and reworded", file, agreed, strings.Replace(agreed, "approved", "rejected", 1), strings.Replace(agreed, "- Do", "- Always do", 1), strings.Replace(agreed, "approved", "rejected", 1)},
		{"withdrawn, and learned again", file, p1, more, "", more},
		{"withdrawn", file, p1 + another + p2, p1 + another + p2, p2, p2},
		{"of another number, as git sees it", "patterns/pattern-002.md", p1, strings.Replace(p2, "001", "002", 1), more, strings.Replace(more, "001", "002", 1) + another + strings.Replace(p2, "001", "002", 1)},
		{"the later number", "patterns/index.md", "", "# Patterns\n\n<!-- mem: the last id given was pattern-999 -->\n", "<!-- mem: the last id given was pattern-1000 -->\n", "<!-- mem: the last id given was pattern-1000 -->\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, sides := range [][2]string{{tt.ours, tt.theirs}, {tt.theirs, tt.ours}} {
				got, err := union.MergeFile(tt.path, []byte(tt.base), []byte(sides[0]), []byte(sides[1]))
				if (err != nil) != (tt.want == "") {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, string(got)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// TestSeparatePatterns: the second pattern of a number gets the next one that was never
// given, and only files that hold two change.
func TestSeparatePatterns(t *testing.T) {
	p1, p2, p3 := proposed("pattern-001", "coding/k1", "pending", ""), proposed("pattern-001", "coding/k2", "pending", ""), proposed("pattern-003", "coding/k3", "pending", "")
	got := union.SeparatePatterns(map[string]string{
		"patterns/pattern-001.md": p1 + another + p2 + another + strings.Replace(p2, "k2", "k4", 2),
		"patterns/pattern-003.md": p3, "patterns/index.md": "<!-- mem: the last id given was pattern-007 -->\n", "patterns/mine.md": "pattern-090",
	})
	want := map[string]string{
		"patterns/pattern-001.md": p1, "patterns/pattern-008.md": strings.Replace(p2, "001", "008", 1),
		"patterns/pattern-009.md": strings.Replace(strings.Replace(p2, "001", "009", 1), "k2", "k4", 2),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := union.SeparatePatterns(map[string]string{"patterns/pattern-999999.md": p1 + another + p2}); len(got) > 0 {
		t.Error(got)
	}
}

// TestMergeLaws: a journal, and the rules' changelog, merge the same either way, and
// nothing that one side has or that one side removed is lost.
func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := func(label string, base []string) []string {
			var kept []string
			for i, e := range base {
				if rapid.IntRange(0, 4).Draw(t, fmt.Sprint(label, "drops", i)) > 0 {
					kept = append(kept, e)
				}
			}
			for i := range rapid.IntRange(0, 4).Draw(t, label) {
				kept = append(kept, fmt.Sprintf("r-%s%d %d %s", label, i, rapid.IntRange(0, 3).Draw(t, "minute"), label))
			}
			return kept
		}
		base := side("base", nil)
		ours, theirs := side("ours", base), side("theirs", base)
		b, o, x := journal(base...), journal(ours...), journal(theirs...)
		one, err := union.MergeFile(day, []byte(b), []byte(o), []byte(x))
		if err != nil {
			t.Skip(err) // one side emptied it, head and all
		}
		two, err := union.MergeFile(day, []byte(b), []byte(x), []byte(o))
		if err != nil {
			t.Fatal(err)
		}
		has := func(file, e string) bool { return strings.Contains(file, "mem:"+strings.Fields(e)[0]+" ") }
		for _, e := range append(append(append([]string{}, base...), ours...), theirs...) {
			want := has(o, e) && has(x, e) || !has(b, e)
			if has(string(one), e) != want {
				t.Fatalf("%s: %v, want %v in:\n%s", e, !want, want, one)
			}
		}
		ids := func(data []byte) (list []string) {
			for _, e := range render.ParseDaily(data, noon) {
				list = append(list, e.ID)
			}
			return list
		}
		if !bytes.Equal(one, two) && o != b && x != b {
			t.Fatal(cmp.Diff(ids(one), ids(two)))
		}
	})
}

func encode(t testing.TB, ix *index.Index) []byte {
	t.Helper()
	data, err := codec.Encode(ix)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// FuzzMergeFile: whatever git hands over, the driver ends, and what it writes it can read.
func FuzzMergeFile(f *testing.F) {
	hostile, err := os.ReadFile("union_test.go")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range union.Patterns {
		path = strings.ReplaceAll(path, "*", "2026-02-03")
		f.Add(path, []byte(journal("r-1 1 a")), []byte(journal("r-1 1 a", "r-2 2 b")), []byte("## 10:00 UTC\n<!-- mem:r-1 -->\n\x00\xff"))
		f.Add(path, []byte("# A\n"+rule("One", "2026-02-01", "a")), []byte("# A\n"+rule("One", "2026-02-01", "b", "```\n### x")), []byte("---\nkey: a\n---\n"+another+"---\n"))
		f.Add(path, []byte{}, []byte(`{"version":3,"items":[{"id":"m-1","key":"a","text":"a","hits":1,"derivedFrom":["m-1"]}],"undone":{"m-1>m-1":2,"r-1 m-1":3}}`), hostile)
	}
	f.Fuzz(func(t *testing.T, path string, base, ours, theirs []byte) {
		merged, err := union.MergeFile(path, base, ours, theirs)
		if err != nil {
			if merged != nil {
				t.Fatal("both a file and an error")
			}
			return
		}
		again, err := union.MergeFile(path, merged, merged, merged)
		if err != nil && errors.Is(err, codec.ErrUnreadable) {
			t.Fatalf("%v in\n%s", err, merged)
		}
		if err == nil && !bytes.Equal(again, merged) {
			t.Fatalf("%s\nagain: %s", merged, again)
		}
	})
}

// TestMergeLongChain: a file made to take long, of 5,000 records that became part of
// each other in a row, is merged all the same; it took minutes.
func TestMergeLongChain(t *testing.T) {
	ix := &index.Index{Undone: index.Undone{Links: map[index.Link]int{}}}
	for i := range 5000 {
		ix.Apply(index.Reflection{ID: fmt.Sprint("r-", i), Fixes: []index.Lesson{{Text: fmt.Sprint("lesson ", i)}}}, noon)
		if i > 0 {
			ix.Undone.Links[index.Link{From: ix.Items[i-1].ID, Into: ix.Items[i].ID}] = 3
		}
	}
	data := encode(t, ix)
	start := time.Now()
	if _, err := union.MergeFile("core/index.json", nil, data, data); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 2*time.Minute {
		t.Error(took)
	}
}
