package heuristic

import (
	"iter"
	"path"
	"slices"
	"strings"

	"mem/index"
	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/session"
)

// maxReason is the most characters of an agent's sentence about a failure.
const maxReason = 300

// findReason returns the agent's own sentence about a failure: the last before event until, and before the person spoke
// again, that says why something is as it is, and does not guess.
func (s *timeline) findReason(c *call, until int) (why string) {
	for at, said := range s.saidAfter(c.end) {
		said, _, _ = strings.Cut(said+" ", ". ")
		said = strings.TrimRight(said, " .:")
		isGuess := func(w string) bool { return strings.Contains(" "+strings.ToLower(said)+" ", w) }
		if at < until && reExplains.Matches(said) && !slices.ContainsFunc(guesses, isGuess) && len(said) <= maxReason && shell.IsLasting(said) {
			why = said
		}
	}
	return why
}

// guesses are parts of a sentence that guesses, asks or announces.
var guesses = []string{"\n", "?", " might ", " may ", "maybe", "perhaps", "seem", "probably", "likely", "let me", "let's", "i'll", "i will"}

// saidAfter lists where and what the agent said after an event, before the person spoke again.
func (s *timeline) saidAfter(at int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, e := range s.events[at+1:] {
			bySelf := e.Kind == session.AssistantText && e.Origin == session.Agent
			if e.Kind == session.UserText && e.Origin == session.Human || bySelf && !yield(at+1+i, strings.TrimSpace(e.Text)) {
				return
			}
		}
	}
}

// findForeign finds failures that the agent lays at the door of a folder, and not of its change.
func findForeign(s *timeline) (out []finding) {
	for _, c := range s.calls {
		bad := c.cmd.MainPart().Bare()
		at, said := s.answerTo(c.end)
		if c.class != shell.ShellTool || !c.failed() || at < 0 || at > c.end+3 || !reForeign.Matches(said) {
			continue
		}
		for i, name := range strings.Split(said, "`") {
			name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
			if i%2 == 0 || !strings.Contains(name, "/") || strings.ContainsAny(name, " *\n") || path.Ext(name) != "" || path.IsAbs(name) ||
				!strings.Contains(c.result.Text, name+"/") || strings.Contains(c.cmd.Raw, name) {
				continue
			}
			why, _, _ := strings.Cut(said+" ", ". ")
			l := index.Lesson{
				Text: shell.Code(bad.General(false)) + " can fail because of " + shell.Code(name+"/") + ", whatever was changed",
				Why:  strings.TrimRight(why, " .:"), Cue: index.Literals{Command: bad.General(false), Error: name}, Events: []int{c.end + 1}, Op: Once,
			}
			out = append(out, finding{Lesson: l, at: c.at, topic: "foreign " + name})
			break
		}
	}
	return out
}

// findStops finds the commands that were stopped, by a person or without a word by a rule of theirs: in one session it may be
// the moment, in two it is the command. What the person said to it may be a lesson of its own.
func findStops(s *timeline, said []finding) (out []finding) {
	for _, c := range s.calls {
		m, about := s.findRefused(c)
		if !s.isStopped(c) || m.Sub == "" || shell.OnlyReads(m) || about == "" || slices.ContainsFunc(said, func(f finding) bool { return f.at == c.end }) {
			continue
		}
		text := strings.TrimSuffix("Ask before "+shell.Code(about)+": "+speech.FirstSentence(c.result.Reason), ": ")
		l := index.Lesson{Text: text, Cue: index.Literals{Command: about}, Events: []int{c.at + 1, c.end + 1}, Op: Once}
		out = append(out, finding{Lesson: l, at: c.at, topic: "stopped " + about})
	}
	return out
}

// findRefused returns the command of a line that was stopped, and what it is called: with the flag that the person named
// or, if the same ran in the session, the first that it ran without. It is the zero value if it may be one of several, or
// all of it was allowed at another time.
func (s *timeline) findRefused(c *call) (m shell.Simple, about string) {
	isNamed := func(a string) bool {
		return strings.HasPrefix(a, "-") && shell.NamesArgument(c.result.Reason, []string{a})
	}
	parts := c.partsStopped(isNamed)
	if len(parts) != 1 {
		return m, ""
	}
	m, about = parts[0].Bare(), parts[0].Bare().General(false)
	if i := slices.IndexFunc(m.Arguments(), isNamed); i >= 0 {
		return m, about + " " + m.Arguments()[i]
	}
	for _, flag := range append([]string{""}, strings.Fields(strings.TrimPrefix(m.General(true), about))...) {
		ran := func(p shell.Simple) bool {
			return p.Bare().General(false) == about && (flag == "" || slices.Contains(p.Arguments(), flag))
		}
		if flag != "-m" && !slices.ContainsFunc(s.calls, func(c *call) bool { return c.worked() && slices.ContainsFunc(c.cmd.Parts, ran) }) {
			return m, strings.TrimSpace(about + " " + flag)
		}
	}
	return m, ""
}

// partsStopped returns the commands of a line that do something; of several those with an argument that is named.
func (c *call) partsStopped(isNamed func(string) bool) []shell.Simple {
	if c.class != shell.ShellTool {
		return nil
	}
	parts := slices.DeleteFunc(slices.Clone(c.cmd.Parts), func(p shell.Simple) bool {
		return p.Op == "|" || shell.Prepares(p.Program) || shell.LooksAround(p.Program) || p.Family() == "git add"
	})
	if len(parts) < 2 {
		return parts
	}
	return slices.DeleteFunc(parts, func(p shell.Simple) bool { return !slices.ContainsFunc(p.Arguments(), isNamed) })
}

// isStopped reports whether a command was refused or blocked, or interrupted while it ran.
func (s *timeline) isStopped(c *call) bool {
	switch c.result.Cause {
	case session.DeniedByUser, session.DeniedByRule, session.BlockedByHook:
		return c.result.Cause == session.DeniedByUser || c.result.Reason == ""
	case session.Cancelled: // not for another call's sake
		return c.result.Reason == "" && slices.ContainsFunc(s.stops, func(i int) bool { return i > c.at && i <= c.end+2 && s.events[i].Reason == "" })
	}
	return false
}

var (
	reExplains = lazy.New(`(?i)\S+ \S+ \S+.*\b(?:because|since|requires?|depends?|due to|not (?:installed|built|running|supported|recogni[sz]ed)|pick(?:s|ed|ing) up|must)\b`)
	reForeign  = lazy.New(`(?i)\b(?:not (?:related|from|caused|part|my|our)|unrelated|pre-?existing|left ?over|pick(?:s|ed|ing) (?:them )?up)\b`)
)
