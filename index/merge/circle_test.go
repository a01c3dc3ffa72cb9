package merge_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/index"
	"mem/index/merge"
)

// TestOpenCirclesLaws: whatever clones superseded, each lesson leads to one that is
// shown, in whatever order the clones meet, and to open twice changes nothing.
func TestOpenCirclesLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Date(2026, 2, 3, 8, 0, 0, 0, time.UTC)
		id := rapid.IntRange(0, 3)
		var base index.Index
		for n := range 4 {
			text := fmt.Sprintf("Lesson %d", n)
			it := index.Item{ID: fmt.Sprintf("m-%d", n), Key: index.KeyOf(text), Text: text, Kind: index.Learning, Status: index.Active, Place: n}
			it.AddSource(index.Source{ID: "r-" + fmt.Sprint(n), At: at})
			it.Fold()
			base.Items = append(base.Items, it)
		}
		base.Normalize()
		var clones []*index.Index
		for range 3 {
			ix := base.Clone()
			from, to := id.Draw(t, "from"), id.Draw(t, "to")
			if from != to {
				now := at.Add(time.Duration(rapid.IntRange(1, 3).Draw(t, "hour")) * time.Hour)
				ix.Items[from].Change(now, func(it *index.Item) { it.Status, it.SupersededBy = index.Superseded, ix.Items[to].ID })
			}
			ix.Normalize()
			clones = append(clones, ix)
		}
		a, b, c := clones[0], clones[1], clones[2]
		one := merge.OpenCircles(merge.Indexes(&base, merge.Indexes(&base, a, b), c))
		two := merge.OpenCircles(merge.Indexes(&base, c, merge.Indexes(&base, b, a)))
		if diff := cmp.Diff(plain(one), plain(two)); diff != "" {
			t.Fatalf("the order tells (-first +second):\n%s", diff)
		}
		if diff := cmp.Diff(plain(one), plain(merge.OpenCircles(one))); diff != "" {
			t.Fatalf("opened twice:\n%s", diff)
		}
		for i := range one.Items {
			it := &one.Items[i]
			for n := 0; it.Status == index.Superseded; n++ {
				if n > len(one.Items) {
					t.Fatalf("%s leads to none that is shown: %v", it.ID, plain(one))
				}
				it = &one.Items[one.ByID(it.SupersededBy)]
			}
		}
	})
}
