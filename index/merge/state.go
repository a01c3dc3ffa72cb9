package merge

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"mem/index"
)

// A state is an index as a set of cells, which can be merged one by one.
type state struct {
	same    map[string]*index.Item // set aside, see findSame
	items   map[string]*index.Item
	marks   map[index.Mark]cell
	links   map[index.Link]int
	fields  map[index.FieldMark]index.Register // of records that are not in items
	foreign map[index.FieldMark]index.Register // what comes with its record alone
	purged  map[string]bool
}

// A cell is a sighting and how often it was undone and redone, counted from 1.
type cell struct {
	n      int
	source *index.Source // nil if no side has one
}

// detailMark is the mark of a source that is no sighting.
func detailMark(s *index.Source, record string) index.Mark {
	return index.Mark{Reflection: "\x00" + s.At.Format(time.RFC3339Nano) + "\x00" + s.Detail(), Record: record}
}

// newState returns the cells of an index, but for records that were set aside; of nil
// there are none.
func newState(ix *index.Index, same map[string]*index.Item) *state {
	if ix == nil {
		ix = &index.Index{}
	}
	s := &state{
		same: same, items: map[string]*index.Item{}, marks: map[index.Mark]cell{}, links: map[index.Link]int{},
		fields: map[index.FieldMark]index.Register{}, purged: map[string]bool{},
	}
	maps.Copy(s.fields, ix.Undone.Fields)
	for i := range ix.Items {
		if it := &ix.Items[i]; same[it.ID] == nil {
			s.addItem(it)
		}
	}
	for m, n := range ix.Undone.Sightings {
		c := s.marks[m]
		c.n = n
		s.marks[m] = c
	}
	for l, n := range ix.Undone.Links {
		s.links[l] = n
	}
	for _, id := range ix.Purged {
		s.purged[id] = true
	}
	return s
}

func (s *state) addItem(it *index.Item) {
	s.items[it.ID] = it
	for i := range it.Sources {
		src := &it.Sources[i]
		m := index.Mark{Reflection: src.ID, Record: cmp.Or(src.Home, it.ID)}
		if src.ID == "" {
			m = detailMark(src, it.ID)
		}
		s.marks[m] = cell{1, src}
	}
	for _, seen := range it.Seen {
		m := index.Mark{Reflection: seen.ID, Record: cmp.Or(seen.Home, it.ID)}
		s.marks[m] = cell{1, &index.Source{ID: seen.ID, Home: seen.Home, At: seen.At}}
	}
	for _, from := range it.DerivedFrom {
		s.links[index.Link{From: from, Into: it.ID}] = 1
	}
}

// targets returns where each record that became part of another ended up. Of
// records that were merged into each other the one with the smallest id stands.
func (s *state) targets() func(id string) string {
	into := map[string]string{}
	for _, l := range slices.SortedFunc(maps.Keys(s.links), compareLinks) {
		// A record whose words no side has stays where it went.
		if n := s.links[l]; n%2 == 1 || into[l.From] == "" && s.items[l.From] == nil && s.items[l.Into] != nil {
			into[l.From] = l.Into
		}
	}
	return followLinks(into)
}

// ListLost returns the records for which something counts, but whose words are not there:
// what they had become part of, and were parted from again, has it.
func ListLost(ix *index.Index) (ids []string) {
	s := newState(ix, nil)
	has := maps.Clone(s.items)
	for l := range s.links {
		s.items[l.From] = cmp.Or(has[l.From], &index.Item{}) // it does not stay where it went
	}
	target := s.targets()
	for m, c := range s.marks {
		if at := target(m.Record); c.n%2 == 1 && has[at] == nil && !s.purged[at] {
			ids = append(ids, at)
		}
	}
	return ids
}

// followLinks returns where the chain from each id ends.
func followLinks(into map[string]string) func(id string) string {
	ends := map[string]string{} // found so far: a chain may be as long as the file
	return func(id string) string {
		var path []string
		at := map[string]int{}
		for {
			if end, ok := ends[id]; ok {
				id = end
				break
			}
			if i, ok := at[id]; ok {
				id = slices.Min(path[i:])
				break
			}
			at[id] = len(path)
			path = append(path, id)
			next, ok := into[id]
			if !ok {
				break
			}
			id = next
		}
		for _, part := range path {
			ends[part] = id
		}
		return id
	}
}

func compareLinks(a, b index.Link) int {
	return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.Into, b.Into))
}
