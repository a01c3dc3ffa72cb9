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

// findRepetitions finds failures that came back at least minRepeats times. What was
// resolved in the end is left to findResolutions.
func findRepetitions(s *timeline) []finding {
	var out []finding
	for _, st := range s.findStreaks(failureOf) {
		if len(st.calls) < minRepeats {
			continue
		}
		c := st.calls[len(st.calls)-1]
		if c.class == shellTool && c.fault.Kind != shell.SourceCode && s.findResolution(c) != nil {
			continue
		}
		if text := s.describeStreak(st.calls[0], c); text != "" {
			out = append(out, finding{Lesson: Lesson{Text: text}, side: mistake, weight: weightFact, at: st.calls[0].at, topic: st.topic})
		}
	}
	return out
}

// failureOf names what failed in a call; "" if it does not count.
func failureOf(c *call) (topic string, ends bool) {
	switch {
	case !c.failed() || c.subagent || c.abandoned || c.fault.Line == "":
	case c.class == shellTool:
		if bad := c.blamedPart(); bad.Program != "" {
			topic = "repeat " + bad.Family() + " " + shell.MaskNumbers(c.fault.Line)
		}
	case c.changesFile() && c.fault.Kind == shell.Routine:
		name, file := frictionOf(c)
		topic = "routine " + name + " " + file
	}
	return topic, false
}

// frictionOf names the routine failure of a file tool, and the file that it is
// about: editing unread files is a habit whatever the file.
func frictionOf(c *call) (name, file string) {
	l := strings.ToLower(c.fault.Line)
	switch {
	case strings.HasPrefix(l, "file has not been read"):
		return "unread", ""
	case strings.HasPrefix(l, "string to replace not found"), strings.HasPrefix(l, "could not find the exact text"):
		return "missing", c.args.file
	case strings.HasPrefix(l, "found ") && (strings.Contains(l, "matches") || strings.Contains(l, "occurrences")):
		return "ambiguous", c.args.file
	}
	return "", c.args.file
}

// describeStreak words what not to do again; "" if that is not known.
func (s *timeline) describeStreak(first, c *call) string {
	if c.class != shellTool {
		return s.describeFriction(c)
	}
	if (c.fault.Kind == shell.SourceCode || c.fault.Kind == shell.Unknown) && s.editedBetween(first, c) {
		return "" // working on the code until it passes is what work looks like
	}
	cmd := s.showCommand(c.blamedPart())
	if c.fault.Kind == shell.TimedOut {
		return "running " + cmd + " as it stands: it timed out every time"
	}
	return "running " + cmd + " again unchanged: it keeps failing with " + shell.Code(c.fault.Line)
}

func (s *timeline) describeFriction(c *call) string {
	name, file := frictionOf(c)
	shown := s.project.ShowFile(file)
	switch {
	case name == "unread":
		return "editing files before reading them: " + shell.Code(c.tool) + " refuses with `File has not been read yet`"
	case file == "" || shell.IsTemporary(file):
	case name == "missing":
		return "editing " + shown + " from memory: the text to replace is not found; read the current content first"
	case name == "ambiguous":
		return "editing " + shown + " with short snippets: they match several places; include more context"
	}
	return ""
}
