package words

import (
	"strings"
	"unicode"
)

// AlignWords returns the words of s that carry meaning, in lower case: three
// bytes or more, letters and digits, and no stop words. In a script that puts no
// spaces between words, every two characters count as one. Reflect finds the
// events behind a lesson by them.
func AlignWords(s string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }) {
		if strings.ContainsFunc(w, unspaced) {
			runes := []rune(w)
			for i := range len(runes) - 1 {
				set[string(runes[i:i+2])] = true
			}
		} else if len(w) >= 3 && !alignStopSet()[w] {
			set[w] = true
		}
	}
	return set
}

// unspaced reports whether r belongs to a script without spaces between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// SpeechWords returns the words of text that carry meaning, in lower case. Unlike
// AlignWords it keeps names and paths whole (go.mod, --no-verify, a/b) and short
// words: what a person said is a sentence or two, and each word of it counts.
func SpeechWords(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != '/' && r != '.'
	}) {
		w = strings.Trim(w, "-./")
		if w != "" && !speechStopSet()[w] {
			out[w] = true
		}
	}
	return out
}
