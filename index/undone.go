package index

import (
	"cmp"
	"maps"
	"strings"
	"time"
)

// Undone is what an index knows of that its records do not show: what was taken
// back, and may count again.
//
// Each number only grows. Odd numbers count, even ones are taken back; what is not
// listed has 1 if the records show it. So whatever two clones have undone and
// redone, the larger number is the later. The zero value is empty.
type Undone struct {
	Sightings map[Mark]int
	Links     map[Link]int
	Fields    map[FieldMark]Register
}

// A Mark is a sighting: a reflection that counted for a record.
type Mark struct{ Reflection, Record string }

// A Link says that a record became part of another.
type Link struct{ From, Into string }

// A FieldMark names a field that was set on a record which nothing counts for any
// more, so that it is not forgotten when the record comes back.
type FieldMark struct{ Record, Field string }

// A Register is what a field was set to, as JSON, and when.
type Register struct {
	At    time.Time
	Value string
}

// countAgain makes a sighting count that was taken back.
func (u *Undone) countAgain(m Mark) {
	if n := u.Sightings[m]; n > 0 && n%2 == 0 {
		u.Sightings = maps.Clone(u.Sightings)
		u.Sightings[m] = n + 1
	}
}

// keepLink remembers a link into a record that has no place of its own any more.
func (u *Undone) keepLink(l Link) {
	links := maps.Clone(u.Links)
	if links == nil {
		links = map[Link]int{}
	}
	links[l] = max(links[l], 1)
	u.Links = links
}

// Recall gives the record what was set on it, or on another that became part of it,
// before nothing counted for that.
func (it *Item) Recall(id string, set map[FieldMark]Register) {
	for _, f := range Fields {
		v, ok := set[FieldMark{id, f.Name}]
		if ok && LaterRegister(Register{it.StampOf(f.Name), f.Read(it)}, v) == v {
			f.Write(it, v.Value)
			it.SetStamp(f.Name, v.At)
		}
	}
}

// forget drops what was set on a record that shows it again.
func (u *Undone) forget(id string) {
	u.Fields = maps.Clone(u.Fields)
	maps.DeleteFunc(u.Fields, func(m FieldMark, _ Register) bool { return m.Record == id })
}

// LaterRegister returns the later of two; of one time, the same in whatever order.
func LaterRegister(a, b Register) Register {
	if cmp.Or(a.At.Compare(b.At), strings.Compare(a.Value, b.Value)) < 0 {
		return b
	}
	return a
}
