package trace

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxEvents bounds the events of a session. The oldest go first.
const maxEvents = 1 << 14

// A node is one entry of a conversation, whether or not it gave events.
type node struct {
	id, parentID string
	parent       int    // index of the parent; -1 at a root
	tip          string // ID of the last event of the entry or of its nearest ancestor that gave one
	settled      bool   // tip is final
	passing      bool   // no message: it only stands between two
	fate         fate
}

// A fate says whether an entry is on a branch that was left.
type fate int8

const (
	unknown fate = iota
	kept
	abandoned
)

// A builder collects the events of one session together with the tree of
// entries that they come from.
type builder struct {
	s     *Session
	base  int            // events dropped so far
	owner []int          // node of each event in s.Events; -1 if it has none
	keys  map[string]int // of entries, with how often each was asked for
	nodes []node
	index map[string]int // node by id; the last one with that id

	// The entry that is being read.
	key  string
	n    int // events of it so far
	node int
	at   span
	time time.Time

	failures int // length of the run of failures that the last event stands for
	failure  string
}

func newBuilder(agent string, cut bool) *builder {
	return &builder{
		s:     &Session{Agent: agent, Truncated: cut},
		keys:  make(map[string]int),
		index: make(map[string]int),
		node:  -1,
	}
}

// enter starts an entry. Its key becomes the ID of its first event; the
// others add # and a number. Entries that are in no conversation have no node.
func (b *builder) enter(key string, at span, when time.Time) {
	if key == "" {
		key = "@" + strconv.FormatInt(at.off, 10)
	}
	b.key, b.n, b.at, b.time, b.node = b.unique(key), 0, at, when, -1
}

// unique returns key, or one like it that no entry has yet. Only damaged and
// hostile files use a key twice or use our own separators.
func (b *builder) unique(key string) string {
	key = strings.ReplaceAll(key, "#", "%23")
	for base := key; b.keys[key] > 0; {
		b.keys[base]++
		key = base + "~" + strconv.Itoa(b.keys[base])
	}
	b.keys[key] = 1
	return key
}

// join makes the entry that is being read a node of the conversation.
func (b *builder) join(id, parentID string) {
	b.node = len(b.nodes)
	b.nodes = append(b.nodes, node{id: id, parentID: parentID, parent: -1})
	if id != "" {
		b.index[id] = b.node
	}
}

// emit appends an event to the entry and returns its number, for at.
func (b *builder) emit(e Event) int {
	e.ID = b.key
	if b.n > 0 {
		e.ID += "#" + strconv.Itoa(b.n)
	}
	e.Text = clip(e.Text, MaxText)
	e.Reason = clip(e.Reason, MaxText)
	e.Time, e.Offset, e.Length = b.time, b.at.off, b.at.n
	if b.n > 0 {
		e.Parent = b.last().ID
	}
	b.n++
	if b.node >= 0 {
		b.nodes[b.node].tip = e.ID
	}
	if len(b.s.Events) == 2*maxEvents {
		b.drop(maxEvents)
	}
	b.s.Events = append(b.s.Events, e)
	b.owner = append(b.owner, b.node)
	b.failures = 0
	return b.base + len(b.s.Events) - 1
}

// fail emits a Failure. A run of them is one event that counts.
func (b *builder) fail(text string) {
	if b.failures > 0 {
		b.failures++
		b.last().Text = fmt.Sprintf("%s (%d times in a row)", clip(b.failure, MaxText-64), b.failures)
		return
	}
	b.emit(Event{Kind: Failure, Origin: Injected, Text: text})
	b.failures, b.failure = 1, text
}

func (b *builder) last() *Event { return &b.s.Events[len(b.s.Events)-1] }

// get returns the event with a number that emit gave; nil if it was dropped.
func (b *builder) get(seq int) *Event {
	if i := seq - b.base; i >= 0 && i < len(b.s.Events) {
		return &b.s.Events[i]
	}
	return nil
}

// drop removes the n oldest events.
func (b *builder) drop(n int) {
	kept := copy(b.s.Events, b.s.Events[n:])
	clear(b.s.Events[kept:])
	b.s.Events = b.s.Events[:kept]
	b.owner = b.owner[:copy(b.owner, b.owner[n:])]
	b.base += n
	b.s.Truncated = true
}

// link finds the parents of all nodes by id. missing decides for a node whose
// parent is not there. Afterwards every node has a root.
func (b *builder) link(missing func(i int) int) {
	for i := range b.nodes {
		n := &b.nodes[i]
		n.settled = n.tip != ""
		if n.parentID == "" || n.parentID == n.id {
			continue
		}
		if p, ok := b.index[n.parentID]; ok {
			n.parent = p
		} else {
			n.parent = missing(i)
		}
	}
	b.cutCircles()
}

// cutCircles makes a root of one node in every circle. The last node of the
// file keeps its ancestors.
func (b *builder) cutCircles() {
	seen := make([]int, len(b.nodes)) // the walk that came by, from 1
	for start := len(b.nodes) - 1; start >= 0; start-- {
		for i := start; i >= 0 && seen[i] == 0; i = b.nodes[i].parent {
			seen[i] = start + 1
			if p := b.nodes[i].parent; p >= 0 && seen[p] == start+1 {
				b.nodes[i].parent = -1
			}
		}
	}
}

// tip returns the ID of the last event at or above node i.
func (b *builder) tip(i int) string {
	var trail []int
	for ; i >= 0 && !b.nodes[i].settled; i = b.nodes[i].parent {
		trail = append(trail, i)
	}
	tip := ""
	if i >= 0 {
		tip = b.nodes[i].tip
	}
	for _, t := range trail {
		b.nodes[t].tip, b.nodes[t].settled = tip, true
	}
	return tip
}

// left reports whether node i is on a branch that was left: itself or its
// nearest ancestor with a known fate was.
func (b *builder) left(i int) bool {
	var trail []int
	for ; i >= 0 && b.nodes[i].fate == unknown; i = b.nodes[i].parent {
		trail = append(trail, i)
	}
	f := kept
	if i >= 0 {
		f = b.nodes[i].fate
	}
	for _, t := range trail {
		b.nodes[t].fate = f
	}
	return f == abandoned
}

// finish fills in what is known only at the end. Parents must be linked and
// fates set.
func (b *builder) finish(t tally) *Session {
	if n := len(b.s.Events) - maxEvents; n > 0 {
		b.drop(n)
	}
	lost := false
	for i := range b.s.Events {
		e, at := &b.s.Events[i], b.owner[i]
		if at >= 0 {
			if lost = b.left(at); e.Parent == "" && b.nodes[at].parent >= 0 {
				e.Parent = b.tip(b.nodes[at].parent)
			}
		}
		// An event outside of the tree shares the fate of what came before.
		e.Abandoned = lost
		if !e.Time.IsZero() {
			if b.s.Started.IsZero() {
				b.s.Started = e.Time
			}
			b.s.Ended = e.Time
		}
	}
	b.s.Skipped, b.s.Size = t.skipped, t.end
	b.s.Truncated = b.s.Truncated || t.cut
	return b.s
}
