package recall

import (
	"maps"
	"slices"

	"mem/words"
)

// How lessons are ranked.
var (
	Positions   = positions
	RankLessons = rankLessons
	FieldsOf    = fieldsOf
)

// ParseReceipts reads a file of receipts.
var ParseReceipts = parseReceipts

// Terms returns the words of a text as a query has them.
func Terms(text, project string) []string {
	q := NewQuery(text, project)
	if q == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(q.terms))
}

// Shared returns the words of a query that a text has: as they are counted, and found the plain way.
func Shared(ask, text string) (counted, plain []string) {
	q := NewQuery(ask, "")
	if q == nil {
		return nil, nil
	}
	for _, h := range q.ScoreTexts(1, func(int) []string { return []string{text} }) {
		for term, at := range q.terms {
			if h.counts[at] > 0 {
				counted = append(counted, term)
			}
		}
	}
	has := map[string]bool{}
	words.EachWord(text, func(word string, _ bool) { has[words.StemWord(word)] = true })
	for term := range q.terms {
		if has[term] {
			plain = append(plain, term)
		}
	}
	slices.Sort(counted)
	slices.Sort(plain)
	return counted, plain
}
