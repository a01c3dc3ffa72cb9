package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// What a memory knows at each commit, by what was done and not by what any file
// says: the random histories are compared with it. It follows docs/merge.md.

// A cell is one thing that a commit can know: that a reflection counts for a lesson, that
// a lesson became part of another, or what a field of a lesson was set to.
type cell struct {
	kind byte // 's' of a reflection a and a lesson b, 'l' from a into b, 'f' of a lesson a and a field b
	a, b string
}

// A value is how new a cell is, and what it says.
type value struct {
	n    int64 // for 's' and 'l' a number that grows, odd counts; for 'f' a time in ms
	said string
}

// truth is what a commit knows; what two commits know together is the newer of each cell.
type truth map[cell]value

// join returns what both know.
func (s truth) join(o truth) truth {
	both := truth{}
	maps.Copy(both, s)
	for c, v := range o {
		if old, ok := both[c]; !ok || compareValues(old, v) < 0 {
			both[c] = v
		}
	}
	return both
}

// minus returns what s knows and o does not.
func (s truth) minus(o truth) truth {
	rest := truth{}
	for c, v := range s {
		if o[c] != v {
			rest[c] = v
		}
	}
	return rest
}

func compareValues(a, b value) int {
	return cmp.Or(cmp.Compare(a.n, b.n), strings.Compare(a.said, b.said))
}

// takeBack returns what s must learn to be without what a commit did, which knows made
// and whose parent knew was. What was set on a lesson that came with it is left in place,
// and what was set again since, on it or on what it is part of.
func (s truth) takeBack(was, made truth) truth {
	add := truth{}
	target, before := s.targets(), was.targets()
	for c, v := range made {
		old, has := was[c], s[c]
		switch {
		case old == v:
		case c.kind != 'f':
			if has.n > 0 && has.n%2 != old.n%2 {
				add[c] = value{n: has.n + 1}
			}
		case s.fields(target, target(c.a))[c.b] == v && was.isLive(before, before(c.a)):
			if old.n == 0 {
				old.said = bornWith(c)
			}
			add[c] = value{s.newest(target, target(c.a)) + 1, old.said}
		}
	}
	return add
}

// bornWith is what a field says that was never set.
func bornWith(c cell) string {
	switch c.b {
	case "text":
		return textOf()[c.a]
	case "pinned":
		return "false"
	}
	return ""
}

// newest returns the time of the last change of a lesson, with all that became part of it.
func (s truth) newest(target func(string) string, id string) (at int64) {
	for c, v := range s {
		if c.kind == 'f' && target(c.a) == id {
			at = max(at, v.n)
		}
	}
	return at
}

// targets returns where each lesson ended up; of a ring the smallest id stands.
func (s truth) targets() func(id string) string {
	into := map[string][]string{}
	for c, v := range s {
		if c.kind == 'l' && v.n%2 == 1 {
			into[c.a] = append(into[c.a], c.b)
		}
	}
	return func(id string) string {
		path := []string{id}
		for {
			next := into[path[len(path)-1]]
			if len(next) == 0 {
				return path[len(path)-1]
			}
			id := slices.Max(next)
			if i := slices.Index(path, id); i >= 0 {
				return slices.Min(path[i:])
			}
			path = append(path, id)
		}
	}
}

// A view is what must be seen of a lesson.
type view struct {
	Hits         int
	First, Last  int64 // in ms
	Text, Status string
	Pinned       bool
}

// A birth is what the order of lessons follows.
type birth struct {
	at         int64
	reflection string
	n          int
	id         string
}

// show returns the lessons that count, and their births in order.
func (s truth) show(sightings map[cell]sighting) (map[string]view, []birth) {
	target := s.targets()
	list, births := map[string]view{}, map[string]birth{}
	for c, v := range s {
		if c.kind != 's' || v.n%2 == 0 {
			continue
		}
		id, seen := target(c.b), sightings[c]
		it, ok := list[id]
		if !ok {
			it = view{First: seen.at, Last: seen.at}
		}
		it.Hits, it.First, it.Last = it.Hits+1, min(it.First, seen.at), max(it.Last, seen.at)
		list[id] = it
		if b := (birth{seen.at, c.a, seen.n, id}); births[id].id == "" || compareBirths(b, births[id]) < 0 {
			births[id] = b
		}
	}
	for id, it := range list {
		fields := s.fields(target, id)
		it.Text, it.Status, it.Pinned = fields["text"].said, fields["status"].said, fields["pinned"].said == "true"
		list[id] = it
	}
	return list, slices.SortedFunc(maps.Values(births), compareBirths)
}

func compareBirths(a, b birth) int {
	return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.reflection, b.reflection), cmp.Compare(a.n, b.n), strings.Compare(a.id, b.id))
}

// fields returns what was set last on a lesson, or on what became part of it.
func (s truth) fields(target func(string) string, id string) map[string]value {
	set := map[string]value{}
	for _, name := range []string{"text", "status", "pinned"} {
		set[name] = value{0, bornWith(cell{'f', id, name})}
	}
	for c, v := range s {
		if c.kind == 'f' && target(c.a) == id && compareValues(set[c.b], v) < 0 {
			set[c.b] = v
		}
	}
	return set
}

// reflections returns those of which anything counts.
func (s truth) reflections() map[string]bool {
	live := map[string]bool{}
	for c, v := range s {
		if c.kind == 's' && v.n%2 == 1 {
			live[c.a] = true
		}
	}
	return live
}

// A change is what a commit adds to what its parent knows, wherever it is made again.
type change struct {
	add       truth
	whole     truth // what the commit knows
	was, made truth // before and after the commit that it takes back; nil if it takes none back
}

// pick returns what s knows after a change was made again on top of it. What it takes
// back is taken back here too. Of a lesson that s does not have, all that was set on it
// comes along.
func (s truth) pick(ch change) truth {
	after := s.join(ch.add)
	target := s.targets()
	for c := range ch.add {
		if c.kind != 's' || s.isLive(target, target(c.b)) {
			continue
		}
		for f, v := range ch.whole {
			if f.kind == 'f' && f.a == c.b {
				after = after.join(truth{f: v})
			}
		}
	}
	if ch.made != nil {
		after = after.join(after.takeBack(ch.was, ch.made))
	}
	return after
}

// isLive reports whether anything counts for a lesson.
func (s truth) isLive(target func(string) string, id string) bool {
	for c, v := range s {
		if c.kind == 's' && v.n%2 == 1 && target(c.b) == id {
			return true
		}
	}
	return false
}

// A sighting is when a reflection counted for a lesson, and its place in the reflection.
type sighting struct {
	at int64 // in ms
	n  int
}

// learn returns what a reflection on these lessons adds. sightings is told of new ones.
func (s truth) learn(reflection string, at int64, lessons []string, sightings map[cell]sighting) truth {
	add := truth{}
	target := s.targets()
	for n, id := range lessons {
		home := target(id)
		counted := false
		for c, v := range s.join(add) {
			counted = counted || c.kind == 's' && c.a == reflection && v.n%2 == 1 && target(c.b) == home
		}
		if counted {
			continue
		}
		c := cell{'s', reflection, home}
		add[c] = value{n: s[c].n + 1}
		if _, known := sightings[c]; !known {
			sightings[c] = sighting{at, n}
		}
	}
	return add
}

// set returns what setting a field adds.
func (s truth) set(id, field, said string, now int64) truth {
	return truth{{'f', id, field}: {max(now, s.newest(s.targets(), id)+1), said}}
}

// redistill returns what making one lesson of two adds, of which the first stands.
func (s truth) redistill(into, from, text string, now int64) truth {
	target := s.targets()
	a, b := s.fields(target, into), s.fields(target, from)
	atA, atB := max(now, s.newest(target, into)+1), max(now, s.newest(target, from)+1)
	at := max(atA, atB)
	l := cell{'l', from, into}
	add := truth{l: {n: s[l].n + 1}}
	for _, name := range []string{"text", redistilled} {
		add[cell{'f', into, name}] = value{at, ""}
	}
	add[cell{'f', into, "text"}] = value{at, text}
	if b["pinned"].said == "true" && a["pinned"].said != "true" {
		add[cell{'f', into, "pinned"}] = value{at, "true"}
	}
	for _, name := range []string{"status", "pinned"} { // what is decided now is newer
		if _, set := add[cell{'f', into, name}]; !set && a[name].n < b[name].n {
			add[cell{'f', into, name}] = value{at, a[name].said}
		}
	}
	return add
}

// redistilled is the field without a value that says when.
const redistilled = "redistilled"
