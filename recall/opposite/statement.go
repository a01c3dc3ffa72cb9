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
// Two do when one is the other with a negation in front, or when they prefer two things to
// each other the other way round. The time grows with the length of the list, not with its square.
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
	norms := normsOf(s.words)
	keys = []string{"=" + strings.Join(norms, " ")}
	if less := dropOnly(s.words); s.pro && len(less) < len(s.words) {
		keys = append(keys, "="+strings.Join(normsOf(less), " "))
	}
	if findPreferred(s.words) > 0 {
		slices.Sort(norms)
		keys = append(keys, "~"+strings.Join(norms, " "))
	}
	return keys
}

func normsOf(list []word) (norms []string) {
	for _, w := range list {
		norms = append(norms, w.norm)
	}
	return norms
}

func areOpposites(a, b statement) bool {
	if b.pro && !a.pro {
		a, b = b, a
	}
	if a.pro && !b.pro { // what is to be done only then is to be done then
		return areEqual(a.words, b.words) || areEqual(dropOnly(a.words), b.words)
	}
	return len(a.words) == len(b.words) && areSwapped(a.words, b.words)
}

func areEqual(a, b []word) bool { return slices.EqualFunc(a, b, word.equals) }

// dropOnly returns words without "only".
func dropOnly(list []word) []word {
	return slices.DeleteFunc(slices.Clone(list), func(w word) bool { return w.norm == "only" && !w.code })
}

// areSwapped reports whether two statements prefer two things to each other the
// other way round: "use A instead of B", "use B instead of A".
func areSwapped(a, b []word) bool {
	i, j := findPreferred(a), findPreferred(b)
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
func cutEnd(list, end []word) (rest []word, ok bool) {
	n := len(list) - len(end)
	if n <= 0 || len(end) == 0 {
		return nil, false
	}
	return list[:n], areEqual(list[n:], end)
}

// findPreferred returns the place of the only word that says what is preferred,
// or -1.
func findPreferred(list []word) int {
	says := func(w word) bool { return !w.code && (w.norm == not || w.norm == "instead") }
	at := slices.IndexFunc(list, says)
	if at < 1 || slices.ContainsFunc(list[at+1:], says) {
		return -1
	}
	return at
}
