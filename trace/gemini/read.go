// Package gemini reads the sessions of the Gemini CLI: lines of JSON, where later lines amend earlier
// ones, and the single documents of versions before 0.40.
//
// The CLI writes a message again when it grows, and the whole conversation again, under new ids, when
// it changed the model's input. Words count once.
package gemini

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/session"
	"mem/trace/jsonl"
)

// A line is the head of a session, which in a document holds all messages, a message, or a change.
type line struct {
	SessionID, ProjectHash, Kind string

	Messages jsonl.List[message]
	Set      *struct{ Messages jsonl.List[message] } `json:"$set"`
	RewindTo string                                  `json:"$rewindTo"`
	message
}

type message struct {
	ID, Type, Model string
	Timestamp       time.Time
	Content         jsonl.Blocks[part]
	DisplayContent  jsonl.Blocks[part] // what the person typed, if files or contexts were added to it
	Thoughts        jsonl.Blocks[struct{ Subject, Description string }]
	ToolCalls       jsonl.Blocks[call]
}

type part struct {
	Text             string
	Thought          bool
	FunctionResponse struct {
		Response struct{ Output, Error jsonl.Prose }
	}
}

func texts(parts []part) (all []string) {
	for _, p := range parts {
		if !p.Thought && p.Text != "" {
			all = append(all, p.Text)
		}
	}
	return all
}

type reader struct {
	*jsonl.Builder
	hash   string          // of the working directory
	read   map[string]int  // messages by id: the number of the first event of each
	said   map[string]bool // texts of the conversation
	typed  map[string]bool // messages with words of the person, by id
	ended  map[string]bool // calls whose result was emitted
	replay bool            // what follows may be what was said before
	anew   bool            // it is the conversation written anew, in which no person speaks
}

// Read reads a session of the Gemini CLI.
func Read(src *jsonl.Source) *session.Session {
	r := &reader{
		Builder: jsonl.NewBuilder("gemini", src),
		read:    make(map[string]int), said: make(map[string]bool), typed: make(map[string]bool), ended: make(map[string]bool),
	}
	for l, at := range jsonl.Objects[line](src) {
		r.readLine(l, at)
	}
	return r.Finish()
}

func (r *reader) readLine(l *line, at jsonl.Span) {
	switch {
	case l.RewindTo != "":
		r.rewind(l.RewindTo)
	case l.SessionID != "":
		s := r.Session
		s.ID, r.hash = cmp.Or(s.ID, l.SessionID), cmp.Or(r.hash, l.ProjectHash)
		r.Side = l.Kind == "subagent"
		r.readMessages(l.Messages, at)
	case l.Set != nil:
		if len(l.Set.Messages) > 0 {
			r.replay, r.anew = true, r.isAnew(l.Set.Messages)
			r.readMessages(l.Set.Messages, at)
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

// isAnew reports whether messages repeat what was already read, rewritten by the client. They do not
// if one has the id of a message that the person typed, or if the person typed none before: then an
// older version's session was resumed.
func (r *reader) isAnew(list jsonl.List[message]) bool {
	for i := range list {
		if r.typed[list[i].V.ID] {
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
	_, again := r.read[m.ID]
	r.StartEntry(m.ID, at, m.Timestamp)
	if !again {
		r.read[m.ID] = r.Next()
		r.readWords(m)
	}
	for i := range m.ToolCalls {
		r.readCall(&m.ToolCalls[i], at)
	}
}

func (r *reader) readWords(m *message) {
	switch m.Type {
	case "user":
		r.readPrompt(m)
	case "gemini":
		r.Session.Model = cmp.Or(m.Model, r.Session.Model)
		r.readAnswer(m)
	case "info":
		if slices.Equal(texts(m.Content), []string{"Request cancelled."}) {
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
	exitHead    = "Command exited with code "
	filesHead   = "--- Content from referenced files ---"
)

// isContext reports whether a message is the client's first, or one that it made of all
// there was.
func isContext(said []string) bool { return len(said) > 0 && strings.HasPrefix(said[0], contextTag) }

// readPrompt reads what the model was sent as the user's.
func (r *reader) readPrompt(m *message) {
	said := texts(m.Content)
	if typed := texts(m.DisplayContent); len(typed) > 0 {
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
			r.typed[m.ID] = true
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
		r.EmitText(session.UserText, session.Human, text)
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

func (r *reader) readShell(text string) {
	command, printed, _ := strings.Cut(strings.TrimPrefix(text, shellHead), shellResult)
	printed, cause := strings.TrimSuffix(strings.TrimSpace(printed), "\n```"), session.OK
	if first, rest, _ := strings.Cut(printed, "\n"); strings.HasPrefix(first, exitHead) {
		printed, cause = jsonl.AddExit(rest, strings.Trim(first[len(exitHead):], ".")), session.Failed
	}
	r.EmitShell(shellTool, command, printed, cause)
}

func (r *reader) readAnswer(m *message) {
	for _, t := range m.Thoughts {
		r.EmitText(session.Thinking, session.Agent, strings.Trim(fmt.Sprintf("%s: %s", t.Subject, t.Description), ": "))
	}
	for _, text := range texts(m.Content) {
		if !r.repeats("gemini", text) && !r.anew {
			r.EmitText(session.AssistantText, session.Agent, text)
		}
	}
}

func (r *reader) rewind(id string) {
	first, ok := r.read[id]
	if !ok || first >= r.Next() {
		return
	}
	r.LeaveSince(first)
	for id, seq := range r.read { // what follows may be written again
		if seq >= first {
			delete(r.read, id)
		}
	}
}
