package recall

import (
	"cmp"
	"hash/maphash"
	"slices"

	"mem/recall/score"
	"mem/repo"
)

// Leaders are the positions that are left to choose limit of all from.
func Leaders(m *repo.Memory, limit int) []int {
	p := &pool{ix: m.Index, marks: marksOf(m, maphash.MakeSeed()), rest: score.RankLessons(m.Index, nil, m.Now())}
	return score.Positions(p.leaders(limit))
}

// SortedFirst is what would be the first n numbers of a list if it were sorted by
// tens: by sorting all of them, and found at once.
func SortedFirst(n int, list []int) (sorted, quick []int) {
	var places []score.Place
	for i, v := range list {
		places = append(places, score.Place{Pos: v, Rank: i})
	}
	before := func(x, y score.Place) int { return cmp.Compare(x.Pos/10, y.Pos/10) }
	quick = score.Positions(firstPlaces(n, places, before))
	slices.SortStableFunc(places, before)
	return score.Positions(places[:min(n, len(places))]), quick
}
