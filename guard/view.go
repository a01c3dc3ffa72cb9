package guard

import (
	"slices"
	"strings"

	"mem/words"
)

// A view is a text read the way its author meant it: with its escapes resolved, or with what splits a token taken out. It
// knows where in the original each of its bytes came from, so that what is found in it can be replaced there.
type view struct {
	text string
	from *view // what text was made from; nil for the original
	gaps []gap // where text is not contiguous in from.text, in order
}

// A gap says that text[at:] continues at from.text[src:], and that what comes
// before at ended at from.text[end].
type gap struct {
	at, src, end int
	join         join
}

// A join says what was taken out at a place.
type join uint8

// Kinds of joins. Of two at one place the greater one counts.
const (
	noJoin   join = iota
	softJoin      // a line break, which may also separate two things
	hardJoin      // a continuation or concatenation: the two sides are one
)

// span returns where in the original a secret at text[from:to] lies.
func (v *view) span(from, to, rank int) span {
	for ; v.from != nil; v = v.from {
		n, isGap := v.gapFrom(to)
		if from, to = v.source(from), v.source(to); isGap {
			to = v.gaps[n].end
		}
	}
	return span{from, to, rank}
}

// source returns where in the text below the byte at i comes from.
func (v *view) source(i int) int {
	if n, _ := v.gapFrom(i + 1); n > 0 {
		i += v.gaps[n-1].src - v.gaps[n-1].at
	}
	return i
}

// gapFrom returns the number of the first gap at i or after it, and whether it is at i.
func (v *view) gapFrom(i int) (n int, isAt bool) {
	return slices.BinarySearchFunc(v.gaps, i, func(g gap, i int) int { return g.at - i })
}

func (v *view) joinAt(i int) join {
	if n, isAt := v.gapFrom(i); isAt {
		return v.gaps[n].join
	}
	return noJoin
}

// isEdge reports whether a word can begin at i: the byte before is not a
// letter or digit, or was separated from i before it was joined.
func (v *view) isEdge(i int) bool {
	return i == 0 || !words.IsAlnum(v.text[i-1]) || v.joinAt(i) != noJoin
}

// A weaver builds a view from pieces of another.
type weaver struct {
	out  strings.Builder
	src  string
	at   int // src[:at] is done
	gaps []gap
}

// replace copies what comes before from, and writes text in place of src[from:to].
func (w *weaver) replace(from, to int, text string, j join) {
	if len(w.gaps) == 0 {
		w.out.Grow(len(w.src))
		w.gaps = make([]gap, 0, 16+len(w.src)/64)
	}
	w.out.WriteString(w.src[w.at:from])
	w.addGap(gap{at: w.out.Len(), src: from, end: from})
	w.out.WriteString(text)
	w.addGap(gap{at: w.out.Len(), src: to, end: to, join: j})
	w.at = to
}

func (w *weaver) addGap(g gap) {
	if n := len(w.gaps); n > 0 && w.gaps[n-1].at == g.at {
		last := &w.gaps[n-1]
		last.src = g.src
		last.join = max(last.join, g.join)
		return
	}
	w.gaps = append(w.gaps, g)
}

// finish returns what was built, or nil if it is the same as from.
func (w *weaver) finish(from *view) *view {
	if len(w.gaps) == 0 {
		return nil
	}
	w.out.WriteString(w.src[w.at:])
	return &view{text: w.out.String(), from: from, gaps: w.gaps}
}
