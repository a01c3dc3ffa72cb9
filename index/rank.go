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

// Effective returns the score of the record at now: its score less 0.05 for
// each day since it was last seen. A clock that runs behind gives no bonus.
func (it *Item) Effective(now time.Time) float64 {
	days := max(0, float64(now.UnixMilli()-it.LastSeen.UnixMilli())/dayMillis)
	return it.Score - float64(decayPerDay*days)
}

// bump counts one more sighting and returns what it added to the score.
func (it *Item) bump() float64 {
	it.Hits++
	// The conversions forbid fused multiply-add, so that every machine gets
	// the same bits.
	gain := float64(1 + math.Min(1, float64(hitBonus*float64(it.Hits))))
	it.Score += gain
	return gain
}

// Rank returns the positions of the active records, best first: by effective
// score rounded to four decimals, then hits, then the latest sighting, all
// descending, then by their place in the index, which is a total order and
// the one that pi-self-learning's stable sort comes to.
func (ix *Index) Rank(now time.Time) []int {
	type entry struct {
		score float64
		pos   int
	}
	entries := make([]entry, 0, len(ix.Items))
	for i := range ix.Items {
		if it := &ix.Items[i]; it.Status == Active {
			entries = append(entries, entry{math.Round(it.Effective(now) * 1e4), i})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		x, y := &ix.Items[a.pos], &ix.Items[b.pos]
		return cmp.Or(
			cmp.Compare(y.Hits, x.Hits),
			y.LastSeen.Compare(x.LastSeen),
			cmp.Compare(a.pos, b.pos),
		)
	})
	ranked := make([]int, len(entries))
	for i, e := range entries {
		ranked[i] = e.pos
	}
	return ranked
}

// Select returns the positions of the limit records to show first, out of
// ranked, which is what Rank returned.
//
// Pinned records come first, in rank order, on at most half of the slots.
// When both kinds exist each gets at least half of the limit, rounded down
// but not below one; the global rank fills what is left. A limit below 1
// counts as 1.
func (ix *Index) Select(ranked []int, limit int) []int {
	limit = max(1, limit)
	chosen := make([]int, 0, min(limit, len(ranked)))
	taken := make(map[int]bool, cap(chosen))
	count := map[Kind]int{}
	take := func(pos int) {
		chosen = append(chosen, pos)
		taken[pos] = true
		count[ix.Items[pos].Kind]++
	}
	for _, pos := range ranked {
		if len(chosen) == limit/2 {
			break
		}
		if ix.Items[pos].Pinned {
			take(pos)
		}
	}
	half := max(1, limit/2)
	if ix.bothKinds(ranked) {
		for _, kind := range []Kind{Learning, AntiPattern} {
			for _, pos := range ranked {
				if len(chosen) == limit || count[kind] >= half {
					break
				}
				if ix.Items[pos].Kind == kind && !taken[pos] {
					take(pos)
				}
			}
		}
	}
	for _, pos := range ranked {
		if len(chosen) == limit {
			break
		}
		if !taken[pos] {
			take(pos)
		}
	}
	return chosen
}

func (ix *Index) bothKinds(ranked []int) bool {
	first := slices.IndexFunc(ranked, func(pos int) bool { return ix.Items[pos].Kind != ix.Items[ranked[0]].Kind })
	return first >= 0
}
