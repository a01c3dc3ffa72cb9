// Package neutral reads the trace format that any program can write, which
// docs/trace-format.md promises to the authors of such programs.
package neutral

import (
	"cmp"
	"slices"
	"time"

	"mem/lazy"
	"mem/session"
	"mem/trace/jsonl"
)

// Format is what the header names, and Version the newest that Read knows.
const (
	Format  = "mem-trace"
	Version = 1
)

type line struct {
	Format, Agent, AgentVersion, CWD, Model string

	ID     string // of the session or of the event
	Parent string // of the session
	Time   time.Time
	Kind   session.Kind
	Origin session.Origin
	Cause  session.Cause

	Text, Tool, CallID, Reason string
	Input                      jsonl.Raw
	Edited, Stopped, Abandoned bool
}

type reader struct {
	*jsonl.Builder
	begun bool
}

// Read reads a session in the neutral format.
func Read(src *jsonl.Source) *session.Session {
	r := &reader{Builder: jsonl.NewBuilder(stranger, src)}
	for l, at := range jsonl.Objects[line](src) {
		if l.Format != "" && l.Kind == "" {
			r.readHeader(l)
		} else {
			r.readEvent(l, at)
		}
	}
	return r.Finish()
}

// stranger is the agent of a file that names none, or one that is not its own.
const stranger = "other"

// agentName matches what a program may call itself.
var agentName = lazy.New(`^[a-z][a-z0-9._-]{0,31}$`)

// readHeader takes what the first header says. The names of agents whose own formats mem reads are refused: with one of
// them a file could pass for another session and have it skipped.
func (r *reader) readHeader(l *line) {
	if r.begun {
		r.Session.Ignored++
		return
	}
	r.begun = true
	s := r.Session
	s.ID, s.CWD, s.Model = l.ID, l.CWD, l.Model
	s.Parent, s.Version = l.Parent, l.AgentVersion
	if agentName.Matches(l.Agent) && !slices.Contains([]string{"claude", "pi", "codex", "gemini", "opencode", "copilot"}, l.Agent) {
		s.Agent = l.Agent
	}
}

func (r *reader) readEvent(l *line, at jsonl.Span) {
	e := session.Event{Kind: l.Kind, Text: l.Text, Edited: l.Edited, Stopped: l.Stopped}
	if !slices.Contains(kinds, e.Kind) {
		r.Session.Ignored++
		return
	}
	r.Session.Model = cmp.Or(l.Model, r.Session.Model)
	r.startEntry(l, at)
	switch e.Kind {
	case session.ToolCall:
		e.Tool, e.CallID, e.Input = l.Tool, l.CallID, jsonl.Compact(l.Input)
		if e.CallID != "" {
			r.Tools[e.CallID] = e.Tool
		}
	case session.ToolResult:
		e.Tool, e.CallID = cmp.Or(l.Tool, r.Tools[l.CallID]), l.CallID
		if e.Cause = readCause(l.Cause); e.Cause == session.DeniedByUser {
			e.Reason = l.Reason
		}
	}
	e.Origin = limitOrigin(e, l.Origin)
	r.Emit(e)
}

// startEntry names a line that names itself not after where it stands.
func (r *reader) startEntry(l *line, at jsonl.Span) {
	if l.ID == "" {
		l.ID = at.Place()
		if at.Line > 0 {
			l.ID = "line-" + l.ID
		}
	}
	r.StartEntry(l.ID, at, l.Time)
	r.Left = l.Abandoned
}

var kinds = []session.Kind{
	session.UserText, session.AssistantText, session.Thinking, session.ToolCall, session.ToolResult,
	session.Interrupt, session.Compaction, session.BranchSummary, session.Failure,
}

// origins are all there are, most trusted first.
var origins = []session.Origin{session.Human, session.Agent, session.Subagent, session.Tool, session.External, session.Injected}

// limitOrigin returns the origin of an event: the file's claim, but never more than its kind of event
// can have. It ignores an unknown claim.
func limitOrigin(e session.Event, claim session.Origin) session.Origin {
	most := mostOrigin(e)
	switch i := slices.Index(origins, claim); {
	case claim == "" && e.Kind == session.ToolCall:
		return session.Agent
	case claim == "" || i >= 0 && i <= slices.Index(origins, most):
		return most
	case i < 0:
		return session.Injected
	}
	return claim
}

// mostOrigin returns the most trusted origin that an event of this kind can have.
func mostOrigin(e session.Event) session.Origin {
	switch e.Kind {
	case session.AssistantText, session.Thinking:
		return session.Agent
	case session.ToolResult:
		return jsonl.ToolOrigin(e.Tool)
	case session.Compaction, session.BranchSummary, session.Failure:
		return session.Injected
	}
	return session.Human // a person may have said or done it
}

// readCause reads how a call ended. An unknown cause went wrong somehow; it was not a person who said no.
func readCause(c session.Cause) session.Cause {
	switch c {
	case "ok":
		return session.OK
	case session.OK, session.Failed, session.DeniedByUser, session.DeniedByRule, session.BlockedByHook,
		session.HeldByAgent, session.Cancelled, session.Cascade, session.TimedOut, session.Shutdown:
		return c
	}
	return session.Failed
}
