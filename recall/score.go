package recall

import (
	"math"
	"slices"
	"strings"

	"mem/topic"
	"mem/words"
)

// The constants of BM25. Lessons are about as long as each other, so length counts for less than in documents.
const (
	saturation = 1.2
	lengthen   = 0.6
)

const (
	partWeight   = 0.5  // of a part of a name, where the whole name weighs 1
	topicShare   = 0.7  // of the rarest word that the query itself has: hardly a topic weighs more
	commonWeight = 0.88 // of a common word, where another weighs 1
	vagueShare   = 0.6  // of a common word or a topic, where it is asked whether a text fits at all
	maxTerms     = 250  // of a query; what comes later says little more
	maxQuery     = 64 << 10
)

// A Query is a text, such as a task or a search, to hold many others against: how many of its words each has, and how
// rare they are (BM25).
type Query struct {
	terms   map[string]int // stems, by place in weights
	names   []string       // the words as they were asked for, by place
	weights []float64
	vague   []bool        // common words, and topics of words that are not names
	phrased []bool        // topics of what several words say together, as "go live" does
	behind  map[int][]int // the places of the words that a topic comes from
	said    int           // how many of them the text itself has; the others are its topics
	own     []string      // words that are the project's name, in lower case
}

// NewQuery parses a query: its words, and its topics, as lessons are filed under topics and often use
// other words. The words of the project's name ("" if unknown) do not count: all its lessons are about
// it. It returns nil if no word counts.
func NewQuery(text, project string) *Query {
	text = strings.ToValidUTF8(text[:min(len(text), maxQuery)], " ")
	q := &Query{terms: map[string]int{}, behind: map[int][]int{}}
	words.EachWord(project, func(word string, part bool) { // "docs" and "react-demo" do not stand for it alone
		if !part && len(word) > 2 && topic.Find(word) == nil && !words.IsCommon(word) {
			q.own = append(q.own, words.Lower(word))
		}
	})
	words.EachWord(text, q.addWord)
	if len(q.weights) == 0 {
		return nil
	}
	q.said = len(q.weights)
	topics := q.findTopics()
	ofOneWordFirst := func(a, b string) int { return strings.Count(a, "-") - strings.Count(b, "-") }
	for _, tag := range slices.SortedStableFunc(slices.Values(topic.Find(text)), ofOneWordFirst) {
		q.addTopic(tag, topics[tag])
	}
	return q
}

// addWord adds a word, or a part of a name, unless it says nothing.
func (q *Query) addWord(word string, part bool) {
	stem, low := words.StemWord(word), strings.ToLower(word)
	if len(stem) < 2 || words.IsSearchStop(stem) || words.IsSearchStop(low) || slices.Contains(q.own, low) {
		return
	}
	weight, isCommon := 1.0, words.IsCommon(word)
	if part {
		weight = partWeight
	}
	if isCommon {
		weight *= commonWeight
	}
	at, known := q.terms[stem]
	switch {
	case known:
		q.weights[at] = max(q.weights[at], weight)
	case len(q.weights) < maxTerms:
		q.terms[stem] = len(q.weights)
		q.names = append(q.names, low)
		q.weights = append(q.weights, weight)
		q.vague = append(q.vague, isCommon)
		q.phrased = append(q.phrased, false)
	}
}

// A Hit is what a text has of a query.
type Hit struct {
	Doc    int     // the number of the text
	Score  float64 // how well it fits; rankLessons adds what the rank is worth
	Match  float64 // the score without the rank; set by rankLessons
	Speaks float64 // how much it has of the query that says something; see rankLessons

	telling float64 // how rare the words are together
	length  int
	counts  []uint8 // how often it has each word
}

// ScoreTexts holds n texts against the query and returns those that have a word of it, in their own order. text calls
// field with each part of the text with a number.
func (q *Query) ScoreTexts(n int, text func(i int, field func(string))) []Hit {
	hits, total := q.countTexts(n, text)
	rarity := q.weighWords(hits, n)
	average := float64(total) / float64(max(1, n))
	for i := range hits {
		h := &hits[i]
		norm := saturation * (1 - lengthen + float64(lengthen*float64(h.length)/average))
		for at, c := range h.counts {
			if c > 0 {
				h.Score += float64(rarity[at]*float64(c)*(saturation+1)) / (float64(c) + norm)
				h.telling += rarity[at] * q.telling(h, at)
			}
		}
	}
	return hits
}

// weighWords returns what each word is worth, by how many of the n texts have it.
func (q *Query) weighWords(hits []Hit, n int) []float64 {
	rarity := make([]float64, len(q.weights))
	for i := range hits { // first, how many have them
		for at, c := range hits[i].counts {
			if c > 0 {
				rarity[at]++
			}
		}
	}
	weigh := func(having float64) float64 { return math.Log1p((float64(n) - having + 0.5) / (having + 0.5)) }
	rarest := 0.0
	for at, having := range rarity {
		rarity[at] = q.weights[at] * weigh(having)
		if at < q.said && having > 0 {
			rarest = max(rarest, weigh(having))
		}
	}
	for at := q.said; at < len(rarity); at++ {
		if q.phrased[at] {
			continue
		}
		rarity[at] = min(rarity[at], max(topicShare*rarest, weigh(1)/2))
	}
	return rarity
}

// WordsIn returns the words of the query that a text has.
func (q *Query) WordsIn(h *Hit) (list []string) {
	for at, c := range h.counts {
		name := q.names[at]
		if c > 0 && !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, name) }) {
			list = append(list, name)
		}
	}
	return list
}

// telling returns how much of the rarity of a word speaks for a text that has it: nothing
// of a topic that it has the words of as well.
func (q *Query) telling(h *Hit, at int) float64 {
	share := 1.0
	if q.vague[at] {
		share = vagueShare
	}
	if slices.ContainsFunc(q.behind[at], func(word int) bool { return h.counts[word] > 0 }) {
		share = 0
	}
	return share
}

// covers reports whether a text has all words of the query, two or more.
func (q *Query) covers(h *Hit) bool {
	return q.said > 1 && !slices.Contains(h.counts[:q.said], 0)
}

// countIn is the number of different words of the query in one text.
func (q *Query) countIn(fields ...string) int {
	hits := q.ScoreTexts(1, func(_ int, field func(string)) {
		for _, f := range fields {
			field(f)
		}
	})
	if len(hits) == 0 {
		return 0
	}
	return len(q.WordsIn(&hits[0]))
}

// HasName reports whether text doc, as ScoreTexts takes it, has a name in lower case letter for letter.
func HasName(name string, doc int, text func(i int, field func(string))) (found bool) {
	text(doc, func(s string) { found = found || strings.Contains(words.Lower(s), name) })
	return found
}
