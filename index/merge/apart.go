package merge

import (
	"cmp"
	"maps"
	"slices"

	"mem/index"
)

// setApart gives another id to what has that of a different lesson in another version. An id is a
// short hash of the words at birth, so that a lesson which two clones learn apart is one; in tens of
// thousands of lessons it may be that of two. The one whose words come first keeps it, whichever
// version has it, so that all clones come to the same. It reports whether there was one.
func setApart(states [3]*state, versions [3]*index.Index) (_ [3]*index.Index, found bool) {
	for id, x := range states[1].items {
		y := states[2].items[id]
		if y == nil || x.Key == y.Key {
			continue
		}
		born := [3]string{"", x.Key, y.Key}
		if was := states[0].items[id]; was != nil {
			born[0] = was.Key
		}
		for i := range born {
			if index.BaseID(born[i]) != id { // it was reworded, or there is none
				born[i] = born[0]
			}
		}
		if born[1] == born[2] || index.BaseID(born[1]) != id || index.BaseID(born[2]) != id {
			continue
		}
		later := max(born[1], born[2])
		to := index.NewID(later, func(other string) bool {
			return other == id || states[1].isOther(other, later) || states[2].isOther(other, later)
		})
		for i, ix := range versions {
			if ix != nil && born[i] == later {
				versions[i], found = rename(ix, id, to), true
			}
		}
	}
	return versions, found
}

// isOther reports whether an id is that of a lesson with another key.
func (s *state) isOther(id, key string) bool {
	has := cmp.Or(s.items[id], s.same[id])
	return has != nil && has.Key != key
}

// rename returns an index in which a record has another id.
func rename(ix *index.Index, from, to string) *index.Index {
	change := func(id *string) {
		if *id == from {
			*id = to
		}
	}
	r := *ix
	r.Items = slices.Clone(ix.Items)
	for i := range r.Items {
		it := &r.Items[i]
		change(&it.ID)
		change(&it.SupersededBy)
		it.DerivedFrom, it.Sources, it.Seen = slices.Clone(it.DerivedFrom), slices.Clone(it.Sources), slices.Clone(it.Seen)
		for j := range it.DerivedFrom {
			change(&it.DerivedFrom[j])
		}
		for j := range it.Sources {
			change(&it.Sources[j].Home)
		}
		for j := range it.Seen {
			change(&it.Seen[j].Home)
		}
	}
	r.Undone = index.Undone{Sightings: map[index.Mark]int{}, Links: map[index.Link]int{}, Fields: map[index.FieldMark]index.Register{}}
	for m, n := range ix.Undone.Sightings {
		change(&m.Record)
		r.Undone.Sightings[m] = n
	}
	for l, n := range ix.Undone.Links {
		change(&l.From)
		change(&l.Into)
		r.Undone.Links[l] = n
	}
	maps.Copy(r.Undone.Fields, ix.Undone.Fields) // of records that are not there
	return &r
}
