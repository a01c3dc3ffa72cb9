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
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
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
	isSpace := func(r rune) bool { return unicode.IsSpace(r) && r != 0x85 || r == 0xFEFF }
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), isSpace), " ")
}

// isFolded reports whether a text is plain ASCII with nothing to fold, as most are.
func isFolded(s string) bool {
	last := byte(' ')
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] < ' ' || s[i] == ' ' && last == ' ' {
			return false
		}
		last = s[i]
	}
	return last != ' ' || s == ""
}

// Lower returns a text in lower case and in Unicode's form NFC: composed letters, as most keyboards write
// them, and decomposed ones, as macOS names files, are the same.
func Lower(s string) string { return norm.NFC.String(strings.ToLower(norm.NFC.String(s))) }

// LineEnd returns how a text ends its lines: as it ends the first.
func LineEnd(text string) string {
	if first, _, _ := strings.Cut(text, "\n"); len(first) < len(text) && strings.HasSuffix(first, "\r") {
		return "\r\n"
	}
	return "\n"
}

// SaysNothing reports whether a text only says that there is nothing to say, as models do, and pi-self-learning with
// "(none yet)", or is of one or two characters: even in scripts without spaces that is no lesson.
func SaysNothing(text string) bool {
	text = strings.TrimSuffix(strings.Trim(strings.ToLower(FoldSpace(text)), "()[]*_.!- "), " yet")
	return utf8.RuneCountInString(text) < 3 || text == "none" || text == "nothing" || text == "n/a"
}

// EndLine ends the last line of a text, if there is one.
func EndLine(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}
