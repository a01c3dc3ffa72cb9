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
	s := from.text
	if form && !strings.Contains(s, "+") || !form && !strings.ContainsAny(s, `\%&`) {
		return nil // most texts
	}
	w := weaver{src: s}
	query, plus := false, !form
	for i := 0; i < len(s); i++ {
		text, width := "", 1
		if c := s[i]; !form && c != '\\' && c != '%' && c != '&' {
			continue // most bytes
		}
		switch {
		case s[i] == '\\':
			text, width = unescapeBackslash(s[i:])
		case s[i] == '%':
			text, width = unescapePercent(s[i:])
		case s[i] == '&' && !form:
			text, width = unescapeEntity(s[i:])
		case s[i] == '+' && query:
			text, plus = " ", true
		}
		query = form && isQuery(query, s[i])
		if text != "" {
			w.replace(i, i+width, text, noJoin)
		}
		i += width - 1
	}
	if !plus {
		return nil
	}
	return w.finish(from)
}

// isQuery reports whether what follows c can be in the query of a URL or in a
// form, given whether c was. A percent sign is enough to think so: it may only
// lead to one more look at the text.
func isQuery(before bool, c byte) bool {
	return c == '?' || c == '%' || before && strings.IndexByte(" \t\n\"'`<>", c) < 0
}

// unescapeBackslash returns the meaning and length of the escape that s begins with: a
// backslash or a run of them. Without a meaning it is the run, over which once is enough.
func unescapeBackslash(s string) (text string, width int) {
	rest := strings.TrimLeft(s, `\`)
	n := len(s) - len(rest)
	switch {
	case rest == "":
	case rest[0] == 'n' || rest[0] == 'r':
		text, width = "\n", n+1
	case rest[0] == 't':
		text, width = "\t", n+1
	case strings.IndexByte("\"'/`", rest[0]) >= 0:
		text, width = rest[:1], n+1
	case strings.HasPrefix(rest, "u00"):
		text, width = unescapeHex(rest[3:]), n+5
	case rest[0] == 'x':
		text, width = unescapeHex(rest[1:]), n+3
	}
	if text == "" {
		return "", n
	}
	return text, width
}

func unescapePercent(s string) (text string, width int) {
	n := 1
	for strings.HasPrefix(s[n:], "25") {
		n += 2
	}
	if text = unescapeHex(s[n:]); text != "" {
		return text, n + 2
	}
	if n > 1 {
		text = "%"
	}
	return text, n
}

func unescapeEntity(s string) (text string, width int) {
	for _, e := range []struct{ name, text string }{{"&quot;", `"`}, {"&lt;", "<"}, {"&gt;", ">"}, {"&#34;", `"`}, {"&#39;", "'"}, {"&amp;", "&"}} {
		if strings.HasPrefix(s, e.name) {
			return e.text, len(e.name)
		}
	}
	return "", 1
}

// unescapeHex returns the ASCII character whose two hexadecimal digits s begins
// with, or "".
func unescapeHex(s string) string {
	c, err := strconv.ParseUint(s[:min(len(s), 2)], 16, 7)
	if len(s) < 2 || err != nil {
		return ""
	}
	return string(rune(c))
}

// unwrap takes out what can split a token: line breaks with the indentation
// and the line number after them, backslash-newlines, and " + " between two
// string literals. Blank lines stay. It returns nil if there is nothing to take
// out.
func unwrap(from *view) *view {
	s := from.text
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

// blanks are white space within a line, or part of its end.
const blanks = " \t\r"

// findLineBreak returns what to take out around the newline at i; nothing
// before floor.
func findLineBreak(s string, i, floor int) (lo, hi int, j join) {
	lo, hi, j = i, i+1, softJoin
	if lo = floor + len(strings.TrimRight(s[floor:lo], blanks)); lo > floor && s[lo-1] == '\\' {
		lo--
		j = hardJoin
	}
	if hi = words.Skip(s, hi, len(s), blanks); hi < len(s) && s[hi] == '\n' {
		return i, i, noJoin
	}
	return lo, hi, j
}

// lineNumber returns the number that the line at i begins with, and where what
// is numbered begins; zeros without one.
func lineNumber(s string, i int) (number, end int) {
	i = words.Skip(s, i, len(s), blanks)
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
	return number, words.Skip(s, i, len(s), blanks+"|")
}

// findConcatenation returns the end of the " + " that begins with the quote at
// i.
func findConcatenation(s string, i int) (hi int, j join) {
	const operators = "\n+.&|\\()"
	rest := s[i+1 : min(len(s), i+80)]
	between := rest[:len(rest)-len(strings.TrimLeft(rest, blanks+operators))]
	hi = i + 1 + len(between)
	if len(between) < len(rest) && words.IsQuote(s[hi]) && strings.ContainsAny(between, operators) {
		return hi + 1, hardJoin
	}
	return i, noJoin
}
