package index

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"mem/words"
)

// MaxSources is how many sources a record keeps: the first and the latest.
const MaxSources = 10

// A Lesson is one thing that a reflection brought: a mistake or a fix, and
// where it came from. Text is as the oracle or a person gave it.
type Lesson struct {
	Text   string
	Origin Origin
	Source Source
	Held   bool // not to be trusted before a person has looked at it

	// Where it is filed, and what is known of its worth. What a person says
	// replaces what the record has; everything else only fills gaps, a guess
	// about a person's words too.
	Domain     string
	Tags       []string
	Confidence string // "high", "medium", "low" or ""
	Severity   string // "high" or ""
	Pinned     bool
	Guessed    bool // all but Pinned is a guess about the text
}

// file puts a record where the lesson says that it belongs.
func (it *Item) file(l Lesson) {
	said := l.Origin == OriginUser && !l.Guessed
	set := func(field *string, to string) {
		if to != "" && (said || *field == "") {
			*field = to
		}
	}
	set(&it.Domain, l.Domain)
	set(&it.Confidence, l.Confidence)
	set(&it.Severity, l.Severity)
	if len(l.Tags) > 0 && (said || len(it.Tags) == 0) {
		it.Tags = slices.Clone(l.Tags)
	}
	if said && l.Confidence != "" && it.Evidence != nil { // it outlives the evidence
		e := *it.Evidence
		e.Before = l.Confidence
		it.Evidence = &e
	}
	it.Pinned = it.Pinned || l.Pinned
}

// A Reflection is what one task taught.
type Reflection struct {
	Fixes    []Lesson
	Mistakes []Lesson
}

// A Change is what Apply did to one record.
type Change struct {
	Pos       int  // of the record in Items
	New       bool // the record was added; otherwise it was seen again
	Confirmed bool // it left quarantine
	Recurred  bool // it was compiled into a rule before, and happened again
}

// Apply counts every lesson of r once and returns what changed, in order.
//
// Fixes come first, then mistakes. A mistake, and a fix that says "Avoid:",
// becomes an anti-pattern with the prefix exactly once. A known key takes the
// new spelling and keeps its place, its kind and its status, so that what a
// person retired stays retired; an unknown one is appended. Lessons from
// outside are quarantined until a different session brings them from
// somewhere else. A lesson that rests on an event that supports the record
// already, in a copy of the session, counts for nothing. replica is the clone
// that counts.
//
// An empty reflection changes nothing, UpdatedAt included.
func (ix *Index) Apply(r Reflection, now time.Time, replica string) []Change {
	now = now.UTC().Truncate(time.Millisecond)
	a := applier{ix: ix, now: now, replica: replica, pos: ix.positions(r), seen: map[int]bool{}}
	for _, l := range r.Fixes {
		a.see(l, SaysAvoid(l.Text))
	}
	for _, l := range r.Mistakes {
		a.see(l, true)
	}
	if len(a.changes) > 0 {
		ix.MarkChanged(now)
		ix.Replica = cmp.Or(ix.Replica, replica)
	}
	return a.changes
}

// positions finds the records that r may meet, in one pass over the index. A
// map of all keys would cost more than everything else that Apply does.
func (ix *Index) positions(r Reflection) map[string]int {
	wanted := map[string]int{}
	for _, l := range slices.Concat(r.Fixes, r.Mistakes) {
		for _, key := range []string{KeyOf(l.Text), KeyOf(AddAvoid(l.Text))} {
			wanted[key] = -1
		}
	}
	for i := range ix.Items {
		key := ix.Items[i].Key
		if pos, ok := wanted[key]; ok && (pos < 0 || ix.yieldsTo(pos, i)) {
			wanted[key] = i
		}
	}
	return wanted
}

type applier struct {
	ix      *Index
	now     time.Time
	replica string
	pos     map[string]int // key to position, -1 for a new one
	seen    map[int]bool   // positions counted in this reflection
	changes []Change
}

func (a *applier) see(l Lesson, avoid bool) {
	text, kind := words.FoldSpace(l.Text), Learning
	if avoid {
		text, kind = AddAvoid(l.Text), AntiPattern
	}
	if text == "" {
		return
	}
	key := KeyOf(text)
	pos := a.pos[key]
	if pos < 0 {
		a.pos[key] = a.add(Item{Key: key, Text: text, Kind: kind}, l)
		return
	}
	if a.seen[pos] || a.ix.Items[pos].restsOn(l.Source) {
		return
	}
	a.seeAgain(pos, text, l)
}

func (a *applier) mark(c Change) {
	a.seen[c.Pos] = true
	a.changes = append(a.changes, c)
}

func (a *applier) add(it Item, l Lesson) int {
	pos := len(a.ix.Items)
	it.Hits, it.Score, it.FirstSeen, it.LastSeen = 1, 1, a.now, a.now
	it.ID = newID(it.Key, func(id string) bool { return a.ix.ByID(id) >= 0 })
	it.Origin = l.Origin
	it.file(l)
	if l.Held || l.Origin == OriginExternal {
		it.Status = Quarantined
	}
	it.Sources = addSource(nil, l.Source, a.now)
	a.credit(&it, 1, 1)
	a.ix.Items = append(a.ix.Items, it)
	a.mark(Change{Pos: pos, New: true})
	return pos
}

func (a *applier) seeAgain(pos int, text string, l Lesson) {
	it := &a.ix.Items[pos]
	c := Change{Pos: pos}
	if it.Status == Quarantined && l.isWitness() && !knows(it.Sources, l.Source) {
		it.Status, it.Origin = Active, l.Origin
		c.Confirmed = true
	}
	if it.Status == Compiled {
		it.Recurred++
		c.Recurred = true
	}
	it.Text = text
	it.file(l)
	// A clock that ran backwards must not make the record older.
	if a.now.After(it.LastSeen) {
		it.LastSeen = a.now
	}
	a.credit(it, 1, it.countSighting())
	it.Sources = addSource(it.Sources, l.Source, a.now)
	a.mark(c)
}

// credit notes in By what a replica other than the index's own contributed.
func (a *applier) credit(it *Item, hits int, score float64) {
	if a.ix.Replica == "" || a.replica == a.ix.Replica {
		return
	}
	it.By = addCounts(it.By, map[string]Counts{a.replica: {Hits: hits, Score: score}})
}

// isWitness reports whether a lesson may confirm one from outside: a person said
// it, or it stands in a session that did not read it from outside.
func (l Lesson) isWitness() bool {
	return !l.Held && l.Origin != OriginExternal && (l.Origin == OriginUser || l.Source.Span != "")
}

// restsOn reports whether an event that supports s is an event of a source that
// the record has from another session: forks and resumed copies repeat events
// with their ids. Only ids that are random say so; others come up again.
func (it *Item) restsOn(s Source) bool {
	first, last, _ := strings.Cut(s.Span, "..")
	return slices.ContainsFunc(it.Sources, func(o Source) bool {
		return o.Trace != s.Trace && slices.ContainsFunc(strings.Split(o.Span, ".."), func(id string) bool {
			return (id == first || id == last) && IsRandomID(s.Trace, id)
		})
	})
}

// IsRandomID reports whether the agent of a trace gives no second event this id, but in
// a copy: it is a UUID, or eight hex digits of pi, perhaps with a number.
func IsRandomID(trace, id string) bool {
	id, _, _ = strings.Cut(id, "#")
	digits, err := hex.DecodeString(strings.ReplaceAll(id, "-", ""))
	return err == nil && (len(id) == 36 && len(digits) == 16 || len(id) == 8 && len(digits) == 4 && strings.HasPrefix(trace, "pi:"))
}

// knows reports whether one of the sources is the session of s. A source
// without a session is a session of its own.
func knows(sources []Source, s Source) bool {
	if s.Session == "" {
		return false
	}
	return slices.ContainsFunc(sources, func(o Source) bool { return o.Session == s.Session })
}

func addSource(sources []Source, s Source, now time.Time) []Source {
	s.At = now
	sources = append(slices.Clip(sources), s)
	if over := len(sources) - MaxSources; over > 0 {
		sources = slices.Delete(sources, 1, 1+over)
	}
	return sources
}
