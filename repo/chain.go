package repo

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/repo/disk"
	"mem/repo/gitstore"
)

// A chain is the one to five commits that a Settle makes: the first of a new root, a person's edits, the views of
// those, what follows from them, and the change itself. They become visible at once.
type chain struct {
	r       *Root
	m       *Memory
	w       *gitstore.Tx // that the commits go into
	who     func() gitstore.By
	askWho  func()         // starts looking up who, once
	asked   sync.WaitGroup // done once who is known
	tip     gitstore.Hash
	parents []gitstore.Hash // of the next commit, besides the tip
	subject string          // of the last commit
	changed []string        // files of the last commit
	edited  []string        // by a person
	note    string          // about what followed from edits; "" for nothing
	own     map[string]bool // files with hand edits that the person did not stage, or with changes that follow from them
	mine    map[string]bool // ids of the facts made of such edits
	last    int64           // the greatest place in the log, once it is known; otherwise 0
	theirs  gitstore.Hash   // tip of a merged remote whose content is all the person's own; zero for none
	known   known           // what the person knows after it
	shown   *Memory         // as readers see it
	touched map[string]bool // files of all the commits
	held    map[string]bool // a person's files that are kept out of all commits
}

func (r *Root) newChain(m *Memory, tx *gitstore.Tx) *chain {
	c := &chain{
		r: r, m: m, w: tx,
		tip: tx.Head.Tip, own: map[string]bool{}, mine: map[string]bool{}, touched: map[string]bool{}, held: map[string]bool{},
	}
	read := sync.OnceValues(func() (gitstore.By, gitstore.Signer) {
		return gitstore.ReadCommitter(r.d, r.opts.Project, r.opts.Environ)
	})
	c.who = func() gitstore.By { by, _ := read(); return by }
	c.w.Sign = func(content []byte) ([]byte, error) { _, signer := read(); return signer.Sign(content, r.opts.MayAsk) }
	m.last = sync.OnceValue(c.findLast)
	c.askWho = sync.OnceFunc(func() { c.asked.Go(func() { c.who() }) })
	return c
}

// findLast returns the tree of the newest commit that mem verified here. If this chain does not build on that one, it returns
// the tree of the tip it began with; zero for none. The walk skips merged-in commits: git leaves the views alone in a merge.
func (c *chain) findLast() (tree gitstore.Hash) {
	known := c.r.readPair().commit
	_ = c.r.store.WalkHistory(c.tip, func(o gitstore.Commit) bool {
		if o.Hash == known || o.Hash == c.m.tx.Head.Tip {
			tree = o.Tree
		}
		return o.Hash != known
	})
	return tree
}

func (c *chain) build(f func(*Memory) (Message, error)) error {
	s, err := c.split(c.m.tx.Head.Tip)
	if err != nil {
		return err
	}
	m, commit := c.m, c.commitChange
	if s != nil {
		m, commit = s.m, s.commitBoth
	}
	if c.r.opts.Follow != nil {
		follow, note, err := c.r.opts.Follow(m)
		if err == nil {
			err = commit(follow)
		}
		if err != nil {
			return err
		}
		c.note = note
	}
	err = m.callback(f, commit)
	c.keepKnown(s)
	return err
}

// keepKnown records the memory that the person knows, and that readers see, from now on.
func (c *chain) keepKnown(s *split) {
	if c.shown, c.known.Commit = c.m, c.tip; s != nil {
		c.shown, c.known = s.m, s.k
		c.known.Commit = s.tip
	}
}

const initialized = "chore(memory): initialize memory repository"

// commitFound makes the first commit of a root, from the files already there.
func (c *chain) commitFound() error {
	err := c.r.lookAtFirstFiles(c.m)
	if err == nil && !c.look(IndexPath, true).Exists { // with an empty list of read sessions: git cannot merge a file that a revert deleted
		err = errors.Join(c.r.firstIndex(c.m), c.gather(0), c.stageViews(), c.m.stageReads(), c.stageLog(Message{Subject: initialized}), c.m.renderViews())
	}
	if err != nil {
		return err
	}
	c.stageEdits()
	return c.commit(Message{Subject: initialized})
}

func (c *chain) commitEdits() error {
	if c.tip.IsZero() {
		return c.commitFound()
	} else if len(c.m.edits) == 0 {
		return nil
	}
	edits := c.stageEdits()
	c.edited = append(c.edited, edits...)
	for _, name := range edits {
		c.own[name] = !c.m.files[name].Staged
	}
	return c.commit(Message{Subject: "edit: hand edits", Body: edits})
}

// stageEdits stages a person's edits unchanged, and returns their paths. It keeps out a file with a secret in it.
func (c *chain) stageEdits() []string {
	edits := c.m.editedFiles()
	for _, path := range edits {
		if _, replaced := c.m.staged[path]; replaced {
			continue
		}
		f := c.look(path, true)
		switch isLeak := f.Exists && c.m.isLeak(path, f.Data); {
		case isLeak && path == IndexPath: // it is made anew each time
			c.r.opts.Warn(path + " holds what looks like a secret: taken out of it")
			c.m.stageWrite(path, guard.ScrubNew(nil, f.Data))
		case isLeak:
			c.held[path] = true
			c.r.opts.Warn(guard.Line(path) + " holds what looks like a secret: left out of the commit, until it is taken out")
		default:
			c.m.stageWrite(path, f.Data)
		}
	}
	c.m.edits = nil
	return slices.DeleteFunc(edits, func(path string) bool { return c.held[path] })
}

// look looks at a file. It keeps an error in c.w.Err, so that nothing is published.
func (c *chain) look(path string, content bool) *file {
	f, err := c.m.lookAt(path, content)
	if err != nil {
		c.w.Err, f = cmp.Or(c.w.Err, err), &file{}
	}
	return f
}

// commitChange commits the callback's changes with the index and the views, or nothing if the message has no subject.
// If the callback came across more edits, these are committed first; the callback's writes wait until then.
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
	c.askWho() // git takes as long to answer as the views take to make; without a commit, git is not queried
	if err := errors.Join(c.gather(0), c.stageViews()); err != nil {
		return err
	}
	return c.commitStaged(msg)
}

// commitStaged commits the staged files together with the index and the views made of them.
func (c *chain) commitStaged(msg Message) error {
	return disk.InOrder(func() error { return c.stageLog(msg) }, c.m.renderViews, func() error { return c.commit(msg) })
}

// gather makes facts of the callback's changes and numbers them after behind, an order of another chain.
func (c *chain) gather(behind int64) error {
	c.m.flush()
	return errors.Join(c.m.noteStaged(), c.number(behind))
}

func (c *chain) stageViews() error {
	if len(c.m.facts) == 0 {
		return nil
	}
	if err := c.m.stageFacts(); err != nil || !slices.ContainsFunc(c.m.facts, func(f facts.Fact) bool { return f.IsOfOthers() }) {
		return err
	}
	return c.refold(c.m.facts)
}

func (c *chain) refold(more []facts.Fact) error {
	log, err := c.m.ReadLog()
	if err != nil {
		return err
	}
	return c.m.stageFold(log.With(more...))
}

// number gives the new facts their order: after all others, and after behind, an order of another chain.
func (c *chain) number(behind int64) error {
	if len(c.m.facts) == 0 {
		return nil
	}
	last, err := c.last, error(nil)
	if last == 0 {
		last, err = c.lastOrder()
	}
	last = max(last, behind)
	for i := range c.m.facts {
		if f := &c.m.facts[i]; f.N == 0 {
			last = max(last+1, c.m.now.UnixMilli())
			f.N = last
		}
		last = max(last, c.m.facts[i].N)
	}
	c.last = last
	return err
}

// stageLog stages the files of the new facts, and makes the index name the log that includes all staged ones.
func (c *chain) stageLog(msg Message) error {
	for i := range c.m.facts {
		if err := c.stageFact(&c.m.facts[i], msg); err != nil {
			return err
		}
	}
	c.m.facts = nil
	log, err := c.editLog()
	if err == nil && !log.IsZero() {
		c.m.Index.Log = log.String()
	}
	return err
}

// editLog returns the log with the facts that are staged; a merge brings some, too.
func (c *chain) editLog() (gitstore.Hash, error) {
	log, err := c.r.store.FindFolder(c.m.tree, facts.Folder)
	blobs := map[string]gitstore.Hash{}
	for name, w := range c.m.staged {
		if name, isFact := strings.CutPrefix(name, facts.Folder+"/"); isFact {
			blobs[name] = w.blob
		}
	}
	if err == nil {
		log, err = c.w.EditTree(log, blobs)
	}
	return log, err
}

func (c *chain) stageFact(f *facts.Fact, msg Message) error {
	if f.Why = guard.Line(msg.Subject); f.Who == "" {
		f.Who = c.who().Author.Name
	}
	name, data, err := f.Encode()
	if err == nil {
		_, err = facts.Decode(name, data) // an unreadable fact would block everything after it
	}
	if err != nil {
		return err
	}
	c.look(name, false) // a person's file there gets its commit first
	c.m.stageWrite(name, data)
	if c.mine[f.ID] {
		c.own[name] = true
	}
	return nil
}

// commit commits the memory's staged writes. It does nothing if they change no file, unless msg.Always is set.
func (c *chain) commit(msg Message) error {
	if err := c.releaseHeld(); err != nil {
		return err
	}
	blobs := make(map[string]gitstore.Hash, len(c.m.staged)) // by path, zero for a removed file
	for _, path := range c.m.staged.paths() {
		w := c.m.staged[path]
		if blobs[path] = w.blob; w.data != nil && w.blob != c.look(path, false).committed {
			c.w.Keep(w.blob, c.look(path, false).committed, w.data)
		}
	}
	tree, err := c.w.EditTree(c.m.tree, blobs)
	if err != nil || tree == c.m.tree && !msg.Always {
		return err
	}
	var parents []gitstore.Hash
	if !c.tip.IsZero() {
		parents = append([]gitstore.Hash{c.tip}, c.parents...)
	}
	c.parents = nil
	msg.Subject = guard.Line(msg.Subject) // it goes into the reflog too
	if c.r.opts.Version != "" {
		msg.Trailers = append(slices.Clip(msg.Trailers), Trailer{Key: versionTrailer, Value: c.r.opts.Version})
	}
	tip := c.w.AddCommit(gitstore.Commit{
		Tree: tree, Parents: parents, By: c.who(), When: c.m.now, Message: msg.String(),
	})
	c.advance(tree, tip, msg.Subject)
	return nil
}

// advance makes the commit just added the one to build on.
func (c *chain) advance(tree, tip gitstore.Hash, subject string) {
	c.m.tree, c.tip, c.subject, c.changed = tree, tip, subject, nil
	for _, path := range c.m.staged.paths() {
		f, w := c.look(path, false), c.m.staged[path]
		if f.committed != w.blob {
			c.touched[path] = true
			c.changed = append(c.changed, path)
		}
		f.committed, f.Data, f.Exists = w.blob, w.data, w.data != nil
	}
}

// notePair notes that the index of the last commit is the fold of its log. Without the note the next command makes a
// fold of everything.
func (c *chain) notePair() {
	if p, err := c.r.findPair(c.tip, c.m.tree); err == nil && p != c.r.readPair() {
		_ = c.r.d.WriteLoose(verifiedPath, fmt.Appendf(nil, "%s %s %s %d\n", p.commit, p.log, p.index, index.FoldRules))
	}
	c.r.unseen = false
}
