// Package neutral reads the trace format that any program can write, which
// docs/trace-format.md promises to the authors of such programs.
package neutral

import (
	"cmp"
	"regexp"
	"sync"

	"mem/session"
	"mem/trace/build"
	"mem/trace/jsonl"
)

// Format is what the header names, and Version the newest that Read knows.
const (
	Format  = "mem-trace"
	Version = 1
)

// A line is the header or an event.
type line struct {
	Format       jsonl.Text `json:"format"`
	Agent        jsonl.Text `json:"agent"`
	AgentVersion jsonl.Text `json:"agent_version"`
	CWD          jsonl.Text `json:"cwd"`
	Model        jsonl.Text `json:"model"`

	ID        jsonl.Text  `json:"id"`     // of the session or of the event
	Parent    jsonl.Text  `json:"parent"` // of the session or of the event
	Time      jsonl.Stamp `json:"time"`
	Kind      jsonl.Text  `json:"kind"`
	Origin    jsonl.Text  `json:"origin"`
	Text      jsonl.Text  `json:"text"`
	Tool      jsonl.Text  `json:"tool"`
	CallID    jsonl.Text  `json:"call_id"`
	Input     jsonl.Raw   `json:"input"`
	Cause     jsonl.Text  `json:"cause"`
	Reason    jsonl.Text  `json:"reason"`
	Edited    jsonl.Flag  `json:"edited"`
	Abandoned jsonl.Flag  `json:"abandoned"`
}

// A reader turns lines into a session.
type reader struct {
	*build.Builder
	begun bool
}

// Read reads a session in the neutral format.
func Read(src *jsonl.Source) *session.Session {
	r := &reader{Builder: build.NewBuilder(stranger, src.Cut)}
	t := jsonl.Each(src, func(l *line, at jsonl.Span) bool {
		switch {
		case l.Format != "" && l.Kind == "":
			r.readHeader(l)
		default:
			r.readEvent(l, at)
		}
		return true
	})
	r.LinkNodes(func(i int) int { return i - 1 })
	return r.Finish(t)
}

// stranger is the agent of a file that names none, or one that is not its own.
const stranger = "other"

// agentName matches what a program may call itself.
var agentName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9._-]{0,31}$`) })

// readHeader takes what the first header says. The names of agents whose own
// formats mem reads are not to be had: with one of them a file could pass for
// another session and have it skipped.
func (r *reader) readHeader(l *line) {
	if r.begun {
		r.Session.Ignored++
		return
	}
	r.begun = true
	s := r.Session
	s.ID, s.CWD, s.Model = string(l.ID), string(l.CWD), string(l.Model)
	s.Parent, s.Version = string(l.Parent), string(l.AgentVersion)
	switch name := string(l.Agent); name {
	case "claude", "pi", "codex":
	default:
		if agentName().MatchString(name) {
			s.Agent = name
		}
	}
}

func (r *reader) readEvent(l *line, at jsonl.Span) {
	e := session.Event{Kind: session.Kind(l.Kind), Text: string(l.Text), Edited: bool(l.Edited)}
	if !known(e.Kind) {
		r.Session.Ignored++
		return
	}
	if l.Model != "" {
		r.Session.Model = string(l.Model)
	}
	id := string(l.ID)
	if id == "" {
		id = at.Place()
		if at.Line > 0 {
			id = "line-" + id
		}
	}
	r.StartEntry(id, at, l.Time.Time)
	r.AddNode(r.Key, cmp.Or(string(l.Parent), r.Tail))
	r.Tail = r.Key
	if l.Abandoned {
		r.AbandonNode(r.Node)
	} else {
		r.KeepNode(r.Node)
	}
	if e.Kind == session.ToolCall || e.Kind == session.ToolResult {
		e.Tool, e.CallID = string(l.Tool), string(l.CallID)
	}
	switch e.Kind {
	case session.ToolCall:
		e.Input = jsonl.Compact(l.Input.V)
		if e.CallID != "" {
			r.Tools[e.CallID] = e.Tool
		}
	case session.ToolResult:
		if e.Tool == "" {
			e.Tool = r.Tools[e.CallID]
		}
		if e.Cause = cause(l.Cause); e.Cause == session.DeniedByUser {
			e.Reason = string(l.Reason)
		}
	}
	e.Origin = origin(e, session.Origin(l.Origin))
	r.Emit(e)
}

func known(k session.Kind) bool {
	switch k {
	case session.UserText, session.AssistantText, session.Thinking, session.ToolCall, session.ToolResult,
		session.Interrupt, session.Compaction, session.BranchSummary, session.Failure:
		return true
	}
	return false
}

// origin returns who is behind an event: what the file claims, but never more
// than an event of its kind can have.
func origin(e session.Event, claim session.Origin) session.Origin {
	rank := func(o session.Origin) int {
		for i, known := range []session.Origin{session.Human, session.Agent, session.Subagent, session.Tool, session.External, session.Injected} {
			if o == known {
				return i
			}
		}
		return len(session.Injected) // a claim that nobody knows is worth nothing
	}
	most := session.Human // of what a person may have said or done
	switch e.Kind {
	case session.AssistantText, session.Thinking:
		most = session.Agent
	case session.ToolCall:
		if claim == "" {
			return session.Agent
		}
	case session.ToolResult:
		most = build.ResultOrigin(e.Tool)
	case session.Compaction, session.BranchSummary, session.Failure:
		most = session.Injected
	}
	switch {
	case claim == "" || rank(claim) <= rank(most):
		return most
	case rank(claim) > rank(session.Injected):
		return session.Injected
	}
	return claim
}

// cause reads how a call ended. What mem does not know went wrong somehow; it
// was not a person who said no.
func cause(s jsonl.Text) session.Cause {
	switch c := session.Cause(s); c {
	case "ok":
		return session.OK
	case session.OK, session.Failed, session.DeniedByUser, session.DeniedByRule, session.BlockedByHook,
		session.Cancelled, session.Cascade, session.TimedOut, session.Shutdown:
		return c
	}
	return session.Failed
}
