package repo

import (
	"fmt"
	"maps"
	"slices"

	"mem/guard"
	"mem/render"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
	"mem/repo/gitstore/object"
)

// A chain is the one to four commits that a Settle makes: the first of a new
// root, a person's edits, the views of those, and the change itself. They
// become visible at once.
type chain struct {
	r       *Root
	m       *Memory
	w       *gitstore.Writer
	who     object.Identity
	tree    object.Hash
	tip     object.Hash
	subject string          // of the last commit
	changed []string        // files of the last commit
	edited  []string        // by a person
	touched map[string]bool // files of all the commits
}

func (r *Root) newChain(m *Memory, tx *gitstore.Tx) *chain {
	w := r.store.NewWriter()
	m.begin = w.StartBlob
	return &chain{
		r: r, m: m, w: w, who: gitconfig.ReadIdentity(r.d, r.opts.Home, r.opts.XDG),
		tree: tx.Tree, tip: tx.Head.Tip, touched: map[string]bool{},
	}
}

// takeIn commits what a person changed or, in a root without a commit, all
// that was found there.
func (c *chain) takeIn(born bool) error {
	if len(c.m.edits) == 0 && born {
		return nil
	}
	msg := Message{Subject: "edit: hand edits"}
	if !born {
		msg.Subject = "chore(memory): initialize memory repository"
		if err := c.m.renderViews(); err != nil {
			return err
		}
	}
	edits := c.m.EditedFiles()
	for _, path := range edits {
		if _, replaced := c.m.writes[path]; replaced {
			continue
		}
		f, err := c.m.lookAt(path, true)
		if err != nil {
			return err
		}
		if f.exist {
			c.warnOfSecret(path, f.data)
			c.m.stageWrite(path, f.data)
		} else {
			c.m.stageWrite(path, nil)
		}
	}
	c.m.edits = nil
	if !born {
		return c.commit(msg)
	}
	c.edited, msg.Body = append(c.edited, edits...), edits
	if err := c.commit(msg); err != nil {
		return err
	}
	for _, view := range []string{IndexPath, render.CorePath, render.LongTermPath} {
		if slices.Contains(edits, view) {
			return c.change(Message{Subject: "chore(memory): render views"})
		}
	}
	return nil
}

// warnOfSecret tells of a secret in what a person wrote. It is committed as it
// is: what mem did not write is not mem's to change.
func (c *chain) warnOfSecret(path string, data []byte) {
	if guard.CountSecrets(string(data)) > 0 {
		c.r.opts.Warn(path + " holds what looks like a secret; mem did not write it, so it is committed as it is and stays in the history")
	}
}

// change commits what the callback changed, together with the index and the
// views; nothing, if the message has no subject.
func (c *chain) change(msg Message) error {
	if err := c.takeInLate(); err != nil || msg.Subject == "" {
		return err
	}
	if err := c.m.renderViews(); err != nil {
		return err
	}
	return c.commit(msg)
}

// takeInLate is takeIn for edits that only the callback came across. What the
// callback wrote by then waits for the commit of its own.
func (c *chain) takeInLate() error {
	if len(c.m.edits) == 0 {
		return nil
	}
	writes, order := c.m.writes, c.m.order
	c.m.writes, c.m.order = nil, nil
	if err := c.takeIn(true); err != nil {
		return err
	}
	c.m.writes, c.m.order = writes, order
	return nil
}

// commit makes a commit of the memory's writes, unless they change nothing.
func (c *chain) commit(msg Message) error {
	blobs, err := c.blobs()
	if err != nil {
		return err
	}
	var edits []gitstore.Edit
	for _, path := range c.m.order {
		edits = append(edits, gitstore.Edit{Path: path, Blob: blobs[path]})
	}
	tree, err := c.w.EditTree(c.tree, edits)
	if err != nil || tree == c.tree {
		return err
	}
	var parents []object.Hash
	if !c.tip.IsZero() {
		parents = []object.Hash{c.tip}
	}
	msg.Subject = guard.Line(msg.Subject) // it goes into the reflog too
	if c.r.opts.Version != "" {
		msg.Trailers = append(slices.Clip(msg.Trailers), Trailer{"Mem-Version", c.r.opts.Version})
	}
	tip, err := c.w.AddCommit(object.Commit{
		Tree: tree, Parents: parents, Author: c.who, When: c.m.now, Message: msg.String(),
	})
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return c.advance(tree, tip, msg.Subject, blobs)
}

// blobs adds the contents of the memory's writes, as far as the history does
// not have them, and returns their names.
func (c *chain) blobs() (map[string]object.Hash, error) {
	for _, path := range c.m.order {
		if err := c.w.WriteAhead(path, c.m.writes[path].data); err != nil {
			return nil, err
		}
	}
	blobs := make(map[string]object.Hash, len(c.m.order))
	for _, path := range c.m.order {
		w := c.m.writes[path]
		if w.data == nil {
			continue
		}
		f, err := c.m.lookAt(path, false)
		if err != nil {
			return nil, err
		}
		blobs[path] = w.blob.Hash()
		if blobs[path] != f.blob {
			c.w.Keep(w.blob)
		}
	}
	return blobs, nil
}

// advance makes the commit just added the one to build on.
func (c *chain) advance(tree, tip object.Hash, subject string, blobs map[string]object.Hash) error {
	c.tree, c.tip, c.subject, c.changed = tree, tip, subject, nil
	for _, path := range c.m.order {
		f, err := c.m.lookAt(path, false)
		if err != nil {
			return err
		}
		if f.blob != blobs[path] {
			c.touched[path] = true
			c.changed = append(c.changed, path)
		}
		data := c.m.writes[path].data
		f.blob, f.data, f.exist = blobs[path], data, data != nil
	}
	slices.Sort(c.changed)
	c.m.writes, c.m.order = nil, nil
	return nil
}

// puts is what the work tree and git's index need to follow the chain.
func (c *chain) puts() []gitstore.Put {
	var puts []gitstore.Put
	for _, path := range slices.Sorted(maps.Keys(c.touched)) {
		f := c.m.files[path]
		puts = append(puts, gitstore.Put{Path: path, Data: f.data, Blob: f.blob, Before: f.work})
	}
	return puts
}
