package heuristic

import (
	"cmp"
	"slices"
	"strings"

	"mem/oracle/heuristic/shell"
	"mem/session"
)

// A call is one tool call together with its answer.
type call struct {
	index     int // in session.calls
	at, end   int // indices of the call and of its answer; equal if there is none
	refs      []string
	tool      string
	class     class
	args      arguments
	cmd       shell.Command // of a shell call
	cause     session.Cause
	reason    string
	out       string
	answered  bool
	edited    bool
	abandoned bool
	subagent  bool
	external  bool
	fault     shell.Fault // what went wrong, if anything did
	masked    bool        // the exit code hid the fault
}

// A prompt is something a person typed.
type prompt struct {
	at        int
	ref       string
	text      string
	first     bool // nothing was done or said before it
	abandoned bool
}

// A session is the steps sorted into what the rules look at.
type timeline struct {
	events  []session.Event
	calls   []*call
	prompts []prompt // in order
	stops   []int    // indices of interruptions by a person
	project shell.Project
}

// read sorts events into calls, prompts and interruptions. Injected events are
// skipped: they are the client's words.
func read(events []session.Event) *timeline {
	s := &timeline{events: events}
	open := map[string]*call{}
	acted := false
	for i, st := range events {
		if st.Origin == session.Injected {
			continue
		}
		switch st.Kind {
		case session.ToolCall:
			c := newCall(i, st)
			s.calls = append(s.calls, c)
			open[st.CallID] = c
			acted = true
		case session.ToolResult:
			c := open[st.CallID]
			if c == nil || c.answered {
				c = newCall(i, st) // an answer to a call that was not recorded
				s.calls = append(s.calls, c)
			}
			c.answer(i, st)
			delete(open, st.CallID)
			acted = true
		case session.AssistantText:
			acted = true
		case session.Interrupt:
			s.stops = append(s.stops, i)
			if st.Origin == session.Human && st.Reason != "" {
				s.prompts = append(s.prompts, prompt{at: i, ref: st.ID, text: st.Reason, abandoned: st.Abandoned})
			}
		case session.UserText:
			if st.Origin == session.Human && typed(st.Text) {
				s.prompts = append(s.prompts, prompt{at: i, ref: st.ID, text: st.Text, first: !acted, abandoned: st.Abandoned})
			}
		}
	}
	s.project = shell.GuessProject(s.namedPaths())
	for i, c := range s.calls {
		c.index = i
		s.diagnose(c)
	}
	return s
}

func newCall(i int, st session.Event) *call {
	c := &call{
		at: i, end: i, refs: ref(st.ID),
		tool: st.Tool, class: classOf(st.Tool),
		abandoned: st.Abandoned,
		subagent:  st.Origin == session.Subagent,
	}
	if st.Kind == session.ToolCall {
		c.args = parseArguments(st.Input)
		if c.class == shellTool {
			c.cmd = shell.Parse(c.args.command)
		}
	}
	return c
}

func (c *call) answer(i int, st session.Event) {
	c.end = i
	c.refs = append(c.refs, ref(st.ID)...)
	c.cause, c.reason, c.out = st.Cause, st.Reason, st.Text
	c.answered = true
	c.edited = st.Edited
	c.abandoned = c.abandoned || st.Abandoned
	c.subagent = c.subagent || st.Origin == session.Subagent
	c.external = st.Origin == session.External
}

func ref(r string) []string {
	if r == "" {
		return nil
	}
	return []string{r}
}

// changesFile reports whether a call is of a tool that changes a file.
func (c *call) changesFile() bool { return c.class == editFile || c.class == writeFile }

// failed reports whether the tool ran and did not do what it was asked.
func (c *call) failed() bool {
	return c.answered && !c.external && (c.cause == session.Failed || c.cause == session.TimedOut || c.masked)
}

// worked reports whether the tool did what it was asked.
func (c *call) worked() bool {
	return c.answered && c.cause == session.OK && !c.masked
}

// diagnose finds out what went wrong in a call. A pipeline hides the exit
// code of its first command, so a short answer that is nothing but an
// environment error counts as a failure whatever the exit code was.
func (s *timeline) diagnose(c *call) {
	switch {
	case !c.answered || c.external:
	case c.cause == session.Failed || c.cause == session.TimedOut:
		c.fault = s.project.FindFault(c.out)
		if c.cause == session.TimedOut && c.fault.Line == "" {
			c.fault = shell.Fault{Line: "timed out", Kind: shell.TimedOut}
		}
	case c.cause == session.OK && c.class == shellTool && c.cmd.HidesExit() && strings.Count(c.out, "\n") < 6 && !shell.LooksAround(c.cmd.MainPart().Program):
		switch f := s.project.FindFault(c.out); f.Kind {
		case shell.NoCommand, shell.BadUsage, shell.NoModule:
			c.fault, c.masked = f, true
		}
	}
}

// namedPaths returns the files and folders that calls name.
func (s *timeline) namedPaths() []string {
	var out []string
	for _, c := range s.calls {
		out = append(out, c.args.file, c.cmd.Dir)
	}
	return out
}

// between returns the calls of the same conversation that came after a and
// were answered before b was.
func (s *timeline) between(a, b *call) []*call {
	var out []*call
	for _, c := range s.calls[min(a.index+1, b.index):b.index] {
		if c.end < b.end && c.subagent == a.subagent {
			out = append(out, c)
		}
	}
	return out
}

// promptsBetween counts the prompts typed between two events.
func (s *timeline) promptsBetween(from, to int) int {
	n := 0
	for _, p := range s.prompts {
		if p.at > from && p.at < to {
			n++
		}
	}
	return n
}

// stoppedBetween reports whether a person interrupted the agent between two
// steps.
func (s *timeline) stoppedBetween(from, to int) bool {
	return slices.ContainsFunc(s.stops, func(i int) bool { return i > from && i < to })
}

// promptBefore returns the index of the event of the prompt before p, or -1.
func (s *timeline) promptBefore(p prompt) int {
	n, _ := slices.BinarySearchFunc(s.prompts, p.at, func(q prompt, at int) int { return cmp.Compare(q.at, at) })
	if n == 0 {
		return -1
	}
	return s.prompts[n-1].at
}

// typed reports whether text is prose of a person rather than a command to
// the client or the echo of one.
func typed(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, "<") {
		return false
	}
	return text[0] != '/' || strings.ContainsAny(strings.SplitN(text, " ", 2)[0][1:], "/.")
}
