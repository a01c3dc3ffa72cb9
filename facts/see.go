package facts

import (
	"cmp"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"time"

	"mem/index"
)

// see counts every lesson of a fact once and returns what changed, in order.
//
// Fixes come first, then mistakes. A mistake, and a fix that says "Avoid:", becomes an anti-pattern with the prefix
// exactly once. A known lesson takes the new spelling and keeps its place, its kind and its status, so that what a
// person retired stays retired; an unknown one is appended. Lessons from outside are quarantined until a different
// session brings them from somewhere else; those that were held later wait for a person. A lesson that rests on an
// event that supports the record already, in a copy of the session, counts for nothing.
func (s *state) see(f Fact) (changes []index.Change) {
	met := map[int]bool{}
	for side, lessons := range [][]index.Lesson{f.Fixes, f.Mistakes} {
		for _, l := range lessons {
			l = f.full(l)
			text, kind := index.TextOf(l.Text, side == 1)
			key := index.KeyOf(text)
			if text == "" || s.ix.IsPurged(key) {
				continue
			}
			if l.Source.ID = f.ID; l.Source.At.IsZero() { // else it was said before
				l.Source.At = f.At.UTC().Truncate(time.Millisecond)
			}
			pos := s.look(key, text, l)
			if pos < 0 {
				if l.Strategy && kind == index.Learning {
					kind = index.Strategy
				}
				changes = append(changes, s.bear(index.Item{Key: key, Text: text, Kind: kind}, l))
				met[changes[len(changes)-1].Pos] = true
				continue
			}
			it := &s.ix.Items[pos]
			if met[pos] || restsOn(it, l.Source) || s.hasCounted(it, f.ID) {
				continue
			}
			met[pos] = true
			changes = append(changes, s.seeAgain(pos, text, l))
		}
	}
	return changes
}

// look returns the position of a known lesson. It looks for its words, former words, what it is about and, for
// a withheld lesson, its words without punctuation; -1 if it is unknown.
func (s *state) look(key, text string, l index.Lesson) int {
	found := -1
	for _, pos := range s.names["="+key] {
		if found < 0 || s.ix.Items[found].Status != index.Active && s.ix.Items[pos].Status == index.Active { // else it was retired or compiled for good
			found = pos
		}
	}
	for _, name := range []string{index.BaseID(key), spokenAs(text), cueKey(&l.Cue, &l.Remedy)} {
		if list := s.names[name]; found < 0 && name != "" && len(list) > 0 {
			pos := list[len(list)-1]
			if it := &s.ix.Items[pos]; name != it.ID || index.BaseID(it.Key) != name { // else both words have the same id by chance
				found = pos
			}
		}
	}
	return found
}

func (s *state) hasCounted(it *index.Item, id string) bool {
	return id != "" && (s.seen[it.ID][id] || slices.ContainsFunc(it.Sources, func(o index.Source) bool { return o.ID == id }))
}

// bear adds a new lesson, and applies the decisions that waited for it.
func (s *state) bear(it index.Item, l index.Lesson) index.Change {
	it.ID, it.Origin = s.freeID(it.Key), l.Origin
	file(&it, l)
	if l.Held || l.Origin == index.OriginExternal {
		it.Status = index.Quarantined
	}
	if len(l.Also) > 0 && isSure(l) {
		it.Confidence = "high"
	}
	for _, src := range append(slices.Clip(l.Also), l.Source) {
		if !s.hasCounted(&it, src.ID) {
			gain(&it, src)
		}
	}
	return s.settleIn(it, nil)
}

func (s *state) freeID(key string) string {
	return index.NewID(key, func(id string) bool { return s.find(id) >= 0 })
}

// settleIn adds a lesson to the others that is new, or is imported with some sightings.
func (s *state) settleIn(it index.Item, seen []index.Source) index.Change {
	pos := len(s.ix.Items)
	if it.ID == "" || s.find(it.ID) >= 0 {
		it.ID = s.freeID(it.Key)
	}
	it.Sessions = max(1, it.Sessions)
	for _, src := range seen {
		s.seenOf(it.ID)[src.ID] = true
	}
	s.ix.Items = append(s.ix.Items, it)
	if s.enter(pos); len(s.ix.Waiting) > 0 {
		s.resume(pos)
	}
	return index.Change{Pos: pos, New: true}
}

func (s *state) seeAgain(pos int, text string, l index.Lesson) index.Change {
	c := index.Change{Pos: pos}
	s.change(pos, func(it *index.Item) {
		if c.Confirmed = frees(l, it); c.Confirmed {
			it.Status, it.Origin = index.Active, l.Origin
		}
		file(it, l)
		if c.Confirmed {
			it.DropHeld()
		}
		if confirms(l, it) {
			it.Confidence = "high"
		}
		if it.Key == index.KeyOf(text) && it.StampOf("text").IsZero() {
			it.Text = text
		}
		if c.Recurred = it.Status == index.Compiled; c.Recurred {
			it.Recurred++
		}
		gain(it, l.Source)
	})
	if c.Confirmed { // another may have its words
		id := s.ix.Items[pos].ID
		s.meet(pos)
		c.Pos = s.find(id)
	}
	return c
}

// hitBonus is pi-self-learning's constant, which roots in use rely on.
const hitBonus = 0.08

// gain counts a sighting: hits and score are 1 at birth, and each other one adds 1 and a bonus that grows with the hits.
func gain(it *index.Item, src index.Source) {
	if !knows(it.Sources, src) {
		it.Sessions++
	}
	if it.Hits++; it.Hits == 1 {
		it.Score++
	} else { // the conversions forbid fused multiply-add, so that every machine gets the same bits
		it.Score += float64(1 + math.Min(1, float64(hitBonus*float64(it.Hits))))
	}
	it.FirstSeen = cmp.Or(it.FirstSeen, src.At)
	stretch(it, src.At, src.At)
	it.AddSource(src)
}

// stretch extends the time in which a record was seen to include from and to.
func stretch(it *index.Item, from, to time.Time) {
	if from.Before(it.FirstSeen) {
		it.FirstSeen = from
	}
	if to.After(it.LastSeen) {
		it.LastSeen = to
	}
}

// file puts a record where the lesson says that it belongs.
func file(it *index.Item, l index.Lesson) {
	said := l.Origin == index.OriginUser && !l.Guessed
	takes := func(isEmpty bool) bool { return said || isEmpty }
	set := func(field *string, to string) {
		if takes(*field == "") {
			*field = cmp.Or(to, *field)
		}
	}
	set(&it.Domain, l.Domain)
	set(&it.Confidence, l.Confidence)
	set(&it.Severity, l.Severity)
	if len(l.Tags) > 0 && takes(len(it.Tags) == 0) {
		it.Tags = slices.Clone(l.Tags)
	}
	if said && l.Confidence != "" && it.Evidence != nil { // it stands when the evidence is gone
		e := *it.Evidence
		e.Before, it.Evidence = l.Confidence, &e
	}
	it.Pinned = it.Pinned || l.Pinned
	set(&it.Why, l.Why)
	fill(&it.Cue, l.Cue)
	fill(&it.Remedy, l.Remedy)
}

func fill(has **index.Literals, l index.Literals) {
	if *has == nil && !l.IsZero() {
		*has = &l
	}
}

// frees reports whether a repeated lesson releases a quarantined record, so that sessions are shown it.
func frees(l index.Lesson, it *index.Item) bool {
	isFree := it.Rival() == "" || l.Origin == index.OriginUser // else a person decides between the two
	// A person said it, or it stands in a session that did not read it from outside.
	isWitness := !l.Held && l.Origin != index.OriginExternal && (l.Origin == index.OriginUser || l.Source.Span != "")
	return it.Status == index.Quarantined && it.StampOf("status").IsZero() && isFree && isWitness && !knows(it.Sources, l.Source)
}

// confirms reports whether a repeated lesson makes a record sure: a person said it in another session, or a
// command failed there too and ran once it was cured. That a model finds it again is not enough. A person's own
// rating takes precedence.
func confirms(l index.Lesson, it *index.Item) bool {
	isOpen := it.Status == index.Active && (it.Confidence == "" || it.Confidence == "medium")
	return isOpen && isSure(l) && !knows(it.Sources, l.Source)
}

func isSure(l index.Lesson) bool {
	byRule := l.Source.Model == index.ByRules
	said := l.Origin == index.OriginUser && (byRule || l.Source.Model == "")
	cured := byRule && !l.Cue.IsZero() && !l.Remedy.IsZero()
	return (said || cured) && !l.Held && l.Confidence == ""
}

// restsOn reports whether an event that supports a source is an event of another that
// the record has from another session: forks and resumed copies repeat events
// with their ids. Only ids that are random say so; others come up again.
func restsOn(it *index.Item, src index.Source) bool {
	first, last, _ := strings.Cut(src.Span, "..")
	return slices.ContainsFunc(it.Sources, func(o index.Source) bool {
		return o.Trace != src.Trace && slices.ContainsFunc(strings.Split(o.Span, ".."), func(id string) bool {
			return (id == first || id == last) && IsRandomID(src.Trace, id)
		})
	})
}

// IsRandomID reports whether an agent never gives two events this id, except in copies: it is a UUID, or eight
// hex digits of pi, perhaps with a number.
func IsRandomID(trace, id string) bool {
	id, _, _ = strings.Cut(id, "#")
	digits, err := hex.DecodeString(strings.ReplaceAll(id, "-", ""))
	return err == nil && (len(id) == 36 && len(digits) == 16 || len(id) == 8 && len(digits) == 4 && strings.HasPrefix(trace, "pi:"))
}

// knows reports whether one of the sources is the session of s. A source without a session is a session of its own.
func knows(sources []index.Source, s index.Source) bool {
	return s.Session != "" && slices.ContainsFunc(sources, func(o index.Source) bool { return o.Session == s.Session })
}

// SightingID returns the id that the fact of a reflection with this name has.
func SightingID(name string) string {
	if index.IsSightingID(name) {
		return name
	}
	return "r-" + shortHash([]byte(name))
}
