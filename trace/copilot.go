package trace

import (
	"cmp"
	"strings"

	"mem/lazy"
	"mem/session"
	"mem/trace/build"
	"mem/trace/jsonl"
)

// A copilotEvent is a line of a session of GitHub Copilot CLI. What it says depends on its type.
type copilotEvent struct {
	Type jsonl.Text  `json:"type"`
	ID   jsonl.Text  `json:"id"`
	Time jsonl.Stamp `json:"timestamp"`
	Data struct {
		SessionID jsonl.Text `json:"sessionId"`
		Version   jsonl.Text `json:"copilotVersion"`
		Model     jsonl.Text `json:"selectedModel"`
		NewModel  jsonl.Text `json:"newModel"`
		Context   jsonl.Object[struct {
			CWD jsonl.Text `json:"cwd"`
		}] `json:"context"`

		Content   jsonl.Text `json:"content"`
		Reasoning jsonl.Text `json:"reasoningText"`
		Source    jsonl.Text `json:"source"` // of a prompt that is not a person's
		Reason    jsonl.Text `json:"reason"`
		Summary   jsonl.Text `json:"summaryContent"`
		Message   jsonl.Text `json:"message"`

		Tool    jsonl.Text                  `json:"toolName"`
		CallID  jsonl.Text                  `json:"toolCallId"`
		Input   jsonl.Raw                   `json:"arguments"`
		Parent  jsonl.Text                  `json:"parentToolCallId"` // of what a sub-agent does
		Success jsonl.Flag                  `json:"success"`
		Result  jsonl.Object[copilotResult] `json:"result"`
		Error   jsonl.Object[copilotResult] `json:"error"`
	} `json:"data"`
}

// A copilotResult is what a tool answered, or why it did not.
type copilotResult struct {
	Content jsonl.Text `json:"content"`
	Message jsonl.Text `json:"message"`
	Code    jsonl.Text `json:"code"`
}

// readCopilot reads a session of GitHub Copilot CLI.
func readCopilot(src *jsonl.Source) *session.Session {
	b := build.NewBuilder("copilot", src.Cut)
	b.Linear = true
	t := jsonl.ReadObjects(src, func(e *copilotEvent, at jsonl.Span) {
		b.StartEntry(string(e.ID), at, e.Time.Time)
		b.Side = e.Data.Parent != ""
		readCopilotEvent(b, e)
	})
	b.LinkNodes(func(i int) int { return i - 1 })
	return b.Finish(t)
}

func readCopilotEvent(b *build.Builder, e *copilotEvent) {
	d := &e.Data
	switch e.Type {
	case "user.message":
		said, notices := build.SplitNotices(string(d.Content))
		b.EmitNotices(notices)
		if d.Source == "" || d.Source == "user" {
			b.EmitText(session.UserText, b.Speaker(session.Human), said)
		} else {
			b.EmitInjected(said)
		}
	case "assistant.message":
		b.EmitText(session.Thinking, b.Speaker(session.Agent), string(d.Reasoning))
		b.EmitText(session.AssistantText, b.Speaker(session.Agent), string(d.Content))
	case "tool.user_requested":
		b.EmitCall(b.Speaker(session.Human), string(d.Tool), string(d.CallID), jsonl.Compact(d.Input))
	case "tool.execution_start":
		b.EmitCall(b.Speaker(session.Agent), string(d.Tool), string(d.CallID), jsonl.Compact(d.Input))
	case "tool.execution_complete":
		readCopilotResult(b, e)
	case "abort":
		if strings.Contains(string(d.Reason), "user") {
			b.EmitInterrupt("")
		}
	default:
		readCopilotState(b, e)
	}
}

func readCopilotState(b *build.Builder, e *copilotEvent) {
	s, d := b.Session, &e.Data
	switch e.Type {
	case "session.start", "session.resume", "session.model_change":
		s.ID, s.Version = cmp.Or(s.ID, string(d.SessionID)), cmp.Or(s.Version, string(d.Version))
		s.CWD, s.Model = cmp.Or(s.CWD, string(d.Context.V.CWD)), cmp.Or(string(d.NewModel), string(d.Model), s.Model)
	case "session.compaction_complete":
		b.EmitCompaction(string(d.Summary))
	case "session.error":
		b.EmitFailure(string(d.Message))
	default:
		s.Ignored++
	}
}

// exitCode matches what is added to the output of a command.
var exitCode = lazy.New(`\s*<(?:command )?exited with (?:exit )?code (-?\d+)>\s*$`)

// copilotFeedback stands before the words with which a person said no.
var copilotFeedback = lazy.New(`(?i)\b(?:user )?feedback:?\s+`)

func readCopilotResult(b *build.Builder, line *copilotEvent) {
	d := &line.Data
	tool := b.Tools[string(d.CallID)]
	e := session.Event{Kind: session.ToolResult, Origin: build.ToolOrigin(tool), Tool: tool, CallID: string(d.CallID), Cause: session.OK}
	e.Text = string(cmp.Or(d.Result.V.Content, d.Error.V.Message))
	switch code := d.Error.V.Code; {
	case code == "rejected" && !b.Side:
		e.Cause = session.DeniedByUser
		if at := copilotFeedback.Get().FindStringIndex(e.Text); at != nil {
			e.Reason = e.Text[at[1]:]
		}
	case code == "denied" || code == "rejected":
		e.Cause = session.DeniedByRule
	case code == "timeout":
		e.Cause = session.TimedOut
	case !bool(d.Success):
		e.Cause = session.Failed
	default:
		if m := exitCode.Get().FindStringSubmatch(e.Text); m != nil { // as the other readers write it
			e.Text = strings.TrimSuffix(e.Text, m[0])
			if m[1] != "0" {
				e.Text, e.Cause = strings.TrimLeft(e.Text+"\n\nCommand exited with code "+m[1], "\n"), session.Failed
			}
		}
	}
	b.Emit(e)
	b.Stopped = e.Cause == session.DeniedByUser
}
