// Package gemini reads the sessions of the Gemini CLI: lines of JSON, of which later
// ones amend earlier ones, and the single documents of versions before 0.40.
//
// The CLI writes a message again when it has more of it, and the whole conversation
// anew, under new ids, when it changed what the model is sent. Words count once.
package gemini

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"

	"mem/session"
	"mem/trace/build"
	"mem/trace/jsonl"
)

// A line is the head of a session, which in a document holds all messages, a message,
// or a change.
type line struct {
	SessionID   jsonl.Text          `json:"sessionId"`
	ProjectHash jsonl.Text          `json:"projectHash"`
	Kind        jsonl.Text          `json:"kind"`
	Messages    jsonl.List[message] `json:"messages"`
	Set         jsonl.Object[struct {
		Messages jsonl.List[message] `json:"messages"`
	}] `json:"$set"`
	RewindTo jsonl.Text `json:"$rewindTo"`
	message
}

type message struct {
	ID        jsonl.Text          `json:"id"`
	Time      jsonl.Stamp         `json:"timestamp"`
	Type      jsonl.Text          `json:"type"`
	Content   jsonl.Content[part] `json:"content"`
	Displayed jsonl.Content[part] `json:"displayContent"` // what the person typed, if files or contexts were added to it
	Model     jsonl.Text          `json:"model"`
	Thoughts  jsonl.Content[struct {
		Subject     jsonl.Text `json:"subject"`
		Description jsonl.Text `json:"description"`
	}] `json:"thoughts"`
	Calls jsonl.Content[call] `json:"toolCalls"`
}

type part struct {
	Text     jsonl.Text             `json:"text"`
	Thought  jsonl.Flag             `json:"thought"`
	Response jsonl.Object[response] `json:"functionResponse"`
}

type response struct {
	Response jsonl.Object[struct {
		Output jsonl.Prose `json:"output"`
		Error  jsonl.Prose `json:"error"`
	}] `json:"response"`
}

// texts returns what is said in a message.
func texts(c jsonl.Content[part]) (all []string) {
	if c.Plain != "" {
		all = append(all, c.Plain)
	}
	for _, p := range c.Blocks {
		if !bool(p.Thought) && p.Text != "" {
			all = append(all, string(p.Text))
		}
	}
	return all
}

// A reader turns lines into a session.
type reader struct {
	*build.Builder
	hash   string          // of the working directory
	read   map[string]int  // messages by id: the node before each
	said   map[string]bool // texts of the conversation
	typed  map[string]bool // messages with words of the person, by id
	ended  map[string]bool // calls whose result was emitted
	replay bool            // what follows may be what was said before
	anew   bool            // it is the conversation written anew, in which no person speaks
}

// Read reads a session of the Gemini CLI.
func Read(src *jsonl.Source) *session.Session {
	r := &reader{
		Builder: build.NewBuilder("gemini", src.Cut),
		read:    make(map[string]int), said: make(map[string]bool), typed: make(map[string]bool), ended: make(map[string]bool),
	}
	r.Linear = true
	t := jsonl.ReadObjects(src, r.readLine)
	r.LinkNodes(func(i int) int { return i - 1 })
	return r.Finish(t)
}

func (r *reader) readLine(l *line, at jsonl.Span) {
	switch {
	case l.RewindTo != "":
		r.rewind(string(l.RewindTo))
	case l.SessionID != "":
		s := r.Session
		s.ID, r.hash = cmp.Or(s.ID, string(l.SessionID)), cmp.Or(r.hash, string(l.ProjectHash))
		r.Side = l.Kind == "subagent"
		r.readMessages(l.Messages, at)
	case l.Set.Set:
		if len(l.Set.V.Messages) > 0 {
			r.replay, r.anew = true, r.isAnew(l.Set.V.Messages)
			r.readMessages(l.Set.V.Messages, at)
			r.replay, r.anew = false, false
		}
	case l.Type != "":
		if l.Type == "user" && isContext(texts(l.Content)) {
			r.replay = len(r.said) > 0
		}
		r.readMessage(&l.message, at)
	default:
		r.Session.Ignored++
	}
}

// isAnew reports whether messages are what was read already, as the client wrote it anew. With the
// id of a message of the person's they are the conversation itself, and so they are if there was none:
// a session of an older version that was resumed.
func (r *reader) isAnew(list jsonl.List[message]) bool {
	for i := range list {
		if r.typed[string(list[i].V.ID)] {
			return false
		}
	}
	return len(r.typed) > 0
}

func (r *reader) readMessages(list jsonl.List[message], at jsonl.Span) {
	for i := range list {
		part := list[i].At
		part.Off += at.Off
		r.readMessage(&list[i].V, part)
	}
}

func (r *reader) readMessage(m *message, at jsonl.Span) {
	_, again := r.read[string(m.ID)]
	r.StartEntry(string(m.ID), at, m.Time.Time)
	if !again {
		r.read[string(m.ID)] = len(r.Nodes)
		r.readWords(m)
	}
	for i := range m.Calls.Blocks {
		r.readCall(&m.Calls.Blocks[i], at)
	}
}

func (r *reader) readWords(m *message) {
	switch m.Type {
	case "user":
		r.readPrompt(m)
	case "gemini":
		r.Session.Model = string(cmp.Or(m.Model, jsonl.Text(r.Session.Model)))
		r.readAnswer(m)
	case "info":
		if m.Content.Plain == "Request cancelled." {
			r.EmitInterrupt("")
		}
	case "error":
		r.EmitFailure(strings.Join(texts(m.Content), "\n"))
	case "warning":
	default:
		r.Session.Ignored++
	}
}

// repeats reports whether a text only repeats what was said before, and remembers it.
func (r *reader) repeats(who, text string) bool {
	key := who + "\x00" + text
	known := r.said[key]
	r.said[key] = true
	return known && r.replay
}

const (
	contextTag  = "<session_context>"
	hookTag     = "<hook_context>"
	hookEnd     = "</hook_context>"
	snapshotTag = "<state_snapshot>"
	shellHead   = "I ran the following shell command:\n```sh\n"
	shellResult = "\n```\n\nThis produced the following result:\n```\n"
	filesHead   = "--- Content from referenced files ---"
)

// isContext reports whether a message is the client's first, or one that it made of all
// there was.
func isContext(said []string) bool { return len(said) > 0 && strings.HasPrefix(said[0], contextTag) }

// readPrompt reads what the model was sent as the user's.
func (r *reader) readPrompt(m *message) {
	said := texts(m.Content)
	if typed := texts(m.Displayed); len(typed) > 0 {
		said = typed
	}
	for _, text := range said {
		text, added := CutContext(text)
		r.EmitInjected(added)
		if text == filesHead { // the rest is of these files
			return
		}
		if text != "" && !r.repeats("user", text) {
			r.readText(text)
		}
		if text != "" && !r.anew && !isContext(said) {
			r.typed[string(m.ID)] = true
		}
	}
}

// CutContext returns what a person typed without what hooks put before it.
func CutContext(prompt string) (typed, added string) {
	if i := strings.Index(prompt, hookEnd); i >= 0 && strings.HasPrefix(prompt, hookTag) {
		added, prompt = prompt[:i+len(hookEnd)], prompt[i+len(hookEnd):]
	}
	return strings.TrimSpace(prompt), added
}

// readText reads a text that was not said before.
func (r *reader) readText(text string) {
	switch {
	case strings.HasPrefix(text, contextTag):
		r.readContext(text)
	case strings.HasPrefix(text, snapshotTag):
		r.EmitCompaction(text)
	case r.anew:
		r.EmitInjected(text)
	case strings.HasPrefix(text, shellHead):
		r.readShell(text)
	default:
		r.replay = false
		r.EmitText(session.UserText, r.Speaker(session.Human), text)
	}
}

// readContext reads what the client tells the model first. It names the working
// directory, which the session has a hash of.
func (r *reader) readContext(text string) {
	for l := range strings.Lines(text) {
		dir := strings.TrimPrefix(strings.TrimSpace(l), "- ")
		if sum := sha256.Sum256([]byte(dir)); fmt.Sprintf("%x", sum) == r.hash {
			r.Session.CWD = dir
		}
	}
	r.EmitInjected(text)
}

// readShell reads a command that the person ran with "!", and what it printed.
func (r *reader) readShell(text string) {
	command, printed, _ := strings.Cut(strings.TrimPrefix(text, shellHead), shellResult)
	r.EmitCall(r.Speaker(session.Human), shellTool, r.Key, build.EncodeInput("command", command))
	e := session.Event{Kind: session.ToolResult, Origin: session.Tool, Tool: shellTool, CallID: r.Key}
	e.Text = strings.TrimSuffix(strings.TrimSpace(printed), "\n```")
	if first, rest, _ := strings.Cut(e.Text, "\n"); strings.HasPrefix(first, "Command exited with code ") {
		e.Text, e.Cause = strings.TrimLeft(rest+"\n\n"+strings.TrimSuffix(first, "."), "\n"), session.Failed
	}
	r.Emit(e)
}

func (r *reader) readAnswer(m *message) {
	for _, t := range m.Thoughts.Blocks {
		r.EmitText(session.Thinking, r.Speaker(session.Agent), strings.Trim(fmt.Sprintf("%s: %s", t.Subject, t.Description), ": "))
	}
	for _, text := range texts(m.Content) {
		if !r.repeats("gemini", text) && !r.anew {
			r.EmitText(session.AssistantText, r.Speaker(session.Agent), text)
		}
	}
}

// rewind leaves a message and what came after it.
func (r *reader) rewind(id string) {
	first, ok := r.read[id]
	if !ok || first >= len(r.Nodes) {
		return
	}
	r.MarkNode(first, true)
	r.Tail = r.Nodes[first].ParentID
	r.Stopped = false
	for id, node := range r.read { // what follows may be written again
		if node >= first {
			delete(r.read, id)
		}
	}
}
