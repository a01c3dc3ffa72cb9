package record

import (
	"slices"

	"mem/lazy"
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
