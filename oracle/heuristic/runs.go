package heuristic

import (
	"slices"

	"mem/oracle/heuristic/input"
	"mem/oracle/heuristic/shell"
	"mem/session"
)

// A Run is a command that a session ran, and how it ended.
type Run struct {
	Program string
	Command string   // as in Literals
	Errors  []string // signatures of what its output shows
	Lines   []string // the same, as they stand there
	Event   string   // the id of its result; "" if that brought the words of others
}

// ListRuns returns the commands that ran in a session, in order. What was not allowed
// to run, or does not tell how it ended, is left out.
func ListRuns(events []session.Event) (list []Run) {
	s := newTimeline(slices.DeleteFunc(slices.Clone(events), func(e session.Event) bool {
		return e.Kind != session.ToolCall && e.Kind != session.ToolResult
	}))
	for _, c := range s.calls {
		if c.class != input.Shell || !c.tells() {
			continue
		}
		var r Run
		if !c.isExternal() {
			r.Event = s.events[c.end].ID
		}
		for _, f := range c.faults {
			r.Errors, r.Lines = append(r.Errors, s.project.Signature(f.Line)), append(r.Lines, f.Line)
		}
		for _, part := range c.cmd.Parts {
			for ok := part.Op != "|" && part.Program != ""; ok; part, ok = part.Inner() {
				r.Program, r.Command = part.Program, part.General(false)
				list = append(list, r)
			}
		}
	}
	return list
}

// tells reports whether an attempt says how it ended.
func (c *call) tells() bool {
	if !c.answered || c.result.Cause != "" && !c.failed() || c.failed() && len(c.faults) == 0 || input.IsRunning(c.result.Text) && !c.failed() {
		return false
	}
	return c.failed() || !c.cmd.HidesExit() || !shell.IsSilent(c.result.Text) && !c.cmd.HidesOutput() && !c.isExternal()
}

// proof returns the event that shows how a call ended; of one that brought the words of
// others, which count for nothing here, the call.
func (c *call) proof() int {
	if c.isExternal() {
		return c.at
	}
	return c.end
}
