package score

import (
	"cmp"
	"strings"

	"mem/topic"
	"mem/words"
)

// compareParts sorts tags of one word before the others.
func compareParts(a, b string) int { return cmp.Compare(strings.Count(a, "-"), strings.Count(b, "-")) }

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
