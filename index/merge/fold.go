package merge

import (
	"cmp"
	"maps"
	"slices"

	"mem/index"
)

// index folds the cells into an index. The sides give what is not in cells.
func (s *state) index(sides ...*index.Index) *index.Index {
	ix := &index.Index{Version: index.Version}
	for _, side := range sides {
		if side != nil {
			ix.Unknown = index.MergeMembers(ix.Unknown, side.Unknown)
			ix.Version = max(ix.Version, side.Version)
		}
	}
	target := s.targets()
	parts := map[string][]string{} // ids that ended up as one record
	ids := union3(s.items, nil, nil)
	for m := range s.fields {
		ids[m.Record] = true
	}
	for id := range ids {
		parts[target(id)] = append(parts[target(id)], id)
	}
	counted := s.countSources(target)
	folded := map[string]index.Item{}
	for at, ids := range parts {
		if it, ok := s.foldItem(at, ids, counted[at]); ok && !s.purged[at] {
			folded[at] = it
		}
	}
	s.placeItems(ix, folded, sides[0])
	s.keepUndone(ix)
	ix.Normalize()
	return ix
}

// placeItems adds the records to an index where they stood, which is about where they
// are to stand.
func (s *state) placeItems(ix *index.Index, folded map[string]index.Item, before *index.Index) {
	if before != nil {
		ix.Items = make([]index.Item, 0, len(before.Items)+len(folded))
		for i := range before.Items {
			it := &before.Items[i]
			if _, isSame := s.same[it.ID]; isSame {
				ix.Items = append(ix.Items, *it)
			} else if it, ok := folded[it.ID]; ok {
				ix.Items = append(ix.Items, it)
				delete(folded, it.ID)
			}
		}
	}
	ix.Items = slices.AppendSeq(ix.Items, maps.Values(folded))
}

// countSources returns the sources that count, by the record that they ended up at.
func (s *state) countSources(target func(string) string) map[string][]index.Source {
	counted := map[string][]index.Source{}
	for m, c := range s.marks {
		if at := target(m.Record); c.n%2 == 1 && !s.purged[at] && !s.purged[m.Record] {
			source := *cmp.Or(c.source, &index.Source{})
			if source.Home = m.Record; at == m.Record {
				source.Home = ""
			}
			counted[at] = append(counted[at], source)
		}
	}
	return counted
}

// foldItem makes a record of those that ended up as one. It reports whether
// anything counts for it.
func (s *state) foldItem(at string, ids []string, sources []index.Source) (index.Item, bool) {
	slices.Sort(ids)
	first := s.items[at]
	for _, id := range ids {
		if first == nil { // its words are gone: those of a part of it stand
			first = s.items[id]
		}
	}
	if first == nil {
		return index.Item{}, false
	}
	it := *first
	it.ID, it.Set = at, slices.Clone(first.Set)
	for _, id := range ids {
		if part := s.items[id]; part != nil && part != first {
			for _, f := range index.Fields {
				if index.CompareVersions(it.VersionOf(f.Name), part.VersionOf(f.Name)) < 0 {
					f.Write(&it, f.Read(part))
					it.SetStamp(f.Name, part.StampOf(f.Name))
				}
			}
		}
	}
	for _, id := range ids {
		it.Recall(id, s.fields)
	}
	it.DerivedFrom = nil
	for l, n := range s.links {
		if n%2 == 1 && l.Into == at {
			it.DerivedFrom = append(it.DerivedFrom, l.From)
		}
	}
	slices.Sort(it.DerivedFrom)
	it.Seen = nil
	it.KeepSources(sources)
	it.Fold()
	return it, it.Hits > 0
}

// keepUndone writes down what the records do not show.
func (s *state) keepUndone(ix *index.Index) {
	live := map[string]*index.Item{}
	for i := range ix.Items {
		live[ix.Items[i].ID] = &ix.Items[i]
	}
	u := index.Undone{Sightings: map[index.Mark]int{}, Links: map[index.Link]int{}, Fields: map[index.FieldMark]index.Register{}}
	for m, c := range s.marks {
		if c.n > 1 && m.Reflection[0] != 0 && !s.purged[m.Record] {
			u.Sightings[m] = c.n
		}
	}
	for l, n := range s.links {
		if n > 1 || live[l.Into] == nil {
			u.Links[l] = n
		}
	}
	target := s.targets()
	for m, v := range s.listFields() {
		if live[target(m.Record)] == nil && !s.purged[m.Record] && s.foreign[m] != v {
			u.Fields[m] = v
		}
	}
	ix.Undone, ix.Purged = u, slices.Sorted(maps.Keys(s.purged))
}

// listFields returns all fields that were set, on records and on what is none now.
func (s *state) listFields() map[index.FieldMark]index.Register {
	list := maps.Clone(s.fields)
	for id, it := range s.items {
		for _, f := range index.Fields {
			if at := it.StampOf(f.Name); !at.IsZero() {
				m := index.FieldMark{Record: id, Field: f.Name}
				list[m] = index.LaterRegister(list[m], index.Register{At: at, Value: f.Read(it)})
			}
		}
	}
	return list
}

// listForeign returns what was set in these states and never in ours: no news, unless
// what it was set on is news.
func listForeign(ours *state, sides ...*state) map[index.FieldMark]index.Register {
	list := map[index.FieldMark]index.Register{}
	for _, s := range sides {
		maps.Copy(list, s.listFields())
	}
	for m := range ours.listFields() {
		delete(list, m)
	}
	return list
}
