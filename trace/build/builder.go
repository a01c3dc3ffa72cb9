// Package build assembles a session from the entries of a transcript. The
// readers of all formats use it.
package build

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mem/session"
	"mem/trace/jsonl"
)

// MaxEvents bounds the events of a session. The oldest go first.
const MaxEvents = 1 << 14

// A Builder collects the events of one session together with the tree of
// entries that they come from.
type Builder struct {
	Session *session.Session
	src     *jsonl.Source
	base    int            // events dropped so far
	owner   []int          // node of each event in s.Events; -1 if it has none
	keys    map[string]int // of entries, with how often each was asked for
	Nodes   []Node
	index   map[string]int // node by id; the last one with that id
	linked  bool           // the nodes have their parents
	Orphans bool           // a node whose parent is not there is a root; else it follows the node before it

	// The entry that is being read.
	Key  string
	Node int  // index in Nodes; -1 if the entry is in no conversation
	Side bool // it is a sub-agent's
	n    int  // events of it so far
	at   jsonl.Span
	time time.Time

	// Linear says that an entry joins the conversation, behind the one before,
	// when it gives its first event.
	Linear bool
	// Tail is the ID of the entry that the next one follows, if Linear.
	Tail string

	// Stopped says that a person just denied a call or interrupted, and that
	// nothing was said or asked since.
	Stopped bool

	Tools   map[string]string   // tool by call
	revised map[string]revision // causes by call

	failures int // length of the run of failures that the last event stands for
	failure  string
}

// A revision replaces one cause of a result by another.
type revision struct{ from, to session.Cause }

// NewBuilder returns a builder of the session of agent in src.
func NewBuilder(agent string, src *jsonl.Source) *Builder {
	return &Builder{
		Session: &session.Session{Agent: agent, Truncated: src.Cut},
		src:     src,
		keys:    make(map[string]int),
		index:   make(map[string]int),
		Node:    -1,
		Tools:   make(map[string]string),
		revised: make(map[string]revision),
	}
}

// StartEntry starts an entry. Its key becomes the ID of its first event; the
// others add # and a number. Entries that are in no conversation have no node.
func (b *Builder) StartEntry(key string, at jsonl.Span, when time.Time) {
	if key == "" {
		key = "@" + strconv.FormatInt(at.Off, 10)
	}
	b.Key, b.n, b.at, b.time, b.Node = b.UniqueKey(key), 0, at, when, -1
}

// UniqueKey returns key, or one like it that no entry has yet. Only damaged and
// hostile files use a key twice or use our own separators.
func (b *Builder) UniqueKey(key string) string {
	key = strings.ReplaceAll(key, "#", "%23")
	for base := key; b.keys[key] > 0; {
		b.keys[base]++
		key = base + "~" + strconv.Itoa(b.keys[base])
	}
	b.keys[key] = 1
	return key
}

// AddNode makes the entry that is being read a node of the conversation.
func (b *Builder) AddNode(id, parentID string) {
	b.Node = len(b.Nodes)
	b.Nodes = append(b.Nodes, Node{ID: id, ParentID: parentID, Parent: -1})
	if id != "" {
		b.index[id] = b.Node
	}
}

// Speaker returns who is behind words of the given origin: in a sub-agent's
// conversation even the prompts are a model's.
func (b *Builder) Speaker(o session.Origin) session.Origin {
	if b.Side && (o == session.Human || o == session.Agent) {
		return session.Subagent
	}
	return o
}

// Emit appends an event to the entry and returns its number, for FindEvent.
func (b *Builder) Emit(e session.Event) int {
	if b.Linear && b.Node < 0 {
		b.AddNode(b.Key, b.Tail)
		b.Tail = b.Key
	}
	e.ID = b.Key
	if b.n > 0 {
		e.ID += "#" + strconv.Itoa(b.n)
		e.Parent = b.LastEvent().ID
	}
	e.Text = jsonl.Clip(e.Text, session.MaxText)
	e.Reason = jsonl.Clip(e.Reason, session.MaxText)
	e.Time, e.Offset, e.Length = b.time, b.at.Off, b.at.N
	b.n++
	if b.Node >= 0 {
		b.Nodes[b.Node].tip = e.ID
	}
	if len(b.Session.Events) == 2*MaxEvents {
		b.drop(MaxEvents)
	}
	b.Session.Events = append(b.Session.Events, e)
	b.owner = append(b.owner, b.Node)
	b.failures = 0
	return b.base + len(b.Session.Events) - 1
}

// EmitText emits text that is not blank and returns the number of the event,
// or -1.
func (b *Builder) EmitText(kind session.Kind, origin session.Origin, text string) int {
	if strings.TrimSpace(text) == "" {
		return -1
	}
	if origin != session.Injected {
		b.Stopped = false
	}
	return b.Emit(session.Event{Kind: kind, Origin: origin, Text: text})
}

// MarkHeadless makes the event with this number, if it is a person's, the words of an
// automation if a program started the run and no person watched it.
func (b *Builder) MarkHeadless(seq int, headless bool) {
	if e := b.FindEvent(seq); headless && e != nil && e.Origin == session.Human {
		e.Origin, e.Headless = session.Subagent, true
	}
}

// EmitInjected emits a text that the client or a hook put into the session.
func (b *Builder) EmitInjected(text string) { b.EmitText(session.UserText, session.Injected, text) }

// EmitCompaction emits the summary of earlier events, even if it is blank.
func (b *Builder) EmitCompaction(text string) {
	b.Emit(session.Event{Kind: session.Compaction, Origin: session.Injected, Text: text})
}

// EmitCall emits the call of a tool, unless a call with the same id was emitted
// before.
func (b *Builder) EmitCall(origin session.Origin, tool, id, input string) {
	if id != "" {
		if _, again := b.Tools[id]; again {
			return
		}
		b.Tools[id] = tool
	}
	b.Stopped = false
	b.Emit(session.Event{Kind: session.ToolCall, Origin: origin, Tool: tool, CallID: id, Input: input})
}

// EmitResult emits what a tool answered. Its call may have been cut off, or follow.
func (b *Builder) EmitResult(e session.Event) {
	e.Kind, e.Tool = session.ToolResult, cmp.Or(e.Tool, b.Tools[e.CallID])
	e.Origin = cmp.Or(e.Origin, ToolOrigin(e.Tool))
	b.Emit(e)
	b.Stopped = b.Stopped || e.Cause == session.DeniedByUser
}

// EmitShell emits a command that the person ran in the client, with what it printed.
func (b *Builder) EmitShell(tool, command, printed string, cause session.Cause) {
	b.EmitCall(b.Speaker(session.Human), tool, b.Key, EncodeInput("command", command))
	b.EmitResult(session.Event{CallID: b.Key, Tool: tool, Text: printed, Cause: cause})
}

// AddExit puts the exit code of a command that failed behind what it printed, as all readers do.
func AddExit(printed, code string) string {
	return strings.TrimLeft(printed+"\n\nCommand exited with code "+code, "\n")
}

// EmitInterrupt emits that a person stopped the model, unless that only follows
// from a denial or an interrupt that was just seen.
func (b *Builder) EmitInterrupt(text string) {
	if b.Stopped {
		return
	}
	b.Stopped = true
	b.Emit(session.Event{Kind: session.Interrupt, Origin: b.Speaker(session.Human), Text: text})
}

// EmitFailure emits a Failure. A run of them is one event that counts.
func (b *Builder) EmitFailure(text string) {
	if b.failures > 0 {
		b.failures++
		b.LastEvent().Text = fmt.Sprintf("%s (%d times in a row)", jsonl.Clip(b.failure, session.MaxText-64), b.failures)
		return
	}
	b.Emit(session.Event{Kind: session.Failure, Origin: session.Injected, Text: text})
	b.failures, b.failure = 1, text
}

// LastEvent returns the event that was emitted last.
func (b *Builder) LastEvent() *session.Event { return &b.Session.Events[len(b.Session.Events)-1] }

// HasNode reports whether an entry with this id joined the conversation.
func (b *Builder) HasNode(id string) bool {
	_, ok := b.index[id]
	return ok
}

// EventCount returns how many events the entry that is being read gave so far.
func (b *Builder) EventCount() int { return b.n }

// StandFor says that the entry that is being read repeats the event with this
// ID: what follows the entry follows that event.
func (b *Builder) StandFor(id string) { b.Nodes[b.Node].tip = id }

// AdoptEvent says that an event that was emitted earlier, outside of the
// conversation, belongs to the entry that is being read.
func (b *Builder) AdoptEvent(seq int) {
	if e := b.FindEvent(seq); e != nil {
		b.StandFor(e.ID)
		b.owner[seq-b.base] = b.Node
	}
}

// FindEvent returns the event with a number that Emit gave; nil if it was
// dropped.
func (b *Builder) FindEvent(seq int) *session.Event {
	if i := seq - b.base; i >= 0 && i < len(b.Session.Events) {
		return &b.Session.Events[i]
	}
	return nil
}

// ReviseCause says that the result of a call with the cause from has the cause
// to: another entry tells more of it.
func (b *Builder) ReviseCause(call string, from, to session.Cause) {
	b.revised[call] = revision{from, to}
}

// CompleteResults fills in what entries tell of a result that stand elsewhere in
// the file: the tool of its call, and the revised cause.
func (b *Builder) CompleteResults() {
	for i := range b.Session.Events {
		e := &b.Session.Events[i]
		if e.Kind != session.ToolResult || e.CallID == "" {
			continue
		}
		if e.Tool == "" && b.Tools[e.CallID] != "" {
			e.Tool = b.Tools[e.CallID]
			e.Origin = ToolOrigin(e.Tool)
		}
		if r, ok := b.revised[e.CallID]; ok && e.Cause == r.from {
			e.Cause = r.to
		}
	}
}

// drop removes the n oldest events.
func (b *Builder) drop(n int) {
	kept := copy(b.Session.Events, b.Session.Events[n:])
	clear(b.Session.Events[kept:])
	b.Session.Events = b.Session.Events[:kept]
	b.owner = b.owner[:copy(b.owner, b.owner[n:])]
	b.base += n
	b.Session.Truncated = true
}

// Finish fills in what is known only at the end.
func (b *Builder) Finish() *session.Session {
	if !b.linked {
		b.LinkNodes()
	}
	if n := len(b.Session.Events) - MaxEvents; n > 0 {
		b.drop(n)
	}
	lost := false
	for i := range b.Session.Events {
		e, at := &b.Session.Events[i], b.owner[i]
		if at >= 0 {
			n := b.resolveNode(at)
			lost = n.fate == abandoned
			e.Parent = cmp.Or(e.Parent, b.resolveNode(n.Parent).tip)
		}
		// An event outside of the tree shares the fate of what came before.
		e.Abandoned = lost
		if !e.Time.IsZero() {
			if b.Session.Started.IsZero() {
				b.Session.Started = e.Time
			}
			b.Session.Ended = e.Time
		}
	}
	b.Session.Skipped, b.Session.Size = b.src.Skipped, b.src.End
	b.Session.Truncated = b.Session.Truncated || b.src.Full
	return b.Session
}

// EmitNotices emits what programs put into an entry.
func (b *Builder) EmitNotices(notices []string) {
	for _, n := range notices {
		b.EmitInjected(n)
	}
}
