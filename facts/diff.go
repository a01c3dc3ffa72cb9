package facts

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
)

// Diff returns what makes one index another: decisions, and records that are new. What both have alike is
// found at little cost. partial says that the other one was written by a program that knows version 1 alone:
// what it lacks is not a change.
func Diff(was, is *index.Index, partial bool) (changes []index.Decision, fresh []index.Old) {
	absorbed := map[string]string{}
	for i := range is.Items {
		for _, id := range is.Items[i].DerivedFrom {
			absorbed[id] = is.Items[i].ID
		}
	}
	left := map[string]bool{}
	for i := range is.Items {
		left[is.Items[i].ID] = true
	}
	for pos := range was.Items { // first, so that what the other became is said last
		id := was.Items[pos].ID
		switch into := absorbed[id]; {
		case left[id] || partial || slices.Contains(is.Purged, id):
		case into != "" && left[into]:
			changes = append(changes, index.Decision{Of: id, Into: into})
		default:
			changes = append(changes, index.Decision{Of: id, Gone: true})
		}
	}
	if len(changes) > 0 { // what follows from those is not said
		s := Begin(was.Clone())
		for _, d := range changes {
			s.decideOne(d, time.Time{})
		}
		was = s.Index()
	}
	at := make(map[string]int, len(was.Items))
	for pos := range was.Items {
		at[was.Items[pos].ID] = pos
	}
	for i := range is.Items {
		it := &is.Items[i]
		pos, known := at[it.ID]
		if !known {
			fresh = append(fresh, index.Old{Item: *it})
			continue
		}
		if d, isChange := diffRecord(&was.Items[pos], it, partial); isChange {
			changes = append(changes, d)
		}
	}
	if set := diffMembers(was.Unknown, is.Unknown); len(set) > 0 && !partial {
		changes = append(changes, index.Decision{Set: encode(set)})
	}
	return changes, fresh
}

// diffRecord returns what was decided about a record.
func diffRecord(was, is *index.Item, partial bool) (d index.Decision, isChange bool) {
	if isUntouched(was, is) {
		return d, false
	}
	set := map[string]jsontext.Value{}
	for _, f := range index.Fields {
		if !f.IsSame(was, is) && (!partial || f.Name == "text" || f.Name == "kind") {
			set[f.Name] = jsontext.Value(f.Read(is))
		}
	}
	for name, value := range diffMembers(was.Unknown, is.Unknown) {
		if !partial || value.Kind() != 'n' {
			set[name] = value
		}
	}
	d = index.Decision{Of: was.ID}
	if len(set) > 0 {
		d.Set, d.Soft = encode(set), partial && was.Key == is.Key // which saw it in other letters
	}
	d.Hits, d.Add = is.Hits-was.Hits, is.Score-was.Score
	if is.LastSeen.After(was.LastSeen) {
		d.Seen = is.LastSeen
	}
	return d, len(d.Set) > 0 || d.Hits != 0 || d.Add != 0 || !d.Seen.IsZero()
}

// isUntouched reports, at little cost, that a record is the other one, or a copy of it that nothing was done to.
func isUntouched(a, b *index.Item) bool {
	return a.Text == b.Text && a.Hits == b.Hits && a.Score == b.Score && a.Status == b.Status && a.Pinned == b.Pinned && a.Kind == b.Kind &&
		a.Severity == b.Severity && a.Domain == b.Domain && a.Confidence == b.Confidence && a.Origin == b.Origin && a.Why == b.Why &&
		a.Cue == b.Cue && a.Remedy == b.Remedy && a.Evidence == b.Evidence && a.SupersededBy == b.SupersededBy && a.Violations == b.Violations &&
		a.LastSeen.Equal(b.LastSeen) && slices.Equal(a.Tags, b.Tags) && slices.Equal(a.DerivedFrom, b.DerivedFrom) && slices.Equal(a.Unknown, b.Unknown)
}

// diffMembers returns the members that differ, with what they are now; null for none.
func diffMembers(was, is jsontext.Value) map[string]jsontext.Value {
	if slices.Equal(was, is) {
		return nil
	}
	before, now := index.ListUnknown(was), index.ListUnknown(is)
	for name := range before {
		if _, has := now[name]; !has {
			now[name] = jsontext.Value("null")
		} else if slices.Equal(before[name], now[name]) {
			delete(now, name)
		}
	}
	return now
}

func encode(set map[string]jsontext.Value) jsontext.Value {
	data, err := json.Marshal(set, index.Options())
	if err != nil {
		return nil // of members that were decoded before
	}
	return data
}
