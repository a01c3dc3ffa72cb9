package recall

import (
	"cmp"
	"path"
	"slices"

	"mem/index"
)

// orderByWorth returns all entries, those that are worth most first: the best
// lesson of each kind, then the rules, then the other lessons, and at the end
// what is there for orientation.
func (b *bundle) orderByWorth() []*entry {
	best := balanceKinds(b.lessonsOf(pinned, proven, core, fitting))
	var list []*entry
	seeds := map[index.Kind]bool{}
	for _, e := range best {
		if !seeds[e.kind] {
			seeds[e.kind] = true
			list = append(list, e)
		}
	}
	list = append(list, b.textsOf(rules)...)
	list = append(list, best...)
	list = append(list, takeTurns(b.textsOf(memories))...)
	list = append(list, balanceKinds(b.lessonsOf(fresh))...)
	list = append(list, b.textsOf(fresh)...)
	list = append(list, b.textsOf(journal)...)

	// What would crowd out the others comes last.
	room := 4*b.opts.Budget - len(b.write(nil))
	together := 0
	for _, e := range list[:len(seeds)] {
		together += e.roomNeeded()
	}
	var first, long []*entry
	seen := map[*entry]bool{}
	for i, e := range list {
		switch {
		case seen[e]:
		case i < len(seeds) && together <= room:
			first = append(first, e)
		case 2*e.roomNeeded() > room, e.section >= memories && e.item == nil && 4*e.roomNeeded() > room:
			long = append(long, e)
		default:
			first = append(first, e)
		}
		seen[e] = true
	}
	return append(first, long...)
}

// takeTurns returns the same entries, one from each folder in turn, so that long
// entries do not crowd out those that take a line.
func takeTurns(list []*entry) []*entry {
	var folders []string
	queues := map[string][]*entry{}
	for _, e := range list {
		folder := path.Dir(e.from)
		if queues[folder] == nil {
			folders = append(folders, folder)
		}
		queues[folder] = append(queues[folder], e)
	}
	out := make([]*entry, 0, len(list))
	for len(out) < len(list) {
		for _, folder := range folders {
			if q := queues[folder]; len(q) > 0 {
				out, queues[folder] = append(out, q[0]), q[1:]
			}
		}
	}
	return out
}

// textsOf returns the entries of a section that are not lessons, those that fit
// the task first.
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

// balanceKinds returns the same lessons in an order of which every beginning, but
// the first one alone, has a quarter of either kind, as far as there are any.
func balanceKinds(list []*entry) []*entry {
	rest, have := slices.Clone(list), map[index.Kind]int{}
	out := make([]*entry, 0, len(list))
	for len(rest) > 0 {
		next := 0
		other := slices.IndexFunc(rest, func(e *entry) bool { return e.kind != rest[0].kind })
		if other > 0 && len(out) > 0 && 4*have[rest[other].kind] <= len(out) {
			next = other
		}
		out = append(out, rest[next])
		have[rest[next].kind]++
		rest = slices.Delete(rest, next, next+1)
	}
	return out
}

// inReadingOrder returns entries in the order in which they are read.
func inReadingOrder(list []*entry) []*entry {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y *entry) int {
		return cmp.Or(
			cmp.Compare(x.section, y.section),
			cmp.Compare(x.source.Place(), y.source.Place()),
			cmp.Compare(x.place, y.place),
		)
	})
	return list
}
