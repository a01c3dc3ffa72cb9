package facts

import (
	"cmp"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
)

// join makes a lesson a part of another. Hits and scores add up, the earliest first sighting stays, and the
// one seen last gives text and kind.
func (s *state) join(into, from int) {
	s.leave(into)
	s.leave(from)
	it, o := &s.ix.Items[into], s.ix.Items[from]
	takeFields(it, &o)
	it.Hits, it.Score, it.Recurred = it.Hits+o.Hits, it.Score+o.Score, it.Recurred+o.Recurred
	stretch(it, o.FirstSeen, o.LastSeen)
	for _, src := range o.Sources {
		if !knows(it.Sources, src) {
			it.Sessions++
		}
	}
	it.Sources = joinSources(it.Sources, o.Sources)
	it.DerivedFrom = union(it.DerivedFrom, append(slices.Clone(o.DerivedFrom), o.ID))
	it.Was = union(it.Was, o.Was)
	for name, share := range o.By {
		setShare(it, name, index.Share{Hits: it.By[name].Hits + share.Hits, Score: it.By[name].Score + share.Score})
	}
	for name, value := range index.ListMembers(o.Unknown) {
		if _, has := index.ListMembers(it.Unknown)[name]; !has {
			it.Write(name, value)
		}
	}
	maps.Copy(s.seenOf(it.ID), s.seen[o.ID])
	s.gone[from] = true
	s.enter(into)
}

// meet joins a lesson with an active one that now has the same words: the older position stays.
func (s *state) meet(pos int) {
	it := &s.ix.Items[pos]
	if s.gone[pos] || it.Status != index.Active {
		return
	}
	for _, other := range s.names["="+it.Key] {
		if other != pos && s.ix.Items[other].Status == index.Active {
			s.join(min(pos, other), max(pos, other))
			return
		}
	}
}

// open breaks a circle of superseded lessons through pos: it reactivates the one that supersedes pos. Clones
// decided so independently, and without this no lesson of the circle would be shown.
func (s *state) open(pos int) {
	first := s.find(s.ix.Items[pos].SupersededBy)
	for at, n := pos, 0; at >= 0 && s.ix.Items[at].Status == index.Superseded && n < len(s.ix.Items); n++ {
		if at = s.find(s.ix.Items[at].SupersededBy); at == pos {
			s.change(first, func(it *index.Item) { it.Status, it.SupersededBy = index.Active, "" })
			s.meet(first)
			return
		}
	}
}

// resume applies the waiting decisions about a lesson that is now there, except for members that were decided
// otherwise since.
func (s *state) resume(pos int) {
	id, born := s.ix.Items[pos].ID, s.ix.Items[pos].Set
	var now []index.Decision
	s.ix.Waiting = slices.DeleteFunc(slices.Clone(s.ix.Waiting), func(d index.Decision) bool {
		is := d.Of == id || d.Into == id
		if is {
			now = append(now, d)
		}
		return is
	})
	for _, d := range now { // in their order, whatever the clocks said
		decided := born
		if pos := s.find(d.Of); d.Of != id && pos >= 0 {
			decided = s.ix.Items[pos].Set
		}
		members := index.ListMembers(d.Set)
		maps.DeleteFunc(members, func(name string, _ jsontext.Value) bool { return decided[name].After(d.At) })
		if d.Set = nil; len(members) > 0 {
			d.Set = encode(members)
		}
		s.decide([]index.Decision{d}, d.At)
	}
	if len(s.ix.Waiting) == 0 {
		s.ix.Waiting = nil
	}
}

// A Joined says that two or more lessons became one.
type Joined struct {
	Into string   `json:"into"` // id of the one that stayed
	From []string `json:"from"` // ids of those that went into it, in file order
	Text string   `json:"text"` // of the one that stayed
}

// Reword gives lessons new texts, by id, and joins those that have the same words then. It returns what was joined, in
// file order.
//
// An anti-pattern keeps its prefix and a learning loses one; a text that would be empty is ignored.
func Reword(ix *index.Index, texts map[string]string) (joined []Joined) {
	s, had := begin(ix), map[string][]string{}
	var ids []string
	for _, it := range ix.Items {
		ids, had[it.ID] = append(ids, it.ID), it.DerivedFrom
	}
	for pos, id := range ids {
		if text, ok := texts[id]; ok {
			s.change(pos, func(it *index.Item) { it.SetText(text) })
		}
	}
	for pos := range ids {
		s.meet(pos)
	}
	s.compact()
	for _, it := range ix.Items {
		from := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
			return !slices.Contains(it.DerivedFrom, id) || slices.Contains(had[it.ID], id)
		})
		if len(from) > 0 {
			joined = append(joined, Joined{it.ID, from, it.Text})
		}
	}
	return joined
}

// joinSources returns the sources of two records as of one: the first and the latest.
func joinSources(a, b []index.Source) []index.Source {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(a, b index.Source) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	var it index.Item
	for _, src := range all {
		it.AddSource(src)
	}
	return it.Sources
}

// takeFields takes the fields of another record: all of them if it was seen later, else only missing ones.
func takeFields(it, o *index.Item) {
	later := o.LastSeen.After(it.LastSeen)
	if later {
		it.Text, it.Key, it.Kind = o.Text, o.Key, o.Kind
		it.Origin = o.Origin
		it.Domain = cmp.Or(o.Domain, it.Domain)
	}
	it.Domain = cmp.Or(it.Domain, o.Domain)
	if o.Confidence != "" && (later || it.Confidence == "") {
		// Together: a confidence without the evidence that gave it would be taken for a person's.
		it.Confidence, it.Evidence = o.Confidence, o.Evidence
	}
	it.Pinned = it.Pinned || o.Pinned
	it.Severity = cmp.Or(it.Severity, o.Severity)
	it.Tags = union(it.Tags, o.Tags)
	it.Why, it.Cue, it.Remedy = cmp.Or(it.Why, o.Why), cmp.Or(it.Cue, o.Cue), cmp.Or(it.Remedy, o.Remedy)
}

func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// takeOver adds a record of another index, or of this one before version 4. Sightings count once, by their ids.
// For counts without an id, the larger number counts, per memory. It returns the change; Pos is -1 if there is
// none.
func (s *state) takeOver(o *index.Old, f Fact) index.Change {
	old := o.Item
	if s.ix.IsPurged(old.Key) || s.ix.IsPurgedID(old.ID) {
		return index.Change{Pos: -1}
	}
	if f.From != "" {
		return s.takeShare(s.look(old.Key, old.Text, index.Lesson{}), o, f)
	}
	pos := s.find(old.ID)
	if old.ID == "" {
		pos = s.look(old.Key, old.Text, index.Lesson{})
	}
	if pos < 0 {
		for _, src := range o.Seen {
			old.AddSource(src)
		}
		return s.settleIn(old, o.Seen)
	}
	s.unite(pos, o)
	return index.Change{Pos: pos}
}

// unite adds the sightings and fields of an imported record to an earlier import of the same lesson.
func (s *state) unite(pos int, o *index.Old) {
	s.change(pos, func(it *index.Item) {
		without := it.Hits - len(s.seen[it.ID])
		for _, src := range o.Seen {
			if !s.hasCounted(it, src.ID) {
				gain(it, src)
			}
			s.seenOf(it.ID)[src.ID] = true
		}
		if more := o.Item.Hits - len(o.Seen) - without; more > 0 {
			it.Hits, it.Score = it.Hits+more, max(it.Score, o.Item.Score)
		}
		for _, f := range index.Fields {
			if at := o.Item.StampOf(f.Name); at.After(it.StampOf(f.Name)) {
				it.Write(f.Name, []byte(f.Read(&o.Item)))
				it.Stamp(f.Name, at)
			}
		}
		it.DerivedFrom = union(it.DerivedFrom, o.Item.DerivedFrom)
	})
}

// seenOf returns the set of sightings that an imported record counts; callers add to it.
func (s *state) seenOf(id string) map[string]bool {
	if s.seen[id] == nil {
		s.seen[id] = map[string]bool{}
	}
	return s.seen[id]
}

// takeShare adds the growth of another memory's record since it was last counted. A known lesson keeps its
// place, its status and its words; data on its worth only fills gaps.
func (s *state) takeShare(pos int, o *index.Old, f Fact) index.Change {
	share := index.Share{Hits: o.Item.Hits, Score: o.Item.Score}
	if pos < 0 {
		it := o.Item
		it.ID, it.By = "", map[string]index.Share{f.From: share}
		return s.settleIn(it, nil)
	}
	if had := s.ix.Items[pos].By[f.From]; share.Hits <= had.Hits && share.Score <= had.Score {
		return index.Change{Pos: -1}
	}
	s.change(pos, func(it *index.Item) {
		had := it.By[f.From]
		share = index.Share{Hits: max(share.Hits, had.Hits), Score: max(share.Score, had.Score)}
		setShare(it, f.From, share)
		it.Hits, it.Score = it.Hits+share.Hits-had.Hits, it.Score+share.Score-had.Score
		old := &o.Item
		it.Domain, it.Confidence, it.Severity = cmp.Or(it.Domain, old.Domain), cmp.Or(it.Confidence, old.Confidence), cmp.Or(it.Severity, old.Severity)
		if len(it.Tags) == 0 {
			it.Tags = slices.Clone(old.Tags)
		}
		stretch(it, old.FirstSeen, old.LastSeen)
		for _, src := range old.Sources {
			src.ID = ""
			isSame := func(k index.Source) bool { // one event of one session at one time
				return [...]string{k.ID, k.Trace, k.Session, k.Span} == [...]string{"", src.Trace, src.Session, src.Span} && k.At.Equal(src.At)
			}
			if !slices.ContainsFunc(it.Sources, isSame) {
				it.Sources = joinSources(it.Sources, []index.Source{src})
			}
		}
	})
	return index.Change{Pos: pos}
}

func setShare(it *index.Item, name string, share index.Share) {
	by := map[string]index.Share{}
	maps.Copy(by, it.By)
	by[name], it.By = share, by
}
