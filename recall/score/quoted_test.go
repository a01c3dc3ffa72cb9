package score_test

import (
	"testing"
	"time"

	"mem/index"
	"mem/recall/score"
	"mem/topic"
)

// TestQuotedError has the words of an error that a lesson quotes say little, as any error has them, and
// the topic of several words as much as a word.
func TestQuotedError(t *testing.T) {
	lesson := func(text string) index.Item { return index.Item{Text: text, Status: index.Active} }
	ix := &index.Index{Items: []index.Item{
		lesson("Run `make env` before `make test`: otherwise it fails with `error: missing DOCK_URL or DOCK_HOST`"),
		lesson("Deploy with the account of the team"), lesson("To test, start the database"), lesson("Write in plain English"),
		lesson("Run `make deps` in a new checkout: until then packages are missing"), lesson("Check everything with `make all`"),
	}}
	_, ix.Items[5].Tags = topic.File(ix.Items[5].Text, false)
	speaks := func(task string, at int) float64 {
		for _, p := range score.RankLessons(ix, score.NewQuery(task, ""), time.Unix(0, 0)) {
			if p.Pos == at && p.Hit != nil {
				return p.Hit.Speaks
			}
		}
		return 0
	}
	for _, test := range []struct {
		task     string
		at       int
		from, to float64
	}{
		{"say which file is missing", 0, 0.1, 0.5},
		{"it says error: missing DOCK_URL", 0, 1.02, 9},
		{"the tests of the dock", 0, 0.5, 1.5}, // "test" is outside of it
		{"push the site live", 1, 0.9, 1.1},
		{"explain the packages", 4, 0.1, 0.5}, // what is wrong without it
		{"fix it, and see that nothing else breaks", 5, 0.9, 1.1},
	} {
		if got := speaks(test.task, test.at); got < test.from || got > test.to {
			t.Errorf("%q speaks %.2f for lesson %d, want %.2f to %.2f", test.task, got, test.at, test.from, test.to)
		}
	}
}
