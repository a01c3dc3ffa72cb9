package index

import (
	"cmp"
	"slices"
	"time"

	"mem/words"
)

// Join adds records of another index, with what they count there, as the share
// of that index in this one: joining it again adds only by how much it has grown
// since. A record whose text is known keeps its place, its status and what it
// says; what is said of the other's worth fills gaps. Nothing counts twice, and
// of records with one key the first counts. It returns what changed, in order.
//
// The records must have a text, a kind, an origin and the source to add.
func (ix *Index) Join(records []Item, now time.Time, share string) []Change {
	at := make(map[string]int, len(ix.Items))
	for i := range ix.Items {
		// Of records with one key the active one counts, as in Apply.
		if pos, ok := at[ix.Items[i].Key]; !ok || ix.Items[pos].Status != Active && ix.Items[i].Status == Active {
			at[ix.Items[i].Key] = i
		}
	}
	ids := make(map[string]bool, len(ix.Items))
	for i := range ix.Items {
		ids[ix.Items[i].ID] = true
	}
	seen := map[string]bool{}
	var changes []Change
	for _, o := range records {
		if o.Text = words.FoldSpace(o.Text); o.Kind == AntiPattern {
			o.Text = Avoid(o.Text)
		}
		key := Key(o.Text)
		if key == "" || seen[key] || o.Hits < 1 {
			continue
		}
		seen[key] = true
		pos, known := at[key]
		if !known {
			it := Item{
				Key: key, Text: o.Text, Kind: o.Kind, Hits: o.Hits, Score: o.Score, FirstSeen: o.FirstSeen, LastSeen: o.LastSeen,
				ID:     newID(key, func(id string) bool { return ids[id] }),
				Status: o.Status, Severity: o.Severity, Domain: o.Domain, Tags: slices.Clone(o.Tags), Confidence: o.Confidence,
				Origin: o.Origin, Sources: slices.Clone(o.Sources), By: map[string]Counts{share: {Hits: o.Hits, Score: o.Score}},
			}
			ids[it.ID] = true
			at[key] = len(ix.Items)
			changes = append(changes, Change{Pos: len(ix.Items), New: true})
			ix.Items = append(ix.Items, it)
			continue
		}
		if ix.Items[pos].join(&o, share) {
			changes = append(changes, Change{Pos: pos})
		}
	}
	if len(changes) > 0 {
		if now = now.UTC().Truncate(time.Millisecond); now.After(ix.UpdatedAt) {
			ix.UpdatedAt = now
		}
		ix.Version = max(ix.Version, Version)
	}
	return changes
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
