package score_test

import (
	"testing"
	"time"

	"mem/index"
	"mem/recall/score"
	"mem/topic"
)

// TestChooses asks whether lessons about a choice of programs are for a task.
func TestChooses(t *testing.T) {
	choice := func(not, but string) *index.Item {
		return &index.Item{Cue: &index.Literals{Command: not, Error: "this project is configured to use another"}, Remedy: &index.Literals{Command: but}}
	}
	for _, test := range []struct {
		task string
		it   *index.Item
		want bool
	}{
		{"Add zod as a dependency to the cli package", choice("pnpm", "bun"), true},
		{"explain the lock file", choice("npm", "pnpm"), true},
		{"change the configuration of the loader", choice("pnpm", "bun"), false},
		{"why do the tests hang?", choice("jest", "vitest"), true},
		{"why do the tests hang?", choice("pnpm", "bun"), false},
		{"add a dependency", choice("pnpm install", "bun install"), false}, // one command for another
		{"add a dependency", &index.Item{}, false},
		{"add zod to the core package and parse the file with it", choice("npm", "bun"), true},
		{"please install @acme/boats in our web app", choice("npm", "bun"), true},
		{"upgrade react to v19", choice("npm", "bun"), true},
		{"add tests to the core package", choice("npm", "bun"), false},
		{"add a --json flag to the cli", choice("npm", "bun"), false},
		{"add logging to the api", choice("npm", "bun"), false},
		{"add validation to the web app", choice("npm", "bun"), false},
		{"update the readme to the latest wording", choice("npm", "bun"), false},
		{"hello there friend", choice("pnpm", "bun"), false},
	} {
		if got := score.NewQuery(test.task, "").Chooses(test.it); got != test.want {
			t.Errorf("%q, %v: %t, want %t", test.task, test.it.Remedy, got, test.want)
		}
	}
}

// TestQuotedError has the words of an error that a lesson quotes say little, as any error has them, the
// topic of several words as much as a word, and what a lesson is for more.
func TestQuotedError(t *testing.T) {
	lesson := func(text string) index.Item { return index.Item{Text: text, Status: index.Active} }
	ix := &index.Index{Items: []index.Item{
		lesson("Run `make env` before `make test`: otherwise it fails with `error: missing DOCK_URL or DOCK_HOST`"),
		lesson("Deploy with the account of the team"), lesson("To test, start the database"), lesson("Write in plain English"),
		lesson("Run `make deps` in a new checkout: until then packages are missing"), lesson("Check everything with `make all`"),
		lesson("`.moorings`: one rope each"),
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
		{"run the whole suite", 2, 1, 1.2}, // it says that it is for that
		{"run the whole show", 2, 0, 0},
		{"explain the packages", 4, 0.1, 0.5}, // what is wrong without it
		{"fix it, and see that nothing else breaks", 5, 1.2, 1.6},
		{"the moorings are wrong", 6, 1.4, 1.6},
		{"fix everything", 5, 0, 0.7}, // not all that it is for
	} {
		if got := speaks(test.task, test.at); got < test.from || got > test.to {
			t.Errorf("%q speaks %.2f for lesson %d, want %.2f to %.2f", test.task, got, test.at, test.from, test.to)
		}
	}
}
