// Package pattern finds what several learnings have in common, and keeps each
// such pattern as a file that waits for a person's decision.
//
// Learnings belong together when they are of one domain and share at least two
// tags. Grouping is a pure function of the set of learnings: the order in which
// they came does not matter.
package pattern

import (
	"cmp"
	"container/heap"
	"iter"
	"slices"
	"strings"
)

// What makes a pattern.
const (
	MinShared = 2 // tags that two learnings have in common if they are alike
	MinTimes  = 3 // learnings that a pattern needs
)

// A Unit is what counts as learned: the file of a learning, or a lesson of the
// index that has no file.
type Unit struct {
	ID    string   // the path of the file, or the id of the lesson
	Item  string   // id of the lesson that says the same; "" if there is none
	Text  string   // one statement
	Tags  []string // as topic.Tags returns them
	Times int      // how often it was learned: 1 for a file
	Score float64  // what is shown first
}

// A Group is units that belong together, of one domain.
type Group struct {
	Units    []Unit   // best first
	Tags     []string // what the pattern is about, sorted: at least two
	Times    int      // how often its units were learned
	Tight    bool     // every unit has all the Tags
	Cohesion float64  // the share of pairs of units that share tags
}

// Key names what the group is about: the two tags that most of its units
// share.
func (g *Group) Key(domain string) string { return domain + "/" + g.Tags[0] + "+" + g.Tags[1] }

// FindGroups groups the units of one domain, in two passes. The first takes, again
// and again, the units that share the most tags; of as many tags the group that was
// learned most often, then the first in the alphabet. The second looks among the
// rest for a unit with all that share tags with it. No unit is in two groups.
func FindGroups(units []Unit) (groups []Group) {
	g := newGrouper(units)
	for sets, common := g.takeTight(); sets != nil; sets, common = g.takeTight() {
		groups = append(groups, g.makeGroup(sets, common))
	}
	g.queueStars()
	for sets := g.takeLoose(); sets != nil; sets = g.takeLoose() {
		groups = append(groups, g.makeGroup(sets, nil))
	}
	return groups
}

// A grouper works on sets of equal tags: there are fewer of them than units.
type grouper struct {
	sets  []tagset
	pairs map[pair]*holding
	queue queue
}

type tagset struct {
	tags  []string
	units []Unit
	times int
	taken bool
}

// A pair of tags, the lesser one first.
type pair struct{ a, b string }

type holding struct {
	sets  []int
	times int            // of those that are free
	free  int            // number of those that are free
	count map[string]int // how many of the free ones have a tag; nil if there were never enough
}

// common returns the tags that all free sets share, sorted.
func (h *holding) common() (tags []string) {
	for tag, has := range h.count {
		if has == h.free {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	return tags
}

func newGrouper(units []Unit) *grouper {
	g := &grouper{pairs: map[pair]*holding{}}
	byTags := map[string]int{}
	for _, u := range units {
		if len(u.Tags) < MinShared {
			continue
		}
		name := strings.Join(u.Tags, "\x00")
		at, known := byTags[name]
		if !known {
			at = len(g.sets)
			byTags[name] = at
			g.sets = append(g.sets, tagset{tags: u.Tags})
		}
		g.sets[at].units = append(g.sets[at].units, u)
		g.sets[at].times += u.Times
	}
	g.queuePairs()
	return g
}

// queuePairs notes which sets hold which pairs, and queues those of enough units.
func (g *grouper) queuePairs() {
	for i := range g.sets {
		for p := range pairsOf(g.sets[i].tags) {
			h := g.pairs[p]
			if h == nil {
				h = &holding{}
				g.pairs[p] = h
			}
			h.sets = append(h.sets, i)
			h.times += g.sets[i].times
			h.free++
		}
	}
	for p, h := range g.pairs {
		if h.times < MinTimes {
			continue
		}
		h.count = map[string]int{}
		for _, i := range h.sets {
			for _, tag := range g.sets[i].tags {
				h.count[tag]++
			}
		}
		g.queue = append(g.queue, candidate{rank: len(h.common()), times: h.times, pair: p})
	}
	heap.Init(&g.queue)
}

// pairsOf yields the pairs of sorted tags.
func pairsOf(tags []string) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		for i, a := range tags {
			for _, b := range tags[i+1:] {
				if !yield(pair{a, b}) {
					return
				}
			}
		}
	}
}

// takeTight takes the sets of the next group, and the tags that all of them have.
func (g *grouper) takeTight() (sets []int, common []string) {
	for len(g.queue) > 0 {
		c := heap.Pop(&g.queue).(candidate)
		h := g.pairs[c.pair]
		common = h.common()
		if h.times < MinTimes || c.times != h.times || c.rank != len(common) {
			continue // some of it was taken; what is left has its own place in the queue
		}
		for _, i := range h.sets {
			if !g.sets[i].taken {
				sets = append(sets, i)
			}
		}
		g.take(sets)
		return sets, common
	}
	return nil, nil
}

// take makes sets unavailable for other groups.
func (g *grouper) take(sets []int) {
	touched := map[pair]bool{}
	for _, i := range sets {
		s := &g.sets[i]
		s.taken = true
		for p := range pairsOf(s.tags) {
			h := g.pairs[p]
			h.times -= s.times
			h.free--
			if h.count == nil {
				continue
			}
			for _, tag := range s.tags {
				h.count[tag]--
			}
			touched[p] = true
		}
	}
	for p := range touched {
		if h := g.pairs[p]; h.times >= MinTimes {
			heap.Push(&g.queue, candidate{rank: len(h.common()), times: h.times, pair: p})
		}
	}
}

// queueStars queues the stars: a set with all that share a pair of tags with it.
func (g *grouper) queueStars() {
	g.queue = nil
	for i := range g.sets {
		if !g.sets[i].taken {
			if _, times := g.star(i); times >= MinTimes {
				g.queue = append(g.queue, candidate{times: times, name: strings.Join(g.sets[i].tags, "+"), set: i})
			}
		}
	}
	heap.Init(&g.queue)
}

func (g *grouper) star(centre int) (sets []int, times int) {
	for p := range pairsOf(g.sets[centre].tags) {
		if g.pairs[p].free < 2 {
			continue
		}
		for _, i := range g.pairs[p].sets {
			if !g.sets[i].taken && i != centre && !slices.Contains(sets, i) {
				sets = append(sets, i)
				times += g.sets[i].times
			}
		}
	}
	return append(sets, centre), times + g.sets[centre].times
}

func (g *grouper) takeLoose() []int {
	for len(g.queue) > 0 {
		c := heap.Pop(&g.queue).(candidate)
		if g.sets[c.set].taken {
			continue
		}
		sets, times := g.star(c.set)
		switch {
		case times < MinTimes:
		case times < c.times:
			c.times = times
			heap.Push(&g.queue, c)
		default:
			g.take(sets)
			return sets
		}
	}
	return nil
}

// makeGroup makes a group of sets that share the common tags; nil for a loose group.
func (g *grouper) makeGroup(sets []int, common []string) Group {
	out := Group{Tags: common, Tight: common != nil, Cohesion: 1}
	for _, i := range sets {
		out.Units = append(out.Units, g.sets[i].units...)
		out.Times += g.sets[i].times
	}
	slices.SortFunc(out.Units, func(a, b Unit) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(b.Score, a.Score), cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID))
	})
	if !out.Tight {
		out.Tags = mostShared(out.Units)
		out.Cohesion = cohesionOf(out.Units)
	}
	return out
}

func mostShared(units []Unit) []string {
	count := map[pair]int{}
	var best pair
	for _, u := range units {
		for p := range pairsOf(u.Tags) {
			count[p] += u.Times
		}
	}
	for p, n := range count {
		if cmp.Or(count[best]-n, cmp.Compare(p.a, best.a), cmp.Compare(p.b, best.b)) < 0 {
			best = p
		}
	}
	return []string{best.a, best.b}
}

// cohesionOf returns the share of pairs of units, at least one, that share tags.
func cohesionOf(units []Unit) float64 {
	alike, all := 0, 0
	for i := range units {
		for j := range units[:i] {
			all++
			if ShareTags(units[i].Tags, units[j].Tags) {
				alike++
			}
		}
	}
	return float64(alike) / float64(all)
}

// ShareTags reports whether two lists of tags share enough of them.
func ShareTags(a, b []string) bool {
	shared := 0
	for _, tag := range a {
		if slices.Contains(b, tag) {
			shared++
		}
	}
	return shared >= MinShared
}

// A candidate may be taken next: a pair of tags first, a star in the second pass.
type candidate struct {
	rank, times int // tags that all have, and how often they were learned
	pair        pair
	name        string // of the centre of a star
	set         int    // that centre
}

type queue []candidate

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q queue) Less(i, j int) bool {
	a, b := &q[i], &q[j]
	return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.times, a.times),
		cmp.Compare(a.pair.a, b.pair.a), cmp.Compare(a.pair.b, b.pair.b), cmp.Compare(a.name, b.name)) < 0
}

// Push is for container/heap.
func (q *queue) Push(c any) { *q = append(*q, c.(candidate)) }

// Pop is for container/heap.
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
