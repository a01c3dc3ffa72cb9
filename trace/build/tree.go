package build

import "cmp"

// A Node is one entry of a conversation, whether or not it gave events.
type Node struct {
	ID, ParentID string
	Parent       int  // index of the parent; -1 at a root
	Passing      bool // no message: it only stands between two

	// Of the entry or, once it is resolved, of its nearest ancestor that has one.
	tip      string // ID of the last event
	fate     fate
	resolved bool
}

// A fate says whether an entry is on a branch that was left.
type fate int8

const (
	unknown fate = iota
	kept
	abandoned
)

// MarkNode says whether node i was left, and with it the nodes below it whose own
// fate is unknown.
func (b *Builder) MarkNode(i int, left bool) {
	b.Nodes[i].fate = kept
	if left {
		b.Nodes[i].fate = abandoned
	}
}

// LinkNodes finds the parents of all nodes by id. Afterwards every node has a root.
func (b *Builder) LinkNodes() {
	b.linked = true
	for i := range b.Nodes {
		n := &b.Nodes[i]
		if n.ParentID == "" || n.ParentID == n.ID {
			continue
		}
		if p, ok := b.index[n.ParentID]; ok {
			n.Parent = p
		} else if !b.Orphans {
			n.Parent = i - 1
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

// resolveNode gives node i the tip and the fate of its nearest ancestors, if it
// has none of its own, and returns it. Above a root is the zero Node.
func (b *Builder) resolveNode(i int) Node {
	if i < 0 {
		return Node{}
	}
	n := &b.Nodes[i]
	if !n.resolved {
		up := b.resolveNode(n.Parent)
		n.tip, n.fate, n.resolved = cmp.Or(n.tip, up.tip), cmp.Or(n.fate, up.fate), true
	}
	return *n
}
