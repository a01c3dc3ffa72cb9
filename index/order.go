package index

// sortFromOrder sorts the entries by insertion, beginning with the order that
// came with a digest. That order is theirs but for a few neighbours: all scores
// decay alike, and with time one of two is rounded up and the other down. It
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
