package guard

import (
	"sort"
	"strings"
)

// A view is a text read another way, for instance with its escapes resolved,
// that still knows where each byte came from.
type view struct {
	text string
	from *view // what text was made from; nil for the original
	gaps []gap // where text is not contiguous in from.text, in order
	wrap bool  // joins are marked
}

// A gap says that text[at:] continues at from.text[src:], and that what comes
// before at ended at from.text[end].
type gap struct {
	at, src, end int
	join         join
}

// A join is a place where something that separates was taken out.
type join uint8

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
	if n := sort.Search(len(v.gaps), func(k int) bool { return v.gaps[k].at > i }); n > 0 {
		i = v.gaps[n-1].src + i - v.gaps[n-1].at
	}
	return v.from.start(i)
}

// end returns where in the original the text before i ends.
func (v *view) end(i int) int {
	if v.from == nil {
		return i
	}
	n := sort.Search(len(v.gaps), func(k int) bool { return v.gaps[k].at >= i })
	switch {
	case n < len(v.gaps) && v.gaps[n].at == i:
		i = v.gaps[n].end
	case n > 0:
		i = v.gaps[n-1].src + i - v.gaps[n-1].at
	}
	return v.from.end(i)
}

// joinAt returns the join at i.
func (v *view) joinAt(i int) join {
	if !v.wrap {
		return noJoin
	}
	n := sort.Search(len(v.gaps), func(k int) bool { return v.gaps[k].at >= i })
	if n < len(v.gaps) && v.gaps[n].at == i {
		return v.gaps[n].join
	}
	return noJoin
}

// joinsIn returns the gaps strictly between from and to.
func (v *view) joinsIn(from, to int) []gap {
	if !v.wrap {
		return nil
	}
	a := sort.Search(len(v.gaps), func(k int) bool { return v.gaps[k].at > from })
	b := sort.Search(len(v.gaps), func(k int) bool { return v.gaps[k].at >= to })
	return v.gaps[a:max(a, b)]
}

// edge reports whether a word can begin at i: what stands before is no letter
// or digit, or was separated from i before it was joined.
func (v *view) edge(i int) bool {
	return i == 0 || !alnum(v.text[i-1]) || v.joinAt(i) != noJoin
}

// A weaver builds a view from pieces of another.
type weaver struct {
	out  strings.Builder
	src  string
	at   int // src[:at] is done
	gaps []gap
}

// upTo copies what comes before i.
func (w *weaver) upTo(i int) {
	w.out.WriteString(w.src[w.at:i])
	w.at = i
}

// skip leaves out src[w.at:to].
func (w *weaver) skip(to int, j join) {
	w.note(gap{at: w.out.Len(), src: to, end: w.at, join: j})
	w.at = to
}

// put writes text in place of src[w.at:to].
func (w *weaver) put(text string, to int) {
	w.note(gap{at: w.out.Len(), src: w.at, end: w.at})
	w.out.WriteString(text)
	w.at = to
	w.note(gap{at: w.out.Len(), src: to, end: to})
}

func (w *weaver) note(g gap) {
	if n := len(w.gaps); n > 0 && w.gaps[n-1].at == g.at {
		last := &w.gaps[n-1]
		last.src = g.src
		last.join = max(last.join, g.join)
		return
	}
	w.gaps = append(w.gaps, g)
}

// view returns what was built, or nil if it is the same as from.
func (w *weaver) view(from *view, wrap bool) *view {
	if len(w.gaps) == 0 {
		return nil
	}
	w.upTo(len(w.src))
	return &view{text: w.out.String(), from: from, gaps: w.gaps, wrap: wrap}
}

// unescape resolves backslash and percent escapes at any depth of nesting:
// \\\" in JSON inside JSON is a quote, %2520 is a space. With form set, a plus
// in the query of a URL is a space too. It returns nil if there are none.
func unescape(from *view, form bool) *view {
	s := from.text
	if !form && strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, '%') < 0 {
		return nil // most texts
	}
	w := weaver{src: s}
	query := false
	for i := 0; i < len(s); i++ {
		var text string
		var width int
		switch s[i] {
		case '\\':
			text, width = backslash(s[i:])
		case '%':
			text, width = percent(s[i:])
		case '+':
			if form && query {
				text, width = " ", 1
			}
		}
		if form {
			query = inQuery(query, s[i])
		}
		if width == 0 {
			for i+1 < len(s) && s[i] == '\\' && s[i+1] == '\\' {
				i++ // once over a run of them is enough
			}
			continue
		}
		if len(w.gaps) == 0 {
			w.out.Grow(len(s))
		}
		w.upTo(i)
		w.put(text, i+width)
		i += width - 1
	}
	return w.view(from, false)
}

// inQuery reports whether what follows c can be in the query of a URL or in a
// form, given whether c was. A percent sign is enough to think so: it may only
// lead to one more look at the text.
func inQuery(before bool, c byte) bool {
	switch c {
	case '?', '%':
		return true
	case ' ', '\t', '\n', '"', '\'', '`', '<', '>':
		return false
	}
	return before
}

// hasForm reports whether s has a plus in the query of a URL.
func hasForm(s string) bool {
	if strings.IndexByte(s, '+') < 0 {
		return false // most texts
	}
	query := false
	for i := range len(s) {
		if query && s[i] == '+' {
			return true
		}
		query = inQuery(query, s[i])
	}
	return false
}

// backslash returns the meaning and length of the escape s begins with.
func backslash(s string) (text string, width int) {
	n := 1
	for n < len(s) && s[n] == '\\' {
		n++
	}
	if n == len(s) {
		return "", 0
	}
	switch s[n] {
	case 'n', 'r':
		return "\n", n + 1
	case 't':
		return "\t", n + 1
	case '"', '\'', '/', '`':
		return s[n : n+1], n + 1
	case 'u':
		if len(s) >= n+5 && s[n+1] == '0' && s[n+2] == '0' {
			return hexByte(s[n+3:], n+5)
		}
	case 'x':
		return hexByte(s[n+1:], n+3)
	}
	return "", 0
}

// percent returns the meaning and length of the URL escape s begins with.
func percent(s string) (text string, width int) {
	n := 1
	for strings.HasPrefix(s[n:], "25") {
		n += 2
	}
	if text, width = hexByte(s[n:], n+2); width == 0 && n > 1 {
		return "%", n
	}
	return text, width
}

// hexByte returns the ASCII character whose two hexadecimal digits s begins
// with, and width, or zeros.
func hexByte(s string, width int) (string, int) {
	if len(s) < 2 {
		return "", 0
	}
	hi, lo := hexDigit(s[0]), hexDigit(s[1])
	if hi < 0 || lo < 0 || hi > 7 {
		return "", 0
	}
	return ascii[hi<<4|lo:][:1], width
}

// ascii holds each ASCII character at its own number, so that decoding one
// allocates nothing.
const ascii = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f" +
	" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_" +
	"`abcdefghijklmnopqrstuvwxyz{|}~\x7f"

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// unwrap takes out what can split a token: line breaks with the indentation
// after them, backslash-newlines, and " + " between two string literals. Blank
// lines stay. It returns nil if there is nothing to take out.
func unwrap(from *view) *view {
	s := from.text
	w := weaver{src: s}
	for i := 0; i < len(s); i++ {
		lo, hi, j := i, i, noJoin
		switch s[i] {
		case '\n':
			lo, hi, j = lineBreak(s, i, w.at)
		case '"', '\'', '`':
			hi, j = concatenation(s, i)
		}
		if j == noJoin {
			continue
		}
		if len(w.gaps) == 0 {
			w.out.Grow(len(s))
			w.gaps = make([]gap, 0, 16+len(s)/64)
		}
		w.upTo(lo)
		w.skip(hi, j)
		i = hi - 1
	}
	return w.view(from, true)
}

// lineBreak returns what to take out around the newline at i; nothing before
// floor.
func lineBreak(s string, i, floor int) (lo, hi int, j join) {
	lo, hi, j = i, i+1, softJoin
	for lo > floor && (s[lo-1] == ' ' || s[lo-1] == '\t' || s[lo-1] == '\r') {
		lo--
	}
	if lo > floor && s[lo-1] == '\\' {
		lo--
		j = hardJoin
	}
	for hi < len(s) && (s[hi] == ' ' || s[hi] == '\t' || s[hi] == '\r') {
		hi++
	}
	if hi < len(s) && s[hi] == '\n' {
		return i, i, noJoin
	}
	return lo, hi, j
}

// concatenation returns the end of the " + " that begins with the quote at i.
func concatenation(s string, i int) (hi int, j join) {
	hi = i + 1
	limit := min(len(s), i+80)
	operator, newline := false, false
	for hi < limit {
		switch s[hi] {
		case ' ', '\t', '\r':
		case '\n':
			newline = true
		case '+', '.', '&', '|', '\\', '(', ')':
			operator = true
		case '"', '\'', '`':
			if operator || newline {
				return hi + 1, hardJoin
			}
			return i, noJoin
		default:
			return i, noJoin
		}
		hi++
	}
	return i, noJoin
}
