package heuristic

import (
	"slices"
	"strings"

	"mem/oracle/heuristic/input"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/session"
)

// minRepeats is how often the same failure must come before it is a lesson.
const minRepeats = 3

// findRepetitions finds commands that failed at least minRepeats times for a reason in
// their surroundings. What was cured in the end is left to findResolutions.
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
		enough := len(calls) >= minRepeats || len(calls) == 2 && first.isNotInstalled()
		if !enough && !s.isSaidToMiss(c) {
			continue
		}
		if _, cured := s.findResolution(c); !cured && !s.worksLater(c, c.blamedPart()) {
			out = append(out, finding{
				Lesson: Lesson{Text: s.describeStreak(c), Cue: s.cueOf(c.fault, c.blamedPart()), Events: []int{first.end + 1, c.end + 1}},
				side:   mistake, weight: weightFact, at: first.at, topic: topic,
			})
		}
	}
	slices.SortFunc(out, func(a, b finding) int { return a.at - b.at })
	return out
}

// failureOf names what failed in a call; "" if it does not count. Working on the code
// until it passes is what work looks like.
func failureOf(c *call) string {
	switch c.fault.Kind {
	case shell.NoCommand, shell.NoService, shell.NoRight, shell.NoLogin, shell.BadSetup, shell.NoFile, shell.TimedOut:
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
	if c.isNotInstalled() {
		return "repeat " + bad.Program
	}
	return "repeat " + bad.Family() + " " + shell.MaskNumbers(c.fault.Line)
}

// isNotInstalled reports whether the program of a call is not there, whatever it was to do.
func (c *call) isNotInstalled() bool {
	return c.fault.Kind == shell.NoCommand && strings.Contains(c.fault.Line, "command not found")
}

// isSaidToMiss reports whether the agent says, in its own words, that a call failed for a
// variable that is not set here.
func (s *timeline) isSaidToMiss(c *call) bool {
	name := c.fault.NamesVariable()
	return name != "" && slices.ContainsFunc(s.events[c.end:], func(e session.Event) bool {
		return e.Kind == session.AssistantText && e.Origin == session.Agent && strings.Contains(e.Text, name) && speech.SetsAside(e.Text)
	})
}

// describeStreak words what not to do again.
func (s *timeline) describeStreak(c *call) string {
	cmd := s.showCommand(c.blamedPart())
	if c.fault.Kind == shell.TimedOut {
		return "running " + cmd + " as it stands: it timed out every time"
	}
	if c.isNotInstalled() {
		return "running " + shell.Code(c.blamedPart().Program) + ": it is not installed here, " + shell.Code(c.fault.Line)
	}
	if name := c.fault.NamesVariable(); name != "" {
		return "running " + cmd + " without " + shell.Code(name) + ": it fails with " + shell.Code(c.fault.Line) + ", whatever was changed"
	}
	return "running " + cmd + " again unchanged: it keeps failing with " + shell.Code(c.fault.Line)
}
