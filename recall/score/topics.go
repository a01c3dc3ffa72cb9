package score

import (
	"cmp"
	"slices"
	"strings"

	"mem/topic"
	"mem/words"
)

// compareParts sorts tags of one word before the others.
func compareParts(a, b string) int { return cmp.Compare(strings.Count(a, "-"), strings.Count(b, "-")) }

// addTopic adds the words of a tag that the words at these places are about: all of them weigh what one does,
// and only a text that has all of them has any.
func (q *Query) addTopic(tag string, behind []int) {
	var places []int
	first := len(q.vague)
	words.EachWord(tag, func(word string, part bool) {
		if q.addWord(word, part); !part {
			places = append(places, q.placeOf(word))
		}
	})
	for at := first; at < len(q.vague); at++ {
		q.behind[at] = behind
		q.phrased[at] = len(behind) == 0
		q.vague[at] = !topic.IsName(tag) && !q.phrased[at]
		q.weights[at] /= float64(len(places))
	}
	if len(places) > 1 && first < len(q.vague) {
		q.whole = append(q.whole, whole{places, first, len(q.vague)})
	}
}

// A whole is the words of a tag, by their places, of which those between two places are of no other.
type whole struct {
	places   []int
	from, to int
}

// dropHalves forgets the words of tags that a text has only a part of, and reports whether any word is left.
func (q *Query) dropHalves(h *Hit) bool {
	var halves []whole
	kept := map[int]bool{}
	for _, w := range q.whole {
		if slices.ContainsFunc(w.places, func(at int) bool { return at >= 0 && h.counts[at] == 0 }) {
			halves = append(halves, w)
			continue
		}
		for _, at := range w.places {
			kept[at] = true
		}
	}
	for _, w := range halves {
		for at := w.from; at < w.to; at++ {
			if !kept[at] {
				h.counts[at] = 0
			}
		}
	}
	return slices.Max(h.counts) > 0
}

// findTopics returns the places of the words that are about each topic by themselves.
func (q *Query) findTopics() map[string][]int {
	places := map[string][]int{}
	for at, name := range q.names {
		for _, tag := range topic.Find(name) {
			places[tag] = append(places[tag], at)
		}
	}
	return places
}
