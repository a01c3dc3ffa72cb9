package merge

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"mem/index"
	"mem/words"
)

// JoinRecords adds to an index records of another, with what they count there, as the share
// of that index in this one. Joining it again adds only by how much it has grown
// since. A record whose text is known keeps its place, its status and what it
// says; what the other says of its worth fills gaps, at now. Nothing counts twice, and
// of records with one key the first counts. JoinRecords returns what changed, in order.
//
// The records must have a text, a kind, an origin and the source to add.
func JoinRecords(ix *index.Index, records []index.Item, now time.Time, share string) []index.Change {
	at := make(map[string]int, len(ix.Items))
	ids := make(map[string]bool, len(ix.Items))
	for i := range ix.Items {
		it := &ix.Items[i]
		ids[it.ID] = true
		if pos, ok := at[it.Key]; !ok || ix.YieldsTo(pos, i) {
			at[it.Key] = i
		}
	}
	seen := map[string]bool{}
	var changes []index.Change
	for _, o := range records {
		if o.Text = words.FoldSpace(o.Text); o.Kind == index.AntiPattern {
			o.Text = index.AddAvoid(o.Text)
		}
		if o.Key = index.KeyOf(o.Text); o.Key == "" || seen[o.Key] || o.Hits < 1 || ix.IsPurged(o.Key) {
			continue
		}
		seen[o.Key] = true
		if pos, known := at[o.Key]; !known {
			it := joinedRecord(&o, share)
			it.ID = index.NewID(it.Key, func(id string) bool { return ids[id] })
			ids[it.ID] = true
			at[it.Key] = len(ix.Items)
			changes = append(changes, index.Change{Pos: len(ix.Items), New: true})
			ix.Items = append(ix.Items, it)
		} else if joinRecord(&ix.Items[pos], &o, now, share) {
			changes = append(changes, index.Change{Pos: pos})
		}
	}
	return changes
}

// joinedRecord is a new record out of one of another index.
func joinedRecord(it *index.Item, share string) index.Item {
	return index.Item{
		Key: it.Key, Text: it.Text, Kind: it.Kind, Hits: it.Hits, Score: it.Score, FirstSeen: it.FirstSeen, LastSeen: it.LastSeen,
		Status: it.Status, Severity: it.Severity, Domain: it.Domain, Tags: slices.Clone(it.Tags), Confidence: it.Confidence,
		Origin: it.Origin, Sources: listDetails(it), By: map[string]index.Share{share: it.Total()},
	}
}

// listDetails returns the sources as what only says where a share is from: their
// sightings are in the share.
func listDetails(it *index.Item) []index.Source {
	list := slices.Clone(it.Sources)
	for i := range list {
		list[i].ID, list[i].Home, list[i].N = "", "", 0
	}
	return list
}

// joinRecord adds what a record of another index counts and was not counted before.
func joinRecord(it, o *index.Item, now time.Time, share string) bool {
	it.FillBefore(false, it.Place)
	had, has := it.By[share], o.Total()
	if has.Hits <= had.Hits && has.Score <= had.Score {
		return false
	}
	has.Hits, has.Score, has.Unknown = max(has.Hits, had.Hits), max(has.Score, had.Score), had.Unknown
	it.By = maps.Clone(it.By)
	if it.By == nil {
		it.By = map[string]index.Share{}
	}
	it.By[share] = has
	it.Change(now, func(it *index.Item) {
		it.Domain, it.Confidence, it.Severity = cmp.Or(it.Domain, o.Domain), cmp.Or(it.Confidence, o.Confidence), cmp.Or(it.Severity, o.Severity)
		if len(it.Tags) == 0 {
			it.Tags = slices.Clone(o.Tags)
		}
	})
	it.Sources = slices.Clip(it.Sources)
	for _, s := range listDetails(o) {
		if !slices.ContainsFunc(it.Sources, func(known index.Source) bool { return index.CompareSources(known, s) == 0 }) {
			it.AddSource(s)
		}
	}
	it.Fold()
	return true
}
