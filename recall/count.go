package recall

import (
	"math"

	"mem/topic"
	"mem/words"
)

// countTexts counts the words of the query in all texts, and returns the hits with
// the sum of the lengths of all texts, at least 1.
func (q *Query) countTexts(n int, text func(i int) []string) (hits []Hit, total int) {
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
			h.counts = make([]uint8, len(q.words))
		}
		if at >= 0 && h.counts[at] < math.MaxUint8 {
			h.counts[at]++
		}
	}
	for i := range n {
		h = Hit{Doc: i}
		for _, s := range text(i) {
			h.length += len(s)
			words.EachWord(s, word)
		}
		total += h.length
		if h.counts != nil {
			hits = append(hits, h)
		}
	}
	return hits, max(1, total)
}

// addTopic adds the words of a tag that the words at these places are about: all of them weigh what one does.
func (q *Query) addTopic(tag string, behind []int) {
	first, all := len(q.words), 0
	words.EachWord(tag, func(word string, part bool) {
		if q.addWord(word, part); !part {
			all++
		}
	})
	for at := first; at < len(q.words); at++ {
		w := &q.words[at]
		w.behind, w.isPhrased = behind, len(behind) == 0
		w.isVague = !topic.IsName(tag) && !w.isPhrased
		w.weight /= float64(all)
	}
}
