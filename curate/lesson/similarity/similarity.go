// Package similarity finds statements that say the same in nearly the same words,
// and statements that say the opposite in the same words.
//
// It looks at words alone, so it misses most of what people would call alike;
// what it finds is meant to be worth a look. Two statements are the same when
// one holds all that the other holds, in the same order, and adds at most
// a few plain words. Numbers, versions, names, paths, code, negations, and words
// such as "before" or "only" are never what is added: a text in which a digit
// differs, or a "not" was put in, is another statement. Two statements are
// opposites when one is the other with a negation in front, or when they prefer
// two things to each other the other way round.
//
// The package is pure, and the same list gives the same pairs in the same order.
package similarity

import (
	"cmp"
	"slices"
)

// A Statement is what one lesson says.
type Statement struct {
	Text  string
	Avoid bool // it says what not to do; Text has no mark of that
}

// A Pair is two statements, by their places in the list: First is the lower
// one.
type Pair struct {
	First, Second int
	Opposite      bool    // they contradict each other; otherwise they say the same
	Likeness      float64 // the part of the longer that the shorter holds, above 0; 1 is all of it
}

// The bounds of what is looked for.
const (
	minLikeness = 0.6  // less of the longer one is another thing said
	minWords    = 3    // of the shorter, if the longer adds something
	minSame     = 2    // of two that differ in nothing that counts
	maxPartners = 4    // pairs that one statement is the shorter of
	maxLooks    = 4096 // comparisons for one statement
	maxGroup    = 16   // statements with the same words that are compared with each other
)

// FindPairs returns the pairs in a list, the most alike first and opposites last;
// of equals those that are earlier in the list. Pairs for which skip says true
// are left out; skip may be nil. What differs in Avoid is never the same.
//
// Of very many statements with the same words only some pairs are returned. The
// time it takes grows with the length of the list, not with its square.
func FindPairs(list []Statement, skip func(first, second int) bool) []Pair {
	if skip == nil {
		skip = func(int, int) bool { return false }
	}
	r := newReader()
	all := make([]sequence, len(list))
	for i, s := range list {
		all[i] = r.readStatement(s)
	}
	pairs := same(all, skip)
	pairs = append(pairs, opposites(all, skip)...)
	slices.SortFunc(pairs, func(a, b Pair) int {
		switch {
		case !a.Opposite && b.Opposite:
			return -1
		case a.Opposite && !b.Opposite:
			return 1
		}
		return cmp.Or(cmp.Compare(b.Likeness, a.Likeness), cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
	})
	return slices.CompactFunc(pairs, func(a, b Pair) bool { return a.First == b.First && a.Second == b.Second })
}

// A posting says that the statement at pos holds a word. Statements whose
// fixed words differ have no key in common.
type posting struct {
	key uint64
	pos int32
}

// same finds the pairs that say the same: each statement is looked for among
// those that hold the rarest of its words.
func same(all []sequence, skip func(int, int) bool) (pairs []Pair) {
	var postings []posting
	for i := range all {
		for j, w := range all[i].words {
			if !slices.ContainsFunc(all[i].words[:j], func(v word) bool { return v.norm == w.norm }) {
				postings = append(postings, posting{all[i].wordKey(w), int32(i)})
			}
		}
	}
	slices.SortFunc(postings, func(a, b posting) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.pos, b.pos))
	})
	spans := make(map[uint64][2]int32, len(postings)/4)
	for from := 0; from < len(postings); {
		to := from + 1
		for to < len(postings) && postings[to].key == postings[from].key {
			to++
		}
		if to-from > 1 { // a word of one statement alone is in no other
			spans[postings[from].key] = [2]int32{int32(from), int32(to)}
		}
		from = to
	}
	for i := range all {
		span, shared := rarest(&all[i], spans)
		if !shared {
			continue
		}
		pairs = append(pairs, partners(all, i, postings[span[0]:span[1]], skip)...)
	}
	return pairs
}

// rarest returns where the postings of a statement's rarest word are; shared is
// false when some word of it is in no other statement.
func rarest(s *sequence, spans map[uint64][2]int32) (best [2]int32, shared bool) {
	for _, w := range s.words {
		span, ok := spans[s.wordKey(w)]
		if !ok {
			return best, false
		}
		if !shared || span[1]-span[0] < best[1]-best[0] {
			best, shared = span, true
		}
	}
	return best, shared
}

// partners returns the pairs of which the statement at i is the shorter, or of
// equals the first.
func partners(all []sequence, i int, among []posting, skip func(int, int) bool) (pairs []Pair) {
	x := &all[i]
	for _, p := range among[:min(len(among), maxLooks)] {
		j := int(p.pos)
		y := &all[j]
		if len(y.words) < len(x.words) || len(y.words) == len(x.words) && j <= i || x.bits&^y.bits != 0 || x.avoid != y.avoid {
			continue
		}
		likeness := float64(len(x.words)) / float64(len(y.words))
		if likeness < minLikeness || !x.isWithin(y) || skip(min(i, j), max(i, j)) {
			continue
		}
		pairs = append(pairs, Pair{First: min(i, j), Second: max(i, j), Likeness: likeness})
		if len(pairs) == maxPartners {
			break
		}
	}
	return pairs
}

// opposites finds the pairs that contradict each other.
func opposites(all []sequence, skip func(int, int) bool) (pairs []Pair) {
	groups := map[string][]int{}
	for i := range all {
		for _, key := range all[i].oppositeKeys() {
			if len(groups[key]) < maxGroup {
				groups[key] = append(groups[key], i)
			}
		}
	}
	for _, group := range groups { // their order does not matter: Find sorts
		for n, i := range group {
			for _, j := range group[n+1:] {
				if all[i].isOpposite(&all[j]) && !skip(i, j) {
					pairs = append(pairs, Pair{First: i, Second: j, Opposite: true, Likeness: 1})
				}
			}
		}
	}
	return pairs
}
