// Package walk looks at what git did to a memory since mem last wrote to it, and
// says what the index should be.
//
// A merge driver does not see everything: git takes the other side as it is where one
// side did not change, and hosts never call it. So the commits since the last one that
// was looked at are done again, one by one, in terms of sightings: what a plain revert
// removed is taken back, and what a merge lost counts again.
package walk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mem/index"
	"mem/index/codec"
	"mem/index/merge"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
)

// A walker looks at the commits of a store.
type walker struct {
	store *gitstore.Store
	now   time.Time // what dates count as that cannot be read

	seen    object.Hash          // the last commit that was looked at
	ends    map[object.Hash]bool // whose parents a shallow clone does not have; nil until they are read
	skipped map[object.Hash]bool // commits that need no look
	commits map[object.Hash]object.Commit
	blobs   map[object.Hash]*index.Index // by blob; nil for one that cannot be read
	recent  []object.Hash                // the blobs, the oldest first
	records int                          // that were read since it was said how far this is
	lifted  map[object.Hash]*index.Index // of each commit that was looked at; nil for what it has
	uses    map[object.Hash]int          // how often it is asked for what a commit should have

	journal
}

// newWalker returns a walker over the versions of the index.
func newWalker(store *gitstore.Store, now time.Time) *walker {
	return &walker{
		store: store, now: now,
		commits: map[object.Hash]object.Commit{}, blobs: map[object.Hash]*index.Index{}, lifted: map[object.Hash]*index.Index{},
		journal: journal{days: map[string]map[string]object.Hash{}, removed: map[string]bool{}, bases: map[object.Hash]bool{}},
	}
}

// liftIndex returns what the index at head should be, given the commits that were looked
// at, newest first, and what it is there; nil if it cannot be read. If there is nothing
// to look at, or none of them is in the history that is here, the first is nil.
func (w *walker) liftIndex(ctx context.Context, seen []object.Hash, head object.Hash) (should, is *index.Index, err error) {
	var list []object.Commit
	for i := 0; i < len(seen) && len(list) == 0; i++ { // what came after the head was given up
		w.seen = seen[i]
		if list, err = w.listSince(w.seen, head); err != nil {
			return nil, nil, err
		}
	}
	w.skipped = findPassed(list)
	list = slices.DeleteFunc(list, func(c object.Commit) bool { return w.skipped[c.Hash] })
	if len(list) >= manyCommits {
		w.store.Warn(fmt.Sprintf("looking at %d commits that git made, which takes a while", len(list)))
	}
	w.uses = map[object.Hash]int{head: 1}
	for _, c := range list {
		for _, h := range w.listUses(c) {
			w.uses[h]++
		}
	}
	for i, c := range list {
		if err := cmp.Or(ctx.Err(), w.liftCommit(c)); err != nil {
			return nil, nil, err
		}
		if w.records > manyRecords {
			w.store.Warn(fmt.Sprintf("looked at %d of %d", i+1, len(list)))
			w.records = 0
		}
	}
	is, err = w.readRaw(head)
	if _, isListed := w.lifted[head]; isListed {
		should, err = w.findWords(head, cmp.Or(w.lifted[head], is))
	}
	return should, is, err
}

// What takes some seconds: so many commits where there are 1,000 lessons, and so many
// records.
const (
	manyCommits = 100
	manyRecords = 2_000_000
)

// findPassed returns the commits that need no look: those in a row, of which none says
// that it takes another back. What such a row did stands in its last commit. It would
// be another matter only if a person had removed by hand what the row itself had added.
func findPassed(list []object.Commit) map[object.Hash]bool {
	children := map[object.Hash]int{}
	for _, c := range list {
		for _, p := range c.Parents {
			children[p]++
			if len(c.Parents) > 1 || reverts.Get().MatchString(c.Message) {
				children[p] = 2 // it is needed as it is
			}
		}
	}
	passed := map[object.Hash]bool{}
	for _, c := range list {
		passed[c.Hash] = len(c.Parents) == 1 && children[c.Hash] == 1 && !reverts.Get().MatchString(c.Message)
	}
	return passed
}

// parentOf returns the nearest commit before one in a row that is looked at.
func (w *walker) parentOf(c object.Commit) object.Hash {
	p := c.Parents[0]
	for w.skipped[p] {
		p = w.commits[p].Parents[0]
	}
	return p
}

// liftCommit does what a commit did again, on what its parents should be.
func (w *walker) liftCommit(c object.Commit) error {
	var should *index.Index
	uses := w.listUses(c)
	for i, p := range uses[:len(c.Parents)] {
		w.lookAtJournal(c, p)
		before, err := w.readMade(p, maxReverts)
		switch {
		case err != nil:
			return err
		case i == 0:
			should = before
		case before != nil: // nothing in a merge can take back
			should = merge.Indexes(nil, orEmpty(should), before)
		}
	}
	should, err := w.addCommit(c, should, maxReverts)
	w.lifted[c.Hash] = should
	for _, h := range uses {
		if w.uses[h]--; w.uses[h] == 0 && w.lifted[h] != nil {
			w.lifted[h] = nil // 10,000 lessons take 20 MB
		}
	}
	return err
}

// addCommit adds to what the parents of a commit should be what the commit has; nil if
// that is all there is.
func (w *walker) addCommit(c object.Commit, should *index.Index, depth int) (*index.Index, error) {
	if len(c.Parents) > 1 && should != nil {
		return w.dropKnown(c, should) // what the text of a merge says may be two halves of a record
	}
	raw, err := w.readRaw(c.Hash)
	if err != nil || raw == nil || len(c.Parents) != 1 {
		return should, err
	}
	before, err := w.readRaw(w.parentOf(c))
	if err != nil {
		return nil, err
	}
	if before == nil { // it could not be read: the parent's is all that there is
		before = should
	}
	if before != raw && !w.isTextual(c, orEmpty(before), raw) {
		should = merge.Indexes(before, orEmpty(should), raw)
	}
	if should, err = w.revert(c, should, depth); should == raw {
		return nil, err
	}
	return should, err
}

// dropKnown returns what a merge should have, unless that is what it has: then it need
// not be read, and the next commit on top is compared with itself.
func (w *walker) dropKnown(c object.Commit, should *index.Index) (*index.Index, error) {
	blob, err := w.store.FindBlob(c.Tree, index.Path)
	data, encodeErr := codec.Encode(should)
	if err != nil || encodeErr != nil || object.HashOf(object.KindBlob, data) != blob {
		return should, err
	}
	w.keepBlob(blob, should)
	return nil, nil
}

// listUses returns the commits of which liftCommit asks what they should have: first
// the parents.
func (w *walker) listUses(c object.Commit) []object.Hash {
	list := slices.Clone(c.Parents)
	if len(list) == 1 {
		list[0] = w.parentOf(c)
	}
	return append(list, w.listReverted(c)...)
}

// readLifted returns what the index should be at a commit: what it is, at one that was
// looked at before.
func (w *walker) readLifted(h object.Hash) (*index.Index, error) {
	if ix := w.lifted[h]; ix != nil {
		return ix, nil
	}
	return w.readRaw(h)
}

// readRaw returns the index of a commit; nil if there is none that can be read.
func (w *walker) readRaw(h object.Hash) (*index.Index, error) {
	c, err := w.readCommit(h)
	if err != nil {
		return nil, err
	}
	blob, err := w.store.FindBlob(c.Tree, index.Path)
	if err != nil || blob.IsZero() {
		return nil, err
	}
	ix, known := w.blobs[blob]
	if known {
		return ix, nil
	}
	data, err := w.store.ReadBlob(blob)
	if err != nil {
		return nil, err
	}
	ix, _, err = codec.Load(data, w.now)
	w.records += len(orEmpty(ix).Items)
	if err == nil && ix.Version < 2 { // another program may have rewritten it
		restored, err := FindRestored(w.store, h, w.now)
		return cmp.Or(restored, ix), err
	}
	switch {
	case errors.Is(err, codec.ErrUnreadable): // the marks of a conflict, say
		ix = nil
	case err != nil:
		return nil, fmt.Errorf("commit %.12s: %w", h, err)
	}
	w.keepBlob(blob, ix)
	return ix, nil
}

// maxBlobs is how many versions of an index are kept: each takes some megabytes.
const maxBlobs = 8

// keepBlob keeps a version of the index for the next commits, instead of the oldest.
func (w *walker) keepBlob(blob object.Hash, ix *index.Index) {
	if len(w.recent) == maxBlobs {
		delete(w.blobs, w.recent[0])
		w.recent = w.recent[1:]
	}
	w.blobs[blob], w.recent = ix, append(w.recent, blob)
}

func (w *walker) readCommit(h object.Hash) (object.Commit, error) {
	c, known := w.commits[h]
	if known {
		return c, nil
	}
	if w.ends == nil {
		ends, err := w.store.ShallowEnds()
		if err != nil {
			return c, err
		}
		w.ends = ends
	}
	c, err := w.store.ReadCommit(h)
	if w.ends[h] {
		c.Parents = nil
	}
	if err == nil {
		w.commits[h] = c
	}
	return c, err
}

// listSince returns the commits that head has and seen has not, parents first; none if
// they have nothing in common.
func (w *walker) listSince(seen, head object.Hash) ([]object.Commit, error) {
	if list, err := w.listChain(seen, head); err != nil || len(list) > 0 {
		return list, err
	}
	old, err := w.findAncestors(seen)
	if err != nil {
		return nil, err
	}
	var list []object.Commit
	meets := false
	done := map[object.Hash]bool{}
	for todo := []object.Hash{head}; len(todo) > 0; {
		h := todo[len(todo)-1]
		if old[h] || done[h] {
			todo = todo[:len(todo)-1]
			continue
		}
		c, err := w.readCommit(h)
		if err != nil {
			return nil, err
		}
		left := slices.DeleteFunc(slices.Clone(c.Parents), func(p object.Hash) bool {
			meets = meets || old[p]
			return old[p] || done[p]
		})
		if todo = append(todo, left...); len(left) == 0 { // its parents are listed
			done[h] = true
			list = append(list, c)
		}
	}
	if !meets {
		return nil, nil
	}
	return list, nil
}

// findAncestors returns a commit and all before it; none if git has collected it.
func (w *walker) findAncestors(tip object.Hash) (map[object.Hash]bool, error) {
	all := map[object.Hash]bool{}
	for todo := []object.Hash{tip}; len(todo) > 0; todo = todo[1:] {
		if all[todo[0]] {
			continue
		}
		c, err := w.readCommit(todo[0])
		if errors.Is(err, object.ErrDamaged) && todo[0] == tip {
			return nil, nil // what is here is taken as it is
		}
		if err != nil {
			return nil, err
		}
		all[c.Hash] = true
		todo = append(todo, c.Parents...)
	}
	return all, nil
}

// maxChain is how far listChain looks.
const maxChain = 1000

// listChain is listSince for the usual case, commits in a row on top of seen; none if it
// is not that.
func (w *walker) listChain(seen, head object.Hash) (list []object.Commit, err error) {
	for h := head; h != seen; {
		c, err := w.readCommit(h)
		if err != nil || len(c.Parents) != 1 || len(list) == maxChain {
			return nil, err
		}
		list = append(list, c)
		h = c.Parents[0]
	}
	slices.Reverse(list)
	return list, nil
}

func orEmpty(ix *index.Index) *index.Index {
	if ix == nil {
		return &index.Index{}
	}
	return ix
}
