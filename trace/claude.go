package trace

import (
	"hash/fnv"
	"slices"
	"strings"
)

// A claudeLine is one line of a Claude Code session, of any type.
type claudeLine struct {
	Type              text `json:"type"`
	Subtype           text `json:"subtype"`
	UUID              text `json:"uuid"`
	ParentUUID        text `json:"parentUuid"`
	LogicalParentUUID text `json:"logicalParentUuid"`
	SessionID         text `json:"sessionId"`

	Timestamp   stamp `json:"timestamp"`
	CWD         text  `json:"cwd"`
	Version     text  `json:"version"`
	IsSidechain flag  `json:"isSidechain"`

	IsMeta           flag `json:"isMeta"`
	IsCompactSummary flag `json:"isCompactSummary"`
	TranscriptOnly   flag `json:"isVisibleInTranscriptOnly"`
	IsAPIError       flag `json:"isApiErrorMessage"`
	Shutdown         flag `json:"interruptedByShutdown"`
	DenialKind       text `json:"toolDenialKind"`
	PromptSource     text `json:"promptSource"`
	SourceToolUseID  text `json:"sourceToolUseID"`

	Origin     object[claudeOrigin]     `json:"origin"`
	Message    object[claudeMessage]    `json:"message"`
	Result     claudeTwin               `json:"toolUseResult"`
	Attachment object[claudeAttachment] `json:"attachment"`

	// queue-operation, system, progress
	Operation       text                 `json:"operation"`
	Content         prose                `json:"content"`
	HookErrors      prose                `json:"hookErrors"`
	Error           prose                `json:"error"`
	Data            object[claudeOrigin] `json:"data"`
	ParentToolUseID text                 `json:"parentToolUseID"`
}

// A claudeOrigin says who sent a prompt, or which sub-agent makes progress.
type claudeOrigin struct {
	Kind    text `json:"kind"`
	AgentID text `json:"agentId"`
}

// A claudeMessage is the API message of a line.
type claudeMessage struct {
	ID      text                 `json:"id"`
	Model   text                 `json:"model"`
	Content content[claudeBlock] `json:"content"`
}

// A claudeBlock is one content block of a message.
type claudeBlock struct {
	Type      text  `json:"type"`
	Text      text  `json:"text"`
	Thinking  text  `json:"thinking"`
	ID        text  `json:"id"`
	Name      text  `json:"name"`
	Input     raw   `json:"input"`
	ToolUseID text  `json:"tool_use_id"`
	Content   prose `json:"content"`
	IsError   flag  `json:"is_error"`
}

// list returns the blocks of a message, also when its content is one string.
func (m *claudeMessage) list() []claudeBlock {
	if m.Content.plain != "" {
		return []claudeBlock{{Type: "text", Text: text(m.Content.plain)}}
	}
	return m.Content.blocks
}

// A claudeAttachment is what the client slipped in between two messages.
type claudeAttachment struct {
	Type          text                 `json:"type"`
	Prompt        prose                `json:"prompt"`
	CommandMode   text                 `json:"commandMode"`
	Origin        object[claudeOrigin] `json:"origin"`
	Content       prose                `json:"content"`
	Snippet       prose                `json:"snippet"`
	ToolUseID     text                 `json:"toolUseID"`
	BlockingError object[struct {
		BlockingError prose `json:"blockingError"`
	}] `json:"blockingError"`
}

// A claudeReader turns Claude Code lines into a session.
type claudeReader struct {
	*builder
	agentFile bool // every line is a sub-agent's
	side      bool // the line being read is a sub-agent's

	tools   map[string]string // tool by call
	spawned map[string]string // call by sub-agent
	said    map[uint64]string // event by block of an API message
	blocked map[string]bool   // calls that a hook blocked
	prompts []int             // nodes that hold a person's prompt
	queue   []queued
	shell   string // call of the last command that a person ran
	stopped bool   // a person just denied or interrupted, and said nothing since
}

// readClaude reads a Claude Code session. spawned says which call started
// which sub-agent. In an agent file all lines are a sub-agent's.
func readClaude(src *source, agentFile bool) (s *Session, spawned map[string]string) {
	r := &claudeReader{
		builder:   newBuilder("claude", src.cut),
		agentFile: agentFile,
		tools:     make(map[string]string),
		spawned:   make(map[string]string),
		said:      make(map[uint64]string),
		blocked:   make(map[string]bool),
	}
	t := each(src, func(l *claudeLine, at span) bool {
		r.line(l, at)
		return true
	})
	r.settle()
	r.link(func(int) int { return -1 })
	r.rewinds()
	s = r.finish(t)
	s.Events = slices.DeleteFunc(s.Events, func(e Event) bool { return e.Kind == "" }) // withdrawn
	return s, r.spawned
}

func (r *claudeReader) line(l *claudeLine, at span) {
	uuid := string(l.UUID)
	if _, again := r.index[uuid]; again && uuid != "" {
		return // resumed sessions repeat lines
	}
	r.enter(uuid, at, l.Timestamp.Time)
	r.side = r.agentFile || bool(l.IsSidechain)
	switch l.Type {
	case "user", "assistant":
		if !l.Message.set {
			r.s.Ignored++
			return
		}
	case "system", "attachment", "progress":
	default:
		r.bookkeeping(l)
		return
	}
	parent := l.ParentUUID
	if parent == "" {
		parent = l.LogicalParentUUID // across a compaction
	}
	r.join(uuid, string(parent))
	r.nodes[r.node].passing = l.Type != "user" && l.Type != "assistant"
	r.describe(l)
	switch l.Type {
	case "user":
		r.user(l)
	case "assistant":
		r.assistant(l)
	case "system":
		r.system(l)
	case "attachment":
		r.attachment(&l.Attachment.V)
	case "progress":
		if id := string(l.Data.V.AgentID); id != "" && l.ParentToolUseID != "" {
			r.spawned[id] = string(l.ParentToolUseID)
		}
	}
}

// bookkeeping handles lines outside of the conversation.
func (r *claudeReader) bookkeeping(l *claudeLine) {
	switch l.Type {
	case "queue-operation":
		r.queueOperation(l)
	case "summary", "custom-title", "ai-title", "agent-name", "agent-setting", "last-prompt",
		"mode", "permission-mode", "pr-link", "bridge-session", "file-history-snapshot",
		"file-history-delta", "frame-link", "atis-latch", "cost-state", "tag", "relocated",
		"worktree-state", "started", "result":
		// Summaries may be of other sessions; the rest is the client's own.
	default:
		r.s.Ignored++
	}
}

// describe takes what a line says about the session.
func (r *claudeReader) describe(l *claudeLine) {
	s := r.s
	if id := string(l.SessionID); id != "" && id != s.ID && (s.ID == "" || !r.side) {
		if s.Parent == "" {
			s.Parent = s.ID // history that was copied from the session resumed
		}
		s.ID = id
	}
	if s.CWD == "" {
		s.CWD = string(l.CWD)
	}
	if l.Version != "" {
		s.Version = string(l.Version)
	}
	if m := string(l.Message.V.Model); m != "" && m != synthetic && !r.side {
		s.Model = m
	}
}

// synthetic is the model of messages that the client made up.
const synthetic = "<synthetic>"

func (r *claudeReader) assistant(l *claudeLine) {
	m := &l.Message.V
	for i := range m.list() {
		b := &m.list()[i]
		if m.Model == synthetic || bool(l.IsAPIError) {
			r.madeUp(l, string(b.Text))
			continue
		}
		key := blockKey(m.ID, b)
		if id, again := r.said[key]; again {
			r.nodes[r.node].tip = id // the block was written twice
			continue
		}
		before := r.n
		r.block(b)
		if m.ID != "" && r.n > before {
			r.said[key] = r.last().ID
		}
	}
}

// block emits a block of an assistant's message.
func (r *claudeReader) block(b *claudeBlock) {
	agent := r.by(Agent)
	switch {
	case b.Type == "text":
		r.say(AssistantText, agent, string(b.Text))
	case b.Type == "thinking":
		r.say(Thinking, agent, string(b.Thinking))
	case b.Type == "tool_use" || b.Type == "server_tool_use":
		if _, again := r.tools[string(b.ID)]; again && b.ID != "" {
			return
		}
		r.stopped = false
		r.emit(Event{
			Kind: ToolCall, Origin: agent,
			Tool: string(b.Name), CallID: string(b.ID), Input: compact(b.Input.v),
		})
		if b.ID != "" {
			r.tools[string(b.ID)] = string(b.Name)
		}
	case strings.HasSuffix(string(b.Type), "_tool_result"): // of a tool that ran at the provider
		r.emit(Event{
			Kind: ToolResult, Origin: External,
			Tool: r.tools[string(b.ToolUseID)], CallID: string(b.ToolUseID), Text: string(b.Content),
		})
	}
}

// madeUp handles a message that the client wrote in the model's place.
func (r *claudeReader) madeUp(l *claudeLine, said string) {
	switch {
	case bool(l.IsAPIError):
		r.fail(said)
	case strings.TrimSpace(said) != "No response requested.":
		r.say(AssistantText, Injected, said)
	}
}

func (r *claudeReader) system(l *claudeLine) {
	switch l.Subtype {
	case "api_error":
		said := string(l.Error)
		if said == "" {
			said = string(l.Content)
		}
		if said == "" {
			said = "API error"
		}
		r.fail(said)
	case "stop_hook_summary":
		r.say(UserText, Injected, string(l.HookErrors))
	}
}

// by returns who is behind a line of the given origin: in a sub-agent's
// conversation even the prompts are a model's.
func (r *claudeReader) by(o Origin) Origin {
	if r.side && (o == Human || o == Agent) {
		return Subagent
	}
	return o
}

// say emits text that is not blank.
func (r *claudeReader) say(kind Kind, origin Origin, s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	if origin != Injected {
		r.stopped = false
	}
	r.emit(Event{Kind: kind, Origin: origin, Text: s})
}

// blockKey identifies a block among those of one API message.
func blockKey(message text, b *claudeBlock) uint64 {
	h := fnv.New64a()
	for _, s := range []text{message, b.Type, b.ID, b.ToolUseID, b.Text, b.Thinking} {
		h.Write([]byte(s))
		h.Write([]byte{0})
	}
	return h.Sum64()
}
