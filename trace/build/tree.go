package build

// A Node is one entry of a conversation, whether or not it gave events.
type Node struct {
	ID, ParentID string
	Parent       int    // index of the parent; -1 at a root
	tip          string // ID of the last event of the entry or of its nearest ancestor that gave one
	final        bool   // tip is known
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

// AbandonNode says that node i was left, and with it the nodes below it whose
// own fate is unknown.
func (b *Builder) AbandonNode(i int) { b.Nodes[i].fate = abandoned }

// KeepNode says that node i was not left.
func (b *Builder) KeepNode(i int) { b.Nodes[i].fate = kept }

// LinkNodes finds the parents of all nodes by id. missing decides for a node whose
// parent is not there. Afterwards every node has a root.
func (b *Builder) LinkNodes(missing func(i int) int) {
	for i := range b.Nodes {
		n := &b.Nodes[i]
		n.final = n.tip != ""
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

// lastEventAt returns the ID of the last event at or above node i.
func (b *Builder) lastEventAt(i int) string {
	var trail []int
	for ; i >= 0 && !b.Nodes[i].final; i = b.Nodes[i].Parent {
		trail = append(trail, i)
	}
	tip := ""
	if i >= 0 {
		tip = b.Nodes[i].tip
	}
	for _, t := range trail {
		b.Nodes[t].tip, b.Nodes[t].final = tip, true
	}
	return tip
}

// isLeft reports whether node i is on a branch that was left: itself or its
// nearest ancestor with a known fate was.
func (b *Builder) isLeft(i int) bool {
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
