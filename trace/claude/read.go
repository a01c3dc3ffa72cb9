// Package claude reads the sessions of Claude Code.
package claude

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mem/session"
	"mem/trace/jsonl"
)

type line struct {
	Type, Subtype, UUID, ParentUUID, LogicalParentUUID, SessionID    string
	CWD, Version, Entrypoint, ToolDenialKind, PromptSource           string
	SourceToolUseID, ParentToolUseID                                 string
	PlanContent                                                      string // of a plan that the person accepted
	Operation                                                        string // of the queue
	IsSidechain, IsMeta, IsCompactSummary, IsVisibleInTranscriptOnly bool
	IsAPIErrorMessage, InterruptedByShutdown                         bool

	Timestamp                  time.Time
	Message                    *message
	ToolUseResult              twin
	PermissionDecision         struct{ Source string } // who decided: "user_reject", "config", "hook", …
	Attachment                 attachment
	Content, HookErrors, Error jsonl.Prose
	Origin, Data               sender
}

// A sender says who sent a prompt, or which sub-agent makes progress.
type sender struct{ Kind, AgentID string }

func (s sender) isProgram() bool { return s.Kind != "" && s.Kind != "human" }

type message struct {
	ID, Model string
	Content   jsonl.Blocks[block]
}

type block struct {
	Type, Text, Thinking, ID, Name, ToolUseID string

	Input   jsonl.Raw
	Content jsonl.Prose
	IsError bool
}

// An attachment is what the client slipped in between two messages.
type attachment struct {
	Type, CommandMode, Filename, ToolUseID string

	Prompt, Content, Snippet jsonl.Prose
	Origin                   sender
	BlockingError            struct{ BlockingError jsonl.Prose }
}

// A blockKey identifies a block: the id of its API message and what it says.
type blockKey [6]string

type reader struct {
	*jsonl.Builder
	agentFile bool // every line is a sub-agent's

	nodes   []node
	node    int            // of the line that is being read
	index   map[string]int // node by uuid
	nodeOf  map[string]int // node by the key of an entry
	prompts map[int]int    // node of the latest prompt of a person by the message that it answers

	spawned map[string]string // call by sub-agent
	said    map[blockKey]bool // blocks that were read
	queue   map[string][]int  // prompts that were typed while the agent worked, by the numbers of their events
	shell   string            // call of the last command that a person ran
	notices []string          // of the line that is being read
}

// Read reads a Claude Code session, with what its sub-agents wrote into files of their own, each after
// the call that started it.
func Read(src *jsonl.Source) *session.Session {
	s, spawned := readFile(src, false)
	if src.Path != "" {
		attachAgents(s, src.Path, spawned)
	}
	return s
}

// readFile reads one file of a session. spawned says which call started
// which sub-agent. In an agent file all lines are a sub-agent's.
func readFile(src *jsonl.Source, agentFile bool) (s *session.Session, spawned map[string]string) {
	r := &reader{
		Builder:   jsonl.NewBuilder("claude", src),
		agentFile: agentFile,
		index:     make(map[string]int),
		nodeOf:    make(map[string]int),
		prompts:   make(map[int]int),
		queue:     make(map[string][]int),
		spawned:   make(map[string]string),
		said:      make(map[blockKey]bool),
	}
	for l, at := range jsonl.Objects[line](src) {
		r.readLine(l, at)
	}
	s = r.Finish()
	r.markLeft()
	s.Events = slices.DeleteFunc(s.Events, func(e session.Event) bool { return e.Kind == "" }) // withdrawn
	return s, r.spawned
}

func (r *reader) readLine(l *line, at jsonl.Span) {
	if _, again := r.index[l.UUID]; again {
		return // resumed sessions repeat lines
	}
	r.StartEntry(l.UUID, at, l.Timestamp)
	r.Side = r.agentFile || l.IsSidechain
	read, ok := conversation[l.Type]
	isMessage := l.Type == "user" || l.Type == "assistant"
	switch {
	case !ok:
		r.readBookkeeping(l)
		return
	case isMessage && l.Message == nil:
		r.Session.Ignored++
		return
	}
	r.addNode(l, isMessage)
	r.describeSession(l)
	read(r, l)
}

// A node is a line of the conversation, whether or not it gave events.
type node struct {
	parent  int  // a line before it in the file; -1 at a root
	message int  // nearest message on the way to the root, with itself; -1 for none
	left    bool // the session left it
}

func (r *reader) addNode(l *line, isMessage bool) {
	r.node = len(r.nodes)
	n := node{parent: -1, message: -1}
	// LogicalParentUUID leads across a compaction.
	if p, ok := r.index[cmp.Or(l.ParentUUID, l.LogicalParentUUID)]; ok {
		n.parent, n.message = p, r.nodes[p].message
	}
	if isMessage {
		n.message = r.node
	}
	r.nodes, r.nodeOf[r.Key] = append(r.nodes, n), r.node
	if l.UUID != "" {
		r.index[l.UUID] = r.node
	}
}

// joinPrompt marks what was said before a person went back and typed another prompt in the same place. Forks for other
// reasons are common: parallel calls, and commands of the client, which are not prompts.
func (r *reader) joinPrompt() {
	p := r.nodes[r.node].parent
	if p < 0 || r.nodes[p].message < 0 {
		return
	}
	at := r.nodes[p].message
	if before, ok := r.prompts[at]; ok && before != r.node {
		r.nodes[before].left = true
	}
	r.prompts[at] = r.node
}

// markLeft marks the events of lines that the session left, and of those that follow them.
func (r *reader) markLeft() {
	for i, n := range r.nodes {
		r.nodes[i].left = n.left || n.parent >= 0 && r.nodes[n.parent].left
	}
	left := false // an event outside of the conversation shares the fate of what came before
	for i, e := range r.Session.Events {
		if n, ok := r.nodeOf[jsonl.KeyOf(e)]; ok {
			left = r.nodes[n].left
		}
		r.Session.Events[i].Abandoned = left
	}
}

// conversation has the types of the lines that are part of it.
var conversation = map[string]func(*reader, *line){
	"user":       (*reader).readUser,
	"assistant":  (*reader).readAssistant,
	"system":     (*reader).readSystem,
	"attachment": func(r *reader, l *line) { r.readAttachment(&l.Attachment) },
	"progress":   func(r *reader, l *line) { r.noteSpawned(l.Data.AgentID, l.ParentToolUseID) },
}

func (r *reader) noteSpawned(agent, call string) {
	if agent != "" && call != "" {
		r.spawned[agent] = call
	}
}

func (r *reader) readBookkeeping(l *line) {
	switch l.Type {
	case "queue-operation":
		r.queueOperation(l)
	case "summary", "custom-title", "ai-title", "agent-name", "agent-color", "agent-setting", "last-prompt",
		"mode", "permission-mode", "memory-mode", "repl-mode", "dev-mods", "pr-link", "bridge-session", "file-history-snapshot",
		"file-history-delta", "frame-link", "atis-latch", "isolation-latch", "cost-state", "tag", "relocated",
		"worktree-state", "started", "result", "tools-used", "session-owner", "hybrid-organization", "host-row", "observer-ref",
		"api-request", "api-request-shape", "api-request-blob", "api-request-resumed", "resume-head-vouch",
		"continued-in", "ended-by-model", "derived-from", "fork-context-ref", "history-suppression", "content-replacement",
		"attribution-snapshot", "artifact-comment-monitor", "artifact-autoreact-ledger", "data-flow-records", "data-flow-incomplete":
		// Summaries may be of other sessions; the rest is the client's own or a copy.
	default:
		r.Session.Ignored++
	}
}

func (r *reader) describeSession(l *line) {
	s := r.Session
	if l.SessionID != "" && l.SessionID != s.ID && (s.ID == "" || !r.Side) {
		// What came before was copied from the session resumed.
		s.Parent, s.ID = cmp.Or(s.Parent, s.ID), l.SessionID
	}
	s.CWD = cmp.Or(s.CWD, l.CWD)
	s.Version = cmp.Or(l.Version, s.Version)
	if l.Message != nil && l.Message.Model != synthetic && !r.Side {
		s.Model = cmp.Or(l.Message.Model, s.Model)
	}
}

const synthetic = "<synthetic>"

func (r *reader) readAssistant(l *line) {
	m := l.Message
	for i := range m.Content {
		b := &m.Content[i]
		if m.Model == synthetic || l.IsAPIErrorMessage {
			r.readMadeUp(l, b.Text)
			continue
		}
		key := blockKey{m.ID, b.Type, b.ID, b.ToolUseID, b.Text, b.Thinking}
		if !r.said[key] { // else the block was written twice
			before := r.Next()
			r.readBlock(b)
			r.said[key] = m.ID != "" && r.Next() > before
		}
	}
}

func (r *reader) readBlock(b *block) {
	agent := session.Agent
	switch {
	case b.Type == "text":
		r.EmitText(session.AssistantText, agent, b.Text)
	case b.Type == "thinking":
		r.EmitText(session.Thinking, agent, b.Thinking)
	case b.Type == "tool_use" || b.Type == "server_tool_use":
		r.EmitCall(agent, b.Name, b.ID, jsonl.Compact(b.Input))
	case strings.HasSuffix(b.Type, "_tool_result"): // of a tool that ran at the provider
		r.EmitResult(session.Event{Origin: session.External, CallID: b.ToolUseID, Text: string(b.Content)})
	}
}

// readMadeUp handles a message that the client wrote in the model's place.
func (r *reader) readMadeUp(l *line, said string) {
	switch {
	case l.IsAPIErrorMessage:
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
