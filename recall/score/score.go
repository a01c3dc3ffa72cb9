// Package score holds a text, such as a task or a search, against many others:
// how many of its words each has, and how rare they are (BM25). It ranks the
// lessons of an index by that, together with the rank that they have by
// themselves.
//
// It is pure.
package score

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	"mem/topic"
	"mem/words"
)

// The constants of BM25. Lessons are about as long as each other, so length
// counts for less than in documents.
const (
	saturation = 1.2
	lengthen   = 0.6
)

const (
	partWeight    = 0.5  // of a part of a name, where the whole name weighs 1
	literalWeight = 1.5  // of a name that stands there letter for letter, times its rarity
	pairWeight    = 0.25 // of two words that follow each other as in the query, times their rarity
	topicShare    = 0.7  // of the rarest word that the query itself has: hardly a topic weighs more
	commonShare   = 0.75 // of what another word weighs, where words are counted
	maxTerms      = 250  // of a query; what comes later says little more
	maxQuery      = 64 << 10
)

// A Query is a text to hold others against.
type Query struct {
	terms    map[string]int // stems, by place in weights
	names    []string       // the words as they were asked for, by place
	weights  []float64
	common   []bool         // see words.IsCommon
	pairs    map[[2]int]int // words that follow each other, by their places
	said     int            // how many of them the text itself has; the others are its topics
	literals []literal
}

// A literal is a name in a query, and the places of the words in it: a text
// without them need not be searched for it.
type literal struct {
	name  string
	terms []int
}

// NewQuery reads what is asked: its words, and what topics it is about, as lessons
// are filed under these and often say the same in other words. It is nil if no word
// of the text says anything.
func NewQuery(text string) *Query {
	text = strings.ToValidUTF8(text[:min(len(text), maxQuery)], " ")
	q := &Query{terms: map[string]int{}, pairs: map[[2]int]int{}}
	words.EachWord(text, q.addWord)
	if len(q.weights) == 0 {
		return nil
	}
	q.addPairs(text)
	q.said = len(q.weights)
	_, tags := topic.File(text, false)
	for _, tag := range tags {
		words.EachWord(tag, q.addWord)
	}
	for _, name := range findLiterals(text) {
		l := literal{name: name}
		words.EachWord(name, func(word string, _ bool) {
			if at, ok := q.terms[words.StemWord(word)]; ok {
				l.terms = append(l.terms, at)
			}
		})
		if len(l.terms) > 0 && len(q.literals) < maxTerms/5 {
			q.literals = append(q.literals, l)
		}
	}
	return q
}

// addWord adds a word, or a part of a name, unless it says nothing.
func (q *Query) addWord(word string, part bool) {
	stem := words.StemWord(word)
	if len(stem) < 2 || words.IsSearchStop(stem) || words.IsSearchStop(strings.ToLower(word)) {
		return
	}
	weight := 1.0
	if part {
		weight = partWeight
	}
	at, known := q.terms[stem]
	switch {
	case known:
		q.weights[at] = max(q.weights[at], weight)
	case len(q.weights) < maxTerms:
		q.terms[stem] = len(q.weights)
		q.names = append(q.names, strings.ToLower(word))
		q.weights = append(q.weights, weight)
		q.common = append(q.common, words.IsCommon(word))
	}
}

// The places of words that the query does not have.
const (
	absent = -1
	silent = -2 // says nothing, and does not part its neighbours
)

// placeOf returns the place of a word.
func (q *Query) placeOf(word string) int {
	if at, ok := q.terms[words.StemWord(word)]; ok {
		return at
	}
	if words.IsSearchStop(strings.ToLower(word)) {
		return silent
	}
	return absent
}

// addPairs notes which words follow each other.
func (q *Query) addPairs(text string) {
	last := absent
	words.EachWord(text, func(word string, part bool) {
		at := q.placeOf(word)
		if part || at == silent {
			return
		}
		pair := [2]int{last, at}
		if _, known := q.pairs[pair]; last >= 0 && at >= 0 && !known {
			q.pairs[pair] = len(q.pairs)
		}
		last = at
	})
}

// findLiterals returns the names in a text that say more than their words do:
// paths, options, identifiers, codes of errors. They are in lower case.
func findLiterals(text string) []string {
	var found []string
	seen := map[string]bool{}
	for _, s := range strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("`\"'()[]{},;<>|=", r)
	}) {
		s = strings.Trim(s, ".:!?*#&")
		if len(s) < 4 || len(s) > 200 || !isName(s) {
			continue
		}
		for _, name := range [...]string{s, s[strings.LastIndexByte(s, '/')+1:]} {
			low := strings.ToLower(name)
			if len(name) >= 4 && isName(name) && !seen[low] {
				seen[low] = true
				found = append(found, low)
			}
		}
	}
	return found
}

// isName reports whether a word looks like a name in a program: it has a sign
// or a digit inside, or begins small and has a capital. What begins with a capital may be
// the name of a product, such as GitHub, which is a word like others.
func isName(s string) bool {
	letters, sign := false, false
	for i := range len(s) {
		switch {
		case words.IsDigit(s[i]), strings.IndexByte("_/.-@:", s[i]) >= 0:
			sign = true
		case words.IsWordByte(s[i]):
			letters = true
			sign = sign || words.IsHump(s, i) && s[0] >= 'a'
		}
	}
	return letters && sign
}

// A Hit is what a text has of a query.
type Hit struct {
	Doc   int      // the number of the text
	Score float64  // how well it fits; RankLessons adds what the rank is worth
	Match float64  // the score without the rank; set by RankLessons
	Share float64  // of it, what words have that are not common, where 1 is a word that no other text has; set by RankLessons
	Names []string // the names of the query that it has letter for letter

	telling float64 // the score without common words and pairs
	length  int
	counts  []uint8 // how often it has each word
	pairs   []int   // which words follow each other in it as in the query
}

// ScoreTexts holds n texts against the query and returns those that have a word
// of it, in their own order. text calls field with each part of the text with a
// number.
func (q *Query) ScoreTexts(n int, text func(i int, field func(string))) []Hit {
	hits, total := q.countTexts(n, text)
	rarity, pairs := q.weighWords(hits, n)
	average := float64(total) / float64(max(1, n))
	for i := range hits {
		h := &hits[i]
		norm := saturation * (1 - lengthen + float64(lengthen*float64(h.length)/average))
		for at, c := range h.counts {
			if c > 0 {
				score := float64(rarity[at]*float64(c)*(saturation+1)) / (float64(c) + norm)
				h.Score += score
				if !q.common[at] {
					h.telling += score
				}
			}
		}
		for _, pair := range h.pairs {
			h.Score += pairs[pair]
		}
		for _, l := range q.literals {
			if h.hasWords(l) && HasName(l.name, h.Doc, text) {
				h.Names = append(h.Names, l.name)
				h.Score += literalWeight * math.Log1p(float64(n)) / 2
			}
		}
	}
	return hits
}

// weighWords returns what each word and each pair of words is worth, by how many of
// the n texts have it.
func (q *Query) weighWords(hits []Hit, n int) (rarity, pairs []float64) {
	rarity, pairs = make([]float64, len(q.weights)), make([]float64, len(q.pairs))
	for i := range hits { // first, how many have them
		h := &hits[i]
		for at, c := range h.counts {
			if c > 0 {
				rarity[at]++
			}
		}
		for _, pair := range h.pairs {
			pairs[pair]++
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
		rarity[at] = min(rarity[at], max(topicShare*rarest, weigh(1)/2))
	}
	for pair, having := range pairs {
		pairs[pair] = pairWeight * weigh(having)
	}
	return rarity, pairs
}

// minShare is how many texts are worth a goroutine.
const minShare = 1024

// countTexts counts the words of the query in all texts, and returns the hits with
// the sum of the lengths of all texts, at least 1. Many texts are shared among
// the processors.
func (q *Query) countTexts(n int, text func(i int, field func(string))) (hits []Hit, total int) {
	size := max(minShare, n/runtime.GOMAXPROCS(0)+1)
	shares := make([]counter, (n+size-1)/size)
	var all sync.WaitGroup
	for i := range shares {
		all.Go(func() { shares[i].count(q, i*size, min(n, (i+1)*size), text) })
	}
	all.Wait()
	for i := range shares {
		hits, total = append(hits, shares[i].hits...), total+shares[i].total
	}
	return hits, max(1, total)
}

// A counter counts the words of a query in some texts.
type counter struct {
	hits  []Hit
	total int // of the lengths of the texts
}

func (c *counter) count(q *Query, from, to int, text func(i int, field func(string))) {
	places := map[string]int{} // of the words so far, as most come again
	var h Hit
	last := absent
	word := func(word string, part bool) {
		at, seen := places[word]
		if !seen {
			at = q.placeOf(word)
			places[word] = at
		}
		if at >= 0 {
			h.addWord(q, at)
		}
		if part || at == silent {
			return
		}
		if last >= 0 && at >= 0 {
			h.addPair(q, last, at)
		}
		last = at
	}
	field := func(s string) {
		last = absent
		h.length += len(s)
		words.EachWord(s, word)
	}
	for i := from; i < to; i++ {
		h = Hit{Doc: i}
		text(i, field)
		c.total += h.length
		if h.counts != nil {
			c.hits = append(c.hits, h)
		}
	}
}

// addWord counts a word of the query.
func (h *Hit) addWord(q *Query, at int) {
	if h.counts == nil {
		h.counts = make([]uint8, len(q.weights))
	}
	if h.counts[at] < math.MaxUint8 {
		h.counts[at]++
	}
}

// addPair notes that two words follow each other, if they do so in the query.
func (h *Hit) addPair(q *Query, last, at int) {
	if pair, ok := q.pairs[[2]int{last, at}]; ok && !slices.Contains(h.pairs, pair) {
		h.pairs = append(h.pairs, pair)
	}
}

// WordsIn returns the words of the query that a text has, whole names first.
func (q *Query) WordsIn(h *Hit) []string {
	list := slices.Clone(h.Names)
	for at, c := range h.counts {
		name := q.names[at]
		if c > 0 && !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, name) }) {
			list = append(list, name)
		}
	}
	return list
}

// CountWords returns how many words of the query a text has, where a common word is
// three quarters of one, a part of a name and a pair that follow each other are half of
// one, and a topic is none.
func (q *Query) CountWords(h *Hit) float64 {
	n := float64(len(h.pairs)) / 2
	for at, c := range h.counts[:q.said] {
		switch {
		case c == 0:
		case q.common[at]:
			n += q.weights[at] * commonShare
		default:
			n += q.weights[at]
		}
	}
	return n
}

// CountIn is the number of different words of the query in one text.
func (q *Query) CountIn(fields ...string) int {
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

// hasWords reports whether a text has all words of a literal.
func (h *Hit) hasWords(l literal) bool {
	return !slices.ContainsFunc(l.terms, func(at int) bool { return h.counts[at] == 0 })
}

// HasName reports whether text doc, as ScoreTexts takes it, has a name in lower
// case letter for letter.
func HasName(name string, doc int, text func(i int, field func(string))) (found bool) {
	text(doc, func(s string) { found = found || strings.Contains(strings.ToLower(s), name) })
	return found
}
