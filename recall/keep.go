package recall

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mem/index"
)

// orderByWorth returns all entries, those that are worth most first: the best lesson, the
// rules, the other lessons, and at the end what is there for orientation. Rules that have room of
// their own come first, agreed of them, and those that it does not hold are left out.
func (b *bundle) orderByWorth() (list []*entry, agreed int) {
	best, shared := b.lessonsOf(pinned, said, proven, core, fitting), b.textsOf(rules)
	var own []*entry
	if b.opts.Rules > 0 && !b.opts.Core {
		for _, e := range shared {
			if with := append(slices.Clip(own), e); Tokens(b.write(with)) <= b.opts.Rules {
				own = with
			}
		}
		shared = nil
	}
	head := min(1, len(best))
	list = slices.Concat(best[:head], shared, best[head:], b.textsOf(memories), b.lessonsOf(fresh), b.textsOf(fresh), b.textsOf(journal))

	// What would crowd out the others comes last.
	room := 4*b.opts.Budget - len(b.write(nil))
	var first, long []*entry
	for _, e := range list {
		needed := len(e.head) + len(e.text) + len(e.verify) + len(e.opposite) + 24
		if needed > room || 2*needed > room && e.section != rules || e.section >= memories && e.item == nil && 4*needed > room {
			long = append(long, e)
		} else {
			first = append(first, e)
		}
	}
	return slices.Concat(own, first, long), len(own)
}

// textsOf returns the entries of a section that are not lessons, those that fit the task first.
func (b *bundle) textsOf(s section) (list []*entry) {
	for _, e := range b.entries {
		if e.section == s && e.item == nil {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(x, y *entry) int { return cmp.Compare(y.score, x.score) })
	return list
}

// lessonsOf returns the lessons of these sections by their worth: how well
// they fit a task if there is one, else section by section. Pinned ones are first.
func (b *bundle) lessonsOf(sections ...section) (list []*entry) {
	for _, e := range b.entries {
		if slices.Contains(sections, e.section) && e.item != nil {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(x, y *entry) int {
		return cmp.Or(
			-compareBool(x.item.Pinned, y.item.Pinned),
			cmp.Compare(y.score, x.score), // all 0 without a task
			cmp.Compare(x.section, y.section),
			cmp.Compare(x.place, y.place),
			compareBool(x.source.Global, y.source.Global),
		)
	})
	return list
}

func inReadingOrder(list []*entry) []*entry {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y *entry) int {
		return cmp.Or(
			cmp.Compare(x.section, y.section),
			compareBool(y.source.Global, x.source.Global), // the person's own first
			cmp.Compare(x.place, y.place),
		)
	})
	return list
}

// markOpposites lets the newer of two lessons that say the opposite of each other name the
// older one, which is left out unless it is pinned: then it names the newer. That words alone show it is enough.
func (b *bundle) markOpposites() {
	var lessons []*entry
	var list []index.Saying
	for _, e := range b.entries {
		if e.item != nil {
			lessons = append(lessons, e)
			list = append(list, index.Saying{Text: e.text, Seen: e.item.LastSeen})
		}
	}
	gone := map[*entry]bool{}
	for at, by := range index.FindOutdone(list) {
		if by < 0 {
			continue
		}
		newer, older := lessons[by], lessons[at]
		newer.opposite += " (newer than the opposite: " + older.quote() + ")"
		newer.named = append(newer.named, older.id)
		if gone[older] = !older.item.Pinned; older.item.Pinned {
			older.opposite += " (older than the opposite: " + newer.quote() + ")"
		}
	}
	b.entries = slices.DeleteFunc(b.entries, func(e *entry) bool { return gone[e] })
}

// quote returns what a lesson says, and when it was last seen, for the line of another one.
func (e *entry) quote() string {
	return fmt.Sprintf("“%s”, %s", e.text, e.item.LastSeen.UTC().Format(time.DateOnly))
}
