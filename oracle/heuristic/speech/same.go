package speech

import (
	"unicode/utf8"

	"mem/words"
)

// CountShared counts the words that two sets have in common.
func CountShared(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// SaysSame reports whether one of two texts rewords the other, or adds no more than a word.
func SaysSame(text, other string) bool {
	a, b := words.SpeechWords(text), words.SpeechWords(other)
	shared := CountShared(a, b)
	return 5*shared >= 4*min(len(a), len(b)) && 5*shared >= 3*max(len(a), len(b))
}

// IsSound reports whether text is valid and says something in words.
func IsSound(text string) bool {
	return utf8.ValidString(text) && len(words.SpeechWords(text)) > 0 && len(text) >= 8
}
