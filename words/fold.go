// Package words knows how people write: which characters are white space, which
// words say nothing by themselves, how a word ends, and where one ends and the
// next begins. Scoring, aligning, comparing and filing lessons build on it.
//
// It is one home, not yet one behaviour. Where two readers of the same text
// differ, each variant says who uses it and why it is not the other one.
//
// The package is pure, imports nothing of mem, and may be imported by all of it.
package words

import (
	"strings"
	"unicode/utf8"
)

// FoldSpace replaces every run of white space by one space and trims the ends.
//
// White space is JavaScript's class, because keys must come out as
// pi-self-learning made them: it differs from unicode.IsSpace in U+0085,
// which is not space there, and U+FEFF, which is.
func FoldSpace(s string) string {
	if isFolded(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	gap := false
	for _, r := range s {
		switch {
		case isSpace(r):
			gap = b.Len() > 0
		default:
			if gap {
				b.WriteByte(' ')
				gap = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isFolded reports whether FoldSpace would change nothing, for the common case.
func isFolded(s string) bool {
	last := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || c < ' ' || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return last != ' ' || s == ""
}

// isSpace reports whether JavaScript takes r for white space.
func isSpace(r rune) bool {
	switch {
	case r == ' ', r >= '\t' && r <= '\r', r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A,
		r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F, r == 0x3000, r == 0xFEFF:
		return true
	}
	return false
}
