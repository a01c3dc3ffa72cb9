package recall

import (
	"math"

	"mem/topic"
	"mem/words"
)

// countTexts counts the words of the query in all texts, and returns the hits with
// the sum of the lengths of all texts, at least 1.
func (q *Query) countTexts(n int, text func(i int, field func(string))) (hits []Hit, total int) {
	places := map[string]int{} // of the words so far, as most come again
	var h Hit
	word := func(word string, _ bool) {
		at, seen := places[word]
		if !seen {
			if stem, known := q.terms[words.StemWord(word)]; known {
				at = stem
			} else {
				at = -1
			}
			places[word] = at
		}
		if at >= 0 && h.counts == nil {
			h.counts = make([]uint8, len(q.weights))
		}
		if at >= 0 && h.counts[at] < math.MaxUint8 {
			h.counts[at]++
		}
	}
	for i := range n {
		h = Hit{Doc: i}
		text(i, func(s string) {
			h.length += len(s)
			words.EachWord(s, word)
		})
		total += h.length
		if h.counts != nil {
			hits = append(hits, h)
		}
	}
	return hits, max(1, total)
}

// addTopic adds the words of a tag that the words at these places are about: all of them weigh what one does.
func (q *Query) addTopic(tag string, behind []int) {
	first, all := len(q.vague), 0
	words.EachWord(tag, func(word string, part bool) {
		if q.addWord(word, part); !part {
			all++
		}
	})
	for at := first; at < len(q.vague); at++ {
		q.behind[at] = behind
		q.phrased[at] = len(behind) == 0
		q.vague[at] = !topic.IsName(tag) && !q.phrased[at]
		q.weights[at] /= float64(all)
	}
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
