// Package claude reads the sessions of Claude Code.
package claude

import (
	"cmp"
	"slices"
	"strings"

	"mem/session"
	"mem/trace/build"
	"mem/trace/jsonl"
)

// A line is one line of a Claude Code session, of any type.
type line struct {
	Type              jsonl.Text `json:"type"`
	Subtype           jsonl.Text `json:"subtype"`
	UUID              jsonl.Text `json:"uuid"`
	ParentUUID        jsonl.Text `json:"parentUuid"`
	LogicalParentUUID jsonl.Text `json:"logicalParentUuid"`
	SessionID         jsonl.Text `json:"sessionId"`

	Timestamp   jsonl.Stamp `json:"timestamp"`
	CWD         jsonl.Text  `json:"cwd"`
	Version     jsonl.Text  `json:"version"`
	IsSidechain jsonl.Flag  `json:"isSidechain"`

	IsMeta           jsonl.Flag `json:"isMeta"`
	IsCompactSummary jsonl.Flag `json:"isCompactSummary"`
	TranscriptOnly   jsonl.Flag `json:"isVisibleInTranscriptOnly"`
	IsAPIError       jsonl.Flag `json:"isApiErrorMessage"`
	Shutdown         jsonl.Flag `json:"interruptedByShutdown"`
	DenialKind       jsonl.Text `json:"toolDenialKind"`
	PromptSource     jsonl.Text `json:"promptSource"`
	Entrypoint       jsonl.Text `json:"entrypoint"`
	SourceToolUseID  jsonl.Text `json:"sourceToolUseID"`
	PlanContent      jsonl.Text `json:"planContent"` // of a plan that the person accepted

	Origin     jsonl.Object[sender]     `json:"origin"`
	Message    jsonl.Object[message]    `json:"message"`
	Result     twin                     `json:"toolUseResult"`
	Attachment jsonl.Object[attachment] `json:"attachment"`

	// queue-operation, system, progress
	Operation       jsonl.Text           `json:"operation"`
	Content         jsonl.Prose          `json:"content"`
	HookErrors      jsonl.Prose          `json:"hookErrors"`
	Error           jsonl.Prose          `json:"error"`
	Data            jsonl.Object[sender] `json:"data"`
	ParentToolUseID jsonl.Text           `json:"parentToolUseID"`
}

// A sender says who sent a prompt, or which sub-agent makes progress.
type sender struct {
	Kind    jsonl.Text `json:"kind"`
	AgentID jsonl.Text `json:"agentId"`
}

func (s sender) isProgram() bool { return s.Kind != "" && s.Kind != "human" }

// A message is the API message of a line.
type message struct {
	ID      jsonl.Text           `json:"id"`
	Model   jsonl.Text           `json:"model"`
	Content jsonl.Content[block] `json:"content"`
}

// A block is one content block of a message.
type block struct {
	Type      jsonl.Text  `json:"type"`
	Text      jsonl.Text  `json:"text"`
	Thinking  jsonl.Text  `json:"thinking"`
	ID        jsonl.Text  `json:"id"`
	Name      jsonl.Text  `json:"name"`
	Input     jsonl.Raw   `json:"input"`
	ToolUseID jsonl.Text  `json:"tool_use_id"`
	Content   jsonl.Prose `json:"content"`
	IsError   jsonl.Flag  `json:"is_error"`
}

// blocks returns the blocks of a message, also when its content is one string.
func (m *message) blocks() []block {
	if m.Content.Plain != "" {
		return []block{{Type: "text", Text: jsonl.Text(m.Content.Plain)}}
	}
	return m.Content.Blocks
}

// An attachment is what the client slipped in between two messages.
type attachment struct {
	Type          jsonl.Text           `json:"type"`
	Prompt        jsonl.Prose          `json:"prompt"`
	CommandMode   jsonl.Text           `json:"commandMode"`
	Origin        jsonl.Object[sender] `json:"origin"`
	Content       jsonl.Prose          `json:"content"`
	Filename      jsonl.Text           `json:"filename"`
	Snippet       jsonl.Prose          `json:"snippet"`
	ToolUseID     jsonl.Text           `json:"toolUseID"`
	BlockingError jsonl.Object[struct {
		BlockingError jsonl.Prose `json:"blockingError"`
	}] `json:"blockingError"`
}

// A blockKey identifies a block: the id of its API message and what it says.
type blockKey [6]jsonl.Text

// A reader turns Claude Code lines into a session.
type reader struct {
	*build.Builder
	agentFile bool // every line is a sub-agent's

	spawned map[string]string   // call by sub-agent
	said    map[blockKey]string // event by block
	prompts []int               // nodes that hold a person's prompt
	queue   []queued
	shell   string   // call of the last command that a person ran
	notices []string // of the line that is being read
}

// Read reads a Claude Code session. spawned says which call started
// which sub-agent. In an agent file all lines are a sub-agent's.
func Read(src *jsonl.Source, agentFile bool) (s *session.Session, spawned map[string]string) {
	r := &reader{
		Builder:   build.NewBuilder("claude", src.Cut),
		agentFile: agentFile,
		spawned:   make(map[string]string),
		said:      make(map[blockKey]string),
	}
	t := jsonl.ReadObjects(src, r.readLine)
	r.CompleteResults()
	r.LinkNodes(func(int) int { return -1 })
	r.abandonRewound()
	s = r.Finish(t)
	s.Events = slices.DeleteFunc(s.Events, func(e session.Event) bool { return e.Kind == "" }) // withdrawn
	return s, r.spawned
}

func (r *reader) readLine(l *line, at jsonl.Span) {
	uuid := string(l.UUID)
	if uuid != "" && r.HasNode(uuid) {
		return // resumed sessions repeat lines
	}
	r.StartEntry(uuid, at, l.Timestamp.Time)
	r.Side = r.agentFile || bool(l.IsSidechain)
	read, ok := conversation[l.Type]
	isMessage := l.Type == "user" || l.Type == "assistant"
	switch {
	case !ok:
		r.readBookkeeping(l)
		return
	case isMessage && !l.Message.Set:
		r.Session.Ignored++
		return
	}
	// LogicalParentUUID leads across a compaction.
	r.AddNode(uuid, string(cmp.Or(l.ParentUUID, l.LogicalParentUUID)))
	r.Nodes[r.Node].Passing = !isMessage
	r.describeSession(l)
	read(r, l)
}

// conversation has the types of the lines that are part of it.
var conversation = map[jsonl.Text]func(*reader, *line){
	"user":       (*reader).readUser,
	"assistant":  (*reader).readAssistant,
	"system":     (*reader).readSystem,
	"attachment": func(r *reader, l *line) { r.readAttachment(&l.Attachment.V) },
	"progress":   func(r *reader, l *line) { r.noteSpawned(string(l.Data.V.AgentID), string(l.ParentToolUseID)) },
}

// noteSpawned says which call started a sub-agent.
func (r *reader) noteSpawned(agent, call string) {
	if agent != "" && call != "" {
		r.spawned[agent] = call
	}
}

// readBookkeeping handles lines outside of the conversation.
func (r *reader) readBookkeeping(l *line) {
	switch l.Type {
	case "queue-operation":
		r.queueOperation(l)
	case "summary", "custom-title", "ai-title", "agent-name", "agent-setting", "last-prompt",
		"mode", "permission-mode", "pr-link", "bridge-session", "file-history-snapshot",
		"file-history-delta", "frame-link", "atis-latch", "cost-state", "tag", "relocated",
		"worktree-state", "started", "result",
		"api-request", "api-request-shape", "api-request-blob", "tools-used":
		// Summaries may be of other sessions; the rest is the client's own or a copy.
	default:
		r.Session.Ignored++
	}
}

// describeSession takes what a line says about the session.
func (r *reader) describeSession(l *line) {
	s := r.Session
	if id := string(l.SessionID); id != "" && id != s.ID && (s.ID == "" || !r.Side) {
		// What came before was copied from the session resumed.
		s.Parent = cmp.Or(s.Parent, s.ID)
		s.ID = id
	}
	s.CWD = cmp.Or(s.CWD, string(l.CWD))
	s.Version = cmp.Or(string(l.Version), s.Version)
	if m := string(l.Message.V.Model); m != "" && m != synthetic && !r.Side {
		s.Model = m
	}
}

// synthetic is the model of messages that the client made up.
const synthetic = "<synthetic>"

func (r *reader) readAssistant(l *line) {
	m := &l.Message.V
	for i := range m.blocks() {
		b := &m.blocks()[i]
		if m.Model == synthetic || bool(l.IsAPIError) {
			r.readMadeUp(l, string(b.Text))
			continue
		}
		key := blockKey{m.ID, b.Type, b.ID, b.ToolUseID, b.Text, b.Thinking}
		if id, again := r.said[key]; again {
			r.StandFor(id) // the block was written twice
			continue
		}
		before := r.EventCount()
		r.readBlock(b)
		if m.ID != "" && r.EventCount() > before {
			r.said[key] = r.LastEvent().ID
		}
	}
}

func (r *reader) readBlock(b *block) {
	agent := r.Speaker(session.Agent)
	switch {
	case b.Type == "text":
		r.EmitText(session.AssistantText, agent, string(b.Text))
	case b.Type == "thinking":
		r.EmitText(session.Thinking, agent, string(b.Thinking))
	case b.Type == "tool_use" || b.Type == "server_tool_use":
		r.EmitCall(agent, string(b.Name), string(b.ID), jsonl.Compact(b.Input))
	case strings.HasSuffix(string(b.Type), "_tool_result"): // of a tool that ran at the provider
		r.Emit(session.Event{
			Kind: session.ToolResult, Origin: session.External,
			Tool: r.Tools[string(b.ToolUseID)], CallID: string(b.ToolUseID), Text: string(b.Content),
		})
	}
}

// readMadeUp handles a message that the client wrote in the model's place.
func (r *reader) readMadeUp(l *line, said string) {
	switch {
	case bool(l.IsAPIError):
		r.EmitFailure(said)
	case strings.TrimSpace(said) != "No response requested.":
		r.EmitText(session.AssistantText, session.Injected, said)
	}
}

func (r *reader) readSystem(l *line) {
	switch l.Subtype {
	case "api_error":
		r.EmitFailure(string(cmp.Or(l.Error, l.Content, "API error")))
	case "stop_hook_summary":
		r.EmitInjected(string(l.HookErrors))
	}
}
