// Package pattern finds what several learnings have in common, and keeps each
// such pattern as a file that waits for a person's decision.
//
// Learnings are alike when they are of one domain and share at least two tags.
// Grouping is a pure function of the set of learnings: the order in which they
// came does not matter.
package pattern

import (
	"cmp"
	"container/heap"
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
	Cohesion float64  // the share of pairs of units that are alike
}

// Key names what the group is about: the two tags that most of its units
// share.
func (g *Group) Key(domain string) string {
	return domain + "/" + g.Tags[0] + "+" + g.Tags[1]
}

// FindGroups groups the units of one domain, in two passes. The first takes, again
// and again, the units that share the most tags; of as many tags the group
// that was learned most often, then the first in the alphabet. The second looks
// at what is left for a unit with all that are like it. No unit is in two groups.
func FindGroups(units []Unit) []Group {
	g := newGrouper(units)
	var groups []Group
	for {
		members, common := g.tight()
		if members == nil {
			break
		}
		groups = append(groups, g.makeGroup(members, common))
	}
	g.stars()
	for {
		members := g.loose()
		if members == nil {
			return groups
		}
		groups = append(groups, g.makeGroup(members, nil))
	}
}

// A grouper works on sets of equal tags: there are far fewer of them than
// units.
type grouper struct {
	units []Unit
	names []string // of tags, sorted
	sets  []tagset
	pairs map[pair]*holding
	queue queue
}

// A tagset is all units that have the same tags.
type tagset struct {
	tags  []int32 // places in names, ascending
	units []int
	times int
	taken bool
}

// A pair of tags, the lesser one first.
type pair struct{ a, b int32 }

// A holding is the sets that hold a pair of tags.
type holding struct {
	sets  []int
	times int           // of those that are free
	free  int           // number of those that are free
	count map[int32]int // how many of the free ones have a tag; nil if there were never enough
}

// common is how many tags all free sets share.
func (h *holding) common() (n int) {
	for _, has := range h.count {
		if has == h.free {
			n++
		}
	}
	return n
}

func newGrouper(units []Unit) *grouper {
	g := &grouper{units: units, pairs: map[pair]*holding{}}
	byTags := map[string]int{}
	number := map[string]int32{}
	var tags [][]string
	for i := range units {
		u := &units[i]
		if len(u.Tags) < MinShared {
			continue
		}
		name := strings.Join(u.Tags, "\x00")
		at, known := byTags[name]
		if !known {
			at = len(g.sets)
			byTags[name] = at
			g.sets = append(g.sets, tagset{})
			tags = append(tags, u.Tags)
			for _, tag := range u.Tags {
				number[tag] = 0
			}
		}
		g.sets[at].units = append(g.sets[at].units, i)
		g.sets[at].times += u.Times
	}
	for tag := range number {
		g.names = append(g.names, tag)
	}
	slices.Sort(g.names)
	for i, tag := range g.names {
		number[tag] = int32(i)
	}
	for i := range g.sets {
		for _, tag := range tags[i] {
			g.sets[i].tags = append(g.sets[i].tags, number[tag])
		}
	}
	g.fill()
	return g
}

// fill notes which sets hold which pairs, and queues the pairs that make a
// group.
func (g *grouper) fill() {
	for i := range g.sets {
		for p := range g.sets[i].pairs() {
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
		h.count = map[int32]int{}
		for _, i := range h.sets {
			for _, tag := range g.sets[i].tags {
				h.count[tag]++
			}
		}
		g.queue = append(g.queue, candidate{rank: h.common(), times: h.times, pair: p})
	}
	heap.Init(&g.queue)
}

// pairs yields the pairs of the tags of a set.
func (s *tagset) pairs() func(func(pair) bool) {
	return func(yield func(pair) bool) {
		for i, a := range s.tags {
			for _, b := range s.tags[i+1:] {
				if !yield(pair{a, b}) {
					return
				}
			}
		}
	}
}

// tight takes the next group of the first pass: its sets, and the tags that
// all of them have.
func (g *grouper) tight() (sets []int, common []string) {
	for len(g.queue) > 0 {
		c := heap.Pop(&g.queue).(candidate)
		h := g.pairs[c.pair]
		if h.times < MinTimes || c.times != h.times || c.rank != h.common() {
			continue // some of it was taken; what is left has its own place in the queue
		}
		for tag, has := range h.count {
			if has == h.free {
				common = append(common, g.names[tag])
			}
		}
		for _, i := range h.sets {
			if !g.sets[i].taken {
				sets = append(sets, i)
			}
		}
		slices.Sort(common)
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
		for p := range s.pairs() {
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
			heap.Push(&g.queue, candidate{rank: h.common(), times: h.times, pair: p})
		}
	}
}

// stars queues the stars of the second pass: a set with all that share a pair
// of tags with it. What is left of a pair now is less than a group.
func (g *grouper) stars() {
	g.queue = nil
	for i := range g.sets {
		if !g.sets[i].taken {
			if _, times := g.star(i); times >= MinTimes {
				g.queue = append(g.queue, candidate{times: times, name: g.nameOf(i), set: i})
			}
		}
	}
	heap.Init(&g.queue)
}

func (g *grouper) star(centre int) (sets []int, times int) {
	for p := range g.sets[centre].pairs() {
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

func (g *grouper) nameOf(set int) string {
	var names []string
	for _, tag := range g.sets[set].tags {
		names = append(names, g.names[tag])
	}
	return strings.Join(names, "+")
}

// loose takes the next group of the second pass.
func (g *grouper) loose() []int {
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

// makeGroup makes a group of sets. common are the tags that all of them have; nil
// for a loose group.
func (g *grouper) makeGroup(sets []int, common []string) Group {
	out := Group{Tags: common, Tight: common != nil, Cohesion: 1}
	for _, i := range sets {
		for _, u := range g.sets[i].units {
			out.Units = append(out.Units, g.units[u])
			out.Times += g.units[u].Times
		}
	}
	slices.SortFunc(out.Units, func(a, b Unit) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(b.Score, a.Score), cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID))
	})
	if !out.Tight {
		out.Tags = mostShared(out.Units)
		out.Cohesion = cohesion(out.Units)
	}
	return out
}

// mostShared returns the pair of tags that units have most often.
func mostShared(units []Unit) []string {
	count := map[[2]string]int{}
	var best [2]string
	for _, u := range units {
		for i, a := range u.Tags {
			for _, b := range u.Tags[i+1:] {
				count[[2]string{a, b}] += u.Times
			}
		}
	}
	for p, n := range count {
		if most := count[best]; n > most || n == most && slices.Compare(p[:], best[:]) < 0 {
			best = p
		}
	}
	return best[:]
}

// cohesion is the share of pairs of units that are alike.
func cohesion(units []Unit) float64 {
	alike, all := 0, 0
	for i := range units {
		for j := range units[:i] {
			all++
			if ShareTags(units[i].Tags, units[j].Tags) {
				alike++
			}
		}
	}
	if all == 0 {
		return 1
	}
	return float64(alike) / float64(all)
}

// ShareTags reports whether two sorted lists of tags share enough of them.
func ShareTags(a, b []string) bool {
	shared := 0
	for _, tag := range a {
		if slices.Contains(b, tag) {
			if shared++; shared == MinShared {
				return true
			}
		}
	}
	return false
}
