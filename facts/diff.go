package facts

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
)

// Diff returns what makes one index another: decisions, and records that are new. partial says that the
// other one was written by a program that knows version 1 alone: what it lacks is not a change, and its ids are taken from the first.
func Diff(was, is *index.Index, partial bool) (changes []index.Decision, fresh []index.Old) {
	if partial {
		takeIDs(is, was)
	} else { // first, so that what the other became is said last
		changes = diffLost(was, is)
	}
	if len(changes) > 0 { // what follows from those is not said
		s := Begin(was.Clone())
		for _, d := range changes {
			s.decideOne(d, time.Time{})
		}
		was = s.Index()
	}
	find := was.Finder()
	for i := range is.Items {
		it := &is.Items[i]
		pos := find(it.ID)
		if pos < 0 {
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

// takeIDs gives the records of a version 1 the ids that their keys had before.
func takeIDs(ix, was *index.Index) {
	ids, given := map[string][]string{}, map[string]bool{}
	for i := range was.Items {
		ids[was.Items[i].Key] = append(ids[was.Items[i].Key], was.Items[i].ID)
	}
	for i := range ix.Items {
		it := &ix.Items[i]
		if list := ids[it.Key]; len(list) > 0 {
			it.ID, ids[it.Key] = list[0], list[1:]
			given[it.ID] = true
		}
	}
	for i := range ix.Items {
		it := &ix.Items[i]
		if pos := was.ByID(it.ID); pos >= 0 && was.Items[pos].Key != it.Key { // by chance, or reworded since
			it.ID = index.NewID(it.Key, func(id string) bool { return given[id] || was.ByID(id) >= 0 })
		}
		given[it.ID] = true
	}
}

// diffLost returns what became of the records that the other index lacks: they are part of another, or gone.
func diffLost(was, is *index.Index) (changes []index.Decision) {
	find := is.Finder()
	for i := range was.Items {
		id := was.Items[i].ID
		if find(id) >= 0 || slices.Contains(is.Purged, id) {
			continue
		}
		into := ""
		for j := range is.Items {
			if slices.Contains(is.Items[j].DerivedFrom, id) {
				into = is.Items[j].ID
			}
		}
		changes = append(changes, index.Decision{Of: id, Into: into, Gone: into == ""})
	}
	return changes
}

// diffRecord returns what was decided about a record.
func diffRecord(was, is *index.Item, partial bool) (d index.Decision, isChange bool) {
	if was.Equal(is) { // nearly always
		return d, false
	}
	d = index.Decision{Of: was.ID, Hits: is.Hits - was.Hits, Add: is.Score - was.Score}
	if set := diffFields(was, is, partial); len(set) > 0 {
		d.Set, d.Soft = encode(set), partial && was.Key == is.Key // which saw it in other letters
	}
	if is.LastSeen.After(was.LastSeen) {
		d.Seen = is.LastSeen
	}
	return d, len(d.Set) > 0 || d.Hits != 0 || d.Add != 0 || !d.Seen.IsZero()
}

// diffFields returns the fields and the unknown members of a record that differ, with what they are now.
func diffFields(was, is *index.Item, partial bool) map[string]jsontext.Value {
	set := map[string]jsontext.Value{}
	for _, f := range index.Fields {
		isWritten := !partial || f.Name == "text" || f.Name == "kind"
		if isWritten && f.Read(was) != f.Read(is) {
			set[f.Name] = jsontext.Value(f.Read(is))
		}
	}
	for name, value := range diffMembers(was.Unknown, is.Unknown) {
		if !partial || value.Kind() != 'n' {
			set[name] = value
		}
	}
	return set
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
