package walk

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/index/codec"
	"mem/index/merge"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/message"
)

// findVersion returns the newest index in the history of tip that can be read
// and has at least this format; nil if there is none. list has the commits with each
// version of the file down to it, the newest first. An error is of a newer one.
func findVersion(store *gitstore.Store, tip object.Hash, format int, now time.Time) (last *index.Index, list []object.Commit, err error) {
	var failed error
	var own map[object.Hash]bool
	err = walkVersions(store, tip, func(c object.Commit, data []byte, err error) bool {
		if len(list) == manyVersions && format > 1 {
			own, failed = listOwn(store, tip)
		}
		if own != nil && !own[c.Hash] {
			return false
		}
		list = append(list, c)
		ix, _, loadErr := codec.Load(data, now) // of a damaged blob there is no data
		if err == nil && loadErr == nil && ix.Version >= format {
			last = ix
		} else if err = cmp.Or(err, loadErr); err != nil && !errors.Is(err, codec.ErrUnreadable) {
			failed = cmp.Or(failed, err)
		}
		return last == nil
	})
	return last, list, cmp.Or(err, failed)
}

// walkVersions is gitstore.Store.WalkHistory over the contents that the index had, each different
// one once, with the newest commit that has it. A content that cannot be read has
// an error; commits without an index are left out.
func walkVersions(s *gitstore.Store, tip object.Hash, f func(c object.Commit, data []byte, err error) bool) error {
	var seen object.Hash
	return s.WalkHistory(tip, func(c object.Commit) bool {
		blob, err := s.FindBlob(c.Tree, index.Path)
		if err == nil && (blob.IsZero() || blob == seen) {
			return true
		}
		var data []byte
		if seen = blob; err == nil {
			data, err = s.ReadBlob(blob)
		}
		return f(c, data, err)
	})
}

// manyVersions is after how many of them findVersion asks whether there is any to find:
// to read each of thousands takes minutes.
const manyVersions = 20

// listOwn returns the commits down to the oldest one that mem made, or that joins
// histories: before it no index is of a version that mem wrote.
func listOwn(store *gitstore.Store, tip object.Hash) (map[object.Hash]bool, error) {
	own, others := map[object.Hash]bool{}, []object.Hash{}
	err := store.WalkHistory(tip, func(c object.Commit) bool {
		if others = append(others, c.Hash); len(c.Parents) > 1 || strings.Contains(c.Message, "\nMem-") {
			for _, h := range others {
				own[h] = true
			}
			others = others[:0]
		}
		return true
	})
	return own, err
}

// FindRestored returns the newest index in the history that holds what version 1 does
// not know, with what another program counted in the commits after it; nil for none.
// Each of those is done again by itself, so that clones which met them in other steps
// count the same.
func FindRestored(store *gitstore.Store, tip object.Hash, now time.Time) (*index.Index, error) {
	last, list, err := findVersion(store, tip, 2, now)
	if err != nil || last == nil {
		return nil, err
	}
	for _, c := range slices.Backward(list[:len(list)-1]) {
		blob, err := store.FindBlob(c.Tree, index.Path)
		if err != nil {
			return nil, err
		}
		data, err := store.ReadBlob(blob)
		if err != nil {
			return nil, err
		}
		if ix, _, err := codec.Load(data, now); err == nil {
			merge.RestoreFrom(ix, last, string(data))
			last = ix
		}
	}
	return last, nil
}

// findWords returns an index with the words of the records that something counts for and
// that have none there, as the nearest commits before head have them; after some seconds
// without.
func (w *walker) findWords(head object.Hash, ix *index.Index) (*index.Index, error) {
	lost, done := map[string]bool{}, map[object.Hash]bool{}
	for _, id := range merge.ListLost(orEmpty(ix)) {
		lost[id] = true
	}
	words := &index.Index{}
	w.records = 0
	for todo := []object.Hash{head}; len(lost) > 0 && len(todo) > 0 && w.records < manyRecords; todo = todo[1:] {
		if done[todo[0]] {
			continue
		}
		done[todo[0]] = true
		c, err := w.readCommit(todo[0])
		had, err2 := w.readRaw(todo[0])
		if err := errors.Join(err, err2); err != nil {
			return ix, err
		}
		for _, it := range orEmpty(had).Items {
			if lost[it.ID] {
				delete(lost, it.ID)
				it.Sources, it.Seen, it.DerivedFrom, it.Before, it.By = nil, nil, nil, index.Share{}, nil
				words.Items = append(words.Items, it)
			}
		}
		todo = append(todo, c.Parents...)
	}
	if len(words.Items) == 0 {
		return ix, nil
	}
	return merge.Indexes(nil, ix, words), nil
}

// ExplainUnreadable returns the error that the index of a root cannot be read,
// and names the last good version.
func ExplainUnreadable(store *gitstore.Store, tip object.Hash, root string, cause error, now time.Time) error {
	e := &message.UnreadableError{Root: root, Err: cause}
	last, list, err := findVersion(store, tip, 0, now)
	if last != nil {
		e.LastGood = list[len(list)-1].Hash.String()
	}
	return errors.Join(e, err)
}
