package walk

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"mem/index"
	"mem/index/merge"
	"mem/lazy"
	"mem/repo/gitstore/object"
)

// reverts is how git says what a commit takes back.
var reverts = lazy.New(`This reverts commit ([0-9a-f]{40})(?:, reversing\s+changes made to ([0-9a-f]{40}))?`)

// listReverted returns the commits before and after what another one takes back; none
// if it takes nothing back that is here.
func (w *walker) listReverted(c object.Commit) []object.Hash {
	said := reverts.Get().FindStringSubmatch(c.Message)
	isOwn := strings.Contains(c.Message, "\nMem-Undoes: ") && c.Authored.Equal(c.When)
	if said == nil || len(c.Parents) != 1 || isOwn {
		return nil // what mem itself took back stands in the index that it wrote, but not in a copy on another branch
	}
	h, _ := object.ParseHash(said[1])
	reverted, err := w.readCommit(h)
	if err != nil || len(reverted.Parents) == 0 {
		return nil // not here, or the first
	}
	if parent, ok := object.ParseHash(said[2]); ok {
		return []object.Hash{parent, h}
	}
	return []object.Hash{reverted.Parents[0], h}
}

// maxReverts is how many reverts of each other are looked at again.
const maxReverts = 8

// revert returns an index without what a commit says that it takes back.
func (w *walker) revert(c object.Commit, ix *index.Index, depth int) (*index.Index, error) {
	list := w.listReverted(c)
	if list == nil {
		return ix, nil
	}
	to, err := w.readMade(list[0], depth)
	from, err2 := w.readMade(list[1], depth)
	if err = errors.Join(err, err2); err == nil && to != nil && from != nil {
		ix = merge.TakeBack(to, ix, from)
	}
	return ix, err
}

// maxCopies is how many copies in a row are looked through.
const maxCopies = 64

// restsOnRevert reports whether a commit is a revert, or a copy that git made on top of one in a
// row of copies.
func (w *walker) restsOnRevert(c object.Commit) bool {
	for range maxCopies {
		if w.listReverted(c) != nil {
			return true
		}
		if len(c.Parents) != 1 || c.Authored.Equal(c.When) {
			return false
		}
		before, err := w.readCommit(c.Parents[0])
		if err != nil {
			return false
		}
		c = before
	}
	return false
}

// isTextual reports whether git made a revert of texts alone, so that it forgot how often something was
// undone before: it has what the texts say that were reverted, and nothing else. They may lie, and
// what it did is known from the others alone.
func (w *walker) isTextual(c object.Commit, before, raw *index.Index) bool {
	list, forgot := w.listReverted(c), false
	for m, n := range before.Undone.Sightings {
		forgot = forgot || raw.Undone.Sightings[m] < n
	}
	if list == nil || !forgot {
		return false
	}
	to, err := w.readRaw(list[0])
	from, err2 := w.readRaw(list[1])
	if err != nil || err2 != nil || to == nil || from == nil {
		return false
	}
	want := merge.TakeBack(to, before, from)
	return slices.EqualFunc(want.Items, raw.Items, func(a, b index.Item) bool {
		return a.ID == b.ID && a.Hits == b.Hits && a.Text == b.Text && a.Status == b.Status && a.Pinned == b.Pinned
	})
}

// readMade is readLifted, but does a revert again that was looked at before, and what git copied
// on top of one, as in a rebase: their texts may not say what they did.
func (w *walker) readMade(h object.Hash, depth int) (*index.Index, error) {
	ix, err := w.readLifted(h)
	if _, isListed := w.lifted[h]; isListed || depth == 0 || err != nil {
		return ix, err
	}
	c, err := w.readCommit(h)
	if err != nil || !w.restsOnRevert(c) {
		return ix, err
	}
	before, err := w.readMade(c.Parents[0], depth)
	if err != nil {
		return nil, err
	}
	made, err := w.addCommit(c, before, depth-1)
	return cmp.Or(made, ix), err
}
