package guard

import (
	"strconv"
	"strings"

	"mem/words"
)

// unescape resolves backslash and percent escapes at any depth of nesting:
// \\\" in JSON inside JSON is a quote, %2520 is a space. It returns nil if there
// are none. With form set, a plus in the query of a URL is a space too, and a
// text without one gives nil.
func unescape(from *view, form bool) *view {
	s := from.Text
	if form && !strings.Contains(s, "+") || !form && !strings.ContainsAny(s, `\%`) {
		return nil // most texts
	}
	w := weaver{src: s}
	query, plus := false, !form
	for i := 0; i < len(s); i++ {
		text, width := unescapeByte(s[i:], query)
		plus = plus || s[i] == '+' && width > 0
		query = form && isQuery(query, s[i])
		if width > 0 {
			w.replace(i, i+width, text, noJoin)
			i += width - 1
		} else if s[i] == '\\' {
			for i+1 < len(s) && s[i+1] == '\\' {
				i++ // once over a run of them is enough
			}
		}
	}
	if !plus {
		return nil
	}
	return w.finish(from)
}

// unescapeByte returns the meaning and length of the escape that s begins with,
// or zeros.
func unescapeByte(s string, query bool) (text string, width int) {
	switch {
	case s[0] == '\\':
		return unescapeBackslash(s)
	case s[0] == '%':
		return unescapePercent(s)
	case s[0] == '+' && query:
		return " ", 1
	}
	return "", 0
}

// isQuery reports whether what follows c can be in the query of a URL or in a
// form, given whether c was. A percent sign is enough to think so: it may only
// lead to one more look at the text.
func isQuery(before bool, c byte) bool {
	switch c {
	case '?', '%':
		return true
	case ' ', '\t', '\n', '"', '\'', '`', '<', '>':
		return false
	}
	return before
}

// unescapeBackslash is unescapeByte for a backslash or a run of them.
func unescapeBackslash(s string) (text string, width int) {
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
		if strings.HasPrefix(s[n+1:], "00") && len(s) >= n+5 {
			return unescapeHex(s[n+3:], n+5)
		}
	case 'x':
		return unescapeHex(s[n+1:], n+3)
	}
	return "", 0
}

// unescapePercent is unescapeByte for a URL escape.
func unescapePercent(s string) (text string, width int) {
	n := 1
	for strings.HasPrefix(s[n:], "25") {
		n += 2
	}
	if text, width = unescapeHex(s[n:], n+2); width == 0 && n > 1 {
		return "%", n
	}
	return text, width
}

// unescapeHex returns the ASCII character whose two hexadecimal digits s begins
// with, and width, or zeros.
func unescapeHex(s string, width int) (string, int) {
	c, err := strconv.ParseUint(s[:min(len(s), 2)], 16, 7)
	if len(s) < 2 || err != nil {
		return "", 0
	}
	return string(rune(c)), width
}

// unwrap takes out what can split a token: line breaks with the indentation
// and the line number after them, backslash-newlines, and " + " between two
// string literals. Blank lines stay. It returns nil if there is nothing to take
// out.
func unwrap(from *view) *view {
	s := from.Text
	w := weaver{src: s}
	number, _ := lineNumber(s, 0)
	for i := 0; i < len(s); i++ {
		lo, hi, j := i, i, noJoin
		switch s[i] {
		case '\n':
			lo, hi, j = findLineBreak(s, i, w.at)
			next, end := lineNumber(s, i+1)
			if j != noJoin && number > 0 && next == number+1 {
				hi = end // as in what cat -n and grep -n print
			}
			number = next
		case '"', '\'', '`':
			hi, j = findConcatenation(s, i)
		}
		if j != noJoin {
			w.replace(lo, hi, "", j)
			i = hi - 1
		}
	}
	return w.finish(from)
}

// isBlank reports whether c is white space within a line, or part of its end.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// findLineBreak returns what to take out around the newline at i; nothing
// before floor.
func findLineBreak(s string, i, floor int) (lo, hi int, j join) {
	lo, hi, j = i, i+1, softJoin
	for lo > floor && isBlank(s[lo-1]) {
		lo--
	}
	if lo > floor && s[lo-1] == '\\' {
		lo--
		j = hardJoin
	}
	for hi < len(s) && isBlank(s[hi]) {
		hi++
	}
	if hi < len(s) && s[hi] == '\n' {
		return i, i, noJoin
	}
	return lo, hi, j
}

// lineNumber returns the number that the line at i begins with, and where what
// is numbered begins; zeros without one.
func lineNumber(s string, i int) (number, end int) {
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	digits := i
	for ; i < len(s) && i-digits < 6 && words.IsDigit(s[i]); i++ {
		number = 10*number + int(s[i]-'0')
	}
	if i == digits || i == len(s) {
		return 0, 0
	}
	switch rest := s[i:]; {
	case strings.HasPrefix(rest, "→"):
		i += len("→")
	case strings.IndexByte(":|)-\t ", rest[0]) >= 0:
		i++
	default:
		return 0, 0
	}
	for i < len(s) && (isBlank(s[i]) || s[i] == '|') {
		i++
	}
	return number, i
}

// findConcatenation returns the end of the " + " that begins with the quote at
// i.
func findConcatenation(s string, i int) (hi int, j join) {
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
				return k + 1, hardJoin
			}
			return i, noJoin
		default:
			return i, noJoin
		}
	}
	return i, noJoin
}
