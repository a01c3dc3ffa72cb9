package opposite_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mem/recall/opposite"
)

func TestFind(t *testing.T) {
	early := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"Use pnpm", "Don't use pnpm", true},
		{"Use pnpm", "Never use pnpm, use npm", true},
		{"Use `pnpm`", "Never use `pnpm`; use `npm` instead.", true},
		{"Use pnpm", "Use npm instead of pnpm", true},
		{"Use pnpm", "Use npm, not pnpm", true},
		{"Use pnpm", "Use npm, not pnpm, it breaks the lockfile", true},
		{"Use pnpm", "Always use npm rather than pnpm", true},
		{"Use pnpm", "Use npm, never use pnpm", true},
		{"Always use pnpm", "Stop using pnpm", true},
		{"Use pnpm", "We no longer use pnpm, use npm", true},
		{"Prefer tabs over spaces", "Prefer spaces over tabs", true},
		{"Use pnpm", "Never use pnpm because it breaks the lockfile", true},
		{"Use pnpm, it is faster", "Never use pnpm: it breaks the lockfile", true},
		{"Use pnpm", "Use `npm` instead of `pnpm`, `pnpm` breaks the lockfile", true},
		{"Use pnpm for installs", "Avoid pnpm for installs", true},
		{"Squash commits before merging", "Never squash commits before merging, always rebase", true},
		{"Use pnpm", "Use npm", false},
		{"", ", .", false},
		{"Use pnpm", "Avoid using npm", false},
		{"Use npm", "Never use pnpm, use npm", false},
		{"Never use pnpm", "Use npm instead of pnpm", false},
		{"Never use npm", "Use pnpm, not npm", false},
		{"Use pnpm", "Never use pnpm in web, use npm", false},
		{"Use pnpm", "Never use pnpm dlx", false},
		{"Never use pnpm", "Use pnpm, except in web", false},
		{"Never use pnpm", "Use pnpm, if there is a lockfile of it", false},
		{"Use docker", "Use podman instead of docker on the CI", false},
		{"Never use the script", "Use the script that builds it", false},
		{"Deploy on Friday", "Never deploy on Friday, unless it burns", false},
		{"Commit generated files", "Avoid committing the generated file", true},
		{"Make sure to run the e2e suite", "Don’t run the e2e suite", true},
		{"Don't squash the commits of a branch", "You should always squash commits of a branch", true},
		{"Use `npm ci` rather than `npm install`", "Use `npm install` rather than `npm ci`", true},
		{"Deploy only on Fridays", "Do not deploy on Fridays", true},
		{"Deploy only on Fridays", "Do not deploy only on Fridays", true},
		{"Deploy on Fridays", "Do not deploy only on Fridays", false},
		{"Commit generated files", "Never commit generated files on release branches", false},
		{"Use port 80", "Never use port 8080", false},
		{"Run `make test` twice", "Never run `make tests` twice", false},
		{"The A plan is the one", "Never the B plan is the one", false},
		{"Do it", "Don't do it", false},
	} {
		var none, first, second []opposite.Pair
		if tt.want {
			first, second = []opposite.Pair{{Newer: 0, Older: 1}}, []opposite.Pair{{Newer: 1, Older: 0}}
		}
		for _, of := range []struct {
			after int
			want  []opposite.Pair
		}{{-1, first}, {0, none}, {1, second}} {
			list := []opposite.Lesson{{Text: tt.a, Seen: early}, {Text: tt.b, Seen: early.AddDate(0, 0, of.after)}}
			if diff := cmp.Diff(of.want, opposite.Find(list)); diff != "" {
				t.Errorf("%q, %q (-want +got):\n%s", tt.a, tt.b, diff)
			}
		}
	}
}

// TestAvoid: what is to be avoided is one thing.
func TestAvoid(t *testing.T) {
	now := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	things := []opposite.Lesson{{Text: "pnpm in web", Avoid: true, Seen: now}, {Text: "Use pnpm in web", Seen: now.AddDate(0, 0, 1)}}
	if diff := cmp.Diff([]opposite.Pair{{Newer: 1, Older: 0}}, opposite.Find(things)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	list := []opposite.Lesson{{Text: "use pnpm, use npm", Avoid: true, Seen: now}, {Text: "Use npm", Seen: now.AddDate(0, 0, 1)}, {Text: "use pnpm, use npm", Seen: now.AddDate(0, 0, 2)}}
	if diff := cmp.Diff([]opposite.Pair{{Newer: 2, Older: 0}}, opposite.Find(list)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
