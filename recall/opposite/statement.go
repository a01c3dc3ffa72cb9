package opposite

import (
	"slices"
	"strings"
)

// The bounds of what is looked for.
const (
	minSame  = 2  // words that both have
	maxGroup = 16 // statements with the same words that others are compared with
)

// A statement is one thing that a lesson says, and whether it is for it.
type statement struct {
	words []word
	pro   bool
}

// readStatement takes the negations at the start of a text away. A text of fewer than
// minSame words is an empty statement.
func readStatement(text string, avoid bool) statement {
	s := statement{readWords(text), !avoid}
	for len(s.words) > 0 && s.words[0].norm == not && !s.words[0].code {
		s.words, s.pro = s.words[1:], !s.pro
	}
	if len(s.words) < minSame {
		s.words = nil
	}
	return s
}

// findPairs returns the places of the statements that contradict each other, in their order.
// Two do when one is the other with a negation in front. The time grows with the length of
// the list, not with its square.
func findPairs(said []statement) (pairs [][2]int) {
	groups := map[string][]int{}
	for i, s := range said {
		for _, key := range s.keys() {
			for _, j := range groups[key] {
				if areOpposites(s, said[j]) {
					pairs = append(pairs, [2]int{j, i})
				}
			}
			if len(groups[key]) < maxGroup {
				groups[key] = append(groups[key], i)
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return pairs
}

// keys returns what a statement and its opposites have in common.
func (s statement) keys() (keys []string) {
	if s.words == nil {
		return nil
	}
	keys = []string{joinNorms(s.words)}
	if less := dropOnly(s.words); s.pro && len(less) < len(s.words) {
		keys = append(keys, joinNorms(less))
	}
	return keys
}

func joinNorms(list []word) string {
	var b strings.Builder
	for _, w := range list {
		b.WriteString(w.norm + " ")
	}
	return b.String()
}

func areOpposites(a, b statement) bool {
	if b.pro && !a.pro {
		a, b = b, a
	}
	// What is to be done only then is to be done then.
	return a.pro && !b.pro && (areEqual(a.words, b.words) || areEqual(dropOnly(a.words), b.words))
}

func areEqual(a, b []word) bool { return slices.EqualFunc(a, b, word.equals) }

// dropOnly returns words without "only".
func dropOnly(list []word) []word {
	return slices.DeleteFunc(slices.Clone(list), func(w word) bool { return w.raw == "only" && !w.code })
}
