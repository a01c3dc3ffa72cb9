// Package index is the canonical record of what was learned: the lessons of core/index.json, their scores and
// their ranking. Package facts changes it as facts come in.
//
// It is pure. Nothing here reads a disk or a clock; times come in as arguments and everything else is a
// function of the records. Package repo decides where the records are stored and when they may be replaced;
// package render writes what people read.
package index

import (
	"cmp"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mem/fault"
)

// Path is where an index is in a memory root.
const Path = "core/index.json"

// Version is the format that this package writes: the index is the fold of a log.
// What versions 1 to 3 hold is read as an Old.
const Version = 4

// FoldRules is the number of the rules by which an index is made of its log. An index with a
// lower one is made again, one with a higher one is only read.
const FoldRules = 1

// ErrNewerVersion is wrapped when a file was written by a newer version of mem,
// so that it may be shown but not changed.
var ErrNewerVersion = fault.New(fault.Newer, "written by a newer version of mem", "install that version; this one only reads the memory")

// An Index is the content of core/index.json.
//
// The zero value is an empty index of the current version that was never updated.
type Index struct {
	Version   int       `json:"version"`            // as loaded; 0 counts as Version
	UpdatedAt time.Time `json:"updatedAt,omitzero"` // of the latest fact that counts, UTC; zero for none
	Items     []Item    `json:"items"`              // in the order of birth

	Log     string     `json:"log,omitzero"`     // the git tree of core/log that this is the fold of
	Fold    int        `json:"fold,omitzero"`    // the rules of the fold, as FoldRules
	Waiting []Decision `json:"waiting,omitzero"` // about lessons that are not there, in their order
	Purged  []string   `json:"purged,omitzero"`  // ids of lessons that must never come back, sorted
	Undone  []string   `json:"undone,omitzero"`  // ids of lessons whose sightings were all undone, sorted

	Unknown jsontext.Value `json:",embed"`

	Old []Old `json:"-"` // the records of a version before 4; nil for any other
}

// A Decision says what was decided about a lesson.
type Decision struct {
	Of   string         `json:"of"`             // its id
	Set  jsontext.Value `json:"set,omitzero"`   // an object of members of Item, with what they become
	Into string         `json:"into,omitzero"`  // the lesson that it became a part of
	Gone bool           `json:"gone,omitzero"`  // it was taken out by hand
	Hits int            `json:"hits,omitzero"`  // what was added by hand to what it counts
	Add  float64        `json:"score,omitzero"` // and to its score
	Seen time.Time      `json:"lastSeen,omitzero"`
	At   time.Time      `json:"at,omitzero"`   // when, of a decision that waits
	Soft bool           `json:"soft,omitzero"` // rules chose it: it does not bind like a person's word
}

// Kind tells a lesson to follow from a mistake to avoid. It is stored with the record and never guessed from the text.
type Kind string

// The kinds. A strategy is what pi-self-learning calls some learnings.
const (
	Learning    Kind = "learning"
	AntiPattern Kind = "antiPattern"
	Strategy    Kind = "strategy"
)

// IsLearning reports whether the lesson is one to follow, and not a mistake to avoid.
func (it *Item) IsLearning() bool { return it.Kind != AntiPattern }

// Status says whether a record takes part in selection. The zero value is an active record.
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

// An Item is one lesson. The first seven members are those of pi-self-learning.
type Item struct {
	Key       string    `json:"key"`       // folded, lower-cased text; what makes two lessons the same
	Text      string    `json:"text"`      // the latest spelling
	Kind      Kind      `json:"kind"`      // set at birth; a decision, or a later record that is joined, may change it
	Hits      int       `json:"hits"`      // reflections that brought it, at least 1
	Score     float64   `json:"score"`     // salience without decay; see EffectiveScore
	FirstSeen time.Time `json:"firstSeen"` // UTC, milliseconds
	LastSeen  time.Time `json:"lastSeen"`  // UTC, milliseconds

	ID           string               `json:"id,omitzero"` // "m-" and at least eight hex digits; survives rewording
	Status       Status               `json:"status,omitzero"`
	Pinned       bool                 `json:"pinned,omitzero"`
	Severity     string               `json:"severity,omitzero"` // "high", or "" for ordinary
	Domain       string               `json:"domain,omitzero"`
	Tags         []string             `json:"tags,omitzero"`
	Confidence   string               `json:"confidence,omitzero"` // "high", "medium", "low" or "": truth, where Score is salience
	Origin       Origin               `json:"origin,omitzero"`
	Cue          *Literals            `json:"cue,omitzero"`          // under which it matters
	Remedy       *Literals            `json:"remedy,omitzero"`       // of what cures it
	Why          string               `json:"why,omitzero"`          // a sentence
	Sessions     int                  `json:"sessions,omitzero"`     // that it was seen in
	Sources      []Source             `json:"facts,omitzero"`        // that count for it: the first and the latest ten
	Set          map[string]time.Time `json:"set,omitzero"`          // when members were decided after birth, by name
	Was          []string             `json:"was,omitzero"`          // ids of other words that it once had
	DerivedFrom  []string             `json:"derivedFrom,omitzero"`  // ids of the lessons that became part of this one
	SupersededBy string               `json:"supersededBy,omitzero"` // id
	Recurred     int                  `json:"recurred,omitzero"`     // sightings since it was compiled into a rule
	Evidence     *Evidence            `json:"evidence,omitzero"`
	Violations   int                  `json:"violations,omitzero"` // places in the code base that still do what it says to avoid
	By           map[string]Share     `json:"by,omitzero"`         // shares of Hits and Score that other memories counted, by memory

	Unknown jsontext.Value `json:",embed"`
}

// Equal reports whether two records say the same. Two that differ in what no file shows count as others.
func (it *Item) Equal(o *Item) bool { return reflect.DeepEqual(it, o) }

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

// String returns what the parts say, with bars between; "" for nil.
func (l *Literals) String() string {
	if l == nil {
		return ""
	}
	return strings.Join(slices.DeleteFunc([]string{l.Tool, l.Command, l.Error, l.Path}, func(part string) bool { return part == "" }), " | ")
}

// Lasts reports whether the cure of a failure lasts longer than a shell, as that of an install does: it may be there the next
// time. Such a cue names the program apart from its command.
func (l Literals) Lasts() bool { return l.Tool != "" && l.Command != "" && l.Error != "" }

// A Source is a fact that counts for a lesson, and says which part of which session it came
// from. One without an id only says where a lesson was taken over from.
type Source struct {
	ID      string    `json:"id,omitzero"`      // of the fact
	Trace   string    `json:"trace,omitzero"`   // identity of the trace, "claude:<id>"
	Session string    `json:"session,omitzero"` // the agent's session id
	Span    string    `json:"span,omitzero"`    // first and last event that support it
	Model   string    `json:"model,omitzero"`   // who put it into words
	At      time.Time `json:"at,omitzero"`

	Unknown jsontext.Value `json:",embed"`
}

// A Share is a part of what a record counts.
type Share struct {
	Hits  int     `json:"hits,omitzero"`
	Score float64 `json:"score,omitzero"`
}

// maxSources is how many of the latest sources a lesson keeps, besides the first.
const maxSources = 10

// AddSource adds a source behind those of the lesson.
func (it *Item) AddSource(s Source) {
	list := append(slices.Clip(it.Sources), s)
	if drop := len(list) - maxSources - 1; drop > 0 {
		list = slices.Delete(slices.Clone(list), 1, 1+drop)
	}
	it.Sources = list
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

// IsProven reports whether a lesson has more support than its sightings. Code that does what a lesson says to
// avoid is no proof.
func (it *Item) IsProven() bool {
	return it.Confidence == "high" || it.IsLearning() && it.CountFiles() > 0 && it.Confidence != "low"
}

// ReadOnly reports whether the index was written by a newer version of mem.
// It may be shown but must not be changed or encoded.
func (ix *Index) ReadOnly() bool { return ix.Version > Version || ix.Fold > FoldRules }

// IsPurged reports whether what has this key must never come back.
func (ix *Index) IsPurged(key string) bool { return slices.Contains(ix.Purged, BaseID(key)) }

// IsPurgedID reports whether the lesson with this id must never come back.
func (ix *Index) IsPurgedID(id string) bool { return slices.Contains(ix.Purged, id) }

// All yields the records, which may be changed in place.
func (ix *Index) All() iter.Seq[*Item] {
	return func(yield func(*Item) bool) {
		for i := range ix.Items {
			if !yield(&ix.Items[i]) {
				return
			}
		}
	}
}

// ByID returns the position of the record with this id, or -1.
func (ix *Index) ByID(id string) int {
	for i := range ix.Items {
		if ix.Items[i].ID == id {
			return i
		}
	}
	return -1
}

// Finder is ByID for records that are looked for in their order, nearly always.
func (ix *Index) Finder() func(id string) int {
	pos := -1
	return func(id string) int {
		if pos++; pos >= len(ix.Items) || ix.Items[pos].ID != id {
			pos = ix.ByID(id)
		}
		return pos
	}
}

// isConfirmed reports whether a lesson rests on more than the rules' finding in one session: two sessions, a
// person's words, a model, or a hand-written reflection without a session.
func (it *Item) isConfirmed() bool {
	isMore := func(s Source) bool { return s.Model != ByRules && (s.Model != "" || s.Trace == "") }
	return it.Origin == OriginUser || it.Sessions > 1 || len(it.Sources) == 0 && it.Hits > 1 || slices.ContainsFunc(it.Sources, isMore)
}

// IsByRules reports whether rules found a lesson, without a model.
func (it *Item) IsByRules() bool { return len(it.Sources) > 0 && it.Sources[0].Model == ByRules }

// ByRules is the model of lessons that rules found in a session.
const ByRules = "heuristic"

// Clone returns a copy whose records can be changed without changing ix. Slices and maps inside the records are
// shared: replace them, never write into them.
func (ix *Index) Clone() *Index {
	c := *ix
	c.Items = slices.Clone(ix.Items)
	return &c
}

// Doubt begins what an agent has against a lesson that it holds, in Why.
const Doubt = "an agent says that it is wrong"

// IsShown reports whether sessions are shown the lesson, by itself or in a rule.
func (it *Item) IsShown() bool { return it.Status == Active || it.Status == Compiled }

// The scoring constants of pi-self-learning, which roots in use rely on.
const (
	decayPerDay = 0.05
	dayMillis   = 24 * 60 * 60 * 1000
)

// EffectiveScore returns the score of the record at now: its score less 0.05 for
// each day since it was last seen. A clock that runs behind gives no bonus.
func (it *Item) EffectiveScore(now time.Time) float64 {
	days := max(0, float64(now.UnixMilli()-it.LastSeen.UnixMilli())/dayMillis)
	return it.Score - float64(decayPerDay*days)
}

// Rank returns the positions of the active records, best first: by effective score rounded to four decimals, then hits,
// then the latest sighting, all descending, then by their place in the index, which is a total order and the one that
// pi-self-learning's stable sort comes to.
func (ix *Index) Rank(now time.Time) []int {
	var ranked []int
	score := make([]float64, len(ix.Items))
	for pos := range ix.Items {
		if it := &ix.Items[pos]; it.Status == Active {
			ranked, score[pos] = append(ranked, pos), math.Round(it.EffectiveScore(now)*1e4)
		}
	}
	slices.SortFunc(ranked, func(a, b int) int {
		if c := cmp.Compare(score[b], score[a]); c != 0 {
			return c
		}
		x, y := &ix.Items[a], &ix.Items[b]
		return cmp.Or(cmp.Compare(y.Hits, x.Hits), y.LastSeen.Compare(x.LastSeen), a-b)
	})
	return ranked
}

// Select returns the positions of the limit records to show first, out of ranked, which is what Rank returned.
//
// Pinned records come first, then those of high severity, on at most half of the slots. When both kinds exist each gets
// at least half of the limit, rounded down but not below one; the global rank fills what is left. A limit below 1
// counts as 1.
func (ix *Index) Select(ranked []int, limit int) []int {
	limit = max(1, limit)
	chosen := make([]int, 0, min(limit, len(ranked)))
	taken := make(map[int]bool, cap(chosen))
	count := map[bool]int{}
	take := func(upTo int, fits func(it *Item) bool) {
		for _, pos := range ranked {
			if len(chosen) >= upTo {
				return
			}
			if it := &ix.Items[pos]; !taken[pos] && fits(it) {
				chosen = append(chosen, pos)
				taken[pos] = true
				count[it.IsLearning()]++
			}
		}
	}
	take(limit/2, func(it *Item) bool { return it.Pinned })
	take(limit/2, func(it *Item) bool { return it.Severity == "high" })
	other := func(pos int) bool { return ix.Items[pos].IsLearning() != ix.Items[ranked[0]].IsLearning() }
	if slices.ContainsFunc(ranked, other) { // both kinds exist
		for _, kind := range []bool{true, false} {
			missing := max(1, limit/2) - count[kind]
			take(min(limit, len(chosen)+missing), func(it *Item) bool { return it.IsLearning() == kind })
		}
	}
	take(limit, func(*Item) bool { return true })
	return chosen
}
