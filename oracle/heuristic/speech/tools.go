package speech

import (
	"cmp"
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
)

// namesTool reports whether text holds a tool or a command such as "make test".
func namesTool(text string) bool {
	words := strings.Fields(text)
	for i, w := range words {
		if shell.IsTool(toolWord(w)) || commandLength(words[i:]) > 1 {
			return true
		}
	}
	return false
}

// toolWord strips a word of marks and backticks.
func toolWord(w string) string { return strings.Trim(w, "`'\",.;:!?()") }

// rivalOf returns the program that the agent just ran for which choice can
// stand in, or "".
func (sc Scene) rivalOf(choice string) string {
	choice = strings.ToLower(strings.Trim(choice, "`"))
	if choice == "" || slices.Contains(sc.Ran, choice) {
		return ""
	}
	for _, p := range sc.Ran {
		if shell.AreRivals(p, choice) {
			return p
		}
	}
	return ""
}

// readPair: "pnpm, not npm", "it's pnpm instead of npm", "not npm, pnpm": a
// choice between two tools that can stand in for each other, or, after a no,
// between two identifiers.
func readPair(u reading) (Heard, bool) {
	this, that := toolWord(u.this), toolWord(u.that)
	a, b := strings.ToLower(this), strings.ToLower(that)
	names := u.no && reName.Matches(this) && reName.Matches(that)
	tools := shell.AreRivals(a, b) && (shell.IsTool(a) || shell.IsTool(b))
	sep, how := " ", cmp.Or(strings.ToLower(u.how), "not")
	if strings.HasSuffix(how, "not") {
		sep = ", "
	}
	return Heard{Text: "use " + shell.Code(this) + sep + how + " " + shell.Code(that)}, a != b && (names || tools)
}

// readLoneTool: "no, pnpm", "wrong: it's pnpm".
func readLoneTool(u reading) (Heard, bool) {
	return Heard{Text: "use " + u.this, Choice: firstChoice(u.this)}, u.no && u.rivalOf(u.this) != ""
}

// NamesTwo reports whether a lesson already says what its choice is over.
func (h Heard) NamesTwo() bool { return reContrast.Matches(h.Text) }

// ShowChoice sets a choice as code if it is one.
func ShowChoice(choice string) string {
	if first := firstWord(choice); isCode(choice) || shell.IsProgram(first) || shell.HasSubcommands(first) {
		return shell.Code(choice)
	}
	return choice
}

var (
	reContrast = lazy.New(`(?i)\b(instead of|rather than|not)\b`)
	// reName matches names in code that cannot be English words.
	reName = lazy.New(`^(?:[a-zA-Z]\w*(?:_\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+\(\))$`)
)
