package pattern

import "cmp"

// A candidate is a group that may be taken next: a pair of tags in the first
// pass, a star in the second.
type candidate struct {
	rank  int // tags that all have
	times int
	pair  pair
	name  string // of the centre of a star
	set   int    // that centre
}

// A queue holds candidates, the best one on top.
type queue []candidate

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q queue) Less(i, j int) bool {
	a, b := &q[i], &q[j]
	return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.times, a.times),
		cmp.Compare(a.pair.a, b.pair.a), cmp.Compare(a.pair.b, b.pair.b), cmp.Compare(a.name, b.name)) < 0
}

// Push adds a candidate, for container/heap.
func (q *queue) Push(c any) { *q = append(*q, c.(candidate)) }

// Pop removes the last candidate, for container/heap.
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
