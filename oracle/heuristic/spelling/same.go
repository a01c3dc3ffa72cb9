package spelling

import (
	"strings"

	"mem/words"
)

// Repeats reports whether a text says back what was said, or some of its words or numbers.
func Repeats(text, said string) bool {
	a, b := words.SpeechWords(text), words.SpeechWords(digits.Replace(strings.ToLower(said)))
	n := CountShared(a, b)
	return n >= 2 || n > 0 && (3*n >= len(a) || n >= len(b)-1)
}

// digits writes small numbers as people write them in code.
var digits = strings.NewReplacer("three", "3", "four", "4", "five", "5", "six", "6", "seven", "7", "eight", "8", "nine", "9", "ten", "10")

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

// FoldLayout makes texts comparable that differ in layout alone.
func FoldLayout(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" \n\t`*│|\"", r) }), " ")
}
