package heuristic

import (
	"strings"

	"mem/oracle/heuristic/shell"
)

// minRepeats is how often the same failure must come before it is a lesson.
const minRepeats = 3

// A streak is one failure that came back.
type streak struct {
	calls []*call
	topic string
}

// repetitions finds failures that came back at least minRepeats times,
// resolved or not: commands, and friction with the file tools.
func repetitions(s *timeline) []finding {
	var order []string
	streaks := map[string]*streak{}
	for _, c := range s.calls {
		key := s.repeatKey(c)
		if key == "" {
			continue
		}
		if streaks[key] == nil {
			streaks[key] = &streak{topic: key}
			order = append(order, key)
		}
		streaks[key].calls = append(streaks[key].calls, c)
	}
	var out []finding
	for _, key := range order {
		st := streaks[key]
		if len(st.calls) < minRepeats {
			continue
		}
		if s.resolved(st) {
			continue
		}
		if text := s.describeStreak(st); text != "" {
			f := finding{side: mistake, text: text, rule: "repetition", weight: weightFact, at: st.calls[0].at, topic: st.topic}
			for _, c := range st.calls[:min(len(st.calls), 10)] {
				f.refs = append(f.refs, c.refs...)
			}
			out = append(out, f)
		}
	}
	return out
}

// resolved reports whether a streak ended in something that helped, which is
// then the better lesson.
func (s *timeline) resolved(st *streak) bool {
	last := st.calls[len(st.calls)-1]
	return last.class == shellTool && last.fault.Kind != shell.SourceCode && s.resolve(last.index) != nil
}

// repeatKey groups equal failures; "" is a call that does not count.
func (s *timeline) repeatKey(c *call) string {
	if !c.failed() || c.subagent || c.abandoned || c.fault.Line == "" {
		return ""
	}
	switch c.class {
	case shellTool:
		bad := c.cmd.BlamedPart(c.fault.Line)
		if bad.Program == "" || s.throwaway(bad, c.fault) || c.cmd.HoldsScript() {
			return ""
		}
		return "repeat " + bad.Family() + " " + shell.MaskNumbers(c.fault.Line)
	case editFile, writeFile:
		if c.fault.Kind == shell.Routine {
			return "routine " + friction(c.fault.Line) + " " + fileOf(c)
		}
	}
	return ""
}

// fileOf returns the file to which friction is attributed: editing unread
// files is a habit whatever the file.
func fileOf(c *call) string {
	if friction(c.fault.Line) == "unread" {
		return ""
	}
	return c.args.file
}

// friction names the routine failure of a file tool, or "".
func friction(l string) string {
	l = strings.ToLower(l)
	switch {
	case strings.HasPrefix(l, "file has not been read"):
		return "unread"
	case strings.HasPrefix(l, "string to replace not found"), strings.HasPrefix(l, "could not find the exact text"):
		return "missing"
	case strings.HasPrefix(l, "found ") && (strings.Contains(l, "matches") || strings.Contains(l, "occurrences")):
		return "ambiguous"
	}
	return ""
}

func (s *timeline) describeStreak(st *streak) string {
	last := st.calls[len(st.calls)-1]
	if last.class != shellTool {
		return s.describeFriction(last)
	}
	if last.fault.Kind == shell.SourceCode && s.changedWithin(st.calls) {
		return "" // working on the code until it passes is what work looks like
	}
	if last.fault.Kind == shell.Unknown && s.changedWithin(st.calls) {
		return ""
	}
	cmd := shell.Code(s.project.ShowCommand(last.cmd.BlamedPart(last.fault.Line)))
	if last.fault.Kind == shell.TimedOut {
		return "running " + cmd + " as it stands: it timed out every time"
	}
	return "running " + cmd + " again unchanged: it keeps failing with " + shell.Code(last.fault.Line)
}

// changedWithin reports whether files were changed between calls of a streak.
func (s *timeline) changedWithin(calls []*call) bool {
	first, last := calls[0], calls[len(calls)-1]
	return s.editedBetween(resolution{failed: first, worked: last})
}

func (s *timeline) describeFriction(c *call) string {
	file := shell.Code(s.project.ShowFile(c.args.file))
	switch friction(c.fault.Line) {
	case "unread":
		return "editing files before reading them: " + shell.Code(c.tool) + " refuses with `File has not been read yet`"
	case "missing":
		if file != "" && !shell.IsTemporary(c.args.file) {
			return "editing " + file + " from memory: the text to replace is not found; read the current content first"
		}
	case "ambiguous":
		if file != "" && !shell.IsTemporary(c.args.file) {
			return "editing " + file + " with short snippets: they match several places; include more context"
		}
	}
	return ""
}
