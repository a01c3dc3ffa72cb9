package index

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// An Absorbed says that two or more records became one.
type Absorbed struct {
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
func (ix *Index) RewordRecords(texts map[string]string, now time.Time) []Absorbed {
	for i := range ix.Items {
		it := &ix.Items[i]
		if text, ok := texts[it.ID]; ok {
			at := it.NextStamp(now)
			it.changeAt(at, func(it *Item) { it.SetText(text) })
			it.SetStamp(redistilled, at)
		}
	}
	return ix.MergeEqual(now, func(_, _ *Item) bool { return true })
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

// MergeEqual merges active records of one key into the first of them, where isOne says
// so. Records that are not active keep to themselves: what a person retired must not
// come back by being worded like something else.
func (ix *Index) MergeEqual(now time.Time, isOne func(first, it *Item) bool) []Absorbed {
	first := make(map[string]int, len(ix.Items))
	kept := ix.Items[:0:0]
	var merges []Absorbed
	into := map[int]int{} // place in kept to place in merges
	for _, it := range ix.Items {
		at, again := first[it.Key]
		if it.Status == Active && again && isOne(&kept[at], &it) {
			if _, ok := into[at]; !ok {
				into[at] = len(merges)
				merges = append(merges, Absorbed{Into: kept[at].ID})
			}
			merges[into[at]].From = append(merges[into[at]].From, it.ID)
			ix.absorb(&kept[at], &it, now)
			continue
		}
		if it.Status == Active && !again {
			first[it.Key] = len(kept)
		}
		kept = append(kept, it)
	}
	ix.Items = kept
	return merges
}

// absorb makes another record, o, a part of a record.
func (ix *Index) absorb(it, o *Item, now time.Time) {
	it.FillBefore(false, it.Place)
	o.FillBefore(false, o.Place)
	score := it.Score + o.Score
	at := it.StampOf(redistilled) // rewording the record was a part of this
	if at.Before(now) {
		at = it.NextStamp(now)
	}
	for _, s := range o.Set {
		at = Latest(at, s.At)
	}
	it.changeAt(at, func(it *Item) { it.takeFields(o) })
	for _, f := range Fields { // what is decided now is newer than what o was given before
		if CompareVersions(it.VersionOf(f.Name), o.VersionOf(f.Name)) < 0 {
			it.SetStamp(f.Name, at)
		}
	}
	it.DerivedFrom = union(it.DerivedFrom, []string{o.ID})
	ix.Undone.Links = countAgain(ix.Undone.Links, Link{o.ID, it.ID})
	for _, from := range o.DerivedFrom {
		ix.Undone.keepLink(Link{from, o.ID})
	}
	it.Before, it.By = AddShares(it.Before, o.Before), addByName(it.By, o.By)
	sources := slices.Clone(it.Sources)
	for _, s := range o.Sources {
		if s.ID != "" {
			s.Home = cmp.Or(s.Home, o.ID)
		}
		sources = append(sources, s)
	}
	it.Seen = slices.Clone(it.Seen)
	for _, s := range o.Seen {
		s.Home = cmp.Or(s.Home, o.ID)
		it.Seen = append(it.Seen, s)
	}
	it.KeepSources(sources)
	it.Unknown = MergeMembers(it.Unknown, o.Unknown)
	it.Fold()
	if it.Before.Hits > 0 { // what was counted after a share counted more than it would from nothing
		it.Before.Score += score - it.Score
		it.Fold()
	}
}

// takeFields takes what another record says: all of it, if that was seen later.
func (it *Item) takeFields(o *Item) {
	later := o.LastSeen.After(it.LastSeen)
	if later {
		it.Text, it.Kind = o.Text, o.Kind
		it.Origin = o.Origin
		it.Domain = cmp.Or(o.Domain, it.Domain)
	}
	it.Domain = cmp.Or(it.Domain, o.Domain)
	if o.Confidence != "" && (later || it.Confidence == "") {
		// Together: a confidence without the evidence that gave it would be
		// taken for a person's.
		it.Confidence, it.Evidence = o.Confidence, o.Evidence
	}
	it.Pinned = it.Pinned || o.Pinned
	it.Severity = cmp.Or(it.Severity, o.Severity)
	it.Recurred += o.Recurred
	it.Tags = union(it.Tags, o.Tags)
	it.Why, it.Cue, it.Remedy = cmp.Or(it.Why, o.Why), cmp.Or(it.Cue, o.Cue), cmp.Or(it.Remedy, o.Remedy)
}

// addByName adds shares by name; neither list is changed.
func addByName(a, b map[string]Share) map[string]Share {
	if len(b) == 0 {
		return a
	}
	sum := maps.Clone(b)
	for name, share := range a {
		sum[name] = AddShares(share, sum[name])
	}
	return sum
}

// AddShares adds two shares of a count.
func AddShares(a, b Share) Share {
	if b.Hits > 0 && (a.Hits == 0 || b.FirstSeen.Before(a.FirstSeen)) {
		a.FirstSeen = b.FirstSeen
	}
	a.LastSeen = Latest(a.LastSeen, b.LastSeen)
	a.Hits, a.Score, a.Unknown = a.Hits+b.Hits, a.Score+b.Score, MergeRaw(a.Unknown, b.Unknown)
	return a
}

func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// MergeRaw keeps one of two pieces of JSON, the same in whatever order.
func MergeRaw(a, b jsontext.Value) jsontext.Value {
	if string(a) < string(b) {
		return b
	}
	return a
}

// MergeMembers keeps the unknown members of both; on a clash those of a.
func MergeMembers(a, b []Member) []Member {
	out := slices.Clone(a)
	for _, m := range b {
		if !slices.ContainsFunc(out, func(o Member) bool { return o.Name == m.Name }) {
			out = append(out, m)
		}
	}
	return out
}
