package trace

import (
	"cmp"
	"strings"
	"time"

	"mem/lazy"
	"mem/session"
	"mem/trace/jsonl"
)

// A copilotEvent is a line of a session of GitHub Copilot CLI. What it says depends on its type.
type copilotEvent struct {
	Type, ID  string
	Timestamp time.Time
	Data      struct {
		SessionID, CopilotVersion, SelectedModel, NewModel string
		Context                                            struct{ CWD string }

		Content, ReasoningText, Reason, SummaryContent, Message string
		Source                                                  string // of a prompt that is not a person's

		ToolName, ToolCallID string
		Arguments            jsonl.Raw
		ParentToolCallID     string // of what a sub-agent does
		Success              bool
		Result, Error        struct{ Content, Message, Code string } // what a tool answered, or why it did not
	}
}

func readCopilot(src *jsonl.Source) *session.Session {
	b := jsonl.NewBuilder("copilot", src)
	for e, at := range jsonl.Objects[copilotEvent](src) {
		b.StartEntry(e.ID, at, e.Timestamp)
		b.Side = e.Data.ParentToolCallID != ""
		readCopilotEvent(b, e)
	}
	return b.Finish()
}

func readCopilotEvent(b *jsonl.Builder, e *copilotEvent) {
	d := &e.Data
	switch e.Type {
	case "user.message":
		said, notices := jsonl.SplitNotices(d.Content)
		b.EmitInjected(notices...)
		if d.Source == "" || d.Source == "user" {
			b.EmitText(session.UserText, session.Human, said)
		} else {
			b.EmitInjected(said)
		}
	case "assistant.message":
		b.EmitText(session.Thinking, session.Agent, d.ReasoningText)
		b.EmitText(session.AssistantText, session.Agent, d.Content)
	case "tool.user_requested":
		b.EmitCall(session.Human, d.ToolName, d.ToolCallID, jsonl.Compact(d.Arguments))
	case "tool.execution_start":
		b.EmitCall(session.Agent, d.ToolName, d.ToolCallID, jsonl.Compact(d.Arguments))
	case "tool.execution_complete":
		readCopilotResult(b, e)
	case "abort":
		if strings.Contains(d.Reason, "user") {
			b.EmitInterrupt("")
		}
	default:
		readCopilotState(b, e)
	}
}

func readCopilotState(b *jsonl.Builder, e *copilotEvent) {
	s, d := b.Session, &e.Data
	switch e.Type {
	case "session.start", "session.resume", "session.model_change":
		s.ID, s.Version = cmp.Or(s.ID, d.SessionID), cmp.Or(s.Version, d.CopilotVersion)
		s.CWD, s.Model = cmp.Or(s.CWD, d.Context.CWD), cmp.Or(d.NewModel, d.SelectedModel, s.Model)
	case "session.compaction_complete":
		b.EmitCompaction(d.SummaryContent)
	case "session.error":
		b.EmitFailure(d.Message)
	default:
		s.Ignored++
	}
}

// exitCode matches what is added to the output of a command.
var exitCode = lazy.New(`\s*<(?:command )?exited with (?:exit )?code (-?\d+)>\s*$`)

// copilotFeedback stands before the words with which a person said no.
var copilotFeedback = lazy.New(`(?i)\b(?:user )?feedback:?\s+`)

func readCopilotResult(b *jsonl.Builder, line *copilotEvent) {
	d := &line.Data
	e := session.Event{CallID: d.ToolCallID, Text: cmp.Or(d.Result.Content, d.Error.Message)}
	switch code := d.Error.Code; {
	case code == "rejected" && !b.Side:
		e.Cause = session.DeniedByUser
		if at := copilotFeedback.Get().FindStringIndex(e.Text); at != nil {
			e.Reason = e.Text[at[1]:]
		}
	case code == "denied" || code == "rejected":
		e.Cause = session.DeniedByRule
	case code == "timeout":
		e.Cause = session.TimedOut
	case !d.Success:
		e.Cause = session.Failed
	default:
		if m := exitCode.Get().FindStringSubmatch(e.Text); m != nil { // as the other readers write it
			e.Text = strings.TrimSuffix(e.Text, m[0])
			if m[1] != "0" {
				e.Text, e.Cause = jsonl.AddExit(e.Text, m[1]), session.Failed
			}
		}
	}
	b.EmitResult(e)
}
