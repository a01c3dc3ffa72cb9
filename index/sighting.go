package index

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxSources is how many sightings keep their source: the first and the latest.
// Of the others Item.Seen holds a line each.
const MaxSources = 10

// A Sighting says that a reflection brought a lesson. A record counts its
// sightings: hits, score and times are computed of them, so that records can be
// merged, taken back and taken back again without a number going wrong.
type Sighting struct {
	ID   string    // of the reflection, "r-" and more
	Home string    // id of the record that it was counted for, if that became part of this one
	At   time.Time // UTC, milliseconds
}

// SightingID returns what the sightings of a reflection with this id are called.
func SightingID(id string) string {
	return Reflection{ID: id}.sightingID(time.Time{}, func(string) bool { return false })
}

// A Share is a part of a record's count for which there are no sightings: what
// older formats or other memories counted. The zero value is none.
type Share struct {
	Hits      int       `json:"hits"`
	Score     float64   `json:"score"`
	FirstSeen time.Time `json:"firstSeen,omitzero"` // zero if it is not known
	LastSeen  time.Time `json:"lastSeen,omitzero"`

	Unknown jsontext.Value `json:",embed"`
}

// IsCounted reports whether a record has sightings, or shares by name, so that its
// Before cannot be told from its totals.
func (it *Item) IsCounted() bool { return len(it.By) > 0 || it.countSightings() > 0 }

// FillBefore puts what the totals of a record hold beyond its sightings and shares
// into Before: all of it in records of older formats. place is where the record stands
// in the file.
func (it *Item) FillBefore(isOld bool, place int) {
	rest := it.Total()
	it.By = maps.Clone(it.By)
	for name, share := range it.By {
		if share.FirstSeen.IsZero() {
			share.FirstSeen, share.LastSeen = it.FirstSeen, it.LastSeen
			it.By[name] = share
		}
		rest.Hits, rest.Score = rest.Hits-share.Hits, rest.Score-share.Score
	}
	if isOld {
		it.Place = place
	}
	if it.Before.Hits < 1 { // then its dates say nothing, and are not written
		it.Before = Share{}
	}
	switch counted := it.countSightings(); {
	case counted == 0 && it.Before.Hits == 0 && rest.Hits > 0:
		it.Before = rest
	case rest.Hits != it.Before.Hits+counted: // by hand, or it is half of a merged text
		it.Fold()
	}
}

// compareSightings orders sightings by time, then by their ids.
func compareSightings(a, b Sighting) int {
	return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID), strings.Compare(a.Home, b.Home))
}

// CompareSources orders sources as their sightings, then by what they say.
func CompareSources(a, b Source) int {
	return cmp.Or(compareSightings(a.sighting(), b.sighting()), strings.Compare(a.Trace, b.Trace),
		strings.Compare(a.Session, b.Session), strings.Compare(a.Span, b.Span), strings.Compare(a.Model, b.Model))
}

func (s *Source) sighting() Sighting { return Sighting{s.ID, s.Home, s.At} }

// CountDetail returns the length of what the source says.
func (s *Source) CountDetail() int { return len(s.Trace) + len(s.Session) + len(s.Span) + len(s.Model) }

// Detail is what tells two sources of one moment apart.
func (s *Source) Detail() string {
	return strings.Join([]string{s.Trace, s.Session, s.Span, s.Model}, "\x00")
}

// EachSighting calls f for every sighting of the record; sources that only say
// where something came from are none.
func (it *Item) EachSighting(f func(Sighting)) {
	for i := range it.Sources {
		if s := &it.Sources[i]; s.ID != "" {
			f(s.sighting())
		}
	}
	for _, s := range it.Seen {
		f(s)
	}
}

// countSightings returns how many sightings the record has.
func (it *Item) countSightings() (n int) {
	it.EachSighting(func(Sighting) { n++ })
	return n
}

// KeepSources gives the record the first and the latest of these sources. The other
// sightings become lines of Seen.
func (it *Item) KeepSources(all []Source) {
	slices.SortFunc(all, CompareSources)
	var total, nth [2]int // of sightings, and of others
	kind := func(s Source) int {
		if s.ID != "" {
			return 0
		}
		return 1
	}
	for _, s := range all {
		total[kind(s)]++
	}
	it.Sources = slices.DeleteFunc(all, func(s Source) bool {
		k := kind(s)
		nth[k]++
		if nth[k] == 1 || nth[k] > 1+total[k]-MaxSources {
			return false
		}
		if s.ID != "" {
			it.Seen = append(it.Seen, s.sighting())
		}
		return true
	})
	slices.SortFunc(it.Seen, compareSightings)
}

// AddSource adds a source to those of the record.
func (it *Item) AddSource(s Source) {
	it.Seen = slices.Clip(it.Seen)
	it.KeepSources(append(slices.Clip(it.Sources), s))
}

// Fold computes what follows from the sightings and shares of the record.
func (it *Item) Fold() {
	it.Hits, it.Score, it.FirstSeen, it.LastSeen = it.Before.Hits, it.Before.Score, time.Time{}, time.Time{}
	it.spanTime(it.Before.FirstSeen, it.Before.LastSeen)
	homes, recurred := map[string]int{}, 0
	compiled := it.StampOf("status")
	it.EachSighting(func(s Sighting) {
		homes[s.Home]++
		it.spanTime(s.At, s.At)
		if it.Status == Compiled && s.At.After(compiled) {
			recurred++
		}
	})
	it.Score, it.Hits = addGains(it.Score, it.Hits, homes[""]), it.Hits+homes[""]
	// Others bring the score that they had alone.
	for _, home := range slices.Sorted(maps.Keys(homes)) {
		if home != "" {
			it.Score, it.Hits = it.Score+addGains(0, 0, homes[home]), it.Hits+homes[home]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(it.By)) {
		s := it.By[name]
		it.Score, it.Hits = it.Score+s.Score, it.Hits+s.Hits
		it.spanTime(s.FirstSeen, s.LastSeen)
	}
	if !compiled.IsZero() {
		it.Recurred = recurred
	}
}

// spanTime widens the time in which the record was seen; zero times do nothing.
func (it *Item) spanTime(first, last time.Time) {
	if !first.IsZero() && (it.FirstSeen.IsZero() || first.Before(it.FirstSeen)) {
		it.FirstSeen = first
	}
	it.LastSeen = Latest(it.LastSeen, last)
}

// addGains returns a score, after so many hits, with what the next sightings add.
func addGains(score float64, hits, sightings int) float64 {
	for n := hits + 1; n <= hits+sightings; n++ {
		if n == 1 {
			score++
			continue
		}
		// The conversions forbid fused multiply-add, so that every machine gets
		// the same bits.
		score += float64(1 + math.Min(1, float64(hitBonus*float64(n))))
	}
	return score
}

// compareBirths orders records by when they came into being: by time, then by the
// reflection and the place in it. Records of older formats have no reflection and
// come first, as they stood in the file.
func compareBirths(a, b *Item) int {
	if order := a.FirstSeen.Compare(b.FirstSeen); order != 0 {
		return order
	}
	x, y := a.Birth(), b.Birth()
	return cmp.Or(strings.Compare(x.ID, y.ID), cmp.Compare(x.N, y.N), strings.Compare(a.ID, b.ID))
}

// Birth returns the source of the first sighting; without an id, and with the
// record's place, if it was counted before there were sightings.
func (it *Item) Birth() Source {
	for i := range it.Sources {
		if s := &it.Sources[i]; s.ID != "" && s.At.Equal(it.FirstSeen) && !it.Before.FirstSeen.Equal(it.FirstSeen) {
			return *s
		}
	}
	return Source{N: it.Place}
}

// Total is what the record counts, without its sightings.
func (it *Item) Total() Share {
	return Share{Hits: it.Hits, Score: it.Score, FirstSeen: it.FirstSeen, LastSeen: it.LastSeen}
}
