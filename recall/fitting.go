package recall

import (
	"strings"

	"mem/guard"
)

// What it takes to be worth a word of its own next to what a session was told
// already: this many words of the task, where a part of a name is half of one,
// or a name letter for letter; and this share of what the best lesson has. At
// most mostFitting of one memory are shown.
const (
	fitWords    = 2
	fitShare    = 2.0 / 3
	mostFitting = 5
)

// fitting returns the lessons of a pool that fit the task beyond doubt, the
// best first. Those that are known still say how good the best one is, so that
// no others step in for them.
func (b *bundle) fitting(p *pool) (list []place) {
	for _, at := range p.rest {
		if len(list) == min(mostFitting, b.opts.Limit) {
			break
		}
		if h := at.hit; h != nil && h.match >= fitShare*b.best && b.query.common(h) >= fitWords {
			list = append(list, at)
		}
	}
	return list
}

// common is how many words of the query a text has; a name letter for letter
// is enough of them.
func (q *query) common(h *hit) float64 {
	if len(h.names) > 0 {
		return fitWords
	}
	n := 0.0
	for at, c := range h.counts {
		if c > 0 {
			n += q.weights[at]
		}
	}
	return n
}

// known adds the keys of the lessons that were told already.
func (b *bundle) known(to keys) {
	told := map[string]bool{}
	for _, id := range b.opts.Known {
		told[id] = true
	}
	for _, s := range b.sources {
		if len(told) == 0 || s.Memory == nil {
			continue
		}
		for i := range s.Memory.Index.Items {
			it := &s.Memory.Index.Items[i]
			if told[it.ID] || !usual(it.ID) && told[guard.Line(it.ID)] {
				to.add(it.Key)
			}
		}
	}
}

// usual reports whether an id is of the form that mem gives, which is shown as
// it is.
func usual(id string) bool {
	hex, ok := strings.CutPrefix(id, "m-")
	return ok && len(hex) <= 16 && strings.Trim(hex, "0123456789abcdef") == ""
}
