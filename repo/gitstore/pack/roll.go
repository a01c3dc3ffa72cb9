package pack

import (
	"slices"
	"sync"

	"mem/repo/gitstore/object"
)

// When a pack is full, so that the next commit begins another. What is read of the history
// goes through as many deltas as it is deep, and each commit copies the whole pack: what is in
// it as deltas is at most as much as what is whole, unless both are small.
const (
	maxDepth   = 24
	maxEntries = 2_000
	minHistory = 64 << 10
)

// minDelta is how large an object is that a delta could make smaller, and minGain how many
// times it must: content deflates to about a quarter of its size anyway.
const (
	minDelta = 256
	minGain  = 8
)

// An Update is a new object that takes the place of another: the next version of a file, or
// of a folder.
type Update struct {
	Old, New object.Hash
	Was      func() []byte // gives the content that Old names, or nil: it is not checked; Roll calls it once, in a goroutine
}

// Roll returns the entries of a pack with new ones in front and behind. Of what was updated the
// one that stands behind the other becomes a delta against it, where that is much smaller.
func Roll(open, front, behind []Entry, updates []Update) []Entry {
	var rolled []Entry
	at := make(map[object.Hash]int, len(front)+len(open)+len(behind))
	for _, e := range slices.Concat(front, open, behind) {
		if _, twice := at[e.Hash]; !twice {
			at[e.Hash] = len(rolled)
			rolled = append(rolled, e)
		}
	}
	contents := make(map[object.Hash][]byte, len(front)+len(behind)) // of what is new
	for _, e := range slices.Concat(front, behind) {
		contents[e.Hash] = e.whole
	}
	tried := map[int]bool{}
	var packers sync.WaitGroup
	for _, u := range updates {
		old, hasOld := at[u.Old]
		to, hasNew := at[u.New]
		later := max(old, to)
		isNext := hasOld && hasNew && old != to && !tried[later]
		tried[later] = tried[later] || isNext
		packers.Go(func() {
			if was := u.Was(); isNext && was != nil {
				rolled[later].shrink(u, old < to, was, contents[u.New])
			}
		})
	}
	packers.Wait()
	return rolled
}

// shrink makes a whole entry, the old or the new one of an update, a delta, if that is smaller.
func (e *Entry) shrink(u Update, isNew bool, was, is []byte) {
	if !e.Base.IsZero() || e.size < minDelta || is == nil {
		return
	}
	base, delta := u.New, []byte(nil)
	if isNew {
		base, delta = u.Old, Delta(was, is)
	} else {
		delta = Delta(is, was)
	}
	if packed := object.Deflate(delta); len(packed) < e.size/minGain {
		*e = Entry{Hash: e.Hash, Base: base, size: len(delta), data: packed}
	}
}

// IsFull reports whether the next commit begins another pack, with whole files.
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
	return history > max(whole, minHistory) || len(entries) > maxEntries
}
