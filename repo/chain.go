package repo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
	"mem/repo/gitstore/object"
	"mem/repo/walk"
)

// A chain is the one to five commits that a Settle makes: the first of a new
// root, a person's edits, the views of those, what follows from them, and the
// change itself. They become visible at once.
type chain struct {
	r       *Root
	m       *Memory
	w       *gitstore.Writer
	who     func() object.By
	tree    object.Hash
	tip     object.Hash
	subject string          // of the last commit
	changed []string        // files of the last commit
	edited  []string        // by a person
	edits   walk.Edits      // since holdForeign was called
	note    string          // about what followed from edits; "" for nothing
	touched map[string]bool // files of all the commits
	held    map[string]bool // files of a person that no commit gets
}

func (r *Root) newChain(m *Memory, tx *gitstore.Tx) *chain {
	return &chain{
		r: r, m: m, w: r.store.NewWriter(),
		who:  sync.OnceValue(func() object.By { return gitconfig.ReadIdentity(r.d, r.opts.Project, r.opts.Environ) }),
		tree: tx.Tree, tip: tx.Head.Tip, touched: map[string]bool{}, held: map[string]bool{}, edits: walk.Edits{},
	}
}

// build makes all the commits of a Settle with the callback f.
func (c *chain) build(ctx context.Context, f func(*Memory) (Message, error)) error {
	takeIn := c.commitEdits
	if c.tip.IsZero() {
		takeIn = c.commitFound
	}
	if err := takeIn(); err != nil {
		return err
	}
	var written *index.Index
	if slices.Contains(c.edited, IndexPath) {
		written = c.m.Index
	}
	ix, settled, err := walk.SettleIndex(ctx, c.r.d, c.r.store, c.m.tx.Head, c.m.Index, c.m, c.m.now, c.r.opts.Environ)
	if err != nil {
		return err
	}
	c.m.Index = ix
	if err := c.commitChange(settled); err != nil {
		return err
	}
	rules, err := c.r.opts.Rules(c.m)
	switch {
	case err != nil:
		return err
	case rules.Subject != "" && len(c.m.edits) == 0:
		err = c.commit(rules) // without the index, which may be of an older version
	default:
		err = c.commitChange(rules)
	}
	if err = errors.Join(err, c.r.readForeign(c.m)); err != nil {
		return err
	}
	c.noteEdits(slices.Collect(maps.Keys(c.touched)), false)
	if err = c.holdForeign(ix, written); err != nil {
		return err
	}
	follow, note, err := c.r.opts.Follow(c.m)
	if err != nil {
		return err
	}
	if err := c.commitChange(follow); err != nil {
		return err
	}
	c.note = note
	if c.tip == c.m.tx.Head.Tip { // the memory is what is on the disk
		c.r.updateCues(c.m)
	}
	if err := c.m.callback(f, c.commitChange); err != nil {
		return err
	}
	return c.holdForeign(nil, nil)
}

// noteEdits notes what files are that changed here, by hand or to follow what git did.
func (c *chain) noteEdits(paths []string, byHand bool) {
	for _, path := range paths {
		c.edits.Note(path, c.m.files[path].data, c.m.files[path].blob, byHand)
	}
}

// holdForeign lets what came from elsewhere wait: what git brought into an index, unless
// that is nil, and what the edits since the last call did.
func (c *chain) holdForeign(ix, written *index.Index) error {
	edits := c.edits
	c.edits = walk.Edits{}
	return c.m.held.Hold(ix, written, edits)
}

// commitFound makes the first commit of a root, of all that was found there.
func (c *chain) commitFound() error {
	if err := c.r.lookAtFirstFiles(c.m); err != nil {
		return err
	}
	if c.m.holdsSecret(IndexPath) {
		c.keepOut(IndexPath)
	}
	if err := c.m.renderViews(); err != nil {
		return err
	}
	if _, err := c.stageEdits(); err != nil {
		return err
	}
	return c.commit(Message{Subject: "chore(memory): initialize memory repository"})
}

// commitEdits commits what a person changed, and the views that an edit concerns.
func (c *chain) commitEdits() error {
	if len(c.m.edits) == 0 {
		return nil
	}
	edits, err := c.stageEdits()
	if err != nil {
		return err
	}
	c.edited = append(c.edited, edits...)
	if err := c.commit(Message{Subject: "edit: hand edits", Body: edits}); err != nil {
		return err
	}
	c.noteEdits(edits, true)
	views := []string{IndexPath, render.CorePath, render.LongTermPath}
	if slices.ContainsFunc(views, func(view string) bool { return slices.Contains(edits, view) }) {
		return c.commitChange(Message{Subject: "chore(memory): render views"})
	}
	return nil
}

// stageEdits stages what a person changed, as it is, and returns the paths. A file
// with a secret in it is kept out.
func (c *chain) stageEdits() ([]string, error) {
	edits := c.m.EditedFiles()
	for _, path := range edits {
		if _, replaced := c.m.staged[path]; replaced {
			continue
		}
		f, err := c.m.lookAt(path, true)
		if err != nil {
			return nil, err
		}
		if !f.exist {
			c.m.stageWrite(path, nil)
			continue
		}
		if c.m.holdsSecret(path) {
			c.keepOut(path)
			continue
		}
		c.m.stageWrite(path, f.data)
	}
	c.m.edits = nil
	return slices.DeleteFunc(edits, func(path string) bool { return c.held[path] }), nil
}

// commitChange commits what the callback changed, together with the index and the
// views; nothing, if the message has no subject. Edits that only the callback came
// across get their commit before it, while what the callback wrote waits.
func (c *chain) commitChange(msg Message) error {
	staged := c.m.staged
	if len(c.m.edits) > 0 {
		c.m.staged = staging{}
		if err := c.commitEdits(); err != nil {
			return err
		}
		c.m.staged = staged
	}
	if msg.Subject == "" {
		return nil
	}
	if v := c.m.Index.Version; v == 2 && !c.tip.IsZero() {
		c.m.warnOnce(fmt.Sprintf("this commit brings the memory from format %d to %d, which a mem before it only reads", v, index.Version))
	}
	if err := c.m.renderViews(); err != nil {
		return err
	}
	return c.commit(msg)
}

// commit makes a commit of the memory's writes, unless they change nothing.
func (c *chain) commit(msg Message) error {
	if err := c.releaseHeld(); err != nil {
		return err
	}
	blobs, err := c.blobs()
	if err != nil {
		return err
	}
	tree, err := c.w.EditTree(c.tree, blobs)
	if err != nil || tree == c.tree && !msg.Always {
		return err
	}
	var parents []object.Hash
	if !c.tip.IsZero() {
		parents = []object.Hash{c.tip}
	}
	msg.Subject = guard.Line(msg.Subject) // it goes into the reflog too
	if c.r.opts.Version != "" {
		msg.Trailers = append(slices.Clip(msg.Trailers), Trailer{Key: "Mem-Version", Value: c.r.opts.Version})
	}
	tip, err := c.w.AddCommit(object.Commit{
		Tree: tree, Parents: parents, By: c.who(), When: c.m.now, Message: msg.String(),
	})
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return c.advance(tree, tip, msg.Subject, blobs)
}

// blobs adds the contents of the memory's writes, as far as the history does
// not have them, and returns their names, zero for what is removed.
func (c *chain) blobs() (map[string]object.Hash, error) {
	blobs := make(map[string]object.Hash, len(c.m.staged))
	for _, path := range c.m.staged.paths() {
		w := c.m.staged[path]
		if w.data == nil {
			blobs[path] = object.Hash{}
			continue
		}
		f, err := c.m.lookAt(path, false)
		if err != nil {
			return nil, err
		}
		blobs[path] = w.blob
		if w.blob != f.blob {
			c.w.Keep(w.blob, w.data)
		}
	}
	return blobs, nil
}

// advance makes the commit just added the one to build on.
func (c *chain) advance(tree, tip object.Hash, subject string, blobs map[string]object.Hash) error {
	c.tree, c.tip, c.subject, c.changed = tree, tip, subject, nil
	for _, path := range c.m.staged.paths() {
		f, err := c.m.lookAt(path, false)
		if err != nil {
			return err
		}
		if f.blob != blobs[path] {
			c.touched[path] = true
			c.changed = append(c.changed, path)
		}
		data := c.m.staged[path].data
		f.blob, f.data, f.exist = blobs[path], data, data != nil
	}
	return nil
}

// puts is what the work tree and git's index need to follow the chain.
func (c *chain) puts() []gitstore.Put {
	var puts []gitstore.Put
	for _, path := range slices.Sorted(maps.Keys(c.touched)) {
		f := c.m.files[path]
		puts = append(puts, gitstore.Put{Path: path, Data: f.data, Blob: f.blob, Before: f.work, Was: f.was})
	}
	return puts
}
