package score_test

import (
	"testing"

	"mem/index"
	"mem/recall/score"
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
		{"hello there friend", choice("pnpm", "bun"), false},
	} {
		if got := score.NewQuery(test.task, "").Chooses(test.it); got != test.want {
			t.Errorf("%q, %v: %t, want %t", test.task, test.it.Remedy, got, test.want)
		}
	}
}

// TestShortWord has a task that says "pull request" find what says "PR".
func TestShortWord(t *testing.T) {
	for task, want := range map[string]int{"open a pull request": 1, "open a request": 0} {
		if got := score.NewQuery(task, "").CountIn("Write a changeset before a PR"); got != want {
			t.Errorf("%q: %d words, want %d", task, got, want)
		}
	}
}
