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
	terms map[string]int // places of the words, by stem
	words []queryWord
	said  int      // how many of them the text itself has; the others are its topics
	own   []string // words that are the project's name, in lower case
}

type queryWord struct {
	name      string // as it was asked for
	weight    float64
	isVague   bool  // a common word, or a topic of words that are not names
	isPhrased bool  // a topic of what several words say together, as "go live" does
	behind    []int // the places of the words that a topic comes from
}

// NewQuery parses a query: its words, and its topics, as lessons are filed under topics and often use
// other words. The words of the project's name ("" if unknown) do not count: all its lessons are about
// it. It returns nil if no word counts.
func NewQuery(text, project string) *Query {
	text = strings.ToValidUTF8(text[:min(len(text), maxQuery)], " ")
	q := &Query{terms: map[string]int{}}
	words.EachWord(project, func(word string, part bool) { // "docs" and "react-demo" do not stand for it alone
		if !part && len(word) > 2 && topic.Find(word) == nil && !words.IsCommon(word) {
			q.own = append(q.own, words.Lower(word))
		}
	})
	words.EachWord(text, q.addWord)
	if len(q.words) == 0 {
		return nil
	}
	q.said = len(q.words)
	topics := map[string][]int{} // the places of the words that are about one by themselves
	for at, w := range q.words {
		for _, tag := range topic.Find(w.name) {
			topics[tag] = append(topics[tag], at)
		}
	}
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
		q.words[at].weight = max(q.words[at].weight, weight)
	case len(q.words) < maxTerms:
		q.terms[stem] = len(q.words)
		q.words = append(q.words, queryWord{name: low, weight: weight, isVague: isCommon})
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

// ScoreTexts holds n texts against the query and returns those that have a word of it, in their own order. text returns the
// parts of the text with a number. A query of nothing has no hits.
func (q *Query) ScoreTexts(n int, text func(i int) []string) []Hit {
	if q == nil {
		return nil
	}
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
	rarity := make([]float64, len(q.words))
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
		rarity[at] = q.words[at].weight * weigh(having)
		if at < q.said && having > 0 {
			rarest = max(rarest, weigh(having))
		}
	}
	for at := q.said; at < len(rarity); at++ {
		if !q.words[at].isPhrased {
			rarity[at] = min(rarity[at], max(topicShare*rarest, weigh(1)/2))
		}
	}
	return rarity
}

// WordsIn returns the words of the query that a text has.
func (q *Query) WordsIn(h *Hit) (list []string) {
	for at, c := range h.counts {
		name := q.words[at].name
		if c > 0 && !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, name) }) {
			list = append(list, name)
		}
	}
	return list
}

// telling returns how much of the rarity of a word speaks for a text that has it: nothing
// of a topic that it has the words of as well.
func (q *Query) telling(h *Hit, at int) float64 {
	switch w := q.words[at]; {
	case slices.ContainsFunc(w.behind, func(word int) bool { return h.counts[word] > 0 }):
		return 0
	case w.isVague:
		return vagueShare
	}
	return 1
}

// countIn is the number of different words of the query in one text.
func (q *Query) countIn(fields ...string) (n int) {
	for _, h := range q.ScoreTexts(1, func(int) []string { return fields }) {
		n = len(q.WordsIn(&h))
	}
	return n
}

// Best returns the first of the texts that have most of the query; "" if none has any.
func (q *Query) Best(texts []string) (best string) {
	fits := 0.0
	for _, h := range q.ScoreTexts(len(texts), func(i int) []string { return texts[i : i+1] }) {
		if best == "" || h.Score > fits {
			best, fits = texts[h.Doc], h.Score
		}
	}
	return best
}

// HasName reports whether a text, by its parts, has a name in lower case letter for letter.
func HasName(name string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(s string) bool { return strings.Contains(words.Lower(s), name) })
}
