package words

import (
	"strings"

	"mem/lazy"
)

// Gerund returns the "ing" form of an English verb, by its letters alone: "importing" of
// "import", "running" of "run". A word that ends so already stays.
func Gerund(verb string) string {
	stem, hasE := strings.CutSuffix(verb, "e")
	switch {
	case len(verb) < 2 || strings.HasSuffix(verb, "ing"):
		return verb
	case strings.HasSuffix(verb, "ie"):
		return verb[:len(verb)-2] + "ying"
	case hasE && verb != "be" && !strings.ContainsAny(stem[len(stem)-1:], "eyo"):
		return stem + "ing"
	case reDoubles.Matches(verb):
		return verb + verb[len(verb)-1:] + "ing"
	}
	return verb + "ing"
}

// reDoubles matches verbs that double their last letter.
var reDoubles = lazy.New(`^(?:[^aeiou]*[aeiou][^aeiouwxy]|quit|(?:com|sub|ad|o|per)mit|(?:re|pre|de)fer|begin|forget|(?:re|un|in|out)(?:set|put|run|plug)|debug|control)$`)
