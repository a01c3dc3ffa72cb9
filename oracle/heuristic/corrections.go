package heuristic

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mem/index"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/session"
)

// findCorrections finds what people said that is meant for later sessions, and what they decided.
func findCorrections(s *timeline) (out []finding) {
	for _, c := range s.calls {
		reason := c.result.Reason
		byClient := strings.HasPrefix(strings.TrimSpace(reason), "The user wants to clarify") || strings.Contains(reason, "(No answer provided)")
		if (c.result.Cause == session.DeniedByUser || c.result.Cause == session.Cancelled) && reason != "" && !byClient {
			_, about := s.findRefused(c)
			out = append(out, s.hear(speech.Scene{Refused: true, Command: about}, reason, c.end)...)
		}
	}
	from := -1
	for _, p := range s.prompts {
		if speech.TakesBack(p.text) {
			out = slices.DeleteFunc(out, func(f finding) bool { return f.at >= from && f.at < p.at })
		}
		sc := speech.Scene{First: p.first, Refused: slices.ContainsFunc(s.stops, func(i int) bool { return i > from && i <= p.at })}
		for _, c := range s.calls {
			if c.at > from && c.at < p.at && !c.subagent {
				sc.Refused = sc.Refused || c.result.Cause == session.DeniedByUser && c.result.Reason == ""
				if name := commandOf(c); name != "" {
					sc.Command = name
				}
			}
		}
		out = append(out, s.hear(sc, p.text, p.at)...)
		from = p.at
	}
	settled, summed := s.findSettled()
	return append(slices.DeleteFunc(out, func(f finding) bool { // said back, they have a subject
		return slices.ContainsFunc(settled, func(g finding) bool { return g.at == f.at }) ||
			f.at < summed && covers(s.events[summed].Text, f.Text)
	}), settled...)
}

// commandOf returns the program and subcommand that a call of a shell is about; "" if it only looks around.
func commandOf(c *call) string {
	if m := c.cmd.MainPart(); c.class == shell.ShellTool && !shell.LooksAround(m.Program) {
		return m.General(false)
	}
	return ""
}

const maxHeard = 4

// hear turns a person's words into findings.
func (s *timeline) hear(sc speech.Scene, said string, at int) (out []finding) {
	for _, h := range speech.Hear(said, sc) {
		text := s.project.ShowText(h.Text)
		if len(out) == maxHeard || utf8.RuneCountInString(text) > maxText || s.isQuoted(h.Sentence, at) {
			continue // a sentence is kept whole
		}
		out = append(out, finding{Lesson: index.Lesson{Text: text, Events: []int{at + 1}}, at: at})
	}
	return out
}

// isQuoted reports whether a person's line repeats what the agent or a tool said shortly before:
// people paste what they talk about.
func (s *timeline) isQuoted(text string, before int) bool {
	fold := func(s string) string {
		return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" \n\t`*│|\"", r) }), " ")
	}
	text = fold(text)
	return len(text) >= 24 && slices.ContainsFunc(s.events[max(0, before-60):before], func(e session.Event) bool {
		said := e.Kind != session.UserText && e.Tool != "AskUserQuestion" && e.Kind != session.Compaction && e.Kind != session.BranchSummary
		return said && (strings.Contains(fold(e.Text), text) || strings.Contains(fold(e.Input), text))
	})
}

// isProse reports whether text is prose of a person rather than a command to
// the client or the echo of one.
func isProse(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, "<") {
		return false
	}
	return text[0] != '/' || strings.ContainsAny(strings.SplitN(text, " ", 2)[0][1:], "/.")
}
