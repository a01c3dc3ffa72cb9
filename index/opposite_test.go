package index_test

import (
	"testing"
	"time"

	"mem/index"

	"mem/envtest"
)

// TestFindOutdone: the same with a negation in front is the opposite, whatever reason is given; of
// two the newer one counts, and neither if they are of one time.
func TestFindOutdone(t *testing.T) {
	early := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"Use pnpm", "Don't use pnpm", true},
		{"Use pnpm", "Never use pnpm, use npm", true},
		{"Use pnpm", "Use npm instead of pnpm", true},
		{"Use pnpm", "Use npm, not pnpm, it breaks the lockfile", true},
		{"Use pnpm", "Always use npm rather than pnpm", true},
		{"Use npm instead of pnpm", "Use pnpm instead of npm", true},
		{"Prefer tabs over spaces", "Prefer spaces over tabs", true},
		{"Use pnpm", "Stop using pnpm", true},
		{"Use pnpm, it is faster", "Never use pnpm: it breaks the lockfile", true},
		{"Use pnpm", "Never use pnpm because it breaks the lockfile", true},
		{"Deploy on Fridays", "Do not deploy on Fridays.", true},
		{"Commit generated files", "Avoid: committing generated files", true},
		{"Avoid: pnpm in web", "Use pnpm in web", false},
		{"Use pnpm", "Use npm", false},
		{"", ", .", false},
		{"Use npm", "Never use pnpm, use npm", false},
		{"Never use pnpm", "Use npm instead of pnpm", false},
		{"Use pnpm", "Never use pnpm in web, use npm", false},
		{"Never use pnpm", "Use pnpm, except in web", false},
		{"Use docker", "Use podman instead of docker on the CI", false},
		{"Commit generated files", "Never commit generated files on release branches", false},
		{"Never use the script", "Use the script that builds it", false},
	} {
		for after, want := range map[int][]int{-1: {-1, -1}, 0: {-1, -1}, 1: {-1, -1}} {
			if tt.want && after != 0 {
				want[max(0, -after)] = max(0, after)
			}
			list := []index.Saying{{Text: tt.a, Seen: early}, {Text: tt.b, Seen: early.AddDate(0, 0, after)}}
			envtest.Same(t, want, index.FindOutdone(list), tt.a, tt.b)
		}
	}

	// One that was outdone and said again counts, and outdoes in turn.
	days := []index.Saying{{Text: "Use npm", Seen: early}, {Text: "Never use npm", Seen: early.AddDate(0, 0, 1)}, {Text: "Always use npm: it is there", Seen: early.AddDate(0, 0, 2)}}
	envtest.Same(t, []int{1, 2, -1}, index.FindOutdone(days))
}
