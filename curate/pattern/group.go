// Package pattern finds what several learnings have in common, and keeps each
// such pattern as a file that waits for a person's decision.
//
// Learnings belong together when they are of one domain and share at least two
// tags. If one of them was not captured but found in a session, one of the two tags
// must say what it is about: many lessons are about git and npm, or tests with npm. Grouping is a pure
// function of the set of learnings: the order in which they came does not matter.
package pattern

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"mem/topic"
)

// What makes a pattern.
const (
	MinShared = 2 // tags that two learnings have in common if they are alike
	MinUnits  = 3 // different learnings that a pattern needs
)

// A Unit is what counts as learned: the file of a learning, or a lesson of the
// index that has no file.
type Unit struct {
	ID    string    // the path of the file, or the id of the lesson
	Item  string    // id of the lesson that says the same; "" if there is none
	Text  string    // one statement
	Tags  []string  // as topic.Tags returns them
	Score float64   // what is shown first
	Found bool      // in a session; not captured by a person or an agent
	Since time.Time // when it was first learned
	Seen  time.Time // when it was last learned
}

// A Group is units that belong together, of one domain.
type Group struct {
	Units []Unit   // best first
	Tags  []string // that all of them have, sorted: at least two
}

// Key names what the group is about: its first two tags.
func (g *Group) Key(domain string) string { return domain + "/" + g.Tags[0] + "+" + g.Tags[1] }

// FindGroups groups the units of one domain: again and again those that share the most tags; of as
// many tags the largest group, then the first in the alphabet. No unit is in two groups.
func FindGroups(units []Unit) (groups []*Group) {
	list := clusterPairs(units)
	for {
		list = slices.DeleteFunc(list, func(c *cluster) bool { return c.countFree() < MinUnits })
		if len(list) == 0 {
			return groups
		}
		best := slices.MinFunc(list, func(a, b *cluster) int {
			return cmp.Or(len(b.common)-len(a.common), len(b.members)-len(a.members), strings.Compare(a.a, b.a), strings.Compare(a.b, b.b), strings.Compare(a.all, b.all))
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

// A member is a unit that may belong to a group.
type member struct {
	Unit
	taken    bool
	clusters []*cluster // that it is in
}

// A cluster may become a group: the units that hold a pair of tags.
type cluster struct {
	pair
	members []*member
	common  []string // tags that all members have, sorted
	stale   bool     // some of it was taken
}

func clusterPairs(units []Unit) (list []*cluster) {
	byPair := map[pair]*cluster{}
	for _, u := range units {
		m := &member{Unit: u}
		for p := range pairsOf(u.Tags, u.Found) {
			c := byPair[p]
			if c == nil {
				c = &cluster{pair: p, stale: true}
				byPair[p] = c
				list = append(list, c)
			}
			c.members = append(c.members, m)
			m.clusters = append(m.clusters, c)
		}
	}
	return list
}

// countFree drops the units that were taken and returns how many are left.
func (c *cluster) countFree() int {
	if !c.stale {
		return len(c.members)
	}
	c.members = slices.DeleteFunc(c.members, func(m *member) bool { return m.taken })
	c.common, c.stale = nil, false
	for i, m := range c.members {
		if i == 0 {
			c.common = slices.Clone(m.Tags)
		} else if len(c.common) > MinShared {
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

// isAbout reports whether two tags say what something is about: one alone does, or two broad
// ones together.
func isAbout(a, b string) bool {
	tells := func(tag string) bool { return !topic.IsName(tag) && !topic.IsBroad(tag) }
	return tells(a) || tells(b) || topic.IsBroad(a) && topic.IsBroad(b)
}

func (c *cluster) makeGroup() *Group {
	out := &Group{Tags: c.common}
	for _, m := range c.members {
		out.Units = append(out.Units, m.Unit)
	}
	slices.SortFunc(out.Units, func(a, b Unit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID))
	})
	return out
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
