package words

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// MaxWord is where StemForSearch cuts a word, in bytes.
const MaxWord = 48

// StemForSearch returns a word in lower case and without its ending, in buf:
// close enough for English, and the same for a query and what is searched. It
// never shortens a word to less than three bytes. It takes off more endings than
// StemForCompare, because a search should rather find too much than too little.
func StemForSearch(buf []byte, word string) []byte {
	b := append(buf[:0], word[:min(len(word), MaxWord)]...)
	ascii := true
	for i, c := range b {
		if c >= utf8.RuneSelf {
			ascii = false
		} else if isUpper(c) {
			b[i] = c + 'a' - 'A'
		}
	}
	if !ascii {
		return bytes.ToLower(b)
	}
	b = bytes.TrimSuffix(b, []byte("'"))
	b = singularBytes(b)
	for _, end := range [...]struct {
		text string
		left int
	}{{"ing", 3}, {"ed", 3}, {"ment", 4}, {"ion", 4}} {
		if n := len(b) - len(end.text); n >= end.left && string(b[n:]) == end.text {
			b = b[:n]
			if last := len(b) - 1; last >= 3 && b[last] == b[last-1] && b[last] != 'l' && b[last] != 's' {
				b = b[:last]
			}
			break
		}
	}
	if n := len(b) - 1; n >= 4 && b[n] == 'e' {
		b = b[:n]
	}
	return b
}

// singularBytes takes the s of a plural off.
func singularBytes(b []byte) []byte {
	n := len(b)
	switch {
	case n < 4 || b[n-1] != 's' || b[n-2] == 's' || b[n-2] == 'u' || b[n-2] == 'i':
		return b
	case n >= 6 && b[n-2] == 'e' && b[n-3] == 'i':
		return append(b[:n-3], 'y')
	case n >= 5 && b[n-2] == 'e' && (b[n-3] == 'x' || b[n-3] == 's' || b[n-3] == 'z' || b[n-3] == 'h'):
		return b[:n-2]
	}
	return b[:n-1]
}

// StemForCompare returns a word in lower case without its ending: close enough
// for English. A word with characters other than a-z is left as it is. It keeps
// endings that make another word (deploy, deployment), because two statements
// count as the same one only if their words are.
func StemForCompare(s string) string {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return s
		}
	}
	s = singular(s)
	for _, end := range [...]string{"ing", "ed"} {
		rest, ok := strings.CutSuffix(s, end)
		if !ok || len(rest) < 3 && rest != "us" || !strings.ContainsAny(rest, "aeiouy") {
			continue
		}
		if n := len(rest) - 1; n >= 2 && rest[n] == rest[n-1] && !strings.ContainsRune("lsz", rune(rest[n])) {
			rest = rest[:n]
		}
		s = rest
		break
	}
	if rest, ok := strings.CutSuffix(s, "e"); ok && len(rest) >= 2 && strings.ContainsAny(rest, "aeiouy") {
		s = rest
	}
	return s
}

// singular takes the s of a plural off. It knows more plurals than singularBytes:
// causes, uses.
func singular(s string) string {
	n := len(s)
	switch {
	case n < 4 || s[n-1] != 's' || s[n-2] == 's' || s[n-2] == 'u' || s[n-2] == 'i':
		return s
	case n >= 5 && strings.HasSuffix(s, "ies"):
		return s[:n-3] + "y"
	case n >= 5 && s[n-2] == 'e' && strings.ContainsRune("xszh", rune(s[n-3])) && s[n-4] != 'a' && s[n-4] != 'u':
		return s[:n-2]
	}
	return s[:n-1]
}
