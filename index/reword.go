package index

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// A Merge is two or more records that became one.
type Merge struct {
	Into string   // id of the record that stayed
	From []string // ids of those that went into it, in file order
}

// RewordRecords gives records new texts, by id, and merges those whose keys have
// become equal. It returns the merges, in file order.
//
// An anti-pattern keeps its prefix and a learning loses one; a text that
// would be empty is ignored. Of equal records hits and scores add up, the
// earliest first sighting stays, and the one seen last gives text and kind;
// the place of the first is kept.
func (ix *Index) RewordRecords(texts map[string]string, now time.Time) []Merge {
	for i := range ix.Items {
		it := &ix.Items[i]
		if text, ok := texts[it.ID]; ok {
			it.SetText(text)
		}
	}
	merges := ix.mergeEqual()
	ix.MarkChanged(now)
	return merges
}

// SetText gives the record a new text, with the prefix that its kind has, and
// the key of it. It reports whether there is one: an empty text is ignored.
func (it *Item) SetText(text string) bool {
	text = StripAvoid(text)
	if it.Kind == AntiPattern {
		text = AddAvoid(text)
	}
	if text == "" {
		return false
	}
	it.Text, it.Key = text, KeyOf(text)
	return true
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
	later := o.LastSeen.After(it.LastSeen)
	if later {
		it.Text, it.Kind, it.LastSeen = o.Text, o.Kind, o.LastSeen
		it.Origin = o.Origin
		it.Domain = cmp.Or(o.Domain, it.Domain)
	}
	it.Domain = cmp.Or(it.Domain, o.Domain)
	if o.Confidence != "" && (later || it.Confidence == "") {
		// Together: a confidence without the evidence that gave it would be
		// taken for a person's.
		it.Confidence, it.Evidence = o.Confidence, o.Evidence
	}
	it.Hits += o.Hits
	it.Score += o.Score
	if o.FirstSeen.Before(it.FirstSeen) {
		it.FirstSeen = o.FirstSeen
	}
	it.Pinned = it.Pinned || o.Pinned
	it.Severity = cmp.Or(it.Severity, o.Severity)
	it.Recurred += o.Recurred
	it.Tags = union(it.Tags, o.Tags)
	it.DerivedFrom = union(it.DerivedFrom, append([]string{o.ID}, o.DerivedFrom...))
	it.Sources = joinSources(it.Sources, o.Sources)
	it.By = addCounts(it.By, o.By)
	it.Unknown = mergeMembers(it.Unknown, o.Unknown)
}

// joinSources keeps the first and the latest of two records' sources.
func joinSources(a, b []Source) []Source {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y Source) int { return x.At.Compare(y.At) })
	if over := len(all) - MaxSources; over > 0 {
		all = slices.Delete(all, 1, 1+over)
	}
	return all
}

// addCounts adds the shares of b to those of a, neither of which is changed.
func addCounts(a, b map[string]Counts) map[string]Counts {
	if len(b) == 0 {
		return a
	}
	sum := make(map[string]Counts, len(a)+len(b))
	maps.Copy(sum, b)
	for r, c := range a {
		c.Hits, c.Score = c.Hits+b[r].Hits, c.Score+b[r].Score
		sum[r] = c
	}
	return sum
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
func mergeMembers(a, b []Member) []Member {
	out := slices.Clone(a)
	for _, m := range b {
		if !slices.ContainsFunc(out, func(o Member) bool { return o.Name == m.Name }) {
			out = append(out, m)
		}
	}
	return out
}
