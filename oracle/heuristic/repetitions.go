package heuristic

import (
	"strings"

	"mem/oracle/heuristic/shell"
)

// minRepeats is how often the same failure must come before it is a lesson.
const minRepeats = 3

// A streak is one thing that happened to calls again and again.
type streak struct {
	topic string // equal for what counts as the same
	calls []*call
}

// findStreaks groups calls by topic, in the order of their first; "" is no
// topic. A call that ends its streak empties it.
func (s *timeline) findStreaks(topicOf func(*call) (topic string, ends bool)) []*streak {
	var streaks []*streak
	byTopic := map[string]*streak{}
	for _, c := range s.calls {
		topic, ends := topicOf(c)
		if topic == "" {
			continue
		}
		st := byTopic[topic]
		if st == nil {
			st = &streak{topic: topic}
			byTopic[topic], streaks = st, append(streaks, st)
		}
		if st.calls = append(st.calls, c); ends {
			st.calls = nil
		}
	}
	return streaks
}

// findRepetitions finds commands that failed at least minRepeats times for a reason in
// their surroundings. What was cured in the end is left to findResolutions.
func findRepetitions(s *timeline) []finding {
	var out []finding
	for _, st := range s.findStreaks(failureOf) {
		if len(st.calls) < 2 || len(st.calls) < minRepeats && !st.calls[0].isNotInstalled() {
			continue
		}
		first, c := st.calls[0], st.calls[len(st.calls)-1]
		if _, cured := s.findResolution(c); !cured && !s.worksLater(c, c.blamedPart()) {
			out = append(out, finding{
				Lesson: Lesson{Text: s.describeStreak(c), Cue: s.cueOf(c.fault, c.blamedPart()), Events: []int{first.end + 1, c.end + 1}},
				side:   mistake, weight: weightFact, at: first.at, topic: st.topic,
			})
		}
	}
	return out
}

// failureOf names what failed in a call; "" if it does not count. Working on the code
// until it passes is what work looks like.
func failureOf(c *call) (topic string, ends bool) {
	switch c.fault.Kind {
	case shell.NoCommand, shell.NoService, shell.NoRight, shell.NoLogin, shell.BadSetup, shell.NoFile, shell.TimedOut:
	default:
		return "", false
	}
	if !c.failed() || c.subagent || c.abandoned || c.class != shellTool {
		return "", false
	}
	bad := c.blamedPart()
	if bad.Program == "" {
		return "", false
	}
	if c.isNotInstalled() {
		return "repeat " + bad.Program, false
	}
	return "repeat " + bad.Family() + " " + shell.MaskNumbers(c.fault.Line), false
}

// isNotInstalled reports whether the program of a call is not there, whatever it was to do.
func (c *call) isNotInstalled() bool {
	return c.fault.Kind == shell.NoCommand && strings.Contains(c.fault.Line, "command not found")
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
	return "running " + cmd + " again unchanged: it keeps failing with " + shell.Code(c.fault.Line)
}
