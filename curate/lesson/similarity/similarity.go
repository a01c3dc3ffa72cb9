// Package similarity finds statements that say the same in nearly the same words,
// and statements that say the opposite in the same words.
//
// It compares words alone, so it misses most of what people would call similar.
// Two statements are the same when one holds all that the other holds, in the same
// order, and adds at most a few plain words: no number, version, name, path, code,
// negation, or word such as "before" or "only". They are opposites when one is the
// other with a negation in front, or when they prefer two things to each other the
// other way round.
//
// The package is pure, and the same list gives the same pairs in the same order.
package similarity

import (
	"cmp"
	"encoding/binary"
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

// FindPairs returns the pairs in a list, the most similar first and opposites
// last; of equals the pairs that are earlier in the list. It leaves out the pairs
// for which skip is true. Statements that differ in Avoid are never the same.
//
// Of very many statements with the same words it returns only some pairs, so that
// the time grows with the length of the list, not with its square.
func FindPairs(list []Statement, skip func(first, second int) bool) []Pair {
	all := readStatements(list)
	return append(sortPairs(findSame(all, skip)), sortPairs(findOpposites(all, skip))...)
}

// FindOpposites returns the opposites in a list, in its order.
func FindOpposites(list []Statement) []Pair {
	return sortPairs(findOpposites(readStatements(list), func(int, int) bool { return false }))
}

func readStatements(list []Statement) []sequence {
	r := newReader()
	all := make([]sequence, len(list))
	for i, s := range list {
		all[i] = r.readStatement(s)
	}
	return all
}

func sortPairs(pairs []Pair) []Pair {
	slices.SortFunc(pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Likeness, a.Likeness), cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
	})
	return slices.Compact(pairs)
}

// findSame finds the pairs that say the same: each statement is looked for among
// those that hold the rarest of its words. Statements whose fixed words differ
// have no word in common.
func findSame(all []sequence, skip func(int, int) bool) (pairs []Pair) {
	holders := map[uint64][]int32{} // by word
	for i := range all {
		for j, w := range all[i].words {
			if !slices.ContainsFunc(all[i].words[:j], func(v word) bool { return v.norm == w.norm }) {
				key := all[i].wordKey(w)
				holders[key] = append(holders[key], int32(i))
			}
		}
	}
	for i := range all {
		if len(all[i].words) == 0 {
			continue
		}
		among := holders[all[i].wordKey(all[i].words[0])]
		for _, w := range all[i].words[1:] {
			if some := holders[all[i].wordKey(w)]; len(some) < len(among) {
				among = some
			}
		}
		pairs = append(pairs, partnersOf(all, i, among, skip)...)
	}
	return pairs
}

// partnersOf returns the pairs of which the statement at i is the shorter, or of
// equals the first.
func partnersOf(all []sequence, i int, among []int32, skip func(int, int) bool) (pairs []Pair) {
	x := &all[i]
	for _, pos := range among[:min(len(among), maxLooks)] {
		j := int(pos)
		y := &all[j]
		if len(y.words) < len(x.words) || len(y.words) == len(x.words) && j <= i || x.avoid != y.avoid {
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

func findOpposites(all []sequence, skip func(int, int) bool) (pairs []Pair) {
	groups := map[string][]int{}
	for i := range all {
		for _, key := range all[i].oppositeKeys() {
			if len(groups[key]) < maxGroup {
				groups[key] = append(groups[key], i)
			}
		}
	}
	for _, group := range groups { // their order does not matter: the pairs are sorted
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

// A word is one word of a statement that counts.
type word struct {
	norm  uint32 // number of its form: without ending, synonyms as one
	raw   uint32 // number of the word as it was written
	code  bool   // it was quoted, so that its letters matter
	fixed bool   // a statement without it is another one
}

func (w word) equals(v word) bool {
	return w.norm == v.norm && (w.raw == v.raw || !w.code && !v.code)
}

// A sequence is a statement as its words.
type sequence struct {
	words []word
	avoid bool
	shape uint32 // number of its fixed words, in order; those of equal statements are equal
}

func (s *sequence) wordKey(w word) uint64 { return uint64(s.shape)<<32 | uint64(w.norm) }

// isWithin reports whether t says all that s says, in the same order, and adds
// nothing but plain words.
func (s *sequence) isWithin(t *sequence) bool {
	if len(s.words) < minSame || len(s.words) < minWords && len(s.words) < len(t.words) {
		return false
	}
	i := 0
	for _, w := range t.words {
		if i < len(s.words) && s.words[i].equals(w) {
			i++
		} else if w.fixed || w.code {
			return false
		}
	}
	return i == len(s.words)
}

// core returns what a statement is about, and whether it is for it.
func (s *sequence) core() (words []word, pro bool) {
	words, pro = s.words, !s.avoid
	for len(words) > 0 && words[0].norm == negation && !words[0].code {
		words, pro = words[1:], !pro
	}
	return words, pro
}

// isOpposite reports whether s and t contradict each other, as far as words alone
// show it.
func (s *sequence) isOpposite(t *sequence) bool {
	a, pro := s.core()
	b, contra := t.core()
	if len(a) < minSame || len(b) < minSame {
		return false
	}
	if contra && !pro {
		a, b, pro, contra = b, a, contra, pro
	}
	if pro && !contra { // what is to be done only then is to be done then
		return areEqual(a, b) || areEqual(dropOnly(a), b)
	}
	return len(a) == len(b) && swapped(a, b)
}

// dropOnly returns words without "only".
func dropOnly(words []word) []word {
	isOnly := func(w word) bool { return w.norm == only && !w.code }
	if !slices.ContainsFunc(words, isOnly) {
		return words
	}
	return slices.DeleteFunc(slices.Clone(words), isOnly)
}

// swapped reports whether two statements prefer two things to each other the
// other way round: "use A instead of B", "use B instead of A".
func swapped(a, b []word) bool {
	i, j := preference(a), preference(b)
	if i < 0 || j < 0 || a[i].norm != b[j].norm {
		return false
	}
	two, one := a[i+1:], b[j+1:]
	start, endsInOne := cutEnd(a[:i], one)
	other, endsInTwo := cutEnd(b[:j], two)
	return endsInOne && endsInTwo && areEqual(start, other) && !areEqual(one, two)
}

// cutEnd returns words without those at their end; ok is false if they do not end
// so, or nothing is left, or nothing is cut.
func cutEnd(words, end []word) (rest []word, ok bool) {
	n := len(words) - len(end)
	if n <= 0 || len(end) == 0 {
		return nil, false
	}
	return words[:n], areEqual(words[n:], end)
}

func areEqual(a, b []word) bool { return slices.EqualFunc(a, b, word.equals) }

// preference returns the place of the only word that says what is preferred,
// or -1.
func preference(words []word) int {
	says := func(w word) bool { return !w.code && (w.norm == negation || w.norm == instead) }
	at := slices.IndexFunc(words, says)
	if at < 1 || slices.ContainsFunc(words[at+1:], says) {
		return -1
	}
	return at
}

// oppositeKeys returns what a statement and its opposites have in common.
func (s *sequence) oppositeKeys() []string {
	words, pro := s.core()
	if len(words) < minSame {
		return nil
	}
	norms := normsOf(words)
	keys := []string{"=" + packNumbers(norms)}
	if less := dropOnly(words); pro && len(less) < len(words) {
		keys = append(keys, "="+packNumbers(normsOf(less)))
	}
	if preference(words) > 0 {
		slices.Sort(norms)
		keys = append(keys, "~"+packNumbers(norms))
	}
	return keys
}

func normsOf(words []word) []uint32 {
	norms := make([]uint32, len(words))
	for i, w := range words {
		norms[i] = w.norm
	}
	return norms
}

func packNumbers(norms []uint32) string {
	b := make([]byte, 0, 4*len(norms))
	for _, n := range norms {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return string(b)
}
