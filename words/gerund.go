package words

import (
	"slices"
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

// Ways to say what not to do: an order or what should not be, with the verb behind it;
// what ends or is wrong; and what was not done.
var (
	reNegation = lazy.New(`(?is)^(?:please )?(?:(?:never|do not|don['’]?t|no longer|not to)|(?:(?:you|we|one|i|they) )?(?:must|should|shall)(?: not|n['’]?t| never)|(?:it is|it['’]s) (?:wrong|bad|unsafe|dangerous|a mistake|a bad idea) to)(?: ever)?[,:]? ((?:(?:just|simply|only|even|always|again|blindly|silently|directly|manually|automatically) )*)(?:([a-z]+)\b(.*)|(\x60.*))$`)
	reNoMore   = lazy.New(`(?is)^(?:please )?(?:(?:no more|avoid:?) (.+)|(?:stop|refrain from) ([a-z]+ing\b.*))$`)
	reMissed   = lazy.New(`(?is)^(?:(?:you|we|one|i|they) )?should have ([a-z]+(?:ed|[^s]en|ead|one|ept|ut|own|un)\b.*)$`)
)

// negators begin all of these in small letters; most texts begin with none of them.
var negators = []string{"please ", "never", "do", "no", "you ", "we ", "one ", "i ", "they ", "must", "should", "shall", "it", "avoid", "stop ", "refrain "}

// TurnNegation makes what to avoid of an order not to do it: "importing X" of "never
// import X".
func TurnNegation(s string) string {
	start := strings.ToLower(s[:min(len(s), len("refrain "))])
	if !slices.ContainsFunc(negators, func(n string) bool { return strings.HasPrefix(start, n) }) {
		return s
	}
	if said := reNegation.Get().FindStringSubmatch(s); said != nil {
		return said[1] + Gerund(strings.ToLower(said[2])) + said[3] + said[4]
	}
	if said := reNoMore.Get().FindStringSubmatch(s); said != nil {
		return said[1] + said[2]
	}
	if said := reMissed.Get().FindStringSubmatch(s); said != nil {
		return "not having " + said[1]
	}
	return s
}
