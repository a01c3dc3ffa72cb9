package repo

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"mem/facts"
	"mem/guard"
	"mem/repo/gitstore"
)

// A split is the pair of chains for one change: one on the branch, one on the memory as the person knows it, if that differs.
type split struct {
	*chain        // of what the person knows
	head   *chain // of the branch
	k      known
}

// split returns a second chain, on the memory that the person knows, and warns about pending changes; nil if
// the branch holds just that memory. was is the commit that this chain's work so far is based on.
func (c *chain) split(was gitstore.Hash) (*split, error) {
	k, err := c.r.readKnown()
	if err != nil || c.r.opts.Keys == nil {
		return nil, err
	}
	if k.Commit.IsZero() { // a memory that no build with this notion wrote to
		k.Commit = c.tip
	}
	c.known.Remotes = k.Remotes
	kc, err := c.r.store.ReadCommit(k.Commit)
	if errors.Is(err, gitstore.ErrDamaged) || kc.Tree == c.m.tree || k.Commit == was {
		return nil, nil
	}
	isOwn, waits, err := c.findNew(k, kc.Tree)
	if err != nil || !waits {
		return nil, err
	}
	tx := *c.m.tx
	tx.Head.Tip, tx.Tree, k.Waits = k.Commit, kc.Tree, c.m.tree
	m := c.r.newMemory(&tx, c.m.now)
	own := &chain{r: c.r, m: m, w: c.w, who: c.who, askWho: c.askWho, tip: k.Commit, touched: map[string]bool{}, held: map[string]bool{}}
	s := &split{chain: own, head: c, k: k}
	m.atTip, m.last = true, func() gitstore.Hash { return kc.Tree }
	m.waiting, err = c.r.findWaiting(kc.Tree, c.tip, c.m.tree)
	if err = errors.Join(err, c.r.loadIndex(m)); err == nil {
		m.setIndex(m.Index)
		err = s.takeOwn(isOwn)
	}
	return s, err
}

// findNew returns which files of the branch are the person's own. It also reports whether other files hold
// changes that are not in tree, which the person knows.
func (c *chain) findNew(k known, tree gitstore.Hash) (isOwn map[string]bool, waits bool, err error) {
	names, err := c.r.listUnknown(c.m.tree, tree)
	if err != nil {
		return nil, false, err
	}
	isOwn, err = c.findOwn(k, names)
	before, err2 := c.r.listUnknown(c.m.tx.Tree, tree)
	return isOwn, slices.ContainsFunc(names, func(name string) bool {
		return !isOwn[name] || c.own[name] && slices.Contains(before, name) // what is edited by hand there waits but for the edit
	}), errors.Join(err, err2)
}

// findOwn returns which of some files are the person's own: hand edits, and the current content of the remotes
// that the person declared as their own, except what was pending before.
func (c *chain) findOwn(k known, names []string) (isOwn map[string]bool, err error) {
	isOwn = maps.Clone(c.own)
	trees, err := c.listOwnTips(k)
	for _, tree := range trees {
		for _, name := range names {
			is, err := c.r.store.FindBlob(c.m.tree, name)
			there, err2 := c.r.store.FindBlob(tree, name)
			before := gitstore.Hash{}
			if err = errors.Join(err, err2); err == nil && !k.Waits.IsZero() {
				before, err = c.r.store.FindBlob(k.Waits, name)
			}
			isOwn[name] = isOwn[name] || err == nil && is == there && is != before
		}
	}
	return isOwn, err
}

// listOwnTips returns the trees of the tips of the remotes whose content the person declared as all their own.
func (c *chain) listOwnTips(k known) (trees []gitstore.Hash, err error) {
	tips := []gitstore.Hash{c.theirs}
	remotes, err := c.r.ListRemoteTips()
	for name, remote := range remotes {
		if remote.URL != "" && k.Remotes[name] == remote.URL {
			tips = append(tips, remote.Tips...)
		}
	}
	for _, tip := range tips {
		if t, err := c.r.store.ReadCommit(tip); err == nil { // else a shallow clone lacks it
			trees = append(trees, t.Tree)
		}
	}
	return trees, err
}

// takeOwn adds the person's own changes on the branch to the memory that they know, without the pending ones.
func (s *split) takeOwn(isOwn map[string]bool) error {
	h := s.head
	if h.tip == h.m.tx.Head.Tip { // nothing is written now
		return nil
	}
	list := []facts.Fact{}
	for _, name := range slices.Sorted(maps.Keys(isOwn)) {
		if !isOwn[name] {
			continue
		}
		data, err := s.r.ReadAt(h.m.tree, name)
		_, isFact := facts.OrderOf(name)
		switch {
		case err != nil:
		case isFact && data != nil:
			var f facts.Fact
			f, err = facts.Decode(name, data)
			list = append(list, f)
		case isText(name):
			err = s.takeText(name, data)
		}
		if err != nil {
			return err
		}
	}
	if len(list)+len(s.m.staged) == 0 {
		return nil
	}
	return s.replay(list, Message{Subject: h.subject})
}

// takeText stages a text as the branch now has it, without its pending changes.
func (s *split) takeText(name string, now []byte) error {
	was, err := s.r.ReadAt(s.head.m.tx.Tree, name)
	ours, err2 := s.r.ReadAt(s.m.tree, name)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	if !s.head.own[name] || string(was) == string(ours) { // of a remote, as it is there
		s.m.stageWrite(name, now)
	} else if merged, ok := facts.MergeLines(string(was), string(ours), string(now)); ok && now != nil {
		s.m.stageWrite(name, []byte(merged))
	}
	return nil
}

// commitBoth commits what a callback changed to what the person knows, and then the same to the branch.
func (s *split) commitBoth(msg Message) error {
	if msg.Subject == "" {
		return nil
	}
	last, err := s.head.lastOrder() // the branch gets them, too
	if err == nil {
		err = s.gather(last)
	}
	if err != nil {
		return err
	}
	list, tip := slices.Clone(s.m.facts), s.tip
	s.head.m.now = s.m.now
	for _, path := range s.m.staged.paths() {
		if err := s.repeatText(path, s.m.staged[path]); err != nil {
			return err
		}
	}
	if err = s.stageViews(); err == nil {
		err = s.commitStaged(msg)
	}
	if err != nil {
		return err
	}
	msg.Always = s.tip != tip // what the person knows is published with the branch
	return s.head.replay(list, msg)
}

// repeatText applies to the branch the change that a callback made to a file of the known memory, if it is a text.
func (s *split) repeatText(path string, w write) error {
	was, err := s.r.ReadAt(s.m.tree, path)
	if err != nil || !isText(path) || newWrite(was).blob == w.blob {
		return err
	}
	data := w.data
	now, err := s.head.m.readOld(path)
	if err != nil {
		return err
	}
	if string(now) != string(was) {
		merged, ok := facts.MergeLines(string(was), string(now), string(data))
		if !ok {
			return fmt.Errorf("%s: %w", guard.Line(path), ErrWaits)
		}
		if merged != "" || data != nil {
			data = []byte(merged)
		}
	}
	s.head.m.stageWrite(path, data)
	return nil
}

// ErrWaits is wrapped when a file that is to be changed already has a change pending the person's approval.
var ErrWaits = errors.New("git brought a change of it that waits for you, beside this one")

func (c *chain) replay(list []facts.Fact, msg Message) error {
	if err := c.refold(list); err != nil {
		return err
	}
	c.m.facts = list
	return c.commitStaged(msg)
}
