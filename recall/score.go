package recall

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"mem/words"
)

// The constants of BM25. Lessons are about as long as each other, so length
// counts for little.
const (
	saturation = 1.2
	lengthen   = 0.3
)

const (
	partWeight    = 0.5 // of a part of a name, where the whole name weighs 1
	literalWeight = 1.5 // of a name that stands there letter for letter, times its rarity
	maxTerms      = 250 // of a query; what comes later says little more
	maxQuery      = 64 << 10
)

// A query is a text to find others by.
type query struct {
	terms    map[string]int // stems, by place in weights
	names    []string       // the words as they were asked for, by place
	weights  []float64
	literals []literal
	first    [1 << 9]uint64 // how words of the query begin; see start
}

// A literal is a name in a query, and the places of the words in it: a text
// without them need not be searched for it.
type literal struct {
	name  string
	terms []int
}

// newQuery reads what is asked. It is nil if no word of it says anything.
func newQuery(text string) *query {
	text = strings.ToValidUTF8(text[:min(len(text), maxQuery)], " ")
	q := &query{terms: map[string]int{}}
	words.EachWord(text, func(word string, part bool) {
		s := string(words.StemForSearch(nil, word))
		if len(s) < 2 || words.IsSearchStop(s) || words.IsSearchStop(strings.ToLower(word)) {
			return
		}
		weight := 1.0
		if part {
			weight = partWeight
		}
		at, known := q.terms[s]
		switch {
		case known:
			q.weights[at] = max(q.weights[at], weight)
		case len(q.weights) < maxTerms:
			q.terms[s] = len(q.weights)
			q.names = append(q.names, strings.ToLower(word))
			q.weights = append(q.weights, weight)
			h := start(s)
			q.first[h>>6] |= 1 << (h & 63)
		}
	})
	if len(q.weights) == 0 {
		return nil
	}
	for _, name := range literals(text) {
		l := literal{name: name}
		words.EachWord(name, func(word string, _ bool) {
			if at, ok := q.terms[string(words.StemForSearch(nil, word))]; ok {
				l.terms = append(l.terms, at)
			}
		})
		if len(l.terms) > 0 && len(q.literals) < maxTerms/5 {
			q.literals = append(q.literals, l)
		}
	}
	return q
}

// start is a number for how a word begins, its first three bytes: almost every
// word of a large memory is passed over for it.
func start(word string) uint {
	h := uint(0)
	for i := range 3 {
		h <<= 5
		if i < len(word) {
			h |= uint(words.ClassOf(word[i]) & words.Letter)
		}
	}
	return h
}

// A hit is what a text has of a query.
type hit struct {
	doc    int
	score  float64
	match  float64 // score without what rank adds to it
	length int
	counts []uint8  // how often it has each word
	names  []string // the literals it has
}

// scan counts the words of a query in one text after the other.
type scan struct {
	q    *query
	buf  [words.MaxWord]byte
	slab []uint8 // to take counts from
}

// text adds what it finds in s to counts, which is made when there is a first.
func (sc *scan) text(s string, counts []uint8) []uint8 {
	for i := 0; i < len(s); {
		if words.ClassOf(s[i]) == 0 {
			i++
			continue
		}
		from, odd, may := i, words.Class(0), sc.may(s, i)
		for i++; i < len(s); i++ {
			c := words.ClassOf(s[i])
			if c == 0 {
				break
			}
			odd |= c
			if c&words.Upper != 0 && !may {
				may = words.IsHump(s, i) && sc.may(s, i)
			}
		}
		if may || odd&words.High != 0 {
			counts = sc.run(s[from:i], counts)
		}
	}
	return counts
}

// run counts the words in a run of letters and digits.
func (sc *scan) run(run string, counts []uint8) []uint8 {
	words.EachPart(run, func(word string, _ bool) {
		at, ok := sc.q.terms[string(words.StemForSearch(sc.buf[:], word))]
		if !ok {
			return
		}
		if counts == nil {
			n := len(sc.q.weights)
			if len(sc.slab) < n {
				sc.slab = make([]uint8, max(n, 64<<10))
			}
			counts, sc.slab = sc.slab[:n:n], sc.slab[n:]
		}
		if counts[at] < math.MaxUint8 {
			counts[at]++
		}
	})
	return counts
}

// may reports whether a word of the query may begin at i.
func (sc *scan) may(s string, i int) bool {
	a, b, c := words.ClassOf(s[i]), words.Class(0), words.Class(0)
	if i+1 < len(s) {
		if b = words.ClassOf(s[i+1]); b != 0 && i+2 < len(s) {
			c = words.ClassOf(s[i+2])
		}
	}
	if a&words.High != 0 || (b|c)&(words.Upper|words.High) != 0 {
		return true // a short part of a name may end here
	}
	h := uint(a&words.Letter)<<10 | uint(b&words.Letter)<<5 | uint(c&words.Letter)
	return sc.q.first[h>>6]&(1<<(h&63)) != 0
}

// score holds n texts against the query and returns those that have a word of
// it, in their own order. text gives the fields of one; it is called by more
// than one goroutine.
func (q *query) score(n int, text func(i int, field func(string))) []hit {
	hits, total := q.count(n, text)
	having := make([]int, len(q.weights))
	for _, h := range hits {
		for at, c := range h.counts {
			if c > 0 {
				having[at]++
			}
		}
	}
	rarity := make([]float64, len(q.weights))
	for at, df := range having {
		rarity[at] = q.weights[at] * math.Log1p((float64(n-df)+0.5)/(float64(df)+0.5))
	}
	average := float64(total) / float64(max(1, n))
	for i := range hits {
		h := &hits[i]
		norm := saturation * (1 - lengthen + float64(lengthen*float64(h.length)/average))
		for at, c := range h.counts {
			if c > 0 {
				h.score += float64(rarity[at]*float64(c)*(saturation+1)) / (float64(c) + norm)
			}
		}
		for _, l := range q.literals {
			if h.has(l) && contains(l.name, h.doc, text) {
				h.names = append(h.names, l.name)
				h.score += literalWeight * math.Log1p(float64(n)) / 2
			}
		}
	}
	return hits
}

// words returns the words of the query that a text has, whole names first.
func (q *query) words(h *hit) []string {
	list := slices.Clone(h.names)
	for at, c := range h.counts {
		name := q.names[at]
		if c > 0 && !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, name) }) {
			list = append(list, name)
		}
	}
	return list
}

// has reports whether a text has all words of a literal.
func (h *hit) has(l literal) bool {
	for _, at := range l.terms {
		if h.counts[at] == 0 {
			return false
		}
	}
	return true
}

// contains reports whether a text has a name letter for letter.
func contains(name string, doc int, text func(i int, field func(string))) (found bool) {
	text(doc, func(s string) { found = found || strings.Contains(strings.ToLower(s), name) })
	return found
}

// count counts in all texts, on as many processors as there are, and returns
// the sum of their lengths too.
func (q *query) count(n int, text func(i int, field func(string))) (hits []hit, total int) {
	workers := max(1, min(runtime.GOMAXPROCS(0), n/2000))
	hits = make([]hit, n) // room for all: what is not used costs nothing, growing would
	found, sums := make([]int, workers), make([]int, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			sc, h := &scan{q: q}, hit{}
			field := func(s string) {
				h.length += len(s)
				h.counts = sc.text(s, h.counts)
			}
			from := n * w / workers
			for i := from; i < n*(w+1)/workers; i++ {
				h = hit{doc: i}
				text(i, field)
				sums[w] += h.length
				if h.counts != nil {
					hits[from+found[w]] = h
					found[w]++
				}
			}
		})
	}
	all.Wait()
	together := 0
	for w := range workers {
		from := n * w / workers
		together += copy(hits[together:], hits[from:from+found[w]])
		total += sums[w]
	}
	return hits[:together], max(1, total)
}
