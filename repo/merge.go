package repo

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"mem/facts"
	"mem/fault"
	"mem/guard"
	"mem/repo/gitstore"
)

// Errors of Merge. Nothing was changed.
var (
	ErrConflict = fault.New(fault.Refused, "both sides changed the same lines",
		"merge it with git: 'git merge' in the memory, with the branch of the remote; then run 'mem sync' again")
	errNotMemory = fault.New(fault.Refused, "it has no "+IndexPath, "name the ref that has the memory with --ref, or an empty repository")
)

// A Merge names the commit to merge. Base is zero if there is no common history. From says where Theirs comes
// from; Own says that everything there is the person's.
type Merge struct {
	Base, Theirs gitstore.Hash
	From         string
	Own          bool
}

// Merge adds another clone's commit to the branch: by a fast-forward if possible, else by a merge commit. Hand
// edits are committed first. Facts are united by name, views are rendered again, other texts are merged line by
// line. It fails like Settle, or with ErrConflict.
func (r *Root) Merge(ctx context.Context, now time.Time, g Merge) (Commit, error) {
	return r.change(ctx, now, func(c *chain) error { return c.merge(ctx, g) })
}

func (c *chain) merge(ctx context.Context, g Merge) error {
	theirs, err := c.r.store.ReadCommit(g.Theirs)
	if err != nil {
		return err
	}
	if blob, err := c.r.store.FindBlob(theirs.Tree, IndexPath); err != nil || blob.IsZero() {
		return cmp.Or(err, errNotMemory)
	}
	if g.Own {
		c.theirs = g.Theirs
	}
	isForward := g.Base == c.tip
	if err := c.joinTrees(g, theirs, isForward); err != nil {
		return err
	}
	if isForward {
		c.m.last = sync.OnceValue(c.findLast)
		c.advance(theirs.Tree, theirs.Hash, "Fast-forward")
		err = c.settle(ctx) // as if git had done so
	} else {
		err = c.settleBoth(g, theirs)
	}
	if err != nil {
		return err
	}
	s, err := c.split(gitstore.Hash{})
	c.keepKnown(s)
	return err
}

// stageTheirs stages a file as another commit has it. It refuses to replace a file with hand edits, or one that
// no commit has.
func (c *chain) stageTheirs(name string, blob gitstore.Hash) error {
	if f := c.look(name, true); f.Blob != blob && f.Blob != f.committed && !f.Blob.IsZero() {
		return fmt.Errorf("%w: %s was changed here, and is in no commit", ErrBusy, guard.Line(name))
	}
	data, err := c.r.ReadBlob(blob)
	c.m.stageWrite(name, data)
	return err
}

// joinTrees stages their changes since g.Base. Without all it skips the index and the views, which mem renders again.
func (c *chain) joinTrees(g Merge, theirs gitstore.Commit, all bool) error {
	var base gitstore.Commit
	var err error
	if !g.Base.IsZero() {
		if base, err = c.r.store.ReadCommit(g.Base); err != nil {
			return err
		}
	}
	changes, err := c.r.store.Compare(base.Tree, theirs.Tree)
	if err != nil {
		return err
	}
	c.m.staged = staging{}
	var odd []string
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		if !all && (name == IndexPath || IsView(name) && !c.r.isUnsplit(theirs.Tree, name)) {
			continue // it is made anew
		}
		ok, err := c.joinFile(name, changes[name])
		if err != nil {
			return err
		}
		if !ok {
			odd = append(odd, guard.Line(name))
		}
	}
	if odd = append(odd, c.findClashes()...); len(odd) > 0 {
		return fmt.Errorf("%s: %w", strings.Join(odd, ", "), ErrConflict)
	}
	return nil
}

// joinFile stages their change to a file. It reports false if both sides changed the same lines.
func (c *chain) joinFile(name string, change [2]gitstore.Hash) (ok bool, err error) {
	ours, err := c.r.store.FindBlob(c.m.tree, name)
	if err != nil {
		return false, err
	}
	switch was, is := change[0], change[1]; {
	case ours == is:
		return true, nil
	case ours == was:
		return true, c.stageTheirs(name, is)
	case strings.HasPrefix(name, facts.Folder+"/"): // one side took it out
		return true, nil
	default:
		texts, err := c.r.readBlobs([]gitstore.Hash{was, ours, is})
		if err != nil || ours.IsZero() || is.IsZero() { // one took it out, the other changed it
			return false, err
		}
		merged, ok := facts.MergeLines(string(texts[0]), string(texts[1]), string(texts[2]))
		if ok {
			c.m.stageWrite(name, []byte(merged))
		}
		return ok, nil
	}
}

// findClashes returns the names that would become both a file and a folder.
func (c *chain) findClashes() (odd []string) {
	for name, w := range c.m.staged {
		for dir := path.Dir(name); dir != "." && w.data != nil; dir = path.Dir(dir) {
			if blob, err := c.r.store.FindBlob(c.m.tree, dir); err == nil && !blob.IsZero() && (c.m.staged[dir].data != nil || c.m.staged[dir].blob.IsZero() && c.m.files[dir] == nil) {
				odd = append(odd, guard.Line(dir))
			}
		}
	}
	slices.Sort(odd)
	return slices.Compact(odd)
}

// settleBoth commits the merge: one commit with both parents, whose index and views match the facts of both sides.
func (c *chain) settleBoth(g Merge, theirs gitstore.Commit) error {
	now, err := c.r.findPair(c.tip, c.m.tree)
	if err != nil {
		return err
	}
	s := &fold{chain: c, known: c.r.readPair(), now: now}
	log, err := c.editLog()
	if err == nil {
		s.log, err = c.r.readLog(log, 0)
	}
	if err != nil {
		return err
	}
	s.was = s.log
	if err := s.takeTip(theirs); err != nil {
		return err
	}
	c.parents = []gitstore.Hash{theirs.Hash}
	return s.commit(Message{Subject: "sync: merge " + guard.Line(g.From), Always: true})
}
