package recall

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"

	"mem/index"
	"mem/repo"
	"mem/words"
)

// Score holds a text against every record.
func Score(ix *index.Index, text string) int {
	return len(newQuery(text).score(len(ix.Items), func(i int, field func(string)) { fields(&ix.Items[i], field) }))
}

// Terms returns the words of a text as a query has them.
func Terms(text string) []string {
	q := newQuery(text)
	if q == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(q.terms))
}

// Shared returns the words of a query that a text has: as they are counted,
// and found the plain way.
func Shared(ask, text string) (counted, plain []string) {
	q := newQuery(ask)
	if q == nil {
		return nil, nil
	}
	for _, h := range q.score(1, func(_ int, field func(string)) { field(text) }) {
		for term, at := range q.terms {
			if h.counts[at] > 0 {
				counted = append(counted, term)
			}
		}
	}
	has := map[string]bool{}
	words.EachWord(text, func(word string, _ bool) { has[string(words.StemForSearch(nil, word))] = true })
	for term := range q.terms {
		if has[term] {
			plain = append(plain, term)
		}
	}
	slices.Sort(counted)
	slices.Sort(plain)
	return counted, plain
}

// Literals is what a text names letter for letter.
func Literals(text string) []string { return literals(text) }

// Leaders are the positions that are left to choose limit of all from.
func Leaders(m *repo.Memory, limit int) []int {
	p := &pool{ix: m.Index, marks: marksOf(m, maphash.MakeSeed()), rest: rank(m.Index, nil, m.Now())}
	return positions(p.leaders(limit))
}

// SortedFirst is what would be the first n numbers of a list if it were sorted by
// tens: by sorting all of them, and found at once.
func SortedFirst(n int, list []int) (sorted, quick []int) {
	var places []place
	for i, v := range list {
		places = append(places, place{pos: v, rank: i})
	}
	before := func(x, y place) int { return cmp.Compare(x.pos/10, y.pos/10) }
	quick = positions(first(n, places, before))
	slices.SortStableFunc(places, before)
	return positions(places[:min(n, len(places))]), quick
}
