package facts

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"mem/index"
)

// A Log is a set of facts in their order, each once.
type Log struct {
	facts   []Fact
	counted map[string]bool
	purged  []string
	isBack  bool // a fact had lines of what was purged
}

// NewLog orders facts. Of two with one id the first counts, whole. A fact that a purge rewrote is united with
// its old version, if git brought that back, minus the purged lines.
func NewLog(list []Fact) *Log {
	l := &Log{counted: map[string]bool{}}
	for _, f := range list {
		l.purged = append(l.purged, f.Purged...)
	}
	list = slices.SortedFunc(slices.Values(list), func(a, b Fact) int {
		if c := cmp.Or(cmp.Compare(a.N, b.N), strings.Compare(a.ID, b.ID)); c != 0 {
			return c
		}
		x, _ := a.encode(a.ID)
		y, _ := b.encode(b.ID)
		return bytes.Compare(x, y)
	})
	at, kept := map[string]int{}, list[:0]
	for _, f := range list {
		i, again := at[f.ID]
		switch {
		case !again:
			at[f.ID], kept = len(kept), append(kept, f)
		case f.N == kept[i].N:
			kept[i].unite(f)
		}
	}
	for i := range kept {
		l.isBack = kept[i].Drop(l.purged) || l.isBack
	}
	l.facts = kept
	l.decide()
	return l
}

// decide finds which facts count. An undo makes the facts that it names count no longer, until it or a later
// redo says otherwise. An undo that does not count itself has no effect.
func (l *Log) decide() {
	said := map[string]bool{} // by the latest fact that counts and names it
	for _, f := range slices.Backward(l.facts) {
		counts, isNamed := said[f.ID]
		if l.counted[f.ID] = counts || !isNamed; !l.counted[f.ID] || f.Gone {
			continue // a fact that is back in the log counts
		}
		for isRedo, ids := range map[bool][]string{false: f.Undo, true: f.Redo} {
			for _, id := range ids {
				if _, isNamed := said[id]; !isNamed { // else a later one says so
					said[id] = isRedo
				}
			}
		}
	}
}

// With returns the log with more facts. Those without a place come behind all others.
func (l *Log) With(more ...Fact) *Log {
	list := slices.Clone(l.facts)
	for i, f := range more {
		f.ID, f.N = cmp.Or(f.ID, fmt.Sprintf("new-%d", i)), cmp.Or(f.N, math.MaxInt64-int64(len(more)-i))
		list = append(list, f)
	}
	return NewLog(list)
}

// Facts returns the facts in their order.
func (l *Log) Facts() []Fact { return l.facts }

// Counts reports whether a fact counts.
func (l *Log) Counts(id string) bool { return l.counted[id] }

// Has reports whether there is a fact with this id.
func (l *Log) Has(id string) bool { _, has := l.counted[id]; return has }

// Fold returns the index that the facts make. Its Log is not set.
func (l *Log) Fold() *index.Index {
	s := begin(&index.Index{})
	s.ix.Purged = union(nil, l.purged)
	for _, f := range l.facts {
		if l.counted[f.ID] {
			s.add(f)
			continue
		}
		for name := range f.Sightings() {
			s.takeBack(name)
		}
	}
	s.compact()
	return s.ix
}

// takeBack records a lesson, named by a sighting, as undone, unless it is still there under some words or was purged.
func (s *state) takeBack(sighting string) {
	_, id, _ := strings.Cut(sighting, " ")
	if len(s.names[id]) == 0 && !s.ix.IsPurgedID(id) {
		s.ix.Undone = union(s.ix.Undone, []string{id})
	}
}

// A state is an index to which facts are added, in their order.
type state struct {
	ix    *index.Index
	names map[string][]int           // positions of lessons by name: see namesOf
	gone  map[int]bool               // positions of lessons that were merged into others or deleted
	seen  map[string]map[string]bool // sightings of imported records, by lesson id
}

// begin returns the state that an index is. The index is changed by what is added.
func begin(ix *index.Index) *state {
	s := &state{ix: ix, names: make(map[string][]int, 2*len(ix.Items)), gone: map[int]bool{}, seen: map[string]map[string]bool{}}
	for pos := range ix.Items {
		s.enter(pos)
	}
	return s
}

// compact removes the deleted and merged lessons, once all facts are added.
func (s *state) compact() {
	if len(s.gone) == 0 {
		return
	}
	kept := make([]index.Item, 0, len(s.ix.Items))
	for pos := range s.ix.Items {
		if !s.gone[pos] {
			kept = append(kept, s.ix.Items[pos])
		}
	}
	s.ix.Items = kept
}

// namesOf returns the names that a lesson is found by: its words, its ids and what it is about; for a withheld
// lesson also its words without punctuation.
func namesOf(it *index.Item) []string {
	names := append([]string{"=" + it.Key, it.ID, cueKey(it.Cue, it.Remedy)}, it.Was...)
	names = append(names, it.DerivedFrom...)
	if !it.IsShown() {
		names = append(names, spokenAs(it.ShownText()))
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

func (s *state) enter(pos int) {
	for _, name := range namesOf(&s.ix.Items[pos]) {
		if at, known := slices.BinarySearch(s.names[name], pos); !known {
			s.names[name] = slices.Insert(s.names[name], at, pos)
		}
		if at, was := slices.BinarySearch(s.ix.Undone, name); was {
			s.ix.Undone = slices.Concat(s.ix.Undone[:at], s.ix.Undone[at+1:])
		}
	}
}

func (s *state) leave(pos int) {
	for _, name := range namesOf(&s.ix.Items[pos]) {
		if at, known := slices.BinarySearch(s.names[name], pos); known {
			s.names[name] = slices.Delete(slices.Clone(s.names[name]), at, at+1)
		}
	}
}

func (s *state) change(pos int, f func(it *index.Item)) {
	s.leave(pos)
	f(&s.ix.Items[pos])
	s.enter(pos)
}

// find returns where the lesson with an id is, or what it became part of; -1 if it is not there.
func (s *state) find(id string) int {
	list := s.names[id]
	for _, pos := range list {
		if s.ix.Items[pos].ID == id {
			return pos
		}
	}
	for _, pos := range list {
		if slices.Contains(s.ix.Items[pos].DerivedFrom, id) {
			return pos
		}
	}
	return -1
}

// Add applies a fact that comes after all others to an index, and returns the changes to its lessons. Undo,
// redo and purges are left to Fold.
func Add(ix *index.Index, f Fact) []index.Change {
	s := begin(ix)
	changes := slices.DeleteFunc(s.add(f), func(c index.Change) bool { return s.gone[c.Pos] })
	for i, c := range changes {
		for pos := range s.gone {
			if pos < c.Pos {
				changes[i].Pos--
			}
		}
	}
	s.compact()
	return changes
}

func (s *state) add(f Fact) []index.Change {
	var changes []index.Change
	for i := range f.Old {
		if c := s.takeOver(&f.Old[i], f); c.Pos >= 0 {
			changes = append(changes, c)
		}
	}
	for name := range f.Taken {
		s.takeBack(name)
	}
	changes = append(changes, s.see(f)...)
	s.decide(f.Changes, f.At)
	isOfIndex := len(f.Fixes)+len(f.Mistakes)+len(f.Changes)+len(f.Old)+len(f.Purged) > 0 // and not of the journal alone
	if isOfIndex && f.At.After(s.ix.UpdatedAt) {
		s.ix.UpdatedAt = f.At.UTC()
	}
	return changes
}

// decide applies decisions to lessons, all at once: only then it looks for lessons with the same words, or that
// lead to each other.
func (s *state) decide(list []index.Decision, at time.Time) {
	for _, d := range list {
		s.decideOne(d, at)
	}
	for _, d := range list {
		if pos := s.find(d.Of); pos >= 0 {
			s.meet(pos)
		}
		if pos := s.find(d.Of); pos >= 0 {
			s.open(pos)
		}
	}
}

// decideOne applies one decision to a lesson. A decision about a missing lesson waits in the index.
func (s *state) decideOne(d index.Decision, at time.Time) {
	if d.Of == "" { // a member of the index that this version does not know
		for name, value := range index.ListMembers(d.Set) {
			s.ix.SetUnknown(name, value)
		}
		return
	}
	pos, into := s.find(d.Of), s.find(d.Into)
	if pos < 0 || d.Into != "" && into < 0 {
		if d.At = at; !s.ix.IsPurgedID(d.Of) { // else it never will be there
			s.ix.Waiting = append(slices.Clip(s.ix.Waiting), d)
		}
		return
	}
	if d.Gone {
		s.leave(pos)
		s.gone[pos] = true
		return
	}
	s.change(pos, func(it *index.Item) { setMembers(it, d, at) })
	count(&s.ix.Items[pos], d)
	if into >= 0 && into != pos {
		s.join(into, pos)
	}
}

func count(it *index.Item, d index.Decision) {
	if d.Hits == 0 && d.Add == 0 && d.Seen.IsZero() {
		return
	}
	it.Hits, it.Score = max(1, it.Hits+d.Hits), it.Score+d.Add
	if d.Seen.After(it.LastSeen) {
		it.LastSeen = d.Seen.UTC()
	}
}

func setMembers(it *index.Item, d index.Decision, at time.Time) {
	members := index.ListMembers(d.Set)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		was := it.Key
		if it.Write(name, members[name]); !d.Soft {
			it.Stamp(name, at)
		}
		if old := index.BaseID(was); it.Key != was && old != it.ID && !slices.Contains(it.Was, old) {
			it.Was = append(slices.Clip(it.Was), old)
		}
		if name == "status" && it.Status != index.Compiled {
			it.Recurred = 0
		}
	}
}

// cueKey is equal for lessons about the same failure with the same cure, however
// they are worded; "" if it takes a person or a model to tell.
func cueKey(cue, remedy *index.Literals) string {
	if cue == nil || remedy == nil || cue.Command == "" || cue.Error == "" || remedy.Command == "" {
		return ""
	}
	return strings.Join([]string{"cue", cue.Command, cue.Error, remedy.Command}, "\x00")
}

// spokenAs is what a text says in whatever punctuation, as a lesson or as a mistake.
func spokenAs(text string) string {
	spoken := index.SpokenKey(text)
	if index.SaysAvoid(text) {
		spoken = index.AvoidPrefix + spoken
	}
	return "~" + spoken
}
