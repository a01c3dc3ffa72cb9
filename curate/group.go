package curate

// This finds what several learnings have in common.
//
// Learnings belong together when they are of one domain and share at least two tags. If one of them was not captured
// but found in a session, one of the two tags must say what it is about: many lessons are about git and npm, or tests
// with npm. Grouping is a pure function of the set of learnings: the order in which they came does not matter.

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"mem/topic"
	"mem/words"
)

// What makes a pattern.
const (
	minShared = 2 // tags that two learnings have in common if they are alike
	minUnits  = 3 // different learnings that a pattern needs
)

// A unit is what counts as learned: the file of a learning, or a lesson of the index that has no file.
type unit struct {
	ID    string    // the path of the file, or the id of the lesson
	Item  string    // id of the lesson that says the same; "" if there is none
	Text  string    // one statement
	Tags  []string  // as topic.Tags returns them
	Score float64   // what is shown first
	Found bool      // in a session; not captured by a person or an agent
	Since time.Time // when it was first learned
	Seen  time.Time // when it was last learned
}

// A group is units that belong together, of one domain.
type group struct {
	Units    []unit   // best first
	Tags     []string // what the pattern is about, sorted: at least two
	Tight    bool     // every unit has all the Tags
	Cohesion float64  // the share of pairs of units that share tags
}

// key names what the group is about: the two tags that most of its units share.
func (g *group) key(domain string) string { return domain + "/" + g.Tags[0] + "+" + g.Tags[1] }

// findGroups groups the units of one domain, in two passes. The first takes, again
// and again, the units that share the most tags; of as many tags the largest group, then the first in the alphabet. The second looks among the
// rest for a unit with all that share tags with it. No unit is in two groups.
func findGroups(units []unit) []*group {
	var free []*member
	for _, u := range foldTags(units) {
		if len(u.Tags) >= minShared {
			free = append(free, &member{unit: u})
		}
	}
	return append(takeGroups(clusterPairs(free)), takeGroups(clusterStars(free))...)
}

// foldTags returns the units with one spelling for tags that are forms of a word, such as delegate and delegating: the
// shortest that is there, and the first of those.
func foldTags(units []unit) []unit {
	stems, usual := map[string]string{}, map[string]string{}
	for _, u := range units {
		for _, tag := range u.Tags {
			if stems[tag] == "" {
				stems[tag] = words.StemWord(tag)
			}
			if was := usual[stems[tag]]; was == "" || cmp.Or(len(tag)-len(was), strings.Compare(tag, was)) < 0 {
				usual[stems[tag]] = tag
			}
		}
	}
	folded := slices.Clone(units)
	for i := range folded {
		u := &folded[i]
		u.Tags = slices.Clone(u.Tags)
		for k, tag := range u.Tags {
			u.Tags[k] = usual[stems[tag]]
		}
		slices.Sort(u.Tags)
		u.Tags = slices.Compact(u.Tags)
	}
	return folded
}

// A member is a unit that may belong to a group.
type member struct {
	unit
	taken    bool
	clusters []*cluster // that it is in
}

// A cluster may become a group: the units that hold a pair of tags or, in the second
// pass, a unit with all that share a pair with it.
type cluster struct {
	tags    []string // the pair, or the tags of the centre
	centre  *member  // nil for a pair
	members []*member
	common  []string // tags that all members have, sorted; nil around a centre
	stale   bool     // some of it was taken
}

func (c *cluster) add(m *member) {
	c.members = append(c.members, m)
	m.clusters = append(m.clusters, c)
}

func clusterPairs(free []*member) (list []*cluster) {
	byPair := map[pair]*cluster{}
	for _, m := range free {
		for p := range pairsOf(m.Tags, m.Found) {
			if byPair[p] == nil {
				byPair[p] = &cluster{tags: []string{p.a, p.b}, stale: true}
				list = append(list, byPair[p])
			}
			byPair[p].add(m)
		}
	}
	return list
}

// clusterStars returns a cluster around each free unit. Few share a pair that the first pass left.
func clusterStars(free []*member) (list []*cluster) {
	for _, m := range free {
		if m.taken {
			continue
		}
		c := &cluster{tags: m.Tags, centre: m, stale: true}
		for _, p := range m.clusters {
			for _, o := range p.members {
				if p.centre == nil && !slices.Contains(c.members, o) {
					c.add(o)
				}
			}
		}
		list = append(list, c)
	}
	return list
}

func takeGroups(list []*cluster) (groups []*group) {
	for {
		list = slices.DeleteFunc(list, func(c *cluster) bool { return c.countFree() < minUnits })
		if len(list) == 0 {
			return groups
		}
		best := slices.MinFunc(list, func(a, b *cluster) int {
			if order := cmp.Or(len(b.common)-len(a.common), len(b.members)-len(a.members)); order != 0 {
				return order
			}
			return slices.Compare(a.tags, b.tags)
		})
		groups = append(groups, best.makeGroup())
		for _, m := range best.members {
			m.taken = true
			for _, c := range m.clusters {
				c.stale = true
			}
		}
	}
}

// countFree drops the units that were taken and returns how many are left; 0 if the centre was taken.
func (c *cluster) countFree() int {
	if !c.stale {
		return len(c.members)
	}
	c.members = slices.DeleteFunc(c.members, func(m *member) bool { return m.taken })
	c.common, c.stale = nil, false
	if c.centre != nil && c.centre.taken {
		return 0
	}
	for i, m := range c.members {
		switch {
		case c.centre != nil:
		case i == 0:
			c.common = slices.Clone(m.Tags)
		case len(c.common) > minShared:
			c.common = slices.DeleteFunc(c.common, func(tag string) bool { return !slices.Contains(m.Tags, tag) })
		}
	}
	return len(c.members)
}

// A pair of tags, the lesser one first. If one only names what is worked with, and the other
// is broad, it makes nothing but units with all the same tags belong together.
type pair struct{ a, b, all string }

// pairsOf yields the pairs of sorted tags that may make units belong together.
func pairsOf(tags []string, found bool) iter.Seq[pair] {
	return func(yield func(pair) bool) {
		for i, a := range tags {
			for _, b := range tags[i+1:] {
				p := pair{a: a, b: b}
				if found && !isAbout(a, b) {
					p.all = strings.Join(tags, " ")
				}
				if !(found && topic.IsName(a) && topic.IsName(b)) && !yield(p) {
					return
				}
			}
		}
	}
}

// isAbout reports whether two tags say what something is about: one alone does, or two broad ones together.
func isAbout(a, b string) bool {
	tells := func(tag string) bool { return !topic.IsName(tag) && !topic.IsBroad(tag) }
	return tells(a) || tells(b) || topic.IsBroad(a) && topic.IsBroad(b)
}

func (c *cluster) makeGroup() *group {
	out := &group{Tags: c.common, Tight: c.centre == nil, Cohesion: 1}
	for _, m := range c.members {
		out.Units = append(out.Units, m.unit)
	}
	slices.SortFunc(out.Units, func(a, b unit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID))
	})
	if !out.Tight {
		out.Tags = mostShared(out.Units)
		out.Cohesion = cohesionOf(out.Units)
	}
	return out
}

func mostShared(units []unit) []string {
	count := map[pair]int{}
	var best pair
	for _, u := range units {
		for p := range pairsOf(u.Tags, u.Found) {
			count[p]++
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
func cohesionOf(units []unit) float64 {
	alike, all := 0, 0
	for i := range units {
		for j := range units[:i] {
			all++
			if units[i].isLike(units[j]) {
				alike++
			}
		}
	}
	return float64(alike) / float64(all)
}

func shareTags(a, b []string) bool {
	shared := 0
	for _, tag := range a {
		if slices.Contains(b, tag) {
			shared++
		}
	}
	return shared >= minShared
}

func (u unit) isLike(o unit) bool {
	theirs := slices.Collect(pairsOf(o.Tags, o.Found))
	return slices.ContainsFunc(slices.Collect(pairsOf(u.Tags, u.Found)), func(p pair) bool { return slices.Contains(theirs, p) })
}

// isHalf reports whether half of the units, or of their lessons, are known.
func (g *group) isHalf(known func(id string) bool) bool {
	n := 0
	for _, u := range g.Units {
		if known(u.ID) || known(u.Item) {
			n++
		}
	}
	return 2*n >= len(g.Units)
}
