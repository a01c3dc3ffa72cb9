package secret

import (
	"sort"
	"strings"

	"mem/words"
)

// A view is a text read the way its author meant it: with its escapes resolved, or with what splits a token taken out. It
// knows where in the original each of its bytes came from, so that what is found in it can be replaced there.
type view struct {
	Text string
	from *view // what Text was made from; nil for the original
	gaps []gap // where Text is not contiguous in from.Text, in order
	wrap bool  // joins are marked
}

// newView returns the view of a text as it is written.
func newView(text string) *view { return &view{Text: text} }

// A gap says that Text[At:] continues at from.Text[src:], and that what comes
// before At ended at from.Text[end].
type gap struct {
	At, src, end int
	Join         join
}

// A join says what was taken out at a place.
type join uint8

// Kinds of joins. Of two at one place the greater one counts.
const (
	noJoin   join = iota
	softJoin      // a line break, which may also separate two things
	hardJoin      // a continuation or concatenation: the two sides are one
)

// start returns where in the original the byte at i comes from.
func (v *view) start(i int) int {
	if v.from == nil {
		return i
	}
	if n := sort.Search(len(v.gaps), func(k int) bool { return v.gaps[k].At > i }); n > 0 {
		i = v.gaps[n-1].src + i - v.gaps[n-1].At
	}
	return v.from.start(i)
}

// end returns where in the original the text before i ends.
func (v *view) end(i int) int {
	if v.from == nil {
		return i
	}
	n := v.gapFrom(i)
	switch {
	case n < len(v.gaps) && v.gaps[n].At == i:
		i = v.gaps[n].end
	case n > 0:
		i = v.gaps[n-1].src + i - v.gaps[n-1].At
	}
	return v.from.end(i)
}

// gapFrom returns the number of the first gap at i or after it.
func (v *view) gapFrom(i int) int {
	return sort.Search(len(v.gaps), func(k int) bool { return v.gaps[k].At >= i })
}

// joinAt returns the join at i.
func (v *view) joinAt(i int) join {
	if !v.wrap {
		return noJoin
	}
	if n := v.gapFrom(i); n < len(v.gaps) && v.gaps[n].At == i {
		return v.gaps[n].Join
	}
	return noJoin
}

// joinsIn returns the gaps strictly between from and to.
func (v *view) joinsIn(from, to int) []gap {
	if !v.wrap {
		return nil
	}
	first := v.gapFrom(from + 1)
	return v.gaps[first:max(first, v.gapFrom(to))]
}

// isEdge reports whether a word can begin at i: the byte before is not a
// letter or digit, or was separated from i before it was joined.
func (v *view) isEdge(i int) bool {
	return i == 0 || !words.IsAlnum(v.Text[i-1]) || v.joinAt(i) != noJoin
}

// A weaver builds a view from pieces of another.
type weaver struct {
	out  strings.Builder
	src  string
	at   int // src[:at] is done
	gaps []gap
}

// copyTo copies what comes before i.
func (w *weaver) copyTo(i int) {
	if len(w.gaps) == 0 {
		w.out.Grow(len(w.src))
	}
	w.out.WriteString(w.src[w.at:i])
	w.at = i
}

// skipTo leaves out src[w.at:to].
func (w *weaver) skipTo(to int, j join) {
	w.addGap(gap{At: w.out.Len(), src: to, end: w.at, Join: j})
	w.at = to
}

// replaceTo writes text in place of src[w.at:to].
func (w *weaver) replaceTo(to int, text string) {
	w.addGap(gap{At: w.out.Len(), src: w.at, end: w.at})
	w.out.WriteString(text)
	w.at = to
	w.addGap(gap{At: w.out.Len(), src: to, end: to})
}

func (w *weaver) addGap(g gap) {
	if n := len(w.gaps); n > 0 && w.gaps[n-1].At == g.At {
		last := &w.gaps[n-1]
		last.src = g.src
		last.Join = max(last.Join, g.Join)
		return
	}
	w.gaps = append(w.gaps, g)
}

// finish returns what was built, or nil if it is the same as from.
func (w *weaver) finish(from *view, wrap bool) *view {
	if len(w.gaps) == 0 {
		return nil
	}
	w.copyTo(len(w.src))
	return &view{Text: w.out.String(), from: from, gaps: w.gaps, wrap: wrap}
}
