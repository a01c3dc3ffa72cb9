package index

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mem/words"
)

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

	Cue, Remedy Literals // what it is about; they fill gaps
	Why         string
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
	set(&it.Why, l.Why)
	fill(&it.Cue, l.Cue)
	fill(&it.Remedy, l.Remedy)
}

// fill gives a record literals if it has none.
func fill(has **Literals, l Literals) {
	if *has == nil && !l.IsZero() {
		*has = &l
	}
}

// A Reflection is what one task taught. A lesson counts once for an ID; without
// one it counts each time.
type Reflection struct {
	ID       string
	Fixes    []Lesson
	Mistakes []Lesson

	Before map[string][]Source // by the text of a lesson that is new: earlier reflections, which show it, too
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
// outside are quarantined until a different session brings them from somewhere
// else; those that were held later wait for a person. A lesson that rests on an event
// that supports the record already, in a copy of the session, counts for nothing, and
// so does one that this reflection brought before, unless that was taken back.
//
// An empty reflection changes nothing.
func (ix *Index) Apply(r Reflection, now time.Time) []Change {
	now = now.UTC().Truncate(time.Millisecond)
	a := applier{ix: ix, now: now, pos: ix.positions(r), seen: map[int]bool{}, before: r.Before}
	a.id = r.sightingID(now, a.isCounted)
	for _, l := range r.Fixes {
		a.see(l, SaysAvoid(l.Text))
	}
	for _, l := range r.Mistakes {
		a.see(l, true)
	}
	return a.changes
}

// sightingID returns what the sightings of the reflection are called: its id, if a
// line can hold it. Without an id it counts each time, so that isCounted must not
// know what it is called.
func (r Reflection) sightingID(now time.Time, isCounted func(id string) bool) string {
	if isSightingID(r.ID) {
		return r.ID
	}
	if r.ID != "" {
		return hashSighting(r.ID)
	}
	said := fmt.Sprint(now, r.Fixes, r.Mistakes)
	id := hashSighting(said)
	for n := 1; isCounted(id); n++ {
		id = hashSighting(said + strconv.Itoa(n))
	}
	return id
}

func hashSighting(said string) string {
	sum := sha256.Sum256([]byte(said))
	return "r-" + hex.EncodeToString(sum[:6])
}

// isCounted reports whether a record that the reflection meets has a sighting.
func (a *applier) isCounted(id string) bool {
	for _, pos := range a.pos {
		if pos >= 0 && a.ix.Items[pos].hasSighting(id) {
			return true
		}
	}
	return false
}

// isSightingID reports whether an id has the form of those of sightings.
func isSightingID(id string) bool {
	return len(id) > 2 && len(id) <= 40 && id[1] == '-' && !strings.ContainsFunc(id, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// positions finds the records that r may meet, in one pass (a map of all keys costs more): by key, by what
// they are about, an earlier wording or a part, and what is withheld in whatever punctuation.
func (ix *Index) positions(r Reflection) map[string]int {
	wanted, names := map[string]int{}, map[string][]string{}
	var sizes [256]bool // of the keys, as far as a byte tells: most records have another
	for i, l := range slices.Concat(r.Fixes, r.Mistakes) {
		said, avoided := words.FoldSpace(l.Text), AddAvoid(l.Text)
		for _, text := range []string{said, avoided} {
			key := KeyOf(text)
			wanted[key], sizes[byte(len(key))] = -1, true
			for _, name := range append(ix.Undone.listHomes(BaseID(key)), spokenAs(text)) {
				names[name] = append(names[name], key)
			}
		}
		if i >= len(r.Fixes) {
			said = avoided
		}
		about := cueKey(&l.Cue, &l.Remedy)
		names[about] = append(names[about], KeyOf(said))
	}
	delete(names, "")
	less, own := map[string]int{}, []string{} // found by another name than the key; the names of one record
	for i := range ix.Items {
		it := &ix.Items[i]
		if sizes[byte(len(it.Key))] {
			if pos, ok := wanted[it.Key]; ok && (pos < 0 || ix.YieldsTo(pos, i)) {
				wanted[it.Key] = i
			}
		}
		own = append(append(own[:0], it.ID, cueKey(it.Cue, it.Remedy)), it.DerivedFrom...)
		if !it.IsShown() {
			own = append(own, spokenAs(it.ShownText()))
		}
		for _, name := range own {
			for _, key := range names[name] {
				if name != it.ID || BaseID(it.Key) != name { // else both words have the same id by chance
					less[key] = i
				}
			}
		}
	}
	for key, pos := range less {
		if wanted[key] < 0 {
			wanted[key] = pos
		}
	}
	return wanted
}

// spokenAs is what a text says in whatever punctuation, as a lesson or as a mistake.
func spokenAs(text string) string {
	if SaysAvoid(text) {
		return AvoidPrefix + SpokenKey(text)
	}
	return SpokenKey(text)
}

type applier struct {
	ix      *Index
	now     time.Time
	id      string         // of the sightings
	n       int            // lessons so far
	pos     map[string]int // key to position, -1 for a new one
	seen    map[int]bool   // positions counted in this reflection
	before  map[string][]Source
	changes []Change
}

func (a *applier) see(l Lesson, avoid bool) {
	text, kind := words.FoldSpace(l.Text), Learning
	if avoid {
		text, kind = AddAvoid(l.Text), AntiPattern
	}
	key := KeyOf(text)
	if text == "" || a.ix.IsPurged(key) {
		return
	}
	a.n++
	l.Source.ID, l.Source.N, l.Source.At = a.id, a.n-1, a.now
	pos := a.pos[key]
	if pos < 0 {
		a.pos[key] = a.add(Item{Key: key, Text: text, Kind: kind}, l)
		return
	}
	if it := &a.ix.Items[pos]; !a.seen[pos] && !it.restsOn(l.Source) && !it.hasSighting(a.id) {
		a.seeAgain(pos, text, l)
	}
}

// hasSighting reports whether a reflection counts for the record.
func (it *Item) hasSighting(id string) (has bool) {
	it.EachSighting(func(s Sighting) { has = has || s.ID == id })
	return has
}

func (a *applier) mark(c Change) {
	a.seen[c.Pos] = true
	a.changes = append(a.changes, c)
}

func (a *applier) add(it Item, l Lesson) int {
	pos := len(a.ix.Items)
	it.ID = NewID(it.Key, func(id string) bool { return a.ix.ByID(id) >= 0 })
	it.Origin = l.Origin
	it.file(l)
	if l.Held || l.Origin == OriginExternal {
		it.Status = Quarantined
	}
	for _, id := range a.ix.Undone.listHomes(it.ID) {
		it.ID = id
		it.Recall(id, a.ix.Undone.Fields)
		a.ix.Undone.forget(id)
	}
	if len(a.before[l.Text]) > 0 && l.isSure() {
		it.Confidence = "high"
	}
	a.ix.Items = append(a.ix.Items, it)
	a.count(pos, l)
	a.mark(Change{Pos: pos, New: true})
	return pos
}

// count adds the sighting to the record.
func (a *applier) count(pos int, l Lesson) {
	it := &a.ix.Items[pos]
	a.ix.Undone.Sightings = countAgain(a.ix.Undone.Sightings, Mark{a.id, it.ID})
	it.FillBefore(false, it.Place)
	it.AddSource(l.Source)
	for _, s := range a.before[l.Text] {
		if !it.hasSighting(s.ID) {
			it.AddSource(s)
		}
	}
	it.Fold()
}

func (a *applier) seeAgain(pos int, text string, l Lesson) {
	it := &a.ix.Items[pos]
	c := Change{Pos: pos}
	it.Change(a.now, func(it *Item) {
		if c.Confirmed = l.frees(it); c.Confirmed {
			it.Status, it.Origin = Active, l.Origin
		}
		it.file(l)
		if c.Confirmed {
			it.DropHeld()
		}
		if l.confirms(it) {
			it.Confidence = "high"
		}
	})
	if it.Text != text && it.Key == KeyOf(text) && it.StampOf("text").IsZero() {
		it.Text = text
		it.SetStamp(Spelling, it.NextStamp(a.now))
	}
	if c.Recurred = it.Status == Compiled; c.Recurred {
		it.Recurred++
	}
	a.count(pos, l)
	a.mark(c)
}

// frees reports whether a lesson that came again lets a record be told that was held until then.
func (l Lesson) frees(it *Item) bool {
	isFree := it.Rival() == "" || l.Origin == OriginUser // else a person decides between the two
	return it.Status == Quarantined && it.StampOf("status").IsZero() && isFree && l.isWitness() && !knows(it.Sources, l.Source)
}

// isWitness reports whether a lesson may confirm one from outside: a person said
// it, or it stands in a session that did not read it from outside.
func (l Lesson) isWitness() bool {
	return !l.Held && l.Origin != OriginExternal && (l.Origin == OriginUser || l.Source.Span != "")
}

// confirms reports whether a lesson that came again makes a record sure: a person said
// it in another session, or a command failed there as well and ran once it was cured. That
// a model finds it again is not enough, and what a person said of its worth stands.
func (l Lesson) confirms(it *Item) bool {
	isOpen := it.Status == Active && (it.Confidence == "" || it.Confidence == "medium")
	return isOpen && l.isSure() && !knows(it.Sources, l.Source)
}

func (l Lesson) isSure() bool {
	byRule := l.Source.Model == byRules
	said := l.Origin == OriginUser && (byRule || l.Source.Model == "")
	cured := byRule && !l.Cue.IsZero() && !l.Remedy.IsZero()
	return (said || cured) && !l.Held && l.Confidence == ""
}

// IsConfirmed reports whether more than what rules found in one session stands behind a lesson: two
// sessions, a person's words, a model, or a reflection of no session that was written by hand.
func (it *Item) IsConfirmed() bool {
	sessions := map[string]bool{}
	for _, s := range it.Sources {
		sessions[cmp.Or(s.Trace, s.Session, s.ID)] = true
		if s.Model != byRules && (s.Model != "" || s.Trace == "") {
			return true
		}
	}
	return it.Origin == OriginUser || len(sessions) > 1 || len(sessions) == 0 && it.Hits > 1
}

// IsByRules reports whether rules found a lesson, without a model.
func (it *Item) IsByRules() bool { return len(it.Sources) > 0 && it.Sources[0].Model == byRules }

// byRules is the model of lessons that rules found in a session.
const byRules = "heuristic"

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
	return s.Session != "" && slices.ContainsFunc(sources, func(o Source) bool { return o.Session == s.Session })
}

// YieldsTo reports whether the record at pos gives way to the one at other, which
// has the same key: the active one counts, since the other was retired or
// compiled for good.
func (ix *Index) YieldsTo(pos, other int) bool {
	return ix.Items[pos].Status != Active && ix.Items[other].Status == Active
}
