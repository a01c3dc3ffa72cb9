package index

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// The scoring constants of pi-self-learning, which roots in use rely on.
const (
	decayPerDay = 0.05
	hitBonus    = 0.08
	dayMillis   = 24 * 60 * 60 * 1000
)

// EffectiveScore returns the score of the record at now: its score less 0.05 for
// each day since it was last seen. A clock that runs behind gives no bonus.
func (it *Item) EffectiveScore(now time.Time) float64 {
	days := max(0, float64(now.UnixMilli()-it.LastSeen.UnixMilli())/dayMillis)
	return it.Score - float64(decayPerDay*days)
}

// Rank returns the positions of the active records, best first: by effective
// score rounded to four decimals, then hits, then the latest sighting, all
// descending, then by their place in the index, which is a total order and
// the one that pi-self-learning's stable sort comes to.
func (ix *Index) Rank(now time.Time) []int {
	standings := make([]standing, 0, len(ix.Items))
	for pos := range ix.Items {
		if it := &ix.Items[pos]; it.Status == Active {
			score := math.Round(it.EffectiveScore(now) * 1e4)
			standings = append(standings, standing{score, it.Hits, it.LastSeen.UnixMilli(), pos})
		}
	}
	slices.SortFunc(standings, compareStandings)
	ranked := make([]int, len(standings))
	for i, s := range standings {
		ranked[i] = s.pos
	}
	return ranked
}

// A standing decides the rank of a record: to sort records themselves takes three times as long.
type standing struct {
	score float64 // rounded
	hits  int
	seen  int64
	pos   int
}

// compareStandings is negative if a ranks before b.
func compareStandings(a, b standing) int {
	if c := cmp.Compare(b.score, a.score); c != 0 { // nearly always
		return c
	}
	return cmp.Or(cmp.Compare(b.hits, a.hits), cmp.Compare(b.seen, a.seen), cmp.Compare(a.pos, b.pos))
}

// Select returns the positions of the limit records to show first, out of
// ranked, which is what Rank returned.
//
// Pinned records come first, then those of high severity, on at most half of the slots.
// When both kinds exist each gets at least half of the limit, rounded down
// but not below one; the global rank fills what is left. A limit below 1
// counts as 1.
func (ix *Index) Select(ranked []int, limit int) []int {
	limit = max(1, limit)
	chosen := make([]int, 0, min(limit, len(ranked)))
	taken := make(map[int]bool, cap(chosen))
	count := map[Kind]int{}
	take := func(upTo int, fits func(it *Item) bool) {
		for _, pos := range ranked {
			if len(chosen) >= upTo {
				return
			}
			if it := &ix.Items[pos]; !taken[pos] && fits(it) {
				chosen = append(chosen, pos)
				taken[pos] = true
				count[it.Kind]++
			}
		}
	}
	take(limit/2, func(it *Item) bool { return it.Pinned })
	take(limit/2, func(it *Item) bool { return it.Severity == "high" })
	other := func(pos int) bool { return ix.Items[pos].Kind != ix.Items[ranked[0]].Kind }
	if slices.ContainsFunc(ranked, other) { // both kinds exist
		for _, kind := range []Kind{Learning, AntiPattern} {
			missing := max(1, limit/2) - count[kind]
			take(min(limit, len(chosen)+missing), func(it *Item) bool { return it.Kind == kind })
		}
	}
	take(limit, func(*Item) bool { return true })
	return chosen
}
