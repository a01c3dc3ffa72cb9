package recall

import (
	"strings"

	"mem/guard"
	"mem/recall/score"
)

// What it takes to be worth a word of its own next to what a session was shown
// already: this many words of the task, where a part of a name is half of one,
// or a name letter for letter; and this share of what the best lesson has. At
// most mostFitting of one memory are shown.
const (
	fitWords    = 2
	fitShare    = 2.0 / 3
	mostFitting = 5
)

// pickFitting returns the lessons of a pool that fit the task beyond doubt, the
// best first. Those that are known still say how good the best one is, so that
// no others step in for them.
func (b *bundle) pickFitting(p *pool) (list []score.Place) {
	for _, at := range p.rest {
		if len(list) == min(mostFitting, b.opts.Limit) {
			break
		}
		if h := at.Hit; h != nil && h.Match >= fitShare*b.best && (len(h.Names) > 0 || b.query.CountWords(h) >= fitWords) {
			list = append(list, at)
		}
	}
	return list
}

// hideKnown adds the keys of the lessons that the session was shown already.
func (b *bundle) hideKnown(to keys) {
	shownIDs := map[string]bool{}
	for _, id := range b.opts.Known {
		shownIDs[id] = true
	}
	for _, s := range b.sources {
		if len(shownIDs) == 0 || s.Memory == nil {
			continue
		}
		for i := range s.Memory.Index.Items {
			it := &s.Memory.Index.Items[i]
			if shownIDs[it.ID] || !isOrdinaryID(it.ID) && shownIDs[guard.Line(it.ID)] {
				to.add(it.Key)
			}
		}
	}
}

// isOrdinaryID reports whether an id has the form that mem gives, which is shown
// as it is.
func isOrdinaryID(id string) bool {
	hex, ok := strings.CutPrefix(id, "m-")
	return ok && len(hex) <= 16 && strings.Trim(hex, "0123456789abcdef") == ""
}
