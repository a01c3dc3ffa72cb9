package score_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/recall/score"
	"mem/topic"
)

// TestSpared: what a task says is not to be done is not what it is about; what fails is.
func TestSpared(t *testing.T) {
	texts := []string{"deploy the boat", "change the mast", "open a PR", "build the hull"}
	for task, want := range map[string][]int{
		"moor the boat, but don't deploy it yet":           {0}, // by "boat"
		"look at the sail, do not deploy":                  nil,
		"explain the sail, no code changes please":         nil,
		"mend the sail without changing anything, no PR":   nil,
		"the sail is there, no PR yet, and paint it":       nil,
		"the hull does not build":                          {3},
		"no change since May, why?":                        {1},
		"it sinks without building the hull":               {3},
		"hangs, never deploys":                             {0},
		"it says: no mast, change it":                      {1},
		"we can't deploy any more":                         {0},
		"I don't know why the build fails on this machine": {3},
	} {
		var got []int
		if q := score.NewQuery(task, ""); q != nil {
			for _, h := range q.ScoreTexts(len(texts), func(i int, field func(string)) { field(texts[i]) }) {
				got = append(got, h.Doc)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", task, diff)
		}
	}
}

// TestWholeTags: of a topic such as "read-first" a text has all words, or none.
func TestWholeTags(t *testing.T) {
	const task = "just read the code and explain it"
	if tags := topic.Find(task); !cmp.Equal(tags, []string{"read-first", "learning"}) {
		t.Fatalf("%q is about %q", task, tags)
	}
	texts := []string{"first to the left", "filed under read-first"}
	hits := score.NewQuery(task, "").ScoreTexts(len(texts), func(i int, field func(string)) { field(texts[i]) })
	if len(hits) != 1 || hits[0].Doc != 1 {
		t.Errorf("%+v", hits)
	}
}
