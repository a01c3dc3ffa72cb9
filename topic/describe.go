package topic

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mem/words"
)

// Limits of the words of a text that may be tags: characters, and how many tags a
// text should have before the words of any project count.
const (
	minWord = 3
	maxWord = 24
	minTags = 2
)

// Describe returns the tags of a text that a person states, from its own words: its
// topics, the things that stand for them, and words that not every project has. Words
// that any project has count only if there are too few.
func Describe(text string) []string {
	_, tags := File(text, false)
	d := dictionary()
	lower, at := split(text[:min(len(text), maxScan)])
	var ranks [3][]string
	for _, p := range at {
		word := lower[p.from:p.to]
		n := utf8.RuneCountInString(word)
		said := func(tag string) bool { return words.StemWord(tag) == words.StemWord(word) }
		switch {
		case n < minWord || n > maxWord || !strings.ContainsFunc(word, unicode.IsLetter):
		case words.IsSearchStop(word) || strings.HasSuffix(word, "ly") || slices.ContainsFunc(tags, said):
		case d.has(word):
			ranks[0] = append(ranks[0], singular(word))
		case !words.IsCommon(word):
			ranks[1] = append(ranks[1], singular(word))
		default:
			ranks[2] = append(ranks[2], singular(word))
		}
	}
	tags = Tags(slices.Concat(tags, ranks[0], ranks[1]))
	if missing := minTags - len(tags); missing > 0 {
		tags = Tags(append(tags, ranks[2][:min(len(ranks[2]), missing)]...))
	}
	return tags
}

// singular returns a word without the ending of a plural.
func singular(word string) string {
	stem, plural := strings.CutSuffix(word, "s")
	switch {
	case !plural || len(word) < 4 || strings.ContainsRune("sui", rune(stem[len(stem)-1])):
		return word
	case strings.HasSuffix(stem, "ie"):
		return stem[:len(stem)-2] + "y"
	case strings.HasSuffix(stem, "sse"), strings.HasSuffix(stem, "xe"), strings.HasSuffix(stem, "che"), strings.HasSuffix(stem, "she"):
		return stem[:len(stem)-1]
	}
	return stem
}
