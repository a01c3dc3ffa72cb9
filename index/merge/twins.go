package merge

import (
	"time"

	"mem/index"
)

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
