package record

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"mem/lazy"
	"mem/oracle"
	"mem/oracle/heuristic/input"
	"mem/oracle/heuristic/shell"
	"mem/session"
)

// reports tell which words of subagents are from outside: those of one that read something
// from there, and the report of one of which it is not known what it read, if it may have looked
// there, or for showing.
type reports struct {
	forShow bool
	events  []session.Event
	calls   map[string]int // that started a subagent: where they stand
	fetched bool           // something came from outside since the last of them
	unsure  bool           // a report was from outside
}

var (
	starting = lazy.New(`(?i)^(functions\.)?(task|agent|spawn_?agent)$`)
	// reachesOut matches what starts an agent that may look outside.
	reachesOut = lazy.New(`(?i)https?://|\b(?:web|internet|online|browse\w*|fetch\w*|research\w*|docs|documentation|search (?:for|the))\b`)
	awaiting   = lazy.New(`(?i)^(functions\.)?((task|agent)_?output|wait(_?agent)?|(send_?input|(resume|close)_?agent))$`)
)

// isFromOutside reports whether event i is what a subagent says from outside. It is asked for
// each event in order.
func (r *reports) isFromOutside(i int) bool {
	e := &r.events[i]
	switch {
	case e.Origin == session.External:
		r.fetched = true
	case e.Kind == session.ToolCall && starting.Matches(e.Tool):
		r.calls[e.CallID], r.fetched = i, false
	case e.Kind == session.AssistantText, e.Kind == session.Thinking:
		return r.fetched && e.Origin == session.Subagent
	case e.Kind == session.ToolResult && e.Origin == session.Tool:
		return r.isReport(i)
	}
	return false
}

// isReport reports whether event i, the result of a tool, is a report from outside.
func (r *reports) isReport(i int) bool {
	e := &r.events[i]
	if !starting.Matches(e.Tool) {
		return r.unsure && awaiting.Matches(e.Tool)
	}
	of := func(o session.Origin) bool {
		return slices.ContainsFunc(r.events[r.calls[e.CallID]:i], func(e session.Event) bool { return e.Origin == o })
	}
	isOutside := r.forShow || reachesOut.Matches(r.events[r.calls[e.CallID]].Input)
	if of(session.Subagent) {
		isOutside = of(session.External)
	}
	r.fetched, r.unsure = r.fetched || isOutside, r.unsure || isOutside
	return isOutside
}

// ListNoted returns the lessons that the agent noted itself in a session: with mem learn in a shell, or by
// the tool of mem mcp. Values of flags stand before the text; what came by standard input is not known.
func ListNoted(events []session.Event) (texts []string) {
	for _, e := range events {
		switch isMem := strings.Contains(e.Tool, "mem") && strings.HasSuffix(e.Tool, "learn"); {
		case e.Kind != session.ToolCall:
		case input.ClassOf(e.Tool) == input.Shell && strings.Contains(e.Input, "learn"):
			texts = append(texts, listNotes(input.ParseArguments(e.Input).Command)...)
		case isMem: // such as mcp__mem__learn
			var l struct {
				Text string `json:"text"`
			}
			_ = json.Unmarshal([]byte(e.Input), &l, oracle.LenientJSON()) // what is not JSON says nothing
			texts = append(texts, l.Text)
		}
	}
	return texts
}

// listNotes returns what a command line notes.
func listNotes(command string) (texts []string) {
	for _, s := range shell.Parse(command).Parts {
		args := slices.DeleteFunc(s.Arguments(), func(a string) bool { return strings.HasPrefix(a, "-") })
		if s.Program == "mem" && len(args) > 1 && args[0] == "learn" {
			texts = append(texts, strings.Join(args[1:], " "))
		}
	}
	return texts
}
