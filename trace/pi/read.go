// Package pi reads the sessions of pi, versions 1 to 3.
package pi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mem/lazy"
	"mem/session"
	"mem/trace/jsonl"
)

type line struct {
	Type, ID, ParentID, CWD, ParentSession, BranchedFrom, ModelID string
	Summary, CustomType, Name, TargetID, Label                    string

	Timestamp    time.Time
	Version      *float64
	RetainedTail jsonl.Blocks[message]
	Content      jsonl.Blocks[block]
	Message      message
	Replacement  struct{ Content jsonl.Blocks[block] } // of a context_edit; without one the words are taken back
}

type message struct {
	Role, Model, StopReason, ErrorMessage, ToolCallID, ToolName, Summary string

	Content   jsonl.Blocks[block]
	Timestamp time.Time
	IsError   bool

	NestedCalls struct{ Calls jsonl.List[nested] } // that the tool made, as a script of codemode does

	// bashExecution
	Command, Output               string
	ExitCode                      *float64
	Cancelled, ExcludeFromContext bool
}

// A nested call is one that a tool made. Its output is not kept, except the beginning of an error.
type nested struct {
	ID, Name, Status, Error string
	Arguments               jsonl.Raw
}

type block struct {
	Type, Text, Thinking, ID, Name string

	Arguments jsonl.Raw
}

type reader struct {
	*jsonl.Builder
	version  int
	entries  []entry
	edits    []edit
	headless bool // the extension said that a program made the next prompt
}

// An entry of a session follows another one, its parent.
type entry struct{ id, parentID, key string }

// An edit takes the words of an earlier entry back, or puts others in their place. It counts on its own branch alone.
type edit struct{ key, target, words string }

// apply changes an event of the entry. It reports whether the event is taken back. Who edited is not known: an extension, most often.
func (t *edit) apply(e *session.Event) (isGone bool) {
	switch isWords := e.Kind == session.UserText || e.Kind == session.AssistantText || e.Kind == session.ToolResult; {
	case t.words == "":
		return true
	case !isWords:
		return e.Kind == session.Thinking
	case e.Kind == session.UserText:
		e.Origin = session.Injected
	}
	e.Text = jsonl.Clip(t.words, session.MaxText)
	return false
}

// headlessEntry is the type of the entry that mem's extension writes before a
// prompt of pi -p. pi itself notes nowhere who prompts.
const headlessEntry = "mem-headless"

// Read reads a pi session.
func Read(src *jsonl.Source) *session.Session {
	r := &reader{Builder: jsonl.NewBuilder("pi", src)}
	for e, at := range jsonl.Objects[line](src) {
		if e.Type == "session" && r.version == 0 {
			r.readHeader(e)
		} else {
			r.readEntry(e, at)
		}
	}
	s, kept := r.Finish(), r.keepPath()
	for i := range s.Events {
		s.Events[i].Abandoned = !kept[jsonl.KeyOf(s.Events[i])]
	}
	r.takeBack(kept)
	return s
}

// takeBack leaves out what the last edit on the path took back of an entry.
func (r *reader) takeBack(kept map[string]bool) {
	keys, last := map[string]string{}, map[string]*edit{}
	for _, e := range r.entries {
		keys[e.id] = e.key
	}
	for i, e := range r.edits {
		if key, ok := keys[e.target]; ok && kept[e.key] {
			last[key] = &r.edits[i]
		}
	}
	var left []session.Event
	for _, e := range r.Session.Events {
		if by := last[jsonl.KeyOf(e)]; by == nil || !by.apply(&e) {
			left = append(left, e)
		}
	}
	r.Session.Events = left
}

// keepPath returns the keys of the entries on the path from the root to the leaf, which is the last entry of
// the file. An entry whose parent is not there follows the one before it.
func (r *reader) keepPath() map[string]bool {
	index, kept := make(map[string]int), make(map[string]bool)
	for i, e := range r.entries {
		index[e.id] = i
	}
	for i := len(r.entries) - 1; i >= 0 && !kept[r.entries[i].key]; {
		e := r.entries[i]
		kept[e.key] = true
		parent, ok := index[e.parentID]
		switch {
		case e.parentID == "" || e.parentID == e.id:
			i = -1
		case ok:
			i = parent
		default:
			i--
		}
	}
	return kept
}

func (r *reader) readHeader(e *line) {
	r.version = 1
	if v := e.Version; v != nil && *v >= 1 && *v < 1<<16 {
		r.version = int(*v)
	}
	r.Session.ID, r.Session.CWD, r.Session.Model = e.ID, e.CWD, e.ModelID
	r.Session.Version = strconv.Itoa(r.version)
	r.Session.Parent = cmp.Or(e.ParentSession, e.BranchedFrom)
	if r.Session.Parent != "" {
		r.Session.Born = e.Timestamp
	}
}

func (r *reader) joinTree(e *line, at jsonl.Span) {
	if e.ID == "" { // version 1, or damaged: its parent is the one before it
		e.ID = "v1-" + at.Place()
		if n := len(r.entries); n > 0 {
			e.ParentID = r.entries[n-1].id
		}
	}
	r.StartEntry(e.ID, at, cmp.Or(e.Timestamp, e.Message.Timestamp))
	r.entries = append(r.entries, entry{e.ID, e.ParentID, r.Key})
}

// readEntry reads what follows the header. Every entry is part of the tree,
// whatever its type, since pi moves the leaf for each.
func (r *reader) readEntry(e *line, at jsonl.Span) {
	r.joinTree(e, at)
	switch e.Type {
	case "message":
		r.readMessage(&e.Message)
	case "compaction":
		first := len(r.Session.Events) == 0
		r.EmitCompaction(e.Summary)
		if first { // else the messages that were kept stand in the file already
			for i := range e.RetainedTail {
				r.readMessage(&e.RetainedTail[i])
			}
		}
	case "branch_summary":
		r.EmitText(session.BranchSummary, session.Injected, e.Summary)
	case "custom_message":
		r.EmitInjected(joinText(e.Content))
	case "model_change":
		r.Session.Model = cmp.Or(e.ModelID, r.Session.Model)
	case "custom":
		r.headless = r.headless || e.CustomType == headlessEntry
	case "session_info":
		r.Session.Name = cmp.Or(e.Name, r.Session.Name)
	case "label":
		if r.Session.Labels == nil {
			r.Session.Labels = map[string]string{}
		}
		if r.Session.Labels[e.TargetID] = e.Label; e.Label == "" { // it is taken away
			delete(r.Session.Labels, e.TargetID)
		}
	case "context_edit":
		r.edits = append(r.edits, edit{r.Key, e.TargetID, joinText(e.Replacement.Content)})
	case "thinking_level_change", "usage", "session":
	default:
		r.Session.Ignored++
	}
}

func (r *reader) readMessage(m *message) {
	switch m.Role {
	case "user":
		said, notices := jsonl.SplitNotices(joinText(m.Content))
		seq := r.EmitText(session.UserText, session.Human, said)
		r.MarkHeadless(seq, r.headless)
		r.EmitInjected(notices...)
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
		r.EmitText(session.BranchSummary, session.Injected, m.Summary)
	case "compactionSummary":
		r.EmitCompaction(m.Summary)
	default:
		r.Session.Ignored++
	}
}

func (r *reader) readAssistant(m *message) {
	r.Session.Model = cmp.Or(m.Model, r.Session.Model)
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			r.EmitText(session.AssistantText, session.Agent, b.Text)
		case "thinking":
			r.EmitText(session.Thinking, session.Agent, b.Thinking)
		case "toolCall":
			r.EmitCall(session.Agent, b.Name, b.ID, jsonl.Compact(b.Arguments))
		}
	}
	switch m.StopReason {
	case "aborted":
		r.Emit(session.Event{Kind: session.Interrupt, Origin: session.Human, Text: m.ErrorMessage})
	case "error":
		r.EmitFailure(m.ErrorMessage)
	}
}

func (r *reader) readResult(m *message) {
	for _, c := range m.NestedCalls.Calls {
		r.EmitCall(session.Agent, c.V.Name, c.V.ID, jsonl.Compact(c.V.Arguments))
		if c.V.Status == "ok" || c.V.Status == "error" { // else it was cut off
			r.readAnswer(c.V.Name, c.V.ID, c.V.Error, c.V.Status == "error")
		}
	}
	r.readAnswer(m.ToolName, m.ToolCallID, joinText(m.Content), m.IsError)
}

func (r *reader) readAnswer(tool, call, said string, isError bool) {
	e := session.Event{Text: said, Tool: tool, CallID: call}
	if isError {
		e.Cause, e.Reason = readCause(said, e.Tool)
		e.Stopped = e.Cause == session.Failed && findRefusal(said) != session.OK
	} else if strings.TrimSpace(said) == skippedCall {
		e.Cause = session.Cancelled
	}
	r.EmitResult(e)
}

// readBash reads a command that the person ran with "!". With "!!" it was kept
// from the model, so mem does not read it either.
func (r *reader) readBash(m *message) {
	printed, cause := m.Output, session.OK
	switch {
	case m.ExcludeFromContext:
		return
	case m.Cancelled:
		cause = session.Cancelled
	case m.ExitCode != nil && *m.ExitCode != 0:
		printed, cause = jsonl.AddExit(printed, strconv.FormatFloat(*m.ExitCode, 'f', -1, 64)), session.Failed
	}
	r.EmitShell("bash", m.Command, printed, cause)
}

// joinText joins the text blocks of a body the way pi does.
func joinText(blocks []block) string {
	var s strings.Builder
	for _, b := range blocks {
		if b.Type == "text" {
			s.WriteString(b.Text)
		}
	}
	return s.String()
}

// skippedCall is what pi answers to a call that it did not make, since the person said something meanwhile.
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

// readCause says why a tool result of pi is an error, from its text. The words are at the end because the output of the
// tool comes first. pi does not mark a refusal: it counts where the tool cannot have said it, one of pi's own without
// the last line of a command that ran. Of those only bash has no other errors that hold the words of a refusal, such as
// a path with "policy" in it.
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
