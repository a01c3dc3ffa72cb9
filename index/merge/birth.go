package merge

import (
	"cmp"
	"slices"

	"mem/index"
)

// mergeBirths returns the records of both sides with the fields that they had at
// birth. What only one side has otherwise than base was written by hand, and stands.
// No side is ours: of two other values that differ the same stands either way. A record
// that was taken back whole, and learned anew by one side, is as that side learned it.
func mergeBirths(r, base, o, t *state) map[string]*index.Item {
	births := make(map[string]*index.Item, len(o.items))
	for id := range union3(o.items, t.items, nil) {
		x, y := o.items[id], t.items[id]
		if x = cmp.Or(x, y); y == nil || x.SaysSame(y) && x.Place == y.Place && slices.EqualFunc(x.Unknown, y.Unknown, isSameMember) {
			births[id] = x
			continue
		}
		if r.isBorn(x) != r.isBorn(y) {
			born := *y
			if r.isBorn(x) {
				born = *x
			}
			born.Set, births[id] = nil, &born
			continue
		}
		it, from := *x, base.items[id]
		it.Set = nil
		if from != nil && !r.isBorn(from) {
			from = nil
		}
		for _, f := range index.Fields {
			if f.IsSame(x, y) {
				continue
			}
			a, b := f.Read(x), f.Read(y)
			switch {
			case a == b, from != nil && b == f.Read(from):
			case from != nil && a == f.Read(from):
				f.Write(&it, b)
			default:
				f.Write(&it, pickBirth(f.Name, a, b))
			}
		}
		it.Place = min(x.Place, y.Place)
		it.Unknown = mergeUnknown(cmp.Or(from, &index.Item{}).Unknown, x.Unknown, y.Unknown)
		births[id] = &it
	}
	return births
}

// isBorn reports whether the first sighting of a record, as a side has it, counts.
func (s *state) isBorn(it *index.Item) bool {
	b := it.Birth()
	return b.ID == "" || s.marks[index.Mark{Reflection: b.ID, Record: cmp.Or(b.Home, it.ID)}].n%2 == 1
}

// pickBirth chooses between two values of a field at birth, as JSON.
func pickBirth(field, a, b string) string {
	if field == "status" { // an active record beats a held one
		return min(a, b)
	}
	return max(a, b)
}

// joinBirths makes one of the records of ours that were learned anew after they had been
// taken back, and of what they were before, which counts again in r.
func joinBirths(r, b, o *state) {
	for id, it := range o.items {
		if was := b.items[id]; was != nil && !o.isBorn(was) && r.isBorn(was) && r.isBorn(it) {
			r.items[id] = joinBirth(was, it)
		}
	}
}

// joinBirth returns the record of two births: as it was at the first, and where the second
// says otherwise, that was set then. What only one of them says stands.
func joinBirth(a, b *index.Item) *index.Item {
	if index.CompareSources(b.Birth(), a.Birth()) < 0 {
		a, b = b, a
	}
	joined := *b
	joined.Set = nil
	second := b.Birth().At
	for _, f := range index.Fields {
		from, v, w := a, a.VersionOf(f.Name), b.VersionOf(f.Name)
		isBirth := w == (index.FieldVersion{}) && !f.IsSame(a, b)
		switch {
		case isBirth && f.Name == "text" && a.Key == b.Key: // the same words
			w.Spelled = second
		case isBirth:
			w.At = second
		}
		if index.CompareVersions(v, w) < 0 {
			v = w
			if !isBirth || saysMore(f, a, b) {
				from = b
			}
		}
		f.Write(&joined, f.Read(from))
		joined.SetStamp(f.Name, v.At)
		if f.Name == "text" {
			joined.Key = from.Key
			joined.SetStamp(index.Spelling, v.Spelled)
		}
	}
	return &joined
}

// saysMore reports whether the second birth of a record changes a field of the first: an
// active record beats a held one, and what it does not say takes nothing back.
func saysMore(f index.Field, a, b *index.Item) bool {
	if f.Name == "status" {
		return pickBirth(f.Name, f.Read(a), f.Read(b)) == f.Read(b)
	}
	return !f.IsSame(b, &index.Item{})
}
