package index

import (
	"cmp"
	"slices"
	"time"

	"mem/words"
)

// JoinRecords adds records of another index, with what they count there, as the share
// of that index in this one. Joining it again adds only by how much it has grown
// since. A record whose text is known keeps its place, its status and what it
// says; what the other says of its worth fills gaps. Nothing counts twice, and of
// records with one key the first counts. JoinRecords returns what changed, in order.
//
// The records must have a text, a kind, an origin and the source to add.
func (ix *Index) JoinRecords(records []Item, now time.Time, share string) []Change {
	at := make(map[string]int, len(ix.Items))
	ids := make(map[string]bool, len(ix.Items))
	for i := range ix.Items {
		it := &ix.Items[i]
		ids[it.ID] = true
		if pos, ok := at[it.Key]; !ok || ix.yieldsTo(pos, i) {
			at[it.Key] = i
		}
	}
	seen := map[string]bool{}
	var changes []Change
	for _, o := range records {
		if o.Text = words.FoldSpace(o.Text); o.Kind == AntiPattern {
			o.Text = AddAvoid(o.Text)
		}
		if o.Key = KeyOf(o.Text); o.Key == "" || seen[o.Key] || o.Hits < 1 {
			continue
		}
		seen[o.Key] = true
		if pos, known := at[o.Key]; !known {
			it := o.joined(share)
			it.ID = newID(it.Key, func(id string) bool { return ids[id] })
			ids[it.ID] = true
			at[it.Key] = len(ix.Items)
			changes = append(changes, Change{Pos: len(ix.Items), New: true})
			ix.Items = append(ix.Items, it)
		} else if ix.Items[pos].join(&o, share) {
			changes = append(changes, Change{Pos: pos})
		}
	}
	if len(changes) > 0 {
		ix.MarkChanged(now)
	}
	return changes
}

// yieldsTo reports whether the record at pos gives way to the one at other, which
// has the same key: the active one counts, since the other was retired or
// compiled for good.
func (ix *Index) yieldsTo(pos, other int) bool {
	return ix.Items[pos].Status != Active && ix.Items[other].Status == Active
}

// joined is a new record out of one of another index.
func (it *Item) joined(share string) Item {
	return Item{
		Key: it.Key, Text: it.Text, Kind: it.Kind, Hits: it.Hits, Score: it.Score, FirstSeen: it.FirstSeen, LastSeen: it.LastSeen,
		Status: it.Status, Severity: it.Severity, Domain: it.Domain, Tags: slices.Clone(it.Tags), Confidence: it.Confidence,
		Origin: it.Origin, Sources: slices.Clone(it.Sources), By: map[string]Counts{share: {Hits: it.Hits, Score: it.Score}},
	}
}

// join adds what a record of another index counts and was not counted before.
func (it *Item) join(o *Item, share string) bool {
	had := it.By[share]
	more := Counts{Hits: max(0, o.Hits-had.Hits), Score: max(0, o.Score-had.Score)}
	if more.Hits == 0 && more.Score == 0 {
		return false
	}
	it.Hits, it.Score = it.Hits+more.Hits, it.Score+more.Score
	it.By = addCounts(it.By, map[string]Counts{share: more})
	if o.FirstSeen.Before(it.FirstSeen) {
		it.FirstSeen = o.FirstSeen
	}
	if o.LastSeen.After(it.LastSeen) {
		it.LastSeen = o.LastSeen
	}
	it.Domain, it.Confidence, it.Severity = cmp.Or(it.Domain, o.Domain), cmp.Or(it.Confidence, o.Confidence), cmp.Or(it.Severity, o.Severity)
	if len(it.Tags) == 0 {
		it.Tags = slices.Clone(o.Tags)
	}
	it.Sources = joinSources(it.Sources, o.Sources)
	return true
}

// RestoreFrom puts back what another program dropped when it rewrote the index
// as version 1: the members that only version 2 knows, taken by key from
// before. Counts, texts and dates stay as the other program left them.
//
// It returns how many records were completed. Nothing happens unless ix was
// loaded as version 1 and before was not.
func (ix *Index) RestoreFrom(before *Index) int {
	if ix.Version >= 2 || before.Version < 2 {
		return 0
	}
	ix.Version = Version
	ix.Replica = cmp.Or(ix.Replica, before.Replica)
	if len(ix.Unknown) == 0 {
		ix.Unknown = before.Unknown
	}
	old := make(map[string][]*Item, len(before.Items))
	for i := range before.Items {
		it := &before.Items[i]
		old[it.Key] = append(old[it.Key], it)
	}
	restored := 0
	var added []*Item
	given := map[string]bool{}
	for i := range ix.Items {
		it := &ix.Items[i]
		if was := old[it.Key]; len(was) > 0 { // of equal keys each gets its own
			old[it.Key] = was[1:]
			it.complete(was[0])
			given[it.ID] = true
			restored++
		} else {
			added = append(added, it)
		}
	}
	for _, it := range added { // their ids are minutes old, the others are known
		if given[it.ID] {
			it.ID = ""
		}
	}
	ix.AssignIDs()
	return restored
}

// complete takes from was everything that version 1 does not hold.
func (it *Item) complete(was *Item) {
	whole := *was
	whole.Key, whole.Text, whole.Kind = it.Key, it.Text, it.Kind
	whole.Hits, whole.Score = it.Hits, it.Score
	whole.FirstSeen, whole.LastSeen = it.FirstSeen, it.LastSeen
	whole.Unknown = mergeMembers(it.Unknown, was.Unknown)
	*it = whole
}
