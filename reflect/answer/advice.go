package answer

import (
	_ "embed" // for the verbs
	"slices"
	"strings"
	"sync"

	"mem/lazy"
	"mem/words"
)

var (
	// reAdvice matches words that say what to do, wherever they stand.
	reAdvice = lazy.New(`(?i)\b(?:always|never|avoid|do not|don['’]t|must|should|shall|ought to|needs? to|ha(?:s|ve) to|instead of|rather than|prefer|make sure|remember to|be sure` +
		`|we (?:use|only|do|call|keep|put|write|name)|only (?:when|if|after|with|in|by)|not to|instead|needs? (?:a|an|the|\x60))\b`)
	// reContrast matches what says that one thing is right and another is not.
	reContrast = lazy.New(`[,;] (?:and )?not\s`)
	// reCondition matches a beginning that says when, or of what, something is to be done.
	reCondition = lazy.New(`(?i)^(?:when|if|before|after|in|on|for|with|at|under|while|unless|once|to)\s`)
	// reClause matches where a clause may begin.
	reClause = lazy.New(`(?i)[.;:,(]\s+|\s(?:and|then|or|but)\s+`)
	// reTold matches a clause in which the form of a verb is a noun or a name: "Commit 19780ba added".
	reTold    = lazy.New(`(?i)^[a-z]+ (?:\x60?[0-9a-f]{7,}\x60?(?:\s|$)|(?:[\w.-]+ ){0,4}?(?:is|are|was|were|has|had|does|did|can|will|would|passe[ds]|fail(?:ed|s)|work(?:ed|s)|went|took|takes|contains|uses|exists|adds|added)\b)`)
	reEnglish = lazy.New(`(?i)\b(?:the|a|an|is|are|was|were|of|in|to|for|with|and|it|on|pass(?:es)?)\b`)
	// reObject matches a verb with what it is about, which no noun has behind it: "check whether".
	reObject = lazy.New(`(?i)^[a-z]+ (?:whether|if|how|what|which|where|a|an|each|every)\s`)
)

// isAdvice reports whether a lesson tells what to do or to avoid, and not only how things
// are. Of another language than English it cannot tell, and says yes.
func isAdvice(text string) bool {
	if reAdvice.Matches(text) || reContrast.Matches(text) || !reEnglish.Matches(text) {
		return true
	}
	if reCondition.Matches(text) {
		return slices.ContainsFunc(strings.Fields(strings.ToLower(text)), isVerb)
	}
	for clause := range strings.SplitSeq(reClause.Get().ReplaceAllString(text, "\x00"), "\x00") {
		first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(clause)), " ")
		if isVerb(strings.Trim(first, ",.;:!")) && (reObject.Matches(clause) || !reTold.Matches(clause)) {
			return true
		}
	}
	return false
}

// verbs are what an order to a coding agent begins with, in small letters.
//
//go:embed verbs.txt
var verbs string

var listVerbs = sync.OnceValue(func() map[string]bool { return words.SetOf(verbs) })

func isVerb(word string) bool { return listVerbs()[word] }
