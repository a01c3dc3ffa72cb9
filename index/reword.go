package index

import (
	"slices"
	"time"
)

// A Merge is two or more records that became one.
type Merge struct {
	Into string   // id of the record that stayed
	From []string // ids of those that went into it, in file order
}

// Reword gives records new texts, by id, and merges those whose keys have
// become equal. It returns the merges, in file order.
//
// An anti-pattern keeps its prefix and a learning loses one; a text that
// would be empty is ignored. Of equal records hits and scores add up, the
// earliest first sighting stays, and the one seen last gives text and kind;
// the place of the first is kept.
func (ix *Index) Reword(texts map[string]string, now time.Time) []Merge {
	for i := range ix.Items {
		it := &ix.Items[i]
		text, ok := texts[it.ID]
		if !ok {
			continue
		}
		text = StripAvoid(text)
		if it.Kind == AntiPattern {
			text = Avoid(text)
		}
		if text != "" {
			it.Text, it.Key = text, Key(text)
		}
	}
	merges := ix.mergeEqual()
	ix.Version = Version
	if now = now.UTC().Truncate(time.Millisecond); now.After(ix.UpdatedAt) {
		ix.UpdatedAt = now
	}
	return merges
}

// mergeEqual merges active records of one key into the first of them. Records
// that are not active keep to themselves: what a person retired must not come
// back by being worded like something else.
func (ix *Index) mergeEqual() []Merge {
	first := make(map[string]int, len(ix.Items))
	kept := ix.Items[:0:0]
	var merges []Merge
	into := map[int]int{} // place in kept to place in merges
	for _, it := range ix.Items {
		at, again := first[it.Key]
		if it.Status != Active || !again {
			if it.Status == Active {
				first[it.Key] = len(kept)
			}
			kept = append(kept, it)
			continue
		}
		if _, ok := into[at]; !ok {
			into[at] = len(merges)
			merges = append(merges, Merge{Into: kept[at].ID})
		}
		m := &merges[into[at]]
		m.From = append(m.From, it.ID)
		kept[at].absorb(&it)
	}
	ix.Items = kept
	return merges
}

// absorb adds what another record holds to this one.
func (it *Item) absorb(o *Item) {
	if o.LastSeen.After(it.LastSeen) {
		it.Text, it.Kind, it.LastSeen = o.Text, o.Kind, o.LastSeen
		it.Origin, it.Domain, it.Confidence = o.Origin, o.Domain, o.Confidence
	}
	it.Hits += o.Hits
	it.Score += o.Score
	if o.FirstSeen.Before(it.FirstSeen) {
		it.FirstSeen = o.FirstSeen
	}
	it.Pinned = it.Pinned || o.Pinned
	if it.Severity == "" {
		it.Severity = o.Severity
	}
	it.Recurred += o.Recurred
	it.Tags = union(it.Tags, o.Tags)
	it.DerivedFrom = union(it.DerivedFrom, append([]string{o.ID}, o.DerivedFrom...))
	for _, s := range o.Sources {
		it.Sources = addSource(it.Sources, s, s.At)
	}
	if len(o.By) > 0 {
		by := map[string]Counts{}
		for _, counts := range []map[string]Counts{it.By, o.By} {
			for r, c := range counts {
				by[r] = Counts{by[r].Hits + c.Hits, by[r].Score + c.Score}
			}
		}
		it.By = by
	}
	it.unknown = mergeMembers(it.unknown, o.unknown)
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// mergeMembers keeps the unknown members of both; on a clash those of a.
func mergeMembers(a, b []member) []member {
	out := slices.Clone(a)
	for _, m := range b {
		if !slices.ContainsFunc(out, func(o member) bool { return o.name == m.name }) {
			out = append(out, m)
		}
	}
	return out
}
