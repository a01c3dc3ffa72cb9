package heuristic

import (
	"cmp"
	"slices"
	"strings"

	"mem/oracle/heuristic/shell"
	"mem/session"
)

// A timeline is the events of a session sorted into what the rules look at.
type timeline struct {
	events  []session.Event
	calls   []*call  // in order
	prompts []prompt // in order
	stops   []int    // indices of interruptions by a person
	project shell.Project
}

type call struct {
	index     int // in timeline.calls
	at, end   int // indices of the events of the call and of its result; equal if there is one event only
	class     shell.Class
	args      shell.Arguments
	cmd       shell.Command // of a shell call
	answered  bool
	result    session.Event // the zero value if there is none
	abandoned bool
	subagent  bool
	fault     shell.Fault   // what went wrong, if anything did
	faults    []shell.Fault // all that its output shows, the most telling first
	masked    bool          // the exit code hid the fault
}

type prompt struct {
	at    int
	text  string
	first bool // nothing was done or said before it
}

// newTimeline sorts events of a session that began in root. Injected events, the client's words, are skipped.
func newTimeline(events []session.Event, root string) *timeline {
	s := &timeline{events: events, project: shell.ProjectIn(root)}
	open := map[string]*call{}
	acted := false
	for i, e := range events {
		if e.Origin == session.Injected {
			continue
		}
		switch e.Kind {
		case session.ToolCall:
			open[e.CallID] = s.addCall(i)
		case session.ToolResult:
			c := open[e.CallID]
			if c == nil || c.answered {
				c = s.addCall(i) // the result of a call that was not recorded
			}
			c.end, c.result, c.answered = i, e, true
			c.abandoned, c.subagent = c.abandoned || e.Abandoned, c.subagent || e.Origin == session.Subagent
			delete(open, e.CallID)
		case session.Interrupt:
			s.stops = append(s.stops, i)
			if e.Reason != "" {
				s.addPrompt(i, e.Reason, false)
			}
		case session.UserText:
			if isProse(e.Text) {
				s.addPrompt(i, e.Text, !acted)
			}
		}
		acted = acted || e.Kind == session.ToolCall || e.Kind == session.ToolResult || e.Kind == session.AssistantText
	}
	for i, c := range s.calls {
		c.index = i
		c.findFault(s.project)
	}
	return s
}

// addCall adds the call that event i makes or, if it is a result, answers.
func (s *timeline) addCall(i int) *call {
	e := s.events[i]
	c := &call{at: i, end: i, class: shell.ClassOf(e.Tool), abandoned: e.Abandoned, subagent: e.Origin == session.Subagent}
	if e.Kind == session.ToolCall {
		c.args = shell.ParseArguments(e.Input)
		if c.class == shell.ShellTool {
			c.cmd = shell.Parse(c.args.Command)
			c.cmd.Dir = cmp.Or(c.cmd.Dir, c.args.Dir)
		}
	}
	s.calls = append(s.calls, c)
	return c
}

func (s *timeline) addPrompt(i int, text string, first bool) {
	if s.events[i].Origin == session.Human {
		s.prompts = append(s.prompts, prompt{at: i, text: text, first: first})
	}
}

func (c *call) findFault(p shell.Project) {
	out, failed := c.result.Text, c.result.Cause == session.Failed || c.result.Cause == session.TimedOut
	if c.isExternal() || !failed && (c.class != shell.ShellTool || !c.cmd.HidesExit()) {
		return
	}
	c.faults = p.FindFaults(out, failed)
	switch {
	case c.result.Cause == session.TimedOut && len(c.faults) == 0:
		c.fault = shell.Fault{Line: "timed out", Kind: shell.TimedOut}
	case len(c.faults) == 0:
	case failed:
		c.fault = c.faults[0]
		if c.fault.Kind == shell.Unknown && slices.ContainsFunc(c.faults, func(f shell.Fault) bool { return f.Kind == shell.SourceCode }) {
			c.fault.Kind = shell.SourceCode // a test says it
		}
	case c.result.Cause == session.OK && c.cmd.HidesFault(out):
		c.fault, c.masked = c.faults[0], true
	}
}

func (c *call) shows(f shell.Fault) bool {
	line := shell.MaskNumbers(f.Line)
	return slices.ContainsFunc(c.faults, func(g shell.Fault) bool { return shell.MaskNumbers(g.Line) == line })
}

// isExternal reports whether the result comes from outside of this machine.
func (c *call) isExternal() bool { return c.result.Origin == session.External }

// failed reports whether a local tool failed or timed out, even if its exit code hides it.
func (c *call) failed() bool {
	return !c.isExternal() && (c.result.Cause == session.Failed || c.result.Cause == session.TimedOut || c.masked)
}

// worked reports whether the tool succeeded and hides no failure.
func (c *call) worked() bool { return c.answered && c.result.Cause == session.OK && !c.masked }

// callsBetween returns the calls of the conversation of a that ended before b did.
func (s *timeline) callsBetween(a, b *call) []*call {
	var out []*call
	for _, c := range s.calls[min(a.index+1, b.index):b.index] {
		if c.end < b.end && c.subagent == a.subagent {
			out = append(out, c)
		}
	}
	return out
}

// editedBetween reports whether files were changed between two calls, so that the change may be what helped.
func (s *timeline) editedBetween(a, b *call) bool {
	return slices.ContainsFunc(s.callsBetween(a, b), func(c *call) bool {
		return c.worked() && (c.class == shell.EditTool || c.cmd.ChangesFiles())
	})
}

func (s *timeline) promptsBetween(from, to int) []prompt {
	return slices.DeleteFunc(slices.Clone(s.prompts), func(p prompt) bool { return p.at <= from || p.at >= to })
}

func (c *call) tells() bool {
	if !c.answered || c.result.Cause != "" && !c.failed() || c.failed() && len(c.faults) == 0 && strings.Count(c.result.Text, "\n") < 4 || shell.IsRunning(c.result.Text) && !c.failed() {
		return false
	}
	return c.failed() || !c.cmd.HidesExit() || !shell.IsSilent(c.result.Text) && !c.cmd.HidesOutput() && !c.isExternal()
}
