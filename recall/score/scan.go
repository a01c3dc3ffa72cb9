package score

import (
	"math"
	"runtime"
	"sync"

	"mem/words"
)

// startOf returns a number for how a word begins, its first three bytes. Almost
// every word of a large memory is skipped because of it.
func startOf(word string) uint {
	h := uint(0)
	for i := range 3 {
		h <<= 5
		if i < len(word) {
			h |= uint(words.ClassOf(word[i]) & words.Letter)
		}
	}
	return h
}

// A scanner counts the words of a query in one text after the other.
type scanner struct {
	q    *Query
	buf  [words.MaxWord]byte
	slab []uint8 // to take counts from
}

// countText adds what it finds in s to counts, which is made when there is a first.
func (sc *scanner) countText(s string, counts []uint8) []uint8 {
	for i := 0; i < len(s); {
		if words.ClassOf(s[i]) == 0 {
			i++
			continue
		}
		from, odd, may := i, words.Class(0), sc.mayBegin(s, i)
		for i++; i < len(s); i++ {
			c := words.ClassOf(s[i])
			if c == 0 {
				break
			}
			odd |= c
			if c&words.Upper != 0 && !may {
				may = words.IsHump(s, i) && sc.mayBegin(s, i)
			}
		}
		if may || odd&words.High != 0 {
			counts = sc.countRun(s[from:i], counts)
		}
	}
	return counts
}

// countRun counts the words in a run of letters and digits.
func (sc *scanner) countRun(run string, counts []uint8) []uint8 {
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

// mayBegin reports whether a word of the query may begin at i.
func (sc *scanner) mayBegin(s string, i int) bool {
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
	return sc.q.starts[h>>6]&(1<<(h&63)) != 0
}

// countTexts counts in all texts, on as many processors as there are, and returns
// the sum of their lengths too.
func (q *Query) countTexts(n int, text func(i int, field func(string))) (hits []Hit, total int) {
	workers := max(1, min(runtime.GOMAXPROCS(0), n/2000))
	hits = make([]Hit, n) // room for all: what is not used costs nothing, growing would
	found, sums := make([]int, workers), make([]int, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			sc, h := &scanner{q: q}, Hit{}
			field := func(s string) {
				h.length += len(s)
				h.counts = sc.countText(s, h.counts)
			}
			from := n * w / workers
			for i := from; i < n*(w+1)/workers; i++ {
				h = Hit{Doc: i}
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
