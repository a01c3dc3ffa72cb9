package score_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/recall/score"
	"mem/topic"
)

// TestSpared: what a task says is not to be done is not what it is about; what fails, what is missing
// and what must not happen in the code is.
func TestSpared(t *testing.T) {
	for task, want := range map[string]string{
		"moor the boat, but don't deploy it yet":            "moor the boat, .",
		"look at the sail, do not deploy to production":     "look at the sail .",
		"mend it, don't open a pull request yet":            "mend it .",
		"do not touch the mast until noon":                  ". until noon",
		"don't edit main.go, and paint it":                  ". , and paint it",
		"explain the sail, no code changes please":          "explain the sail .",
		"explain the sail. No changes, please.":             "explain the sail .",
		"mend the sail without touching src/sail.go, no PR": "mend the sail . .",
		"commit when green, no PR yet":                      "commit when green .",

		"the hull does not build":               "",
		"packages install but do not build":     "",
		"we have no CI yet, set it up":          "",
		"there is no deploy script, add one":    "",
		"there are no PRs, why?":                "",
		"no commits since May":                  "",
		"the plan says no changes":              "",
		"it fails without installing the mast":  "",
		"add a login form; don't log passwords": "",
		"don't forget tests and docs":           "",
		"do not only fix the mast but the sail": "do not only fix the mast but the sail",
		"the request hangs, never returns":      "",
		"I don't know why the build fails":      "",
		"we can't deploy any more":              "",
	} {
		if want == "" {
			want = task
		}
		if diff := cmp.Diff(want, strings.Join(strings.Fields(score.DropSpared(task)), " ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", task, diff)
		}
	}
}

// TestWordsOfTwoTopics: two topics that share a word do not take it from each other.
func TestWordsOfTwoTopics(t *testing.T) {
	texts := []string{"run knip weekly dead-code", "the code of a harbour"}
	hits := score.NewQuery("find what is unused after you regenerate the stubs", "").ScoreTexts(len(texts), func(i int, field func(string)) { field(texts[i]) })
	if len(hits) != 1 || hits[0].Doc != 0 {
		t.Errorf("%+v", hits)
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
