package merge

import (
	"cmp"
	"slices"
	"time"

	"mem/index"
)

// OpenCircles shows one lesson of each circle of lessons that superseded each other, of
// which none would be shown: clones decided so without knowing of each other. It is the
// one that was superseded first, so that the last decision stands. It is no part of
// Indexes: a third clone may know that there is no circle. All clones that see the
// circle come to the same index.
func OpenCircles(ix *index.Index) *index.Index {
	places := map[string]int{}
	for i := range ix.Items {
		if ix.Items[i].Status == index.Superseded {
			places[ix.Items[i].ID] = i
		}
	}
	opened := ix.Clone()
	for i := range ix.Items {
		circle := findCircle(opened, places, i)
		if len(circle) == 0 {
			continue
		}
		first := slices.MinFunc(circle, func(a, b *index.Item) int {
			return cmp.Or(supersededAt(a).Compare(supersededAt(b)), cmp.Compare(a.ID, b.ID))
		})
		var last time.Time
		for _, it := range circle {
			last = index.Latest(last, supersededAt(it))
		}
		first.Change(last.Add(time.Millisecond), func(it *index.Item) { it.Status, it.SupersededBy = index.Active, "" })
	}
	return opened
}

// findCircle returns the superseded records from one back to itself; none if it does not
// come back.
func findCircle(ix *index.Index, places map[string]int, start int) (circle []*index.Item) {
	for at := start; len(circle) <= len(places); {
		it := &ix.Items[at]
		next, isThere := places[it.SupersededBy]
		if it.Status != index.Superseded || !isThere {
			return nil
		}
		if circle = append(circle, it); next == start {
			return circle
		}
		at = next
	}
	return nil
}

func supersededAt(it *index.Item) time.Time {
	return index.Latest(it.StampOf("status"), it.StampOf("supersededBy"))
}

// JoinTwins merges active records that say the same into the oldest of them: another
// program, a hand or two clones made them. Those that skip names are left as they are,
// and so are two that were one and were taken apart. It returns the merges, in file order.
func JoinTwins(ix *index.Index, now time.Time, skip func(*index.Item) bool) []index.Absorbed {
	if ix.ReadOnly() || !hasTwins(ix) {
		return nil
	}
	return ix.MergeEqual(now, func(first, it *index.Item) bool {
		turns := ix.Undone.Links[index.Link{From: it.ID, Into: first.ID}]
		isApart := turns > 0 && turns%2 == 0
		return !isApart && first.Kind == it.Kind && index.KeyOf(first.Text) == index.KeyOf(it.Text) && !skip(first) && !skip(it)
	})
}

// hasTwins reports whether two active records may have one key.
func hasTwins(ix *index.Index) bool {
	return !ix.IsDistinct(func(it *index.Item) string {
		if it.Status != index.Active {
			return it.ID
		}
		return it.Key
	})
}
