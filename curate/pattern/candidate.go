package pattern

import (
	"cmp"
	"slices"
	"strings"

	"mem/topic"
)

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

// NormalTags returns tags in the form that units need. Most have it already.
func NormalTags(tags []string) []string {
	odd := func(i int) bool { return !plain(tags[i]) || i > 0 && tags[i] <= tags[i-1] }
	for i := range tags {
		if i == topic.MaxTags || odd(i) {
			return topic.Tags(tags)
		}
	}
	return tags
}

// plain reports whether a tag surely is as topic.Tag returns it.
func plain(tag string) bool {
	for i := range len(tag) {
		if c := tag[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && (c != '-' || i == 0 || i == len(tag)-1 || tag[i-1] == '-') {
			return false
		}
	}
	return tag != "" && len(tag) <= topic.MaxTag
}

// joinTags returns the tags of a group as people say them.
func joinTags(tags []string) string {
	var list []string
	for _, tag := range tags {
		list = append(list, strings.ReplaceAll(tag, "-", " "))
	}
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(slices.Clip(list[:last]), ", ") + " and " + list[last]
}
