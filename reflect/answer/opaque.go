package answer

import (
	"strings"
	"unicode"

	"mem/lazy"
	"mem/words"
)

// reEncoded matches what may be words that are encoded.
var reEncoded = lazy.New(`(?:^|[\s"':])(?:(?:[A-Za-z0-9+]*/)?[A-Za-z0-9+]{24,}(?:/[A-Za-z0-9+]*)*={0,2}|(?:[0-9a-f]{2}[ :]?){16,})(?:["'\s,.]|$)`)

// joins has the words that join others in languages with Latin letters.
var joins = map[bool]map[string]bool{
	true:  words.SetOf("the a an of and to is are with that for this you it on in by as be or not from"),
	false: words.SetOf("der die das und ist nicht ein eine den vor mit le la les des et est un une pour dans el los las de que en con para por y o os uma não il che di per een het van voor niet och att är"),
}

// isOpaque reports whether words of a text cannot be compared with those of a lesson: they are in
// another language than English, encoded, or in a picture.
func isOpaque(text string) bool {
	letters, foreign := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if r > unicode.MaxASCII {
				foreign++
			}
		}
	}
	fields := strings.Fields(strings.ToLower(text))
	english, other := countIn(fields, joins[true]), countIn(fields, joins[false])
	return len(fields) < 3 || 10*foreign > letters || other > english && 12*other >= len(fields) || reEncoded.Matches(text)
}

// countIn returns how many of these words are in a set.
func countIn(list []string, set map[string]bool) (n int) {
	for _, w := range list {
		if set[w] {
			n++
		}
	}
	return n
}
