package similarity

import (
	"encoding/binary"
	"slices"
)

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
	bits  uint64 // of which each word sets one
}

func (s *sequence) wordKey(w word) uint64 { return uint64(s.shape)<<32 | uint64(w.norm) }

// mayBeWithin reports whether s.isWithin(t) is possible; it is quick.
func (s *sequence) mayBeWithin(t *sequence) bool { return s.bits&^t.bits == 0 && s.avoid == t.avoid }

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
