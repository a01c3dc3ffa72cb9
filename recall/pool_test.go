package recall

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/index"
	"mem/recall/score"
)

// The first ones are those that a stable sort puts first.
func TestFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hits := rapid.SliceOf(rapid.IntRange(0, 9)).Draw(t, "hits")
		n := rapid.IntRange(0, 6).Draw(t, "n")
		p := &pool{ix: &index.Index{}}
		var list []score.Place
		for i, h := range hits {
			p.ix.Items = append(p.ix.Items, index.Item{Hits: h})
			list = append(list, score.Place{Pos: i})
		}
		byHits := func(x, y *index.Item) int { return cmp.Compare(x.Hits, y.Hits) }
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(x, y score.Place) int { return byHits(p.item(x), p.item(y)) })
		want = want[:min(n, len(want))]
		if diff := gocmp.Diff(score.Positions(want), score.Positions(p.first(n, list, byHits))); diff != "" {
			t.Fatalf("the first %d of %v (-want +got):\n%s", n, hits, diff)
		}
	})
}
