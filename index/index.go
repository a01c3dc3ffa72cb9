// Package index is the canonical record of what was learned: the lessons of
// core/index.json with their scores, how they are ranked, and how a new
// reflection changes them.
//
// It is pure. Nothing here reads a disk or a clock; times come in as
// arguments and everything else is a function of the records. Where the
// records live, and when they may be replaced, is the business of package
// repo; what people read of them is rendered by package render.
package index

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Path is where an index is in a memory root.
const Path = "core/index.json"

// Version is the format that this package writes. Version 1, written by
// pi-self-learning, and version 2, which counted without sightings, are
// converted when they are loaded.
const Version = 3

// ErrNewerVersion is wrapped when a file was written by a newer version of mem,
// so that it may be shown but not changed.
var ErrNewerVersion = errors.New("written by a newer version of mem")

// An Index is the content of core/index.json.
//
// The zero value is an empty index of the current version that was never
// updated.
type Index struct {
	Version   int       // as loaded; 0 counts as Version
	UpdatedAt time.Time // the newest sighting or stamp, in UTC, or zero; see Normalize
	Items     []Item    // in file order, which is the order of birth
	Undone    Undone    // what was taken back
	Purged    []string  // ids of records that must never come back, sorted

	Unknown []Member
	Bytes   int // size of the file that it was loaded from; 0 for none
}

// A Member is a JSON object member that this version does not know. It is
// written back as it was read.
type Member struct {
	Name  string
	Value jsontext.Value
}

// Kind tells a lesson to follow from a mistake to avoid. It is stored with
// the record and never guessed from the text.
type Kind string

// The two kinds.
const (
	Learning    Kind = "learning"
	AntiPattern Kind = "antiPattern"
)

// Status says whether a record takes part in selection. The zero value is an
// active record.
type Status string

// The states of a record. Only Active ones are ever selected.
const (
	Active      Status = ""
	Quarantined Status = "quarantined" // its origin is not trusted and nothing independent confirmed it
	Superseded  Status = "superseded"  // another record says it better
	Retired     Status = "retired"     // a person said that it no longer holds
	Compiled    Status = "compiled"    // it became a rule
)

// Origin says where the words of a lesson came from. It is computed from the
// session, never taken from what a model claims.
type Origin string

// The origins, most trusted first. The zero value is an unknown origin, as
// in records of version 1; it is treated like OriginAgent.
const (
	OriginUser     Origin = "user"
	OriginAgent    Origin = "agent"
	OriginTool     Origin = "tool"
	OriginImport   Origin = "import"
	OriginExternal Origin = "external"
)

// An Item is one lesson.
type Item struct {
	Key       string    // folded, lower-cased text; what makes two lessons the same
	Text      string    // the latest spelling
	Kind      Kind      // fixed at birth
	Hits      int       // reflections that brought it, at least 1
	Score     float64   // salience without decay; see Effective
	FirstSeen time.Time // UTC, milliseconds
	LastSeen  time.Time // UTC, milliseconds

	ID           string // "m-" and at least eight hex digits; survives rewording
	Status       Status
	Pinned       bool
	Severity     string // "high", or "" for ordinary
	Domain       string
	Tags         []string
	Confidence   string // "high", "medium", "low" or "": truth, where Score is salience
	Origin       Origin
	Cue          *Literals  // under which it matters
	Remedy       *Literals  // of what cures it
	Why          string     // a sentence
	Sources      []Source   // by time; of sightings the first and the latest nine
	Seen         []Sighting // the sightings between them, by time
	Set          []Stamp    // when fields changed after birth, by name
	DerivedFrom  []string   // ids of the records that became part of this one
	SupersededBy string     // id
	Recurred     int        // sightings since it was compiled into a rule
	Evidence     *Evidence
	Violations   int              // places in the code base where an avoided thing still stands
	Before       Share            // what was counted before there were sightings
	Place        int              // among records of one birth that have no sighting
	By           map[string]Share // what other memories counted, by their names

	Unknown []Member
}

// Literals are the words of a session that a lesson is about: under which it matters,
// or that cure it. Where its text is generalised they are too.
type Literals struct {
	Tool    string `json:"tool,omitzero"`
	Command string `json:"command,omitzero"`
	Error   string `json:"error,omitzero"`
	Path    string `json:"path,omitzero"`

	Unknown jsontext.Value `json:",embed"`
}

// IsZero reports whether there are none.
func (l Literals) IsZero() bool { return l.Tool+l.Command+l.Error+l.Path == "" && len(l.Unknown) == 0 }

// cueKey is equal for lessons about the same failure with the same cure, however
// they are worded; "" if it takes a person or a model to tell.
func cueKey(cue, remedy *Literals) string {
	if cue == nil || remedy == nil || cue.Command == "" || cue.Error == "" || remedy.Command == "" {
		return ""
	}
	return strings.Join([]string{"cue", cue.Command, cue.Error, remedy.Command}, "\x00")
}

// A Source says which part of which session a lesson came from. With an id it is
// a sighting; one without only says where a share of the count is from.
type Source struct {
	ID      string // as in Sighting, and Home
	Home    string
	N       int    // place in the reflection, counted from 0
	Trace   string // identity of the trace, "claude:<id>"
	Session string // the agent's session id
	Span    string // first and last event that support it
	Model   string // who put it into words
	At      time.Time

	Unknown []Member
}

// Evidence is what was found of a lesson in the code base.
type Evidence struct {
	Files  int       `json:"files,omitzero"`
	Terms  []string  `json:"terms,omitzero"`
	Paths  []string  `json:"paths,omitzero"`
	Commit string    `json:"commit,omitzero"`
	At     time.Time `json:"at,omitzero"`
	Before string    `json:"before,omitzero"` // confidence without the evidence, which comes back when it is gone

	Unknown jsontext.Value `json:",embed"`
}

// CountFiles returns in how many files of the code the lesson was found.
func (it *Item) CountFiles() int {
	if it.Evidence == nil {
		return 0
	}
	return max(it.Evidence.Files, len(it.Evidence.Paths))
}

// IsProven reports whether more speaks for a lesson than that it came up. To find
// in the code what a lesson says to avoid proves nothing.
func (it *Item) IsProven() bool {
	return it.Confidence == "high" || it.Kind == Learning && it.CountFiles() > 0 && it.Confidence != "low"
}

// ReadOnly reports whether the index was written by a newer version of mem.
// It may be shown but must not be changed or encoded.
func (ix *Index) ReadOnly() bool { return ix.Version > Version }

// IsPurged reports whether what has this key must never come back.
func (ix *Index) IsPurged(key string) bool { return slices.Contains(ix.Purged, BaseID(key)) }

// ByID returns the position of the record with this id, or -1.
func (ix *Index) ByID(id string) int {
	for i := range ix.Items {
		if ix.Items[i].ID == id {
			return i
		}
	}
	return -1
}

// Normalize puts the records into the order of their birth, and sets UpdatedAt to
// the newest sighting or stamp, zero without any. Both follow from
// the records alone, so that clones with the same records have the same file.
func (ix *Index) Normalize() {
	var newest time.Time
	for i := range ix.Items {
		it := &ix.Items[i]
		newest = Latest(newest, it.LastSeen)
		for _, s := range it.Set {
			newest = Latest(newest, s.At)
		}
	}
	ix.UpdatedAt = newest
	for i := 1; i < len(ix.Items); i++ {
		if compareBirths(&ix.Items[i-1], &ix.Items[i]) > 0 {
			ix.Items = slices.Clone(ix.Items) // a record that is still looked at stays what it was
			slices.SortFunc(ix.Items, func(a, b Item) int { return compareBirths(&a, &b) })
			break
		}
	}
	ix.Version = max(ix.Version, Version) // a newer one stays read-only
}

// Clone returns a copy that can be changed without changing ix. Slices and
// maps inside the records are shared until Apply replaces them.
func (ix *Index) Clone() *Index {
	c := *ix
	c.Items = slices.Clone(ix.Items)
	return &c
}

// Against returns the Why of a lesson that waits because of what it is to a known one, such as
// "replace".
func Against(op, known, why string) string {
	return strings.TrimSuffix(op+" "+known+": "+why, ": ")
}

// heldAs begins the Why of a lesson that is held for something that it lacks.
const heldAs = "held, as "

// HeldFor returns the Why of a lesson that is held, with the doubt about it.
func HeldFor(doubt, why string) string {
	return strings.TrimSuffix(heldAs+doubt+": "+why, ": ")
}

// Doubted returns the doubt for which a lesson is held; "" if it says none.
func (it *Item) Doubted() string {
	rest, isHeld := strings.CutPrefix(it.Why, heldAs)
	if doubt, _, _ := strings.Cut(rest, ": "); isHeld {
		return doubt
	}
	return ""
}

// DropHeld takes the doubt out of the Why of a lesson that is not held any more.
func (it *Item) DropHeld() {
	if rest, isHeld := strings.CutPrefix(it.Why, heldAs); isHeld {
		_, it.Why, _ = strings.Cut(rest, ": ")
	}
}

// Rival returns the id of the known lesson whose place a lesson takes once a person agrees; "" for none.
func (it *Item) Rival() string {
	said := strings.Fields(it.Why)
	if len(said) < 2 || said[0] != "replace" && said[0] != "contradict" || !strings.HasPrefix(said[1], "m-") {
		return ""
	}
	return strings.TrimSuffix(said[1], ":")
}

// Doubt begins what an agent has against a lesson that it holds, in Why.
const Doubt = "an agent says that it is wrong"

// IsShown reports whether sessions are shown the lesson, by itself or in a rule.
func (it *Item) IsShown() bool { return it.Status == Active || it.Status == Compiled }

// The scoring constants of pi-self-learning, which roots in use rely on.
const (
	decayPerDay = 0.05
	hitBonus    = 0.08
	dayMillis   = 24 * 60 * 60 * 1000
)

// EffectiveScore returns the score of the record at now: its score less 0.05 for
// each day since it was last seen. A clock that runs behind gives no bonus.
func (it *Item) EffectiveScore(now time.Time) float64 {
	days := max(0, float64(now.UnixMilli()-it.LastSeen.UnixMilli())/dayMillis)
	return it.Score - float64(decayPerDay*days)
}

// Rank returns the positions of the active records, best first: by effective
// score rounded to four decimals, then hits, then the latest sighting, all
// descending, then by their place in the index, which is a total order and
// the one that pi-self-learning's stable sort comes to.
func (ix *Index) Rank(now time.Time) []int {
	standings := make([]standing, 0, len(ix.Items))
	for pos := range ix.Items {
		if it := &ix.Items[pos]; it.Status == Active {
			score := math.Round(it.EffectiveScore(now) * 1e4)
			standings = append(standings, standing{score, it.Hits, it.LastSeen.UnixMilli(), pos})
		}
	}
	slices.SortFunc(standings, compareStandings)
	ranked := make([]int, len(standings))
	for i, s := range standings {
		ranked[i] = s.pos
	}
	return ranked
}

// A standing decides the rank of a record: to sort records themselves takes three times as long.
type standing struct {
	score float64 // rounded
	hits  int
	seen  int64
	pos   int
}

// compareStandings is negative if a ranks before b.
func compareStandings(a, b standing) int {
	if c := cmp.Compare(b.score, a.score); c != 0 { // nearly always
		return c
	}
	return cmp.Or(cmp.Compare(b.hits, a.hits), cmp.Compare(b.seen, a.seen), cmp.Compare(a.pos, b.pos))
}

// Select returns the positions of the limit records to show first, out of
// ranked, which is what Rank returned.
//
// Pinned records come first, then those of high severity, on at most half of the slots.
// When both kinds exist each gets at least half of the limit, rounded down
// but not below one; the global rank fills what is left. A limit below 1
// counts as 1.
func (ix *Index) Select(ranked []int, limit int) []int {
	limit = max(1, limit)
	chosen := make([]int, 0, min(limit, len(ranked)))
	taken := make(map[int]bool, cap(chosen))
	count := map[Kind]int{}
	take := func(upTo int, fits func(it *Item) bool) {
		for _, pos := range ranked {
			if len(chosen) >= upTo {
				return
			}
			if it := &ix.Items[pos]; !taken[pos] && fits(it) {
				chosen = append(chosen, pos)
				taken[pos] = true
				count[it.Kind]++
			}
		}
	}
	take(limit/2, func(it *Item) bool { return it.Pinned })
	take(limit/2, func(it *Item) bool { return it.Severity == "high" })
	other := func(pos int) bool { return ix.Items[pos].Kind != ix.Items[ranked[0]].Kind }
	if slices.ContainsFunc(ranked, other) { // both kinds exist
		for _, kind := range []Kind{Learning, AntiPattern} {
			missing := max(1, limit/2) - count[kind]
			take(min(limit, len(chosen)+missing), func(it *Item) bool { return it.Kind == kind })
		}
	}
	take(limit, func(*Item) bool { return true })
	return chosen
}
