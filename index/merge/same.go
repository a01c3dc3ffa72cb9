package merge

import (
	"bytes"
	"maps"
	"reflect"
	"slices"

	"mem/index"
)

// findSame returns the records that are the same in all of these indexes, nil apart,
// and that nothing else there names: no merge changes them.
func findSame(versions ...*index.Index) map[string]*index.Item {
	versions = slices.Compact(slices.DeleteFunc(versions, func(ix *index.Index) bool { return ix == nil }))
	var same map[string]*index.Item
	for n, ix := range versions {
		in := make(map[string]*index.Item, len(ix.Items))
		for i := range ix.Items {
			it := &ix.Items[i]
			if was := same[it.ID]; n == 0 || was != nil && isSameRecord(was, it) {
				in[it.ID] = it
			}
		}
		same = in
	}
	for _, ix := range versions {
		dropNamed(same, ix)
	}
	return same
}

// dropNamed drops the records that an index names outside of them, and that name others.
func dropNamed(same map[string]*index.Item, ix *index.Index) {
	drop := func(ids ...string) {
		for _, id := range ids {
			delete(same, id)
		}
	}
	drop(ix.Purged...)
	dropUndone(drop, ix.Undone)
	for i := range ix.Items {
		it := &ix.Items[i]
		if len(it.DerivedFrom) > 0 {
			drop(append(slices.Clip(it.DerivedFrom), it.ID)...)
		}
		for _, s := range it.Sources { // half of a merged text may have no link
			if s.Home != "" {
				drop(s.Home, it.ID)
			}
		}
		for _, s := range it.Seen {
			if s.Home != "" {
				drop(s.Home, it.ID)
			}
		}
	}
}

// dropUndone drops the records of which something was undone.
func dropUndone(drop func(ids ...string), u index.Undone) {
	for m := range u.Sightings {
		drop(m.Record)
	}
	for l := range u.Links {
		drop(l.From, l.Into)
	}
	for m := range u.Fields {
		drop(m.Record)
	}
}

// isSame reports whether a merge came to what an index is.
func (s *state) isSame(merged, ix *index.Index) bool {
	return slices.EqualFunc(merged.Items, ix.Items, func(a, b index.Item) bool {
		return a.ID == b.ID && s.same[a.ID] != nil || isSameRecord(&a, &b)
	}) && merged.Version == ix.Version && merged.UpdatedAt.Equal(ix.UpdatedAt) && slices.Equal(merged.Purged, ix.Purged) && maps.Equal(merged.Undone.Sightings, ix.Undone.Sightings) &&
		maps.Equal(merged.Undone.Links, ix.Undone.Links) && maps.Equal(merged.Undone.Fields, ix.Undone.Fields) && slices.EqualFunc(merged.Unknown, ix.Unknown, isSameMember)
}

// isSameRecord reports whether two records are the same in every member.
func isSameRecord(a, b *index.Item) bool {
	return isSameCount(a, b) && a.Key == b.Key && a.Text == b.Text && a.Kind == b.Kind && a.Status == b.Status && a.Pinned == b.Pinned &&
		a.Severity == b.Severity && a.Domain == b.Domain && a.Confidence == b.Confidence && a.Origin == b.Origin && a.Why == b.Why &&
		a.SupersededBy == b.SupersededBy && a.Violations == b.Violations && slices.Equal(a.Tags, b.Tags) && slices.Equal(a.Set, b.Set) &&
		reflect.DeepEqual(a.Cue, b.Cue) && reflect.DeepEqual(a.Remedy, b.Remedy) && reflect.DeepEqual(a.Evidence, b.Evidence) &&
		slices.EqualFunc(a.Unknown, b.Unknown, isSameMember)
}

// isSameCount reports whether two records count the same.
func isSameCount(a, b *index.Item) bool {
	return a.ID == b.ID && a.Recurred == b.Recurred && a.Place == b.Place && isSameShare(a.Total(), b.Total()) &&
		isSameShare(a.Before, b.Before) && maps.EqualFunc(a.By, b.By, isSameShare) && slices.Equal(a.DerivedFrom, b.DerivedFrom) &&
		slices.Equal(a.Seen, b.Seen) && slices.EqualFunc(a.Sources, b.Sources, isSameSource)
}

func isSameSource(a, b index.Source) bool {
	return a.ID == b.ID && a.Home == b.Home && a.N == b.N && a.Trace == b.Trace && a.Session == b.Session && a.Span == b.Span &&
		a.Model == b.Model && a.At.Equal(b.At) && slices.EqualFunc(a.Unknown, b.Unknown, isSameMember)
}

func isSameShare(a, b index.Share) bool {
	return a.Hits == b.Hits && a.Score == b.Score && a.FirstSeen.Equal(b.FirstSeen) && a.LastSeen.Equal(b.LastSeen) &&
		bytes.Equal(a.Unknown, b.Unknown)
}

func isSameMember(a, b index.Member) bool { return a.Name == b.Name && bytes.Equal(a.Value, b.Value) }
