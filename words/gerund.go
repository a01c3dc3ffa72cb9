package words

import (
	"strings"

	"mem/lazy"
)

// Gerund returns the "ing" form of an English verb, by its letters alone: "importing" of
// "import", "running" of "run". A word that is one already is left as it is.
func Gerund(verb string) string {
	stem, hasE := strings.CutSuffix(verb, "e")
	switch {
	case len(verb) < 2 || reGerund.Matches(verb):
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

var (
	reGerund = lazy.New(`[aeiouy].*ing$`) // but not "bring"
	// reDoubles matches verbs that double their last letter.
	reDoubles = lazy.New(`^(?:[^aeiou]*[aeiou][^aeiouwxy]|quit|(?:com|sub|ad|o|per)mit|(?:re|pre|de)fer|begin|forget|(?:re|un|in|out)(?:set|put|run|plug|wrap|pin)|debug|control)$`)
)

var reNegation = lazy.New(`(?is)^(?:please )?(?:you should |you must )?(?:never|do not|don['’]?t|must not|should not|avoid)(?: ever)?,? ([a-z]+)\b(.*)$`)

// TurnNegation makes what to avoid of an order not to do it: "importing X" of "never
// import X".
func TurnNegation(s string) string {
	said := reNegation.Get().FindStringSubmatch(s)
	if said == nil {
		return s
	}
	return Gerund(strings.ToLower(said[1])) + said[2]
}
