// Package opencode reads what 'opencode export' prints: a session as one JSON
// document. opencode itself keeps sessions in a database.
package opencode

import (
	"cmp"
	"fmt"
	"strings"

	"mem/session"
	"mem/trace/build"
	"mem/trace/jsonl"
)

// A document is a session.
type document struct {
	Info     info                `json:"info"`
	Messages jsonl.List[message] `json:"messages"`
}

// An info says what a session or a message is.
type info struct {
	ID         jsonl.Text `json:"id"`
	ParentID   jsonl.Text `json:"parentID"`
	Directory  jsonl.Text `json:"directory"`
	Version    jsonl.Text `json:"version"`
	Permission jsonl.Content[struct {
		Permission jsonl.Text `json:"permission"`
		Action     jsonl.Text `json:"action"`
	}] `json:"permission"`
	Revert jsonl.Object[struct {
		Message jsonl.Text `json:"messageID"`
	}] `json:"revert"`

	Role    jsonl.Text            `json:"role"`
	Model   jsonl.Text            `json:"modelID"`
	Summary jsonl.Flag            `json:"summary"`
	Time    jsonl.Object[times]   `json:"time"`
	Error   jsonl.Object[failure] `json:"error"`
}

type times struct {
	Created jsonl.Stamp `json:"created"`
	Start   jsonl.Stamp `json:"start"`
	End     jsonl.Stamp `json:"end"`
}

type failure struct {
	Name jsonl.Text `json:"name"`
	Data jsonl.Object[struct {
		Message jsonl.Text `json:"message"`
	}] `json:"data"`
}

func (f failure) String() string {
	return strings.Trim(string(f.Name+": "+f.Data.V.Message), ": ")
}

type message struct {
	Info  info                `json:"info"`
	Parts jsonl.Content[part] `json:"parts"`
}

// A part is one thing of a message. A call and its result are one part.
type part struct {
	ID        jsonl.Text            `json:"id"`
	Type      jsonl.Text            `json:"type"`
	Text      jsonl.Text            `json:"text"`
	Synthetic jsonl.Flag            `json:"synthetic"`
	Ignored   jsonl.Flag            `json:"ignored"`
	Error     jsonl.Object[failure] `json:"error"`
	Time      jsonl.Object[times]   `json:"time"`
	Tool      jsonl.Text            `json:"tool"`
	CallID    jsonl.Text            `json:"callID"`
	State     state                 `json:"state"`
}

type state struct {
	Status   jsonl.Text          `json:"status"`
	Input    jsonl.Raw           `json:"input"`
	Output   jsonl.Text          `json:"output"`
	Error    jsonl.Text          `json:"error"`
	Time     jsonl.Object[times] `json:"time"`
	Metadata jsonl.Object[struct {
		Exit jsonl.Number `json:"exit"`
	}] `json:"metadata"`
}

// A reader turns a document into a session.
type reader struct {
	*build.Builder
	headless bool // 'opencode run', which asks no person
	shell    bool // the person ran the next command
}

// Read reads a session of opencode.
func Read(src *jsonl.Source) *session.Session {
	r := &reader{Builder: build.NewBuilder("opencode", src.Cut)}
	r.Linear = true
	t := jsonl.EachObject(src, func(d *document, at jsonl.Span) bool {
		r.readDocument(d, at)
		return false
	})
	r.LinkNodes(func(i int) int { return i - 1 })
	return r.Finish(t)
}

func (r *reader) readDocument(d *document, at jsonl.Span) {
	s, i := r.Session, &d.Info
	s.ID, s.CWD, s.Version, s.Parent = string(i.ID), string(i.Directory), string(i.Version), string(i.ParentID)
	r.Side = i.ParentID != "" // the session of a sub-agent
	for _, p := range i.Permission.Blocks {
		r.headless = r.headless || p.Permission == "question" && p.Action == "deny"
	}
	left := false
	for _, m := range d.Messages {
		m.At.Off += at.Off
		left = left || i.Revert.Set && m.V.Info.ID == i.Revert.V.Message
		first := len(r.Nodes)
		r.readMessage(&m.V, m.At)
		for n := first; n < len(r.Nodes); n++ {
			r.MarkNode(n, left)
		}
	}
}

func (r *reader) readMessage(m *message, at jsonl.Span) {
	for _, p := range m.Parts.Blocks {
		r.StartEntry(string(p.ID), at, cmp.Or(p.Time.V.Start.Time, p.State.Time.V.Start.Time, m.Info.Time.V.Created.Time))
		switch m.Info.Role {
		case "user":
			r.readPrompt(&p)
		case "assistant":
			r.Session.Model = string(cmp.Or(m.Info.Model, jsonl.Text(r.Session.Model)))
			r.readAnswer(&p, at, bool(m.Info.Summary))
		default:
			r.Session.Ignored++
		}
	}
	if m.Info.Role == "assistant" {
		r.shell = false
	}
	if m.Info.Error.Set {
		r.StartEntry(string(m.Info.ID), at, m.Info.Time.V.Created.Time)
		if e := m.Info.Error.V; e.Name == "MessageAbortedError" {
			r.EmitInterrupt("")
		} else {
			r.EmitFailure(e.String())
		}
	}
}

// ranByUser is what opencode says before a command that the person ran with "!".
const ranByUser = "The following tool was executed by the user"

// readPrompt reads a part of a user's message. What the client or a plugin adds is
// marked.
func (r *reader) readPrompt(p *part) {
	switch p.Type {
	case "text":
		switch {
		case bool(p.Synthetic) && p.Text == ranByUser:
			r.shell = true
		case bool(p.Synthetic):
			r.EmitInjected(string(p.Text))
		case !bool(p.Ignored):
			seq := r.EmitText(session.UserText, r.Speaker(session.Human), string(p.Text))
			r.MarkHeadless(seq, r.headless)
		}
	case "file", "agent", "subtask", "compaction":
	default:
		r.Session.Ignored++
	}
}

// readAnswer reads a part of what the model answered. summary says that the answer
// stands for the messages before it.
func (r *reader) readAnswer(p *part, at jsonl.Span, summary bool) {
	switch p.Type {
	case "text":
		if summary {
			r.EmitCompaction(string(p.Text))
		} else {
			r.EmitText(session.AssistantText, r.Speaker(session.Agent), string(p.Text))
		}
	case "reasoning":
		r.EmitText(session.Thinking, r.Speaker(session.Agent), string(p.Text))
	case "tool":
		r.readTool(p, at)
	case "retry":
		r.EmitFailure(p.Error.V.String())
	case "step-start", "step-finish", "snapshot", "patch", "file", "agent", "subtask", "compaction":
	default:
		r.Session.Ignored++
	}
}

func (r *reader) readTool(p *part, at jsonl.Span) {
	caller := session.Agent
	if r.shell {
		caller = session.Human
	}
	r.EmitCall(r.Speaker(caller), string(p.Tool), string(p.CallID), jsonl.Compact(p.State.Input))
	if p.State.Status != "completed" && p.State.Status != "error" {
		return // it is still running, or was when opencode ended
	}
	r.StartEntry(string(p.ID)+"/result", at, p.State.Time.V.End.Time)
	e := session.Event{Kind: session.ToolResult, Origin: build.ToolOrigin(string(p.Tool)), Tool: string(p.Tool), CallID: string(p.CallID)}
	r.readOutcome(p, &e)
	r.Emit(e)
	r.Stopped = e.Cause == session.DeniedByUser
}

// endings are the causes of calls that did not end well by themselves, by the beginnings of
// errors, or of what opencode tells behind what a command printed.
var endings = []struct {
	words string
	cause session.Cause
}{
	{"The user rejected permission to use this specific tool call", session.DeniedByUser},
	{"The user has specified a rule which prevents you from using", session.DeniedByRule},
	{"Tool execution aborted", session.Cancelled},
	{"shell tool terminated command after exceeding timeout", session.TimedOut},
	{"User aborted the command", session.Cancelled},
}

const (
	feedback = " with the following feedback: "
	notes    = "\n\n<shell_metadata>\n"
)

// readOutcome reads what a tool answered, how the call ended, and with which words a
// person said no. A run without a person rejects what it would have to ask for.
func (r *reader) readOutcome(p *part, e *session.Event) {
	exit := p.State.Metadata.V.Exit
	e.Text = strings.TrimRight(string(p.State.Output), " \t\r\n")
	switch _, told, _ := strings.Cut(e.Text, notes); {
	case p.State.Status == "error":
		e.Text, e.Cause = string(p.State.Error), findEnding(string(p.State.Error), session.Failed)
	case !exit.Set:
		e.Cause = findEnding(told, session.OK)
	}
	switch {
	case e.Cause == session.DeniedByUser && (r.headless || r.Side):
		e.Cause = session.DeniedByRule
	case e.Cause == session.DeniedByUser:
		_, e.Reason, _ = strings.Cut(e.Text, feedback)
	case exit.Set && exit.V != 0:
		e.Text = strings.TrimLeft(fmt.Sprintf("%s\n\nCommand exited with code %g", e.Text, exit.V), "\n")
		e.Cause = session.Failed
	case p.Tool == "invalid": // a tool that does not exist
		e.Cause = session.Failed
	}
}

func findEnding(told string, other session.Cause) session.Cause {
	for _, end := range endings {
		if strings.HasPrefix(told, end.words) {
			return end.cause
		}
	}
	return other
}
