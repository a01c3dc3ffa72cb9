package heuristic

import (
	"slices"
	"strings"

	"mem/oracle/heuristic/input"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/spelling"
	"mem/oracle/heuristic/talk"
	"mem/session"
)

// minRepeats is how often the same failure must come before it is a lesson.
const minRepeats = 3

// findRepetitions finds commands that cannot work here: those of a program that is not
// installed, if another did its work, and those that need a variable. What was cured in
// the end is left to findResolutions, and what was not is not a lesson: a failure without
// a word of what to do instead helps no other session.
func findRepetitions(s *timeline) []finding {
	var out []finding
	failed := map[string][]*call{}
	for _, c := range s.calls {
		if topic := failureOf(c); topic != "" {
			failed[topic] = append(failed[topic], c)
		}
	}
	for topic, calls := range failed {
		first, c := calls[0], calls[len(calls)-1]
		if _, cured := s.findResolution(c); cured || s.worksLater(c, c.blamedPart()) {
			continue
		}
		bad := c.blamedPart()
		f := finding{
			Lesson: Lesson{Cue: s.cueOf(c.fault, bad), Events: []int{first.end + 1, c.end + 1}},
			side:   fix, weight: weightFact, at: first.at, topic: topic,
		}
		by, with := s.findStandIn(c)
		switch name := c.fault.NamesVariable(); {
		case by != nil:
			good := by.cmd.MainPart().General(false)
			f.Text = "Use " + shell.Code(good) + " with " + shell.Code(with) + " instead of " + shell.Code(bad.Program) + ", which is not installed here: " + shell.Code(c.fault.Line)
			f.Remedy = &Literals{Command: good}
			f.Events = append(f.Events, by.end+1)
		case name != "" && (len(calls) >= minRepeats || s.isSaidToMiss(c)):
			f.side = mistake
			f.Text = "running " + s.showCommand(bad) + " without " + shell.Code(name) + ": it fails with " + shell.Code(c.fault.Line) + ", whatever was changed"
		default:
			continue
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b finding) int { return a.at - b.at })
	return out
}

// joinRemedy gives what a person said of a command the failure that it is the remedy of: the
// last one for a variable, of the same program, before they said it.
func (s *timeline) joinRemedy(f *finding) {
	for _, code := range spelling.ListCode(f.Text) {
		cure := shell.Parse(code).MainPart()
		worked := func(c *call) bool { return c.at > f.at && c.worked() && shell.SameFamily(c.cmd.MainPart(), cure) }
		if cure.Sub == "" || !slices.ContainsFunc(s.calls, worked) {
			continue
		}
		for _, c := range slices.Backward(s.calls) {
			bad := c.blamedPart()
			if c.at > f.at || failureOf(c) == "" || c.fault.NamesVariable() == "" || bad.Program != cure.Program || shell.SameFamily(bad, cure) {
				continue
			}
			f.Text = unlessLong(f.Text+"; "+s.showCommand(bad)+" alone fails with "+shell.Code(c.fault.Line), f.Text)
			f.Cue, f.Remedy, f.Events = s.cueOf(c.fault, bad), &Literals{Command: cure.General(true)}, append([]int{c.end + 1}, f.Events...)
			f.topic = failureOf(c)
			return
		}
	}
}

// completeScripts writes the scripts that a person names alone, such as "test:db", as the
// session ran them.
func (s *timeline) completeScripts(text string) string {
	for _, code := range spelling.ListCode(text) {
		if !strings.Contains(code, ":") || strings.Contains(code, " ") {
			continue
		}
		for _, c := range s.calls {
			if part := c.cmd.MainPart(); c.class == input.Shell && len(part.Words) > 1 && part.Words[len(part.Words)-1].Text == code && shell.HasSubcommands(part.Program) {
				text = strings.ReplaceAll(text, shell.Code(code), s.showCommand(part))
				break
			}
		}
	}
	return text
}

// maxStandIn is how many calls after a failure another program must have done the work.
const maxStandIn = 6

// findStandIn returns the call that did the work of a program that is not installed, and
// the library with which it did: a script about something that the failed command names.
func (s *timeline) findStandIn(c *call) (by *call, with string) {
	if !c.fault.MissesProgram() {
		return nil, ""
	}
	for _, d := range s.calls[c.index+1 : min(len(s.calls), c.index+1+maxStandIn)] {
		if part := d.cmd.MainPart(); d.class == input.Shell && d.subagent == c.subagent && d.worked() && d.tells() && len(d.faults) == 0 && part.HasPayload() {
			if with = part.Imports(); with != "" && shell.ShareNames(c.blamedPart(), part) {
				return d, with
			}
		}
	}
	return nil, ""
}

// failureOf names what failed in a call; "" if it does not count: if neither a program is
// missing nor a variable.
func failureOf(c *call) string {
	switch c.fault.Kind {
	case shell.NoCommand, shell.NoLogin, shell.BadSetup:
	default:
		return ""
	}
	if !c.failed() || c.subagent || c.abandoned || c.class != input.Shell {
		return ""
	}
	bad := c.blamedPart()
	if bad.Program == "" {
		return ""
	}
	if c.fault.MissesProgram() {
		return "repeat " + bad.Program
	}
	return "repeat " + bad.Family() + " " + shell.MaskNumbers(c.fault.Line)
}

// isSaidToMiss reports whether the agent says, in its own words, that a call failed for a
// variable that is not set here.
func (s *timeline) isSaidToMiss(c *call) bool {
	name := c.fault.NamesVariable()
	return name != "" && slices.ContainsFunc(s.events[c.end:], func(e session.Event) bool {
		return e.Kind == session.AssistantText && e.Origin == session.Agent && strings.Contains(e.Text, name) && talk.SetsAside(e.Text)
	})
}
