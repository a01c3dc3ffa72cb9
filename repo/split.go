package repo

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"mem/facts"
	"mem/guard"
	"mem/repo/gitstore/object"
	"mem/repo/union"
)

// A split is what a change does to the branch, and to the memory as the person knows it where that is another.
type split struct {
	*chain        // of what the person knows
	head   *chain // of the branch
	k      known
}

// split returns the chain on what the person knows; nil if that is what the branch holds. was is the commit of which
// all that this chain made so far follows.
func (c *chain) split(was object.Hash) (*split, error) {
	k, err := c.r.readKnown()
	if err != nil || c.r.opts.Keys == nil {
		return nil, err
	}
	if k.Commit.IsZero() { // a memory that no build with this notion wrote to
		k.Commit = c.tip
	}
	kc, err := c.r.store.ReadCommit(k.Commit)
	if errors.Is(err, object.ErrDamaged) || kc.Tree == c.tree || k.Commit == was {
		c.known = known{Commit: c.tip, Remotes: k.Remotes}
		return nil, nil
	}
	names, err := c.r.listUnknown(c.tree, kc.Tree)
	if err != nil {
		return nil, err
	}
	isOwn, err := c.findOwn(k, names)
	before, err2 := c.r.listUnknown(c.m.tx.Tree, kc.Tree) // what is edited by hand there waits but for the edit
	waits := func(name string) bool { return !isOwn[name] || c.own[name] && slices.Contains(before, name) }
	if err = errors.Join(err, err2); err != nil || !slices.ContainsFunc(names, waits) {
		c.known = known{Commit: c.tip, Remotes: k.Remotes}
		return nil, err
	}
	tx := *c.m.tx
	tx.Head.Tip, tx.Tree = k.Commit, kc.Tree
	tx.ReadAlone()
	m := c.r.newMemory(&tx, c.m.now)
	k.Waits = c.tree
	s := &split{chain: &chain{r: c.r, m: m, w: c.w, who: c.who, tree: kc.Tree, tip: k.Commit, touched: map[string]bool{}, held: map[string]bool{}}, head: c, k: k}
	m.logs = logReader{c.r, func() object.Hash { return s.tree }}
	m.last = func() object.Hash { return kc.Tree }
	if err := c.r.loadIndex(m); err != nil {
		return nil, err
	}
	if m.waiting, err = c.r.findWaiting(kc.Tree, c.tip, c.tree, c.m.logs); err != nil {
		return nil, err
	}
	if m.waiting != nil {
		c.r.warnWaiting(m.waiting)
	}
	return s, s.takeOwn(isOwn)
}

// findOwn tells which of some files of the branch are the person's own: what was edited by hand, and what the
// remotes have now of which they said so, but for what waited before.
func (c *chain) findOwn(k known, names []string) (isOwn map[string]bool, err error) {
	isOwn = maps.Clone(c.own)
	tips, err := c.listOwnTips(k)
	for _, tree := range tips {
		for _, name := range names {
			is, err := c.r.store.FindBlob(c.tree, name)
			there, err2 := c.r.store.FindBlob(tree, name)
			before := object.Hash{}
			if err = errors.Join(err, err2); err == nil && !k.Waits.IsZero() {
				before, err = c.r.store.FindBlob(k.Waits, name)
			}
			isOwn[name] = isOwn[name] || err == nil && is == there && is != before
		}
	}
	return isOwn, err
}

// listOwnTips returns the commits that the remotes stand at of which the person said that all is theirs, and their trees.
func (c *chain) listOwnTips(k known) (map[object.Hash]object.Hash, error) {
	tips, trees := []object.Hash{c.theirs}, map[object.Hash]object.Hash{}
	remotes, err := c.r.ListRemoteTips()
	for name, remote := range remotes {
		if remote.URL != "" && k.Remotes[name] == remote.URL {
			tips = append(tips, remote.Tips...)
		}
	}
	for _, tip := range tips {
		if t, err := c.r.store.ReadCommit(tip); err == nil { // else a shallow clone lacks it
			trees[tip] = t.Tree
		}
	}
	return trees, err
}

// takeOwn lets the person know what is their own of what the branch has, beside what waits.
func (s *split) takeOwn(isOwn map[string]bool) error {
	h := s.head
	if h.tip == h.m.tx.Head.Tip { // nothing is written now
		return nil
	}
	list := []facts.Fact{}
	for _, name := range slices.Sorted(maps.Keys(isOwn)) {
		blob, err := h.r.store.FindBlob(h.tree, name)
		if err != nil || !isOwn[name] {
			continue
		}
		var data []byte
		if !blob.IsZero() {
			if data, err = h.r.store.ReadBlob(blob); err != nil {
				return err
			}
		}
		if _, isFact := facts.OrderOf(name); isFact && data != nil {
			f, err := facts.Decode(name, data)
			if err != nil {
				return err
			}
			list = append(list, f)
		} else if isText(name) {
			if err := s.takeText(name, data); err != nil {
				return err
			}
		}
	}
	log, err := s.m.log()
	if err != nil || len(list)+len(s.m.staged) == 0 {
		return err
	}
	s.m.facts = list
	if err := s.m.stageFold(log.With(list...), s.tree); err != nil {
		return err
	}
	return s.commitStaged(Message{Subject: h.subject})
}

// takeText stages a text as the branch has it now, without what waits there.
func (s *split) takeText(name string, now []byte) error {
	was, err := s.r.readAt(s.head.m.tx.Tree, name)
	ours, err2 := s.r.readAt(s.tree, name)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	if !s.head.own[name] || string(was) == string(ours) { // of a remote, as it is there
		s.m.stageWrite(name, now)
	} else if merged, ok := union.MergeLines(string(was), string(ours), string(now)); ok && now != nil {
		s.m.stageWrite(name, []byte(merged))
	}
	return nil
}

// commitBoth commits what a callback changed to what the person knows, and then the same to the branch.
func (s *split) commitBoth(msg Message) error {
	if msg.Subject == "" {
		return nil
	}
	s.m.flush()
	if err := s.m.noteStaged(); err != nil {
		return err
	}
	if err := s.head.numberBehind(s.chain); err != nil {
		return err
	}
	list, tip := slices.Clone(s.m.facts), s.tip
	texts := staging{}
	was := map[string][]byte{}
	for path, w := range s.m.staged {
		old, err := s.r.store.FindBlob(s.tree, path)
		if err == nil && isText(path) && old != w.blob {
			if texts[path] = w; !old.IsZero() {
				was[path], err = s.r.store.ReadBlob(old)
			}
		}
		if err != nil {
			return err
		}
	}
	if err := s.commitChange(msg); err != nil {
		return err
	}
	h := s.head
	for _, path := range texts.paths() {
		now, err := h.m.readOld(path)
		if err != nil {
			return err
		}
		data, ok := string(texts[path].data), string(now) == string(was[path])
		if !ok {
			if data, ok = union.MergeLines(string(was[path]), string(now), data); !ok {
				return fmt.Errorf("%s: %w", guard.Line(path), ErrWaits)
			}
		}
		if h.m.stageWrite(path, []byte(data)); data == "" && texts[path].data == nil {
			h.m.stageWrite(path, nil)
		}
	}
	msg.Always = s.tip != tip // what the person knows is published with the branch
	return h.replay(list, msg)
}

// ErrWaits is wrapped when a file has a change that waits for the person, where another one is to be made.
var ErrWaits = errors.New("git brought a change of it that waits for you, beside this one")

// replay adds facts to the branch that were made of what the person knows.
func (c *chain) replay(list []facts.Fact, msg Message) error {
	log, err := c.m.log()
	if err != nil {
		return err
	}
	if err := c.m.stageFold(log.With(list...), c.tree); err != nil {
		return err
	}
	c.m.facts = list
	return c.commitStaged(msg)
}

// numberBehind numbers the facts of another chain behind those of this one, too.
func (c *chain) numberBehind(o *chain) error {
	log, err := c.r.store.FindFolder(c.tree, facts.Folder)
	if err != nil {
		return err
	}
	last, err := c.r.lastOf(log)
	if err != nil {
		return err
	}
	return o.numberFrom(last)
}
