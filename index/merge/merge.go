// Package merge makes one index of two, and takes back what a commit did.
//
// An index is seen as a set of cells: a sighting, a link between records, a field
// that was set. Each is merged by itself and only ever gets newer, so that clones
// which meet in whatever order, through whatever git does, come to the same records.
package merge

import (
	"cmp"
	"time"

	"mem/index"
)

// Indexes returns what two indexes have become since they were base; with a nil base
// what both know together. It is commutative, associative and idempotent, so that
// all clones come to the same index in whatever order they meet.
//
// A sighting, or a link between records, that a side has more of is new; one that
// theirs has less of was taken back. A field is what it was set to last. See
// docs/merge.md. What is returned may be theirs itself.
func Indexes(base, ours, theirs *index.Index) *index.Index {
	same := findSame(base, ours, theirs)
	b, o, t := newState(base, same), newState(ours, same), newState(theirs, same)
	if v, found := setApart([...]*state{b, o, t}, [...]*index.Index{base, ours, theirs}); found {
		return Indexes(v[0], v[1], v[2])
	}
	r := &state{
		same: same, marks: map[index.Mark]cell{}, links: map[index.Link]int{},
		fields: map[index.FieldMark]index.Register{}, purged: union3(b.purged, o.purged, t.purged),
	}
	for m := range union3(b.marks, o.marks, t.marks) {
		x, y, z := b.marks[m], o.marks[m], t.marks[m]
		if n := mergeNumber(x.n, y.n, z.n); n > 0 {
			r.marks[m] = cell{n, pickSource(pickSource(x.source, y.source), z.source)}
		}
	}
	for l := range union3(b.links, o.links, t.links) {
		if n := mergeNumber(b.links[l], o.links[l], t.links[l]); n > 0 {
			r.links[l] = n
		}
	}
	r.items = mergeBirths(r, b, o, t)
	r.foreign = listForeign(o, b)
	mergeFields(r, b, o, t)
	mergeShares(r, b, o, t)
	merged := r.index(ours, theirs)
	if theirs != nil && r.isSame(merged, theirs) {
		return theirs // which the next merge need not compare
	}
	return merged
}

// TakeBack returns ours without what an index became between to and from: known to
// be an undo, so that what from counts and to does not is taken back, and what to
// counts and from does not counts again.
func TakeBack(to, ours, from *index.Index) *index.Index { return turnBack(to, ours, from, false) }

// ApplyEdit returns ours with what a person made of base by hand: it stands, also where
// ours has set it otherwise since.
func ApplyEdit(base, ours, edited *index.Index) *index.Index {
	return turnBack(edited, ours, base, true)
}

// turnBack is TakeBack, and with force also of fields that ours has set since.
func turnBack(to, ours, from *index.Index, force bool) *index.Index {
	same := findSame(to, ours, from)
	b, o, t, r := newState(to, same), newState(ours, same), newState(from, same), newState(ours, same)
	for _, side := range []*state{t, b} {
		for id, it := range side.items {
			if r.items[id] == nil {
				r.items[id] = it // its words; whether anything counts for it is seen below
			}
		}
	}
	flipCells(r, b, o, t)
	joinBirths(r, b, o)
	takeBackFields(r, b, o, t, force)
	r.foreign = listForeign(o, b, t)
	mergeShares(r, t, o, b)
	return r.index(ours)
}

// flipCells takes back the sightings and links in which from differs from to.
func flipCells(r, b, o, t *state) {
	for m := range union3(b.marks, t.marks, nil) {
		x, y, z := b.marks[m], o.marks[m], t.marks[m]
		if n := flipNumber(x.n, y.n, z.n); n != y.n {
			r.marks[m] = cell{n, pickSource(pickSource(y.source, z.source), x.source)}
		}
	}
	for l := range union3(b.links, t.links, nil) {
		if n := flipNumber(b.links[l], o.links[l], t.links[l]); n > 0 {
			r.links[l] = n
		}
	}
}

// mergeNumber merges the numbers of a sighting or a link; 0 is unknown.
func mergeNumber(base, ours, theirs int) int {
	switch {
	case theirs == base:
		return ours // also where ours never had it
	case theirs < base: // it was taken back in a way that left no number
		return withParity(max(ours, base), theirs)
	}
	return max(ours, theirs)
}

// flipNumber is ours, counting as to does if to and from differ in that.
func flipNumber(to, ours, from int) int {
	if to%2 == from%2 || ours%2 == to%2 {
		return ours
	}
	return withParity(max(to, ours, from), to)
}

// withParity is n, or the next number, whichever counts as like does.
func withParity(n, like int) int {
	if n%2 != like%2 {
		n++
	}
	return n
}

// pickSource returns the source that says more; of two that say as much, the same
// in whatever order.
func pickSource(a, b *index.Source) *index.Source {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	if cmp.Or(cmp.Compare(a.CountDetail(), b.CountDetail()), index.CompareSources(*a, *b), cmp.Compare(b.N, a.N)) < 0 {
		return b
	}
	return a
}

// mergeFields sets what was set after birth. What was set before, elsewhere, on what ours
// has is not what theirs did.
func mergeFields(r, b, o, t *state) {
	target := o.targets()
	isOurs := func(id string) bool { return o.items[target(id)] != nil }
	for id, it := range r.items {
		x, y, z := b.items[id], o.items[id], t.items[id]
		if z == nil || it == y || y == nil && !isOurs(id) {
			continue // as the one side has it, or both
		}
		if x != nil && !r.isBorn(x) {
			x = nil // what the record was before it was taken back and learned anew
		}
		merged := *it
		for _, f := range index.Fields {
			old, isOld := r.foreign[index.FieldMark{Record: id, Field: f.Name}]
			if isOld = isOld && old == t.readField(id, f); isOld {
				merged.SetStamp(f.Name, time.Time{})
			}
			if y != nil && isOld {
				f.Write(&merged, f.Read(y))
			} else if y != nil {
				mergeField(&merged, f, x, y, z)
			}
		}
		r.items[id] = &merged
	}
	for m := range union3(b.fields, o.fields, t.fields) {
		v := index.LaterRegister(o.fields[m], t.fields[m])
		if v.Value != "" && !(v == r.foreign[m] && isOurs(m.Record)) {
			r.fields[m] = v
		}
	}
}

// mergeField merges one field of a record that both sides have; base may be nil.
func mergeField(merged *index.Item, f index.Field, base, ours, theirs *index.Item) {
	from, v := pickField(f, base, ours, theirs)
	if v == (index.FieldVersion{}) {
		return // as at birth
	}
	f.Write(merged, f.Read(from))
	merged.SetStamp(f.Name, v.At)
	if f.Name == "text" {
		merged.Key = from.Key
		merged.SetStamp(index.Spelling, v.Spelled)
	}
}

// pickField returns the record whose value of a field stands, and how new that is.
func pickField(f index.Field, base, ours, theirs *index.Item) (*index.Item, index.FieldVersion) {
	o, t := ours.VersionOf(f.Name), theirs.VersionOf(f.Name)
	if base != nil {
		b := base.VersionOf(f.Name)
		was, has, set := f.Read(base), f.Read(ours), f.Read(theirs)
		switch back := index.CompareVersions(t, b) < 0; {
		case o == b && t == b && has == was && set != was:
			return theirs, setByHand(base, b) // it has no time
		case o == b && t == b && set == was && has != was:
			return ours, setByHand(base, b)
		case t == b && set == was:
			return ours, o
		case back && o == b: // theirs went back
			return theirs, index.FieldVersion{At: ours.NextStamp(b.At)}
		case back:
			return ours, o
		}
	}
	if order := index.CompareVersions(o, t); order < 0 || order == 0 && f.Read(ours) < f.Read(theirs) {
		return theirs, t
	}
	return ours, o
}

// setByHand is how new a value is that a person wrote into the file.
func setByHand(base *index.Item, was index.FieldVersion) index.FieldVersion {
	return index.FieldVersion{At: index.Latest(was.At, base.FirstSeen).Add(time.Millisecond)}
}

// takeBackFields gives fields that from set, and that ours still has so, the value
// that to has: also where the record became part of another, or nothing counts for it.
func takeBackFields(r, b, o, t *state, force bool) {
	target := o.targets()
	ids := union3(b.items, t.items, nil)
	for m := range union3(b.fields, t.fields, nil) {
		ids[m.Record] = true
	}
	for id := range ids {
		at := target(id)
		for _, f := range index.Fields {
			x, y, z := b.readField(id, f), o.readField(at, f), t.readField(id, f)
			differs := x.Value != "" && z.Value != "" && x.Value != z.Value
			if differs && (force || y == z) { // it was not set again since
				r.setField(at, f, index.Register{At: y.At.Add(time.Millisecond), Value: x.Value})
			}
		}
	}
}

// setField sets a field of a record, also if nothing counts for the record.
func (s *state) setField(id string, f index.Field, to index.Register) {
	if s.items[id] == nil {
		s.fields[index.FieldMark{Record: id, Field: f.Name}] = to
		return
	}
	it := *s.items[id]
	key, name := it.Key, f.Name
	if f.Write(&it, to.Value); name == "text" && it.Key == key { // the next sighting may spell it otherwise
		name = index.Spelling
	}
	it.SetStamp(name, it.NextStamp(to.At))
	s.items[id] = &it
}

// readField returns what a field of a record is and when it was set, also if nothing
// counts for the record; nothing if that is not known.
func (s *state) readField(id string, f index.Field) index.Register {
	if it := s.items[id]; it != nil {
		return index.Register{At: it.StampOf(f.Name), Value: f.Read(it)}
	}
	return s.fields[index.FieldMark{Record: id, Field: f.Name}]
}

// mergeShares merges what was counted without sightings. Each side adds up what its
// records have become part of before they are compared.
func mergeShares(r, b, o, t *state) {
	target := r.targets()
	base, ours, theirs := b.shares(target), o.shares(target), t.shares(target)
	for id, it := range r.items {
		merged := *it
		merged.Before, merged.By = index.Share{}, nil
		r.items[id] = &merged
	}
	for at := range union3(base, ours, theirs) {
		share := mergeShare(base[at], ours[at], theirs[at])
		if it := r.items[at.record]; it == nil || share.Hits == 0 {
			continue
		} else if at.name == "" {
			it.Before = share
		} else {
			if it.By == nil {
				it.By = map[string]index.Share{}
			}
			it.By[at.name] = share
		}
	}
}

// A shareName says whose share of which record's count it is; name is empty for what
// was counted before there were sightings.
type shareName struct{ record, name string }

// shares adds up the shares of the records that ended up as one.
func (s *state) shares(target func(string) string) map[shareName]index.Share {
	sums := map[shareName]index.Share{}
	add := func(record, name string, share index.Share) {
		if at := (shareName{target(record), name}); share.Hits > 0 {
			sums[at] = index.AddShares(sums[at], share)
		}
	}
	for id, it := range s.items {
		add(id, "", it.Before)
		for name, share := range it.By {
			add(id, name, share)
		}
	}
	return sums
}

// mergeShare merges two counts: the larger one, unless theirs went back or stayed.
func mergeShare(base, ours, theirs index.Share) index.Share {
	merged := ours
	switch {
	case theirs.Hits == base.Hits && theirs.Score == base.Score && base.Hits > 0:
		return ours
	case theirs.Hits < base.Hits:
		merged.Hits = max(0, ours.Hits+theirs.Hits-base.Hits)
		merged.Score = max(0, ours.Score+theirs.Score-base.Score)
		return merged
	case cmp.Or(cmp.Compare(ours.Hits, theirs.Hits), cmp.Compare(ours.Score, theirs.Score)) < 0:
		merged = theirs
	}
	if first := theirs.FirstSeen; ours.Hits > 0 && theirs.Hits > 0 && first.Before(ours.FirstSeen) {
		merged.FirstSeen = first
	} else if ours.Hits > 0 {
		merged.FirstSeen = ours.FirstSeen
	}
	merged.LastSeen = index.Latest(ours.LastSeen, theirs.LastSeen)
	merged.Unknown = index.MergeRaw(ours.Unknown, theirs.Unknown)
	return merged
}

// union3 returns the keys of three maps.
func union3[K comparable, V any](a, b, c map[K]V) map[K]bool {
	keys := make(map[K]bool, max(len(a), len(b), len(c)))
	for _, m := range []map[K]V{a, b, c} {
		for k := range m {
			keys[k] = true
		}
	}
	return keys
}
