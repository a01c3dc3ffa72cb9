package index

import (
	"cmp"
	"maps"
	"slices"
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

// countAgain returns the numbers of sightings or links, of which one counts again if it
// was taken back.
func countAgain[K comparable](numbers map[K]int, k K) map[K]int {
	if n := numbers[k]; n > 0 && n%2 == 0 {
		numbers = maps.Clone(numbers)
		numbers[k] = n + 1
	}
	return numbers
}

// keepLink remembers a link into a record that has no place of its own any more.
func (u *Undone) keepLink(l Link) {
	u.Links = maps.Clone(u.Links)
	if u.Links == nil {
		u.Links = map[Link]int{}
	}
	u.Links[l] = max(u.Links[l], 1)
}

// listHomes returns the id of a record, and those of what it became part of since.
func (u *Undone) listHomes(id string) []string {
	list := []string{}
	for id != "" && !slices.Contains(list, id) {
		list = append(list, id)
		id = ""
		for l, n := range u.Links {
			if l.From == list[len(list)-1] && n%2 == 1 {
				id = max(id, l.Into)
			}
		}
	}
	return list
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
