package pack

import (
	"slices"

	"mem/repo/gitstore/object"
)

// When a pack is full, so that the next commit begins another. What is read of the history
// goes through as many deltas as it is deep, and each commit copies the whole pack.
const (
	maxDepth   = 24
	maxEntries = 2_000
)

// minDelta is how large an object is that a delta could make smaller, and minGain how many
// times it must: content deflates to about a quarter of its size anyway.
const (
	minDelta = 256
	minGain  = 8
)

// An Update is an object that takes the place of another: the next version of a file, or of
// a folder.
type Update struct {
	Old, New object.Hash
	Was, Is  func() ([]byte, error) // the content of the two, asked for once and only if needed
}

// Roll returns the entries of a pack with new ones in front. The old version of what was
// updated becomes a delta against the new one where that is smaller by half.
func Roll(open, added []Entry, updates []Update) ([]Entry, error) {
	var rolled []Entry
	at := make(map[object.Hash]int, len(added)+len(open))
	for _, e := range slices.Concat(added, open) {
		if _, twice := at[e.Hash]; !twice {
			at[e.Hash] = len(rolled)
			rolled = append(rolled, e)
		}
	}
	for _, u := range updates {
		old, isOld := at[u.Old]
		to, isNew := at[u.New]
		if isOld && isNew && to < old && rolled[to].Base.IsZero() { // so that no chain is a circle
			if err := rolled[old].shrink(u); err != nil {
				return nil, err
			}
		}
	}
	return rolled, nil
}

// shrink makes a whole entry a delta, if that is smaller.
func (e *Entry) shrink(u Update) error {
	if !e.Base.IsZero() || e.size < minDelta {
		return nil
	}
	was, err := u.Was()
	if err != nil {
		return err
	}
	is, err := u.Is()
	if err != nil {
		return err
	}
	delta := Delta(is, was)
	if packed := object.Deflate(delta); len(packed) < e.size/minGain {
		*e = Entry{Hash: e.Hash, Base: u.New, size: len(delta), data: packed}
	}
	return nil
}

// IsFull reports whether the next commit begins another pack: the history has grown larger than
// what each commit needs whole, or is many deltas away.
func IsFull(entries []Entry) bool {
	depth := make(map[object.Hash]int, len(entries))
	whole, history := 0, 0
	for _, e := range entries {
		if e.Base.IsZero() {
			whole += len(e.data)
			continue
		}
		history += len(e.data)
		if depth[e.Hash] = depth[e.Base] + 1; depth[e.Hash] >= maxDepth {
			return true
		}
	}
	return history > whole || len(entries) > maxEntries
}
