package view

// Unwrap takes out what can split a token: line breaks with the indentation
// after them, backslash-newlines, and " + " between two string literals. Blank
// lines stay. It returns nil if there is nothing to take out.
func Unwrap(from *View) *View {
	s := from.Text
	w := weaver{src: s}
	for i := 0; i < len(s); i++ {
		lo, hi, j := i, i, NoJoin
		switch s[i] {
		case '\n':
			lo, hi, j = findLineBreak(s, i, w.at)
		case '"', '\'', '`':
			hi, j = findConcatenation(s, i)
		}
		if j == NoJoin {
			continue
		}
		if w.gaps == nil {
			w.gaps = make([]Gap, 0, 16+len(s)/64)
		}
		w.copyTo(lo)
		w.skipTo(hi, j)
		i = hi - 1
	}
	return w.finish(from, true)
}

// isBlank reports whether c is white space within a line, or part of its end.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// findLineBreak returns what to take out around the newline at i; nothing
// before floor.
func findLineBreak(s string, i, floor int) (lo, hi int, j Join) {
	lo, hi, j = i, i+1, SoftJoin
	for lo > floor && isBlank(s[lo-1]) {
		lo--
	}
	if lo > floor && s[lo-1] == '\\' {
		lo--
		j = HardJoin
	}
	for hi < len(s) && isBlank(s[hi]) {
		hi++
	}
	if hi < len(s) && s[hi] == '\n' {
		return i, i, NoJoin
	}
	return lo, hi, j
}

// findConcatenation returns the end of the " + " that begins with the quote at
// i.
func findConcatenation(s string, i int) (hi int, j Join) {
	operator, newline := false, false
	for k := i + 1; k < min(len(s), i+80); k++ {
		switch s[k] {
		case ' ', '\t', '\r':
		case '\n':
			newline = true
		case '+', '.', '&', '|', '\\', '(', ')':
			operator = true
		case '"', '\'', '`':
			if operator || newline {
				return k + 1, HardJoin
			}
			return i, NoJoin
		default:
			return i, NoJoin
		}
	}
	return i, NoJoin
}
