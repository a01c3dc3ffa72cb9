// Package pi reads the sessions of pi, versions 1 to 3.
package pi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"mem/lazy"
	"mem/session"
	"mem/trace/build"
	"mem/trace/jsonl"
)

// A line is one line of a pi session, of any version and type.
type line struct {
	Type          jsonl.Text             `json:"type"`
	ID            jsonl.Text             `json:"id"`
	ParentID      jsonl.Text             `json:"parentId"`
	Timestamp     jsonl.Stamp            `json:"timestamp"`
	Version       jsonl.Number           `json:"version"`
	CWD           jsonl.Text             `json:"cwd"`
	ParentSession jsonl.Text             `json:"parentSession"`
	BranchedFrom  jsonl.Text             `json:"branchedFrom"`
	ModelID       jsonl.Text             `json:"modelId"`
	RetainedTail  jsonl.Content[message] `json:"retainedTail"`
	Summary       jsonl.Text             `json:"summary"`
	CustomType    jsonl.Text             `json:"customType"`
	Name          jsonl.Text             `json:"name"`
	TargetID      jsonl.Text             `json:"targetId"`
	Label         jsonl.Text             `json:"label"`
	Content       jsonl.Content[block]   `json:"content"`
	Message       jsonl.Object[message]  `json:"message"`
}

type message struct {
	Role         jsonl.Text           `json:"role"`
	Content      jsonl.Content[block] `json:"content"`
	Timestamp    jsonl.Stamp          `json:"timestamp"`
	Model        jsonl.Text           `json:"model"`
	StopReason   jsonl.Text           `json:"stopReason"`
	ErrorMessage jsonl.Text           `json:"errorMessage"`
	ToolCallID   jsonl.Text           `json:"toolCallId"`
	ToolName     jsonl.Text           `json:"toolName"`
	IsError      jsonl.Flag           `json:"isError"`
	Summary      jsonl.Text           `json:"summary"`

	// bashExecution
	Command   jsonl.Text   `json:"command"`
	Output    jsonl.Text   `json:"output"`
	ExitCode  jsonl.Number `json:"exitCode"`
	Cancelled jsonl.Flag   `json:"cancelled"`
	Excluded  jsonl.Flag   `json:"excludeFromContext"`
}

type block struct {
	Type      jsonl.Text `json:"type"`
	Text      jsonl.Text `json:"text"`
	Thinking  jsonl.Text `json:"thinking"`
	ID        jsonl.Text `json:"id"`
	Name      jsonl.Text `json:"name"`
	Arguments jsonl.Raw  `json:"arguments"`
}

type reader struct {
	*build.Builder
	version  int
	headless bool // the extension said that a program made the next prompt
}

// headlessEntry is the type of the entry that mem's extension writes before a
// prompt of pi -p. pi itself notes nowhere who prompts.
const headlessEntry = "mem-headless"

// Read reads a pi session.
func Read(src *jsonl.Source) *session.Session {
	r := &reader{Builder: build.NewBuilder("pi", src.Cut)}
	t := jsonl.ReadObjects(src, func(e *line, at jsonl.Span) {
		if e.Type == "session" && r.version == 0 {
			r.readHeader(e)
		} else {
			r.readEntry(e, at)
		}
	})
	r.LinkNodes(func(i int) int { return i - 1 })
	for i := range r.Nodes { // the branches that do not lead to the leaf, which is the last entry of the file
		r.MarkNode(i, true)
	}
	for i := len(r.Nodes) - 1; i >= 0; i = r.Nodes[i].Parent {
		r.MarkNode(i, false)
	}
	return r.Finish(t)
}

func (r *reader) readHeader(e *line) {
	r.version = 1
	if e.Version.Set && e.Version.V >= 1 && e.Version.V < 1<<16 {
		r.version = int(e.Version.V)
	}
	r.Session.ID, r.Session.CWD, r.Session.Model = string(e.ID), string(e.CWD), string(e.ModelID)
	r.Session.Version = strconv.Itoa(r.version)
	r.Session.Parent = string(cmp.Or(e.ParentSession, e.BranchedFrom))
	if r.Session.Parent != "" {
		r.Session.Born = e.Timestamp.Time
	}
}

func (r *reader) joinTree(e *line, at jsonl.Span) {
	id, parentID := string(e.ID), string(e.ParentID)
	linear := id == "" // version 1, or damaged
	if linear {
		id = "v1-" + at.Place()
	}
	r.StartEntry(id, at, cmp.Or(e.Timestamp.Time, e.Message.V.Timestamp.Time))
	r.AddNode(id, parentID)
	if linear && r.Node > 0 {
		// The parent of an entry without an id is the one before it.
		r.Nodes[r.Node].ParentID = r.Nodes[r.Node-1].ID
	}
}

// readEntry reads what follows the header. Every entry is part of the tree,
// whatever its type, since pi moves the leaf for each.
func (r *reader) readEntry(e *line, at jsonl.Span) {
	r.joinTree(e, at)
	switch e.Type {
	case "message":
		if !e.Message.Set {
			r.Session.Ignored++
			return
		}
		r.readMessage(&e.Message.V)
	case "compaction":
		first := len(r.Session.Events) == 0
		r.EmitCompaction(string(e.Summary))
		if first { // else the messages that were kept stand in the file already
			for i := range e.RetainedTail.Blocks {
				r.readMessage(&e.RetainedTail.Blocks[i])
			}
		}
	case "branch_summary":
		r.EmitText(session.BranchSummary, session.Injected, string(e.Summary))
	case "custom_message":
		r.EmitInjected(joinText(e.Content))
	case "model_change":
		r.Session.Model = cmp.Or(string(e.ModelID), r.Session.Model)
	case "custom":
		r.headless = r.headless || e.CustomType == headlessEntry
	case "session_info":
		r.Session.Name = string(cmp.Or(e.Name, jsonl.Text(r.Session.Name)))
	case "label":
		if r.Session.Labels == nil {
			r.Session.Labels = map[string]string{}
		}
		if r.Session.Labels[string(e.TargetID)] = string(e.Label); e.Label == "" { // it is taken away
			delete(r.Session.Labels, string(e.TargetID))
		}
	case "thinking_level_change", "session":
	default:
		r.Session.Ignored++
	}
}

func (r *reader) readMessage(m *message) {
	switch m.Role {
	case "user":
		said, notices := build.SplitNotices(joinText(m.Content))
		seq := r.EmitText(session.UserText, session.Human, said)
		r.MarkHeadless(seq, r.headless)
		r.EmitNotices(notices)
		r.headless = false
	case "assistant":
		r.readAssistant(m)
	case "toolResult":
		r.readResult(m)
	case "bashExecution":
		r.readBash(m)
	case "custom", "hookMessage", "system":
		r.EmitInjected(joinText(m.Content))
	case "branchSummary":
		r.EmitText(session.BranchSummary, session.Injected, string(m.Summary))
	case "compactionSummary":
		r.EmitCompaction(string(m.Summary))
	default:
		r.Session.Ignored++
	}
}

func (r *reader) readAssistant(m *message) {
	r.Session.Model = cmp.Or(string(m.Model), r.Session.Model)
	for _, b := range m.Content.Blocks {
		switch b.Type {
		case "text":
			r.EmitText(session.AssistantText, session.Agent, string(b.Text))
		case "thinking":
			r.EmitText(session.Thinking, session.Agent, string(b.Thinking))
		case "toolCall":
			r.EmitCall(session.Agent, string(b.Name), string(b.ID), jsonl.Compact(b.Arguments))
		}
	}
	r.EmitText(session.AssistantText, session.Agent, m.Content.Plain)
	switch m.StopReason {
	case "aborted":
		r.Emit(session.Event{Kind: session.Interrupt, Origin: session.Human, Text: string(m.ErrorMessage)})
	case "error":
		r.EmitFailure(string(m.ErrorMessage))
	}
}

func (r *reader) readResult(m *message) {
	said := joinText(m.Content)
	e := session.Event{
		Kind: session.ToolResult, Origin: build.ToolOrigin(string(m.ToolName)),
		Text: said, Tool: string(m.ToolName), CallID: string(m.ToolCallID),
	}
	if m.IsError {
		e.Cause, e.Reason = readCause(said, e.Tool)
		e.Stopped = e.Cause == session.Failed && findRefusal(said) != session.OK
	} else if strings.TrimSpace(said) == skippedCall {
		e.Cause = session.Cancelled
	}
	r.Emit(e)
}

// readBash reads a command that the person ran with "!". With "!!" it was kept
// from the model, so mem does not read it either.
func (r *reader) readBash(m *message) {
	if m.Excluded {
		return
	}
	call := r.Key
	r.Emit(session.Event{Kind: session.ToolCall, Origin: session.Human, Tool: "bash", CallID: call, Input: build.EncodeInput("command", string(m.Command))})
	e := session.Event{Kind: session.ToolResult, Origin: session.Tool, Tool: "bash", CallID: call, Text: string(m.Output)}
	switch {
	case bool(m.Cancelled):
		e.Cause = session.Cancelled
	case m.ExitCode.Set && m.ExitCode.V != 0:
		e.Cause = session.Failed
		e.Text += "\n\nCommand exited with code " + strconv.FormatFloat(m.ExitCode.V, 'f', -1, 64)
	}
	r.Emit(e)
}

// joinText joins the text blocks of a body the way pi does.
func joinText(c jsonl.Content[block]) string {
	if len(c.Blocks) == 0 {
		return c.Plain
	}
	var s strings.Builder
	for _, b := range c.Blocks {
		if b.Type == "text" {
			s.WriteString(string(b.Text))
		}
	}
	return s.String()
}

// skippedCall is what pi answers to a call that it did not make, since the person said
// something meanwhile.
const skippedCall = "Skipped due to queued user message."

// ownTools are pi's, which word their errors themselves.
var ownTools = []string{"read", "bash", "edit", "write", "grep", "find", "ls"}

// refusals are the words that pi-self-learning takes for a refusal, in its order.
var refusals = []struct {
	cause session.Cause
	words *lazy.Regexp
}{
	{session.DeniedByRule, lazy.New(`(?i)\b(permission\s+(denied|negated)|operation not permitted|access denied|eacces|eperm|unauthorized)\b`)},
	{session.BlockedByHook, lazy.New(`(?i)\b(blocked|(dis|not )allowed|forbidden|refused|policy|dangerous command|denied by|user denied)\b`)},
	{session.Cancelled, lazy.New(`(?i)\b((cancell?ed|aborted) by user|user cancell?ed)\b`)},
}

// findRefusal returns what an error that reads like a refusal says; OK for another one.
func findRefusal(s string) session.Cause {
	for _, r := range refusals {
		if r.words.Matches(s) {
			return r.cause
		}
	}
	return session.OK
}

// readCause says why a tool result of pi is an error, from its text. The words
// are at the end because the output of the tool comes first. pi does not mark a
// refusal: it counts where the tool cannot have said it, one of pi's own without
// the last line of a command that ran. Of those only bash has no other errors that
// hold the words of a refusal, such as a path with "policy" in it.
func readCause(s, tool string) (session.Cause, string) {
	s = strings.TrimSpace(s)
	lastLine := s[strings.LastIndexByte(s, '\n')+1:]
	ran := !slices.Contains(ownTools, tool) || s != lastLine && strings.HasPrefix(lastLine, "Command exited with ")
	if reason, ok := strings.CutPrefix(s, "Blocked by user"); ok && !ran {
		return session.DeniedByUser, strings.TrimLeft(reason, " :.-\n")
	}
	switch {
	case s == skippedCall, lastLine == "Command aborted", lastLine == "Operation aborted":
		return session.Cancelled, ""
	case strings.HasPrefix(lastLine, "Command timed out after "):
		return session.TimedOut, ""
	case s == "Tool execution was blocked", !ran && strings.HasPrefix(s, "Blocked"):
		return session.BlockedByHook, ""
	case !ran && tool == "bash" && findRefusal(s) != session.OK:
		return findRefusal(s), ""
	}
	return session.Failed, ""
}
