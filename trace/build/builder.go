// Package build assembles a session from the entries of a transcript. The
// readers of all formats use it.
package build

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mem/session"
	"mem/trace/jsonl"
)

// MaxEvents bounds the events of a session. The oldest go first.
const MaxEvents = 1 << 14

// A Node is one entry of a conversation, whether or not it gave events.
type Node struct {
	ID, ParentID string
	Parent       int    // index of the parent; -1 at a root
	tip          string // ID of the last event of the entry or of its nearest ancestor that gave one
	settled      bool   // tip is final
	Passing      bool   // no message: it only stands between two
	fate         fate
}

// A fate says whether an entry is on a branch that was left.
type fate int8

const (
	unknown fate = iota
	kept
	abandoned
)

// A Builder collects the events of one session together with the tree of
// entries that they come from.
type Builder struct {
	Session *session.Session
	base    int            // events dropped so far
	owner   []int          // node of each event in s.Events; -1 if it has none
	keys    map[string]int // of entries, with how often each was asked for
	Nodes   []Node
	index   map[string]int // node by id; the last one with that id

	// The entry that is being read.
	Key  string
	Node int // index in Nodes; -1 if the entry is in no conversation
	n    int // events of it so far
	at   jsonl.Span
	time time.Time

	failures int // length of the run of failures that the last event stands for
	failure  string
}

// NewBuilder returns a builder of a session of agent. cut says that a part of
// the source was left out.
func NewBuilder(agent string, cut bool) *Builder {
	return &Builder{
		Session: &session.Session{Agent: agent, Truncated: cut},
		keys:    make(map[string]int),
		index:   make(map[string]int),
		Node:    -1,
	}
}

// Enter starts an entry. Its key becomes the ID of its first event; the
// others add # and a number. Entries that are in no conversation have no node.
func (b *Builder) Enter(key string, at jsonl.Span, when time.Time) {
	if key == "" {
		key = "@" + strconv.FormatInt(at.Off, 10)
	}
	b.Key, b.n, b.at, b.time, b.Node = b.Unique(key), 0, at, when, -1
}

// Unique returns key, or one like it that no entry has yet. Only damaged and
// hostile files use a key twice or use our own separators.
func (b *Builder) Unique(key string) string {
	key = strings.ReplaceAll(key, "#", "%23")
	for base := key; b.keys[key] > 0; {
		b.keys[base]++
		key = base + "~" + strconv.Itoa(b.keys[base])
	}
	b.keys[key] = 1
	return key
}

// Join makes the entry that is being read a node of the conversation.
func (b *Builder) Join(id, parentID string) {
	b.Node = len(b.Nodes)
	b.Nodes = append(b.Nodes, Node{ID: id, ParentID: parentID, Parent: -1})
	if id != "" {
		b.index[id] = b.Node
	}
}

// Emit appends an event to the entry and returns its number, for at.
func (b *Builder) Emit(e session.Event) int {
	e.ID = b.Key
	if b.n > 0 {
		e.ID += "#" + strconv.Itoa(b.n)
	}
	e.Text = jsonl.Clip(e.Text, session.MaxText)
	e.Reason = jsonl.Clip(e.Reason, session.MaxText)
	e.Time, e.Offset, e.Length = b.time, b.at.Off, b.at.N
	if b.n > 0 {
		e.Parent = b.Last().ID
	}
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

// Fail emits a Failure. A run of them is one event that counts.
func (b *Builder) Fail(text string) {
	if b.failures > 0 {
		b.failures++
		b.Last().Text = fmt.Sprintf("%s (%d times in a row)", jsonl.Clip(b.failure, session.MaxText-64), b.failures)
		return
	}
	b.Emit(session.Event{Kind: session.Failure, Origin: session.Injected, Text: text})
	b.failures, b.failure = 1, text
}

// Last returns the event that was emitted last.
func (b *Builder) Last() *session.Event { return &b.Session.Events[len(b.Session.Events)-1] }

// Has reports whether an entry with this id joined the conversation.
func (b *Builder) Has(id string) bool {
	_, ok := b.index[id]
	return ok
}

// Count returns how many events the entry that is being read gave so far.
func (b *Builder) Count() int { return b.n }

// Stands says that the entry that is being read repeats the event with this
// ID: what follows the entry follows that event.
func (b *Builder) Stands(id string) { b.Nodes[b.Node].tip = id }

// Adopt says that an event that was emitted earlier, outside of the
// conversation, belongs to the entry that is being read.
func (b *Builder) Adopt(seq int) {
	if e := b.Get(seq); e != nil {
		b.Stands(e.ID)
		b.owner[seq-b.base] = b.Node
	}
}

// Abandon says that node i was left, and with it what follows from it, as far
// as nothing else is said of that.
func (b *Builder) Abandon(i int) { b.Nodes[i].fate = abandoned }

// Keep says that node i was not left.
func (b *Builder) Keep(i int) { b.Nodes[i].fate = kept }

// Get returns the event with a number that emit gave; nil if it was dropped.
func (b *Builder) Get(seq int) *session.Event {
	if i := seq - b.base; i >= 0 && i < len(b.Session.Events) {
		return &b.Session.Events[i]
	}
	return nil
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

// Link finds the parents of all nodes by id. missing decides for a node whose
// parent is not there. Afterwards every node has a root.
func (b *Builder) Link(missing func(i int) int) {
	for i := range b.Nodes {
		n := &b.Nodes[i]
		n.settled = n.tip != ""
		if n.ParentID == "" || n.ParentID == n.ID {
			continue
		}
		if p, ok := b.index[n.ParentID]; ok {
			n.Parent = p
		} else {
			n.Parent = missing(i)
		}
	}
	b.cutCircles()
}

// cutCircles makes a root of one node in every circle. The last node of the
// file keeps its ancestors.
func (b *Builder) cutCircles() {
	seen := make([]int, len(b.Nodes)) // the walk that came by, from 1
	for start := len(b.Nodes) - 1; start >= 0; start-- {
		for i := start; i >= 0 && seen[i] == 0; i = b.Nodes[i].Parent {
			seen[i] = start + 1
			if p := b.Nodes[i].Parent; p >= 0 && seen[p] == start+1 {
				b.Nodes[i].Parent = -1
			}
		}
	}
}

// tip returns the ID of the last event at or above node i.
func (b *Builder) tip(i int) string {
	var trail []int
	for ; i >= 0 && !b.Nodes[i].settled; i = b.Nodes[i].Parent {
		trail = append(trail, i)
	}
	tip := ""
	if i >= 0 {
		tip = b.Nodes[i].tip
	}
	for _, t := range trail {
		b.Nodes[t].tip, b.Nodes[t].settled = tip, true
	}
	return tip
}

// left reports whether node i is on a branch that was left: itself or its
// nearest ancestor with a known fate was.
func (b *Builder) left(i int) bool {
	var trail []int
	for ; i >= 0 && b.Nodes[i].fate == unknown; i = b.Nodes[i].Parent {
		trail = append(trail, i)
	}
	f := kept
	if i >= 0 {
		f = b.Nodes[i].fate
	}
	for _, t := range trail {
		b.Nodes[t].fate = f
	}
	return f == abandoned
}

// Finish fills in what is known only at the end. Parents must be linked and
// fates set.
func (b *Builder) Finish(t jsonl.Tally) *session.Session {
	if n := len(b.Session.Events) - MaxEvents; n > 0 {
		b.drop(n)
	}
	lost := false
	for i := range b.Session.Events {
		e, at := &b.Session.Events[i], b.owner[i]
		if at >= 0 {
			if lost = b.left(at); e.Parent == "" && b.Nodes[at].Parent >= 0 {
				e.Parent = b.tip(b.Nodes[at].Parent)
			}
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
	b.Session.Skipped, b.Session.Size = t.Skipped, t.End
	b.Session.Truncated = b.Session.Truncated || t.Cut
	return b.Session
}
