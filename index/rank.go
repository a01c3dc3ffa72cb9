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
	entries := make([]standing, 0, len(ix.Items))
	for pos := range ix.Items {
		if it := &ix.Items[pos]; it.Status == Active {
			entries = append(entries, standing{math.Round(it.EffectiveScore(now) * 1e4), it.Hits, pos})
		}
	}
	if !ix.sortFromOrder(entries) {
		slices.SortFunc(entries, ix.ranksBefore)
	}
	ranked := make([]int, len(entries))
	for i, e := range entries {
		ranked[i] = e.pos
	}
	return ranked
}

// A standing is what decides about the rank of a record, as far as it is at
// hand: only the few that are equal so far need a look at the record.
type standing struct {
	score float64 // rounded
	hits  int
	pos   int
}

// ranksBefore is negative if a ranks before b.
func (ix *Index) ranksBefore(a, b standing) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	if c := cmp.Compare(b.hits, a.hits); c != 0 {
		return c
	}
	return cmp.Or(ix.Items[b.pos].LastSeen.Compare(ix.Items[a.pos].LastSeen), cmp.Compare(a.pos, b.pos))
}

// sortFromOrder sorts the entries by insertion, beginning with the order that
// came with a digest. That order is theirs but for a few neighbours: all scores
// decay in the same way, and with time one of two is rounded up and the other down. It
// reports false, with the entries in no order, if there is nowhere to begin or
// the work is more than sorting anew. Without it Rank is slower and the same.
func (ix *Index) sortFromOrder(entries []standing) bool {
	if ix.Order == nil {
		return false
	}
	about := make([]standing, len(entries))
	for i, at := range ix.Order {
		about[i] = entries[at]
	}
	copy(entries, about)
	moves := 8*len(entries) + 64
	for i := 1; i < len(entries) && moves >= 0; i++ {
		e, at := entries[i], i
		for ; at > 0 && ix.ranksBefore(e, entries[at-1]) < 0; at-- {
			entries[at] = entries[at-1]
			moves--
		}
		entries[at] = e
	}
	return moves >= 0
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
