package score

import "mem/lazy"

// spared is what a task says is not to be done: "don't deploy yet", "no PR for now", "without touching
// the tests". What fails, as in "does not build" and "no commits since May", is not.
var spared = lazy.New(`(?i)(?:(?:^|[.,;:!?(\n]|\b(?:and|but|or|please|then))\s*(?:please\s+)?(?:don'?t|don’t|do not)\s+(?:\w+\s+)?[\w'-]+(?:\s+(?:anything|it|them|that|this|yet|please))*` +
	`|\bno\s+(?:(?:code|further|other|more)\s+)?(?:changes?|edits?|commits?|prs?|pull requests?|push(?:es)?|deploy(?:s|ment)?|release)` +
	`(?:\s+(?:please|yet|for now|needed|necessary|at all))?\s*(?:$|[.,;:!?)\n]|\b(?:and|but|just)\b)` +
	`|\bno\s+(?:[\w'-]+\s+){1,2}(?:yet|please|for now|needed|necessary)\b` +
	`|\bwithout\s+(?:changing|touching|breaking|editing|modifying|committing|pushing|deploying|releasing)\b(?:\s+[\w'-]+){0,2})`)

// dropSpared returns a task without what it says is not to be done: lessons about that do not fit it.
func dropSpared(task string) string { return spared.Get().ReplaceAllString(task, " . ") }
