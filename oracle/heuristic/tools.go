package heuristic

import (
	"slices"
	"strings"

	"mem/oracle/heuristic/lazy"
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

// rival returns the program the agent just ran for which choice can stand in,
// or "".
func (sc scene) rival(choice string) string {
	choice = strings.ToLower(strings.Trim(choice, "`"))
	if choice == "" || slices.Contains(sc.ran, choice) {
		return ""
	}
	for _, p := range sc.ran {
		if shell.AreRivals(p, choice) {
			return p
		}
	}
	return ""
}

// ranBefore returns the programs that the agent ran between two steps.
func (s *timeline) ranBefore(from, to int) []string {
	var out []string
	for _, c := range s.calls {
		if c.at <= from || c.at >= to || c.subagent {
			continue
		}
		for _, seg := range c.cmd.Parts {
			if seg.Program != "" && !shell.Prepares(seg.Program) {
				out = append(out, seg.Program)
			}
		}
	}
	return out
}

// toolPair: "pnpm, not npm", "it's pnpm instead of npm": two names of a kind.
func toolPair(m []string, r remark, _ scene) (heard, bool) {
	return preferred(m[1], m[2], m[3], r)
}

// turnedPair: "not npm, pnpm".
func turnedPair(m []string, r remark, _ scene) (heard, bool) {
	return preferred(m[2], "not", m[1], r)
}

// preferred words the choice between two tools that can stand in for each
// other, or, after a no, between two identifiers.
func preferred(x, how, y string, r remark) (heard, bool) {
	x, y = toolWord(x), toolWord(y)
	a, b := strings.ToLower(x), strings.ToLower(y)
	names := r.no && reName.Get().MatchString(x) && reName.Get().MatchString(y)
	if a == b || !names && (!shell.AreRivals(a, b) || !shell.IsTool(a) && !shell.IsTool(b)) {
		return heard{}, false
	}
	sep := " "
	if how = strings.ToLower(how); strings.HasSuffix(how, "not") {
		sep = ", "
	}
	return heard{side: fix, text: "use " + shell.Code(x) + sep + how + " " + shell.Code(y)}, true
}

// loneTool: "no, pnpm", "wrong: it's pnpm".
func loneTool(m []string, r remark, sc scene) (heard, bool) {
	return heard{side: fix, text: "use " + m[1], choice: firstChoice(m[1])}, r.no && sc.rival(m[1]) != ""
}

// reName matches names in code that cannot be English words.
var reName = lazy.New(`^(?:[a-zA-Z]\w*(?:_\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+\(\))$`)
