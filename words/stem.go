package words

import (
	"strings"

	"github.com/kljensen/snowball/english"
)

// StemWord returns a word in lower case and without its ending, by the Snowball
// stemmer of English: the same for a query and what is searched, and for two
// statements that are compared. A word with characters other than letters of ASCII
// keeps its ending.
func StemWord(word string) string {
	word = strings.ToLower(word)
	if strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return word
	}
	return english.Stem(word, true)
}
