package heuristic

import (
	"slices"
	"strings"

	"mem/oracle/heuristic/lazy"
	"mem/oracle/heuristic/shell"
	"mem/session"
)

// corrections finds what people said against what the agent did or wanted to
// do: refusals with words, what they typed after stopping it, corrections and
// standing rules.
func corrections(s *timeline) []finding {
	var out []finding
	for _, c := range s.calls {
		if c.cause != session.DeniedByUser && c.cause != session.Cancelled || c.reason == "" || isForm(c.reason) {
			continue
		}
		sc := scene{denied: c, weight: weightWords, rule: "denial", file: c.args.file}
		out = append(out, s.listen(sc, c.reason, c.end, c.refs)...)
	}
	for _, p := range s.prompts {
		out = append(out, s.listen(s.setting(p), p.text, p.at, s.refsOf(p))...)
	}
	return append(out, s.refusals()...)
}

// isForm reports whether the reason of a refusal was written by the client.
func isForm(reason string) bool {
	return strings.HasPrefix(strings.TrimSpace(reason), "The user wants to clarify") || strings.Contains(reason, "(No answer provided)")
}

// setting describes the moment of a prompt.
func (s *timeline) setting(p prompt) scene {
	sc := scene{first: p.first, spec: isSpec(p.text), weight: weightSteer, rule: "correction"}
	from := s.previous(p)
	sc.ran, sc.answers = s.ranBefore(from, p.at), s.askedBefore(p)
	for _, c := range s.calls {
		if c.at <= from || c.at >= p.at || c.subagent {
			continue
		}
		switch {
		case c.class == shellTool && c.worked():
			for _, seg := range c.cmd.Parts {
				if f := seg.Family(); f == "git commit" || f == "git push" {
					sc.committed = strings.TrimPrefix(f, "git ")
				}
			}
		case (c.class == editFile || c.class == writeFile) && c.answered:
			sc.file = c.args.file
		}
		if c.cause == session.DeniedByUser && c.reason == "" {
			sc.denied = c
		}
	}
	switch {
	case sc.denied != nil:
		sc.weight, sc.rule = weightInterrupt, "denial"
	case s.stoppedBefore(p):
		sc.weight, sc.rule = weightInterrupt, "interrupt"
	case s.leftBranch(p):
		sc.rule = "branch"
	}
	return sc
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
	from := s.previous(p)
	for _, c := range s.calls {
		if c.at > from && c.at < p.at && c.cause == session.DeniedByUser && c.reason == "" {
			refs = slices.Clone(c.refs)
		}
	}
	return append(refs, ref(p.ref)...)
}

// maxHeard bounds the lessons that one prompt can give.
const maxHeard = 4

// listen turns a person's words into findings.
func (s *timeline) listen(sc scene, words string, at int, refs []string) []finding {
	var out []finding
	all := sentences(prose(words))
	for i, sen := range all {
		if denies(sen.text) {
			sc.no = true
			continue
		}
		h, ok := hear(sen, sc)
		sc.no = false
		if !ok || s.repeats(sen.text, at) {
			continue
		}
		if h.bare && i+1 < len(all) && says(all[i+1].text) {
			h.text += "; " + small(strings.TrimRight(all[i+1].text, " .!"))
		}
		weight := sc.weight
		rule := sc.rule
		if h.standing {
			weight = max(weight, weightStanding)
			if rule == "correction" {
				rule = "standing"
			}
		}
		out = append(out, finding{
			side: h.side, text: s.attribute(h, sc), rule: rule, weight: weight, at: at, refs: refs,
		})
		if len(out) == maxHeard {
			break
		}
	}
	return out
}

// says reports whether a sentence states how something must be, so that it
// explains what came before it.
func says(text string) bool {
	return reMust.Get().MatchString(text) && !strings.HasSuffix(text, "?") && !reUnsure.Get().MatchString(text) &&
		!rePointing.Get().MatchString(text) && !reRude.Get().MatchString(text) && len(text) < 140
}

// attribute adds to a person's words what they were said about, where the
// words alone would hang in the air.
func (s *timeline) attribute(h heard, sc scene) string {
	text := tick(s.project.ShowText(h.text))
	if sc.denied == nil {
		return text
	}
	target := s.target(sc.denied)
	if h.choice != "" && target != "" && !reContrast.Get().MatchString(text) {
		y := target
		if c := sc.denied.cmd.MainPart(); sc.denied.class == shellTool && shell.AreKin(c.Program, h.choice) {
			y = shell.Code(c.Program)
		}
		choice := h.choice
		if isCode(choice) || shell.IsProgram(firstWord(choice)) || shell.HasSubcommands(firstWord(choice)) {
			choice = shell.Code(choice)
		}
		return "Use " + choice + " instead of " + y
	}
	if h.about && target != "" {
		if h.side == mistake {
			return s.verbFor(sc.denied) + " " + target + ": " + small(text)
		}
		return "When " + s.verbFor(sc.denied) + " " + target + ": " + small(text)
	}
	return text
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

func (s *timeline) verbFor(c *call) string {
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

var (
	reContrast = lazy.New(`(?i)\b(instead of|rather than|not)\b`)
	reMust     = lazy.New(`(?i)\b(should|must|needs? to|has to|have to)\b`)
)
