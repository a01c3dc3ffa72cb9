package recall

import (
	_ "embed" // for the phrases
	"slices"
	"strings"
	"sync"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
)

// The longest prompts, in bytes, that count as a request to remember something, or as a correction.
// Longer ones are tasks.
const (
	maxAsked     = 1200
	maxCorrected = 400
)

// AsksToNote reports whether a prompt seems to correct the agent or ask it to remember something. It
// ignores pasted text and tasks. In doubt it is false.
func AsksToNote(prompt string) bool {
	if len(prompt) > 8*maxAsked || strings.HasPrefix(prompt, "/") || !says("remember", prompt) && !says("correct", prompt) {
		return false
	}
	own, _ := speech.SplitPasted(prompt)
	if own == "" && !strings.Contains(prompt, "\n") { // it quotes something behind what it says
		own = prompt[:max(0, strings.IndexAny(prompt, "\"“`"))]
	}
	return len(own) <= maxAsked && says("remember", own) || len(own) <= maxCorrected && says("correct", own)
}

//go:embed phrases.txt
var phrases string

// listPhrases returns the expressions of a kind in phrases.txt: of "remember" or "correct".
var listPhrases = sync.OnceValue(func() map[string][]*lazy.Regexp {
	all := map[string][]*lazy.Regexp{}
	for line := range strings.Lines(strings.ReplaceAll(phrases, "BEGIN", `(?:^|[.!?,;:(\n-] *|\b(?:and|also|but|so|please|ok|just|must|should) )`)) {
		kind, expr, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		all[kind] = append(all[kind], lazy.New(expr))
	}
	return all
})

func says(kind, text string) bool {
	return slices.ContainsFunc(listPhrases()[kind], func(r *lazy.Regexp) bool { return r.Matches(text) })
}

// NameRun names the command of a call of a shell: its program, subcommand and what it is about, without
// flags. It is "" for a command that only looks around, or whose outcome the call does not tell.
func (c Call) NameRun() string {
	cmd := shell.Parse(c.Line())
	s := cmd.MainPart()
	isHidden := cmd.HidesExit() && !c.Failed || cmd.HoldsScript() || shell.ParseArguments(c.Input).Background
	if isHidden || s.Program == "" || shell.LooksAround(s.Program) || s.HasPayload() {
		return ""
	}
	name, args := s.General(false), s.Arguments()
	for i, a := range args {
		if isPlain(args, i) {
			name += " " + a
		}
	}
	return name
}

// isPlain reports whether an argument is neither a flag nor what may be the value of one.
func isPlain(args []string, i int) bool {
	isFlag := func(a string) bool { return strings.HasPrefix(a, "-") }
	return !isFlag(args[i]) && (i == 0 || !isFlag(args[i-1]) || strings.Contains(args[i-1], "="))
}
