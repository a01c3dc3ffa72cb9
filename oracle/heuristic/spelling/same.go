package spelling

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mem/lazy"
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

// SaysSame reports whether one of two texts rewords the other, or adds no more than a word.
func SaysSame(text, other string) bool {
	a, b := words.SpeechWords(text), words.SpeechWords(other)
	shared := CountShared(a, b)
	return 5*shared >= 4*min(len(a), len(b)) && 5*shared >= 3*max(len(a), len(b))
}

// SameNumbers reports whether two texts name the same numbers.
func SameNumbers(text, other string) bool {
	return slices.Equal(reNumber.Get().FindAllString(text, -1), reNumber.Get().FindAllString(other, -1))
}

var reNumber = lazy.New(`\d+`)

// IsSound reports whether text is valid and says something in words.
func IsSound(text string) bool {
	return utf8.ValidString(text) && len(words.SpeechWords(text)) >= 1 && utf8.RuneCountInString(text) >= 8
}

// FoldLayout makes texts comparable that differ in layout alone.
func FoldLayout(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" \n\t`*│|\"", r) }), " ")
}

// IsSlip reports whether two words differ within by a letter too many, or by two that
// changed places.
func IsSlip(a, b string) bool {
	i, j := 0, 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	for j < min(len(a), len(b))-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	x, y := a[i:len(a)-j], b[i:len(b)-j]
	return i > 0 && j > 0 && (len(x)+len(y) == 1 || len(x) == 2 && len(y) == 2 && x[0] == y[1] && x[1] == y[0])
}
