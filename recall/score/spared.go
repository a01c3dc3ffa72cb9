package score

import (
	"strings"

	"mem/lazy"
)

// spared begins what a task says is not to be done: "don't deploy", "without touching"; or is all of it:
// "no changes, please". Only steps that people take back in such words count: what fails, as in "packages do
// not build", and what is missing, as in "there is no release script", is what the task is about.
var spared = lazy.New(`(?i)(?:^|[.,;!?(\n]|\b(?:and|but|or|so|please|just))\s*(?:please\s+)?(?:don'?t|don’t|do not)\s+` + steps + `\b` +
	`|\bwithout\s+(?:changing|touching|breaking|editing|modifying|committing|pushing|deploying|releasing|publishing)\b` +
	`|(?:^|[.,;!?(\n]|\b(?:and|but|with|please|just))\s*(?:please\s+)?(no\s+(?:(?:code|further|other|more)\s+)?(?:changes?|edits?|commits?|prs?|pull requests?|push|deploy(?:ment)?|release)` +
	`(?:,?\s+(?:please|yet|for now|needed|necessary|at all))*)\s*(?:$|[.,;!?)\n])`)

// steps are what people say is not to be done yet.
const steps = `(?:commit|push|deploy|release|publish|ship|merge|open|create|make|change|edit|touch|modify|fix|install|run|close)`

// ends are the words that begin another thought.
var ends = map[string]bool{"and": true, "but": true, "or": true, "until": true, "before": true, "unless": true, "then": true, "just": true, "only": true, "as": true, "if": true}

// maxObject is how many words are taken for what a step is about, as in "don't open a pull request yet".
const maxObject = 4

// DropSpared returns a task without what it says is not to be done: lessons about that do not fit it.
func DropSpared(task string) string {
	var b strings.Builder
	for {
		m := spared.Get().FindStringSubmatchIndex(task)
		if m == nil {
			return b.String() + task
		}
		b.WriteString(task[:m[0]] + " . ")
		if task = task[m[1]:]; m[2] < 0 { // a step, and not a phrase that is whole
			task = dropObject(task)
		}
	}
}

// dropObject returns a text without the words that a step is about.
func dropObject(text string) string {
	for range maxObject {
		rest := strings.TrimLeft(text, " \t")
		word := rest
		if end := strings.IndexAny(rest, " \t\n"); end >= 0 {
			word = rest[:end]
		}
		name := strings.TrimRight(word, ".,;:!?)")
		if name == "" || ends[strings.ToLower(name)] {
			break
		}
		if text = rest[len(name):]; name != word {
			break
		}
	}
	return text
}
