// Package opencode reads what 'opencode export' prints: a session as one JSON
// document. opencode itself keeps sessions in a database.
package opencode

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"mem/session"
	"mem/trace/jsonl"
)

type document struct {
	Info     info
	Messages jsonl.List[message]
}

type info struct {
	ID, ParentID, Directory, Version string

	Permission jsonl.Blocks[struct{ Permission, Action string }]
	Revert     *struct{ MessageID string }

	Role, ModelID string
	Summary       bool
	Time          times
	Error         *failure
}

type times struct{ Created, Start, End time.Time }

type failure struct {
	Name string
	Data struct{ Message string }
}

func (f failure) String() string { return strings.Trim(f.Name+": "+f.Data.Message, ": ") }

type message struct {
	Info  info
	Parts jsonl.Blocks[part]
}

// A part is one thing of a message. A call and its result are one part.
type part struct {
	ID, Type, Text, Tool, CallID string
	Synthetic, Ignored           bool
	Error                        failure
	Time                         times
	State                        state
}

type state struct {
	Status, Output, Error string
	Input                 jsonl.Raw
	Time                  times
	Metadata              struct{ Exit *float64 }
}

type reader struct {
	*jsonl.Builder
	headless bool // 'opencode run', which asks no person
	shell    bool // the person ran the next command
}

// Read reads a session of opencode.
func Read(src *jsonl.Source) *session.Session {
	r := &reader{Builder: jsonl.NewBuilder("opencode", src)}
	for d, at := range jsonl.Objects[document](src) {
		r.readDocument(d, at)
		break
	}
	return r.Finish()
}

func (r *reader) readDocument(d *document, at jsonl.Span) {
	s, i := r.Session, &d.Info
	s.ID, s.CWD, s.Version, s.Parent = i.ID, i.Directory, i.Version, i.ParentID
	r.Side = i.ParentID != "" // the session of a sub-agent
	for _, p := range i.Permission {
		r.headless = r.headless || p.Permission == "question" && p.Action == "deny"
	}
	for _, m := range d.Messages {
		m.At.Off += at.Off
		r.Left = r.Left || i.Revert != nil && m.V.Info.ID == i.Revert.MessageID
		r.readMessage(&m.V, m.At)
	}
}

func (r *reader) readMessage(m *message, at jsonl.Span) {
	for _, p := range m.Parts {
		r.StartEntry(p.ID, at, cmp.Or(p.Time.Start, p.State.Time.Start, m.Info.Time.Created))
		switch m.Info.Role {
		case "user":
			r.readPrompt(&p)
		case "assistant":
			r.Session.Model = cmp.Or(m.Info.ModelID, r.Session.Model)
			r.readAnswer(&p, at, m.Info.Summary)
		default:
			r.Session.Ignored++
		}
	}
	if m.Info.Role == "assistant" {
		r.shell = false
	}
	if e := m.Info.Error; e != nil {
		r.StartEntry(m.Info.ID, at, m.Info.Time.Created)
		if e.Name == "MessageAbortedError" {
			r.EmitInterrupt("")
		} else {
			r.EmitFailure(e.String())
		}
	}
}

// ranByUser is what opencode says before a command that the person ran with "!".
const ranByUser = "The following tool was executed by the user"

// readPrompt reads a part of a user's message. What the client or a plugin adds is marked.
func (r *reader) readPrompt(p *part) {
	switch p.Type {
	case "text":
		switch {
		case p.Synthetic && p.Text == ranByUser:
			r.shell = true
		case p.Synthetic:
			r.EmitInjected(p.Text)
		case !p.Ignored:
			seq := r.EmitText(session.UserText, session.Human, p.Text)
			r.MarkHeadless(seq, r.headless)
		}
	case "file", "agent", "subtask", "compaction":
	default:
		r.Session.Ignored++
	}
}

// readAnswer reads a part of the model's answer. summary says that the answer replaces the messages before it.
func (r *reader) readAnswer(p *part, at jsonl.Span, summary bool) {
	switch p.Type {
	case "text":
		if summary {
			r.EmitCompaction(p.Text)
		} else {
			r.EmitText(session.AssistantText, session.Agent, p.Text)
		}
	case "reasoning":
		r.EmitText(session.Thinking, session.Agent, p.Text)
	case "tool":
		r.readTool(p, at)
	case "retry":
		r.EmitFailure(p.Error.String())
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
	r.EmitCall(caller, p.Tool, p.CallID, jsonl.Compact(p.State.Input))
	if p.State.Status != "completed" && p.State.Status != "error" {
		return // it is still running, or was when opencode ended
	}
	r.StartEntry(p.ID+"/result", at, p.State.Time.End)
	e := session.Event{Tool: p.Tool, CallID: p.CallID}
	r.readOutcome(p, &e)
	r.EmitResult(e)
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

// readOutcome reads a tool's answer, how the call ended, and the words with which a person said no. A
// run without a person rejects any call that needs approval.
func (r *reader) readOutcome(p *part, e *session.Event) {
	exit := p.State.Metadata.Exit
	e.Text = strings.TrimRight(p.State.Output, " \t\r\n")
	switch _, told, _ := strings.Cut(e.Text, notes); {
	case p.State.Status == "error":
		e.Text, e.Cause = p.State.Error, findEnding(p.State.Error, session.Failed)
	case exit == nil:
		e.Cause = findEnding(told, session.OK)
	}
	switch {
	case e.Cause == session.DeniedByUser && (r.headless || r.Side):
		e.Cause = session.DeniedByRule
	case e.Cause == session.DeniedByUser:
		_, e.Reason, _ = strings.Cut(e.Text, feedback)
	case exit != nil && *exit != 0:
		e.Text, e.Cause = jsonl.AddExit(e.Text, fmt.Sprint(*exit)), session.Failed
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
