package heuristic

import (
	"slices"
	"strings"

	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/session"
)

// A moment is a scene in which a person spoke, with what it means for the
// lessons in it.
type moment struct {
	speech.Scene
	denied *call // the call that was refused with these words or just before; nil if none was
	weight int
	rule   string
}

// corrections finds what people said against what the agent did or wanted to
// do: refusals with words, what they typed after stopping it, corrections and
// standing rules.
func corrections(s *timeline) []finding {
	var out []finding
	for _, c := range s.calls {
		if c.cause != session.DeniedByUser && c.cause != session.Cancelled || c.reason == "" || isForm(c.reason) {
			continue
		}
		m := moment{denied: c, weight: weightWords, rule: "denial"}
		m.Refused, m.Explains, m.Command, m.File = true, true, c.cmd.Raw, c.args.file
		out = append(out, s.hearLessons(m, c.reason, c.end, c.refs)...)
	}
	for _, p := range s.prompts {
		out = append(out, s.hearLessons(s.momentOf(p), p.text, p.at, s.refsOf(p))...)
	}
	return append(out, s.refusals()...)
}

// isForm reports whether the reason of a refusal was written by the client.
func isForm(reason string) bool {
	return strings.HasPrefix(strings.TrimSpace(reason), "The user wants to clarify") || strings.Contains(reason, "(No answer provided)")
}

// momentOf describes the moment of a prompt.
func (s *timeline) momentOf(p prompt) moment {
	m := moment{weight: weightSteer, rule: "correction"}
	m.First, m.Spec, m.Asked = p.first, speech.IsSpec(p.text), s.askedBefore(p)
	from := s.promptBefore(p)
	for _, c := range s.calls {
		if c.at > from && c.at < p.at && !c.subagent {
			m.addCall(c)
		}
	}
	m.Interrupted = s.stoppedBetween(from, p.at)
	switch {
	case m.Refused:
		m.weight, m.rule = weightInterrupt, "denial"
	case m.Interrupted:
		m.weight, m.rule = weightInterrupt, "interrupt"
	case s.leftBranch(p):
		m.rule = "branch"
	}
	return m
}

// addCall adds what one call of the turn before means for a moment.
func (m *moment) addCall(c *call) {
	for _, part := range c.cmd.Parts {
		if part.Program != "" && !shell.Prepares(part.Program) {
			m.Ran = append(m.Ran, part.Program)
		}
		if f := part.Family(); c.worked() && (f == "git commit" || f == "git push") {
			m.Committed = part.Sub
		}
	}
	if c.changesFile() && c.answered {
		m.File = c.args.file
	}
	if c.cause == session.DeniedByUser && c.reason == "" {
		m.denied, m.Refused, m.Command = c, true, c.cmd.Raw
	}
}

// askedBefore reports whether the last thing the agent said before p was a
// question.
func (s *timeline) askedBefore(p prompt) bool {
	for i := p.at - 1; i >= 0 && s.events[i].Kind != session.UserText; i-- {
		if s.events[i].Kind == session.AssistantText {
			return strings.HasSuffix(strings.TrimSpace(s.events[i].Text), "?")
		}
	}
	return false
}

// leftBranch reports whether p follows on a branch that was given up.
func (s *timeline) leftBranch(p prompt) bool {
	if p.abandoned {
		return true
	}
	for i := p.at - 1; i >= 0; i-- {
		if k := s.events[i].Kind; k == session.BranchSummary || k == session.Compaction || s.events[i].Origin == session.Injected {
			continue
		}
		return s.events[i].Abandoned
	}
	return false
}

// refsOf returns the prompt's step and, if it answers a refusal, that one's.
func (s *timeline) refsOf(p prompt) []string {
	var refs []string
	from := s.promptBefore(p)
	for _, c := range s.calls {
		if c.at > from && c.at < p.at && c.cause == session.DeniedByUser && c.reason == "" {
			refs = slices.Clone(c.refs)
		}
	}
	return append(refs, ref(p.ref)...)
}

// maxHeard bounds the lessons that one prompt can give.
const maxHeard = 4

// hearLessons turns a person's words into findings.
func (s *timeline) hearLessons(m moment, words string, at int, refs []string) []finding {
	var out []finding
	for _, h := range speech.Hear(words, m.Scene) {
		if len(out) == maxHeard {
			break
		}
		if s.isQuoted(h.Sentence, at) {
			continue
		}
		f := finding{side: fix, text: s.attribute(h, m.denied), rule: m.rule, weight: m.weight, at: at, refs: refs}
		if h.Avoid {
			f.side = mistake
		}
		if h.Standing {
			f.weight = max(f.weight, weightStanding)
			if f.rule == "correction" {
				f.rule = "standing"
			}
		}
		out = append(out, f)
	}
	return out
}

// isQuoted reports whether a person's line is taken from what the agent or a
// tool said shortly before: people paste what they talk about.
func (s *timeline) isQuoted(text string, before int) bool {
	text = foldLayout(text)
	if len(text) < 24 {
		return false
	}
	for i := before - 1; i >= 0 && i > before-60; i-- {
		e := s.events[i]
		if e.Kind == session.UserText || e.Kind == session.Compaction || e.Kind == session.BranchSummary {
			continue
		}
		if strings.Contains(foldLayout(e.Text), text) || strings.Contains(foldLayout(e.Input), text) {
			return true
		}
	}
	return false
}

// foldLayout makes texts comparable that differ in layout alone.
func foldLayout(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" \n\t`*│|\"", r) }), " ")
}

// attribute adds to a person's words which refused call they were said about,
// where the words alone would hang in the air.
func (s *timeline) attribute(h speech.Heard, denied *call) string {
	text := speech.MarkCode(s.project.ShowText(h.Text))
	if denied == nil {
		return text
	}
	target := s.target(denied)
	if target == "" {
		return text
	}
	if h.Choice != "" && !h.NamesTwo() {
		if p := denied.cmd.MainPart().Program; denied.class == shellTool && shell.AreKin(p, h.Choice) {
			target = shell.Code(p)
		}
		return "Use " + speech.ShowChoice(h.Choice) + " instead of " + target
	}
	if !h.About {
		return text
	}
	about := verbFor(denied) + " " + target + ": " + speech.LowerFirst(text)
	if h.Avoid {
		return about
	}
	return "When " + about
}

// target names what a refused call was about, as code.
func (s *timeline) target(c *call) string {
	switch c.class {
	case shellTool:
		if m := c.cmd.MainPart(); m.Program != "" {
			return shell.Code(shell.Clip(s.project.ShowCommand(withoutSettings(m)), 50))
		}
	case editFile, writeFile, readFile:
		if c.args.file != "" && !shell.IsTemporary(c.args.file) {
			return shell.Code(s.project.ShowFile(c.args.file))
		}
	}
	return ""
}

// verbFor says what a call does to its target.
func verbFor(c *call) string {
	switch c.class {
	case shellTool:
		return "running"
	case readFile:
		return "reading"
	case writeFile:
		return "writing"
	}
	return "editing"
}

// refusals finds commands that were refused without words again and again and
// not allowed afterwards.
func (s *timeline) refusals() []finding {
	var order []string
	refused := map[string][]*call{}
	for _, c := range s.calls {
		m := c.cmd.MainPart()
		f := m.Family()
		switch {
		case c.class != shellTool || c.abandoned || f == "" || shell.LooksAround(m.Program):
		case c.worked():
			delete(refused, f)
		case (c.cause == session.DeniedByUser || c.cause == session.DeniedByRule) && c.reason == "":
			if len(refused[f]) == 0 {
				order = append(order, f)
			}
			refused[f] = append(refused[f], c)
		}
	}
	var out []finding
	for _, f := range order {
		calls := refused[f]
		if len(calls) < 2 {
			continue
		}
		why := "the user refused it each time"
		if calls[0].cause == session.DeniedByRule {
			why = "the permission rules refuse it"
		}
		g := finding{side: mistake, rule: "denial", weight: weightSteer, at: calls[0].at, topic: "refused " + f}
		g.text = "running " + shell.Code(f) + " without being asked: " + why
		for _, c := range calls[:2] {
			g.refs = append(g.refs, c.refs...)
		}
		out = append(out, g)
		delete(refused, f)
	}
	return out
}
