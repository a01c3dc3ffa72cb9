package recall

import (
	"slices"

	"mem/guard"
	"mem/index"
)

// What it takes to be told for a task: fitShare of what the best lesson has, and as much
// of the task as fitEnough, where 1 is a word that no other lesson has, or, unasked,
// fitUnasked. The lesson that has most in this sense needs fitMost if it is asked for.
const (
	fitShare    = 0.7
	fitEnough   = 0.74
	fitUnasked  = 1.02
	fitMost     = 0.65
	mostFitting = 3 // told unasked
)

// A pool is the lessons of one memory that may still be shown, best first.
type pool struct {
	source *Source
	ix     *index.Index
	rest   []place
	taken  map[string]bool // keys of lessons that were chosen since, in any pool
}

// newPool returns all lessons of a memory, and notes how well the best fits the task.
func (b *bundle) newPool(s *Source) *pool {
	p := &pool{source: s, ix: s.Memory.Index, rest: rankLessons(s.Memory.Index, b.query, s.Memory.Now())}
	p.rest = slices.DeleteFunc(p.rest, func(at place) bool {
		return p.item(at).HasGap() || !b.opts.Since.IsZero() && !p.item(at).LastSeen.After(b.opts.Since)
	})
	for _, at := range p.rest {
		if at.Hit != nil {
			b.best, b.most = max(b.best, at.Hit.Match), max(b.most, at.Hit.Speaks)
		}
	}
	return p
}

func (p *pool) item(at place) *index.Item { return &p.ix.Items[at.Pos] }

func (p *pool) drop(keys map[string]bool) {
	if len(keys) == 0 {
		return
	}
	p.rest = slices.DeleteFunc(p.rest, func(at place) bool { return keys[p.item(at).Key] })
}

// filter returns the lessons that f takes and that were not chosen yet.
func (p *pool) filter(f func(*index.Item) bool) (list []place) {
	for _, at := range p.rest {
		if it := p.item(at); f(it) && !p.taken[it.Key] {
			list = append(list, at)
		}
	}
	return list
}

func (p *pool) sort(list []place, compare func(x, y *index.Item) int) {
	slices.SortStableFunc(list, func(x, y place) int { return compare(p.item(x), p.item(y)) })
}

// countDistinct counts the lessons of all pools, each once, without those that the session knows in other quotes.
func (b *bundle) countDistinct(pools []*pool) int {
	keys := map[string]bool{}
	for _, p := range pools {
		for _, at := range p.rest {
			if key := unquote.Replace(p.item(at).Key); !b.said[key] {
				keys[key] = true
			}
		}
	}
	return len(keys)
}

// keepFitting drops the lessons that do not fit the task that is asked for, unless they are pinned.
func (b *bundle) keepFitting(pools []*pool) {
	left := 0
	for _, p := range pools {
		p.rest = slices.DeleteFunc(p.rest, func(at place) bool {
			if b.fits(at.Hit) {
				left++
				return false
			}
			return !p.item(at).Pinned
		})
	}
	b.none = left == 0 && b.lessons > 0
}

// fits reports whether a lesson with this hit fits the task; nil is for none. Lessons that are
// known still say how good the best one is, so that no others step in for them.
func (b *bundle) fits(h *Hit) bool {
	switch {
	case h == nil:
		return false
	case b.opts.Asked && h.Speaks == b.most:
		return h.Speaks >= fitMost
	case h.Match < fitShare*b.best:
		return false
	case b.opts.Asked:
		return h.Speaks >= fitEnough
	}
	return h.Speaks >= fitUnasked
}

// hideKnown adds the keys of the lessons that the session was shown already.
func (b *bundle) hideKnown(hidden map[string]bool) {
	shownIDs := map[string]bool{}
	for _, id := range b.opts.Known {
		shownIDs[id] = true
	}
	for _, s := range b.sources {
		if len(shownIDs) == 0 || s.Memory == nil {
			continue
		}
		for it := range s.Memory.Index.All() {
			if shownIDs[it.ID] || shownIDs[guard.Line(it.ID)] {
				hidden[it.Key] = true
				b.said[unquote.Replace(it.Key)] = true
			}
		}
	}
}
