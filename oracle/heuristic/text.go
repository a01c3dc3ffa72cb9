package heuristic

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mem/oracle/heuristic/shell"
)

// line makes text one clean line of at most MaxText characters.
func line(text string) string {
	text = strings.ToValidUTF8(text, "")
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	return strings.TrimRight(shell.Clip(strings.Join(strings.Fields(text), " "), MaxText), " .,;:-")
}

// capital makes the first letter of a sentence large, unless it is code.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || isCode(firstWord(s)) || strings.ContainsAny(strings.SplitN(s, " ", 2)[0], "_/.()") {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// small makes the first letter of a sentence small, unless the word is a name
// or an abbreviation.
func small(s string) string {
	w := strings.SplitN(s, " ", 2)[0]
	r, n := utf8.DecodeRuneInString(w)
	if n == 0 || w == "I" || strings.ToLower(w[n:]) != w[n:] {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}
