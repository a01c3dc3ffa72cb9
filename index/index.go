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
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Version is the format that this package writes. Version 1, written by
// pi-self-learning, loads unchanged.
const Version = 2

// ErrNewerVersion is wrapped when a file was written by a newer version of mem,
// so that it may be shown but not changed.
var ErrNewerVersion = errors.New("written by a newer version of mem")

// An Index is the content of core/index.json.
//
// The zero value is an empty index of the current version that was never
// updated.
type Index struct {
	Version   int       // as loaded; 0 counts as Version
	UpdatedAt time.Time // of the last change to the records, in UTC
	Replica   string    // the clone whose own counts are not listed in Item.By
	Items     []Item    // in file order, which is the order of first sighting

	Unknown []Member
	Bytes   int   // size of the file that it was loaded from; 0 for none
	Partial bool  // made of a digest, which holds less than there is: it cannot be encoded
	Order   []int // where Rank may begin: the active records, counted from 0, about in its order; nil for nowhere
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
	Sources      []Source // the first one and the latest nine
	DerivedFrom  []string // ids of the records that were merged into this one
	SupersededBy string   // id
	Recurred     int      // sightings since it was compiled into a rule
	Evidence     *Evidence
	Violations   int               // places in the code base where an avoided thing still stands
	By           map[string]Counts // what other replicas contributed to Hits and Score

	Unknown []Member
}

// A Source says which part of which session a sighting came from.
type Source struct {
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

// Counts is one replica's share of a record's totals.
type Counts struct {
	Hits  int     `json:"hits"`
	Score float64 `json:"score"`

	Unknown jsontext.Value `json:",embed"`
}

// ReadOnly reports whether the index was written by a newer version of mem.
// It may be shown but must not be changed or encoded.
func (ix *Index) ReadOnly() bool { return ix.Version > Version }

// ByID returns the position of the record with this id, or -1.
func (ix *Index) ByID(id string) int {
	for i := range ix.Items {
		if ix.Items[i].ID == id {
			return i
		}
	}
	return -1
}

// MarkChanged notes that the records were changed at now.
func (ix *Index) MarkChanged(now time.Time) {
	if now = now.UTC().Truncate(time.Millisecond); now.After(ix.UpdatedAt) {
		ix.UpdatedAt = now
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
