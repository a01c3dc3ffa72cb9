package trace

import (
	"strings"
	"testing"

	"mem/trace/jsonl"
)

func TestReadFinished(t *testing.T) {
	tests := []struct {
		name, in string
		want     *Finished
	}{
		{"both", `{"id":"r1","session":"s1","model":"m","mistakes":["a"],"fixes":["b","c"],"more":1}`, &Finished{ID: "r1", Session: "s1", Model: "m", Mistakes: []string{"a"}, Fixes: []string{"b", "c"}}},
		{"over several lines", jsonl.BOM + "\r\n{\n  \"mistakes\": [\n    \"a\"\n  ],\n  \"fixes\": []\n}\n", &Finished{Mistakes: []string{"a"}}},
		{"old names", `{"antiPatterns":["a"],"learnings":["b"]}`, &Finished{Mistakes: []string{"a"}, Fixes: []string{"b"}}},
		{"old names for an empty side", `{"mistakes":[" "],"antiPatterns":["a"],"fixes":["b"],"learnings":["c"]}`, &Finished{Mistakes: []string{"a"}, Fixes: []string{"b"}}},
		{"elements of other types", `{"mistakes":[1,null,"a",{"text":"b"},["c"],""],"fixes":["\t"]}`, &Finished{Mistakes: []string{"a"}}},
		{"a side of another type", `{"mistakes":"a","fixes":["b"],"id":7}`, &Finished{Fixes: []string{"b"}}},
		{"names twice", `{"fixes":["a"],"fixes":["b"]}`, &Finished{Fixes: []string{"a", "b"}}},
		{"names are case-sensitive", `{"Mistakes":["a"],"fixes":["b"]}`, &Finished{Fixes: []string{"b"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := Read(strings.NewReader(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			diff(t, "document", Document{Finished: tt.want}, doc)
		})
	}
}

func TestFinishedIsBounded(t *testing.T) {
	doc, err := Read(strings.NewReader(`{"fixes":["` + strings.Repeat("x", 2*MaxText) + `"` + strings.Repeat(`,"x"`, 2*maxLessons) + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	if f := doc.Finished.Fixes; len(f) != maxLessons || len(f[0]) > MaxText {
		t.Errorf("%d lessons, the first of %d bytes", len(f), len(f[0]))
	}
}
