package trace

import (
	"strings"
	"testing"

	"mem/envtest"
	"mem/index"
	"mem/session"
	"mem/trace/jsonl"
)

func TestReadFinished(t *testing.T) {
	tests := []struct {
		name, in string
		want     *Finished
	}{
		{"both", `{"id":"r1","session":"s1","model":"m","mistakes":["a"],"fixes":["b","c"],"more":1}`, &Finished{ID: "r1", Session: "s1", Model: "m", Stated: Stated{Mistakes: said("a"), Fixes: said("b", "c")}}},
		{"over several lines", jsonl.BOM + "\r\n{\n  \"mistakes\": [\n    \"a\"\n  ],\n  \"fixes\": []\n}\n", &Finished{Stated: Stated{Mistakes: said("a")}}},
		{"old names", `{"antiPatterns":["a"],"learnings":["b"]}`, &Finished{Stated: Stated{Mistakes: said("a"), Fixes: said("b")}}},
		{"old names for an empty side", `{"mistakes":[" "],"antiPatterns":["a"],"fixes":["b"],"learnings":["c"]}`, &Finished{Stated: Stated{Mistakes: said("a"), Fixes: said("b")}}},
		{"elements of other types", `{"mistakes":[1,null,"a",{"body":"b"},["c"],""],"fixes":["\t"]}`, &Finished{Stated: Stated{Mistakes: said("a")}}},
		{"a side of another type", `{"mistakes":"a","fixes":["b"],"id":7}`, &Finished{Stated: Stated{Mistakes: said("a"), Fixes: said("b")}}},
		{"names twice", `{"fixes":["a"],"fixes":["b"]}`, &Finished{Stated: Stated{Fixes: said("a", "b")}}},
		{"objects", `{"mistakes":[{"text":"a","domain":"coding","tags":["go","tests"],"severity":"high"},"b"],"fixes":[{"lesson":"c","category":"x","tags":"go, tests,"},{"insight":"d","tags":7,"severity":["high"],"domain":null}]}`,
			&Finished{Stated: Stated{
				Mistakes: []index.Lesson{{Text: "a", Domain: "coding", Tags: []string{"go", "tests"}, Severity: "high"}, {Text: "b"}},
				Fixes:    []index.Lesson{{Text: "c", Domain: "x", Tags: []string{"go", "tests"}}, {Text: "d"}},
			}}},
		{"what it is about", `{"fixes":[{"text":"a","why":"b","cue":{"command":"c","error":"d","tool":1,"x":2},"remedy":{"path":"e"},"events":[3,1.5,"x",4]},{"text":"f","cue":"g","remedy":[],"events":7,"why":{}}]}`,
			&Finished{Stated: Stated{Fixes: []index.Lesson{{Text: "a", Why: "b", Cue: index.Literals{Command: "c", Error: "d"}, Remedy: index.Literals{Path: "e"}, Events: []int{3, 4}}, {Text: "f"}}}}},
		{"one list", `{"lessons":[{"kind":"mistake","text":"a","op":"again","of":"L2"},{"kind":"fix","text":"b"},"c"]}`, &Finished{Stated: Stated{Lessons: []index.Lesson{{Text: "a", Mistake: true, Op: "again", Of: "L2"}, {Text: "b"}, {Text: "c"}}}}},
		{"names of the text", `{"fixes":[{"description":"no","text":" ","insight":"a"},{"content":"b"},{"learning":"c"},{"rule":"d"},{"description":"e"},{"fix":"x"},{"text":{"text":"x"}},{}]}`, &Finished{Stated: Stated{Fixes: said("a", "b", "c", "d", "e")}}},
		{"names are case-sensitive", `{"Mistakes":["a"],"fixes":["b"]}`, &Finished{Stated: Stated{Fixes: said("b")}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := Read(strings.NewReader(tt.in))
			envtest.NoError(t, err)
			envtest.Same(t, Document{Finished: tt.want}, doc, "document")
		})
	}
}

func TestFinishedIsBounded(t *testing.T) {
	doc, err := Read(strings.NewReader(`{"fixes":["` + strings.Repeat("x", 2*session.MaxText) + `"` + strings.Repeat(`,"x"`, 2*maxLessons) + `]}`))
	envtest.NoError(t, err)
	if f := doc.Finished.Fixes; len(f) != maxLessons || len(f[0].Text) > session.MaxText {
		t.Errorf("%d lessons, the first of %d bytes", len(f), len(f[0].Text))
	}
	doc, err = Read(strings.NewReader(`{"fixes":[{"text":"a","tags":["` + strings.Repeat("x", 300) + `"` + strings.Repeat(`,"x"`, 100) + `]}]}`))
	envtest.NoError(t, err)
	if tags := doc.Finished.Fixes[0].Tags; len(tags) != maxTags || tags[0] != "x" {
		t.Errorf("%d tags, the first %q", len(tags), tags[0])
	}
}

// said returns lessons of text alone.
func said(texts ...string) (list []index.Lesson) {
	for _, text := range texts {
		list = append(list, index.Lesson{Text: text})
	}
	return list
}
