// Package facts is the log of a memory: what happened, written once and never changed, and the
// index that follows from it.
//
// A fact is a small file of lines, core/log/2026-11/26T114500.123-3f9c2a7e1b04.jsonl. git merges
// such files by their names. Fold makes the index of them, in whatever order they came. Everything
// here is pure: it knows no clock and no disk.
package facts

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
)

// Folder is where the log is in a memory root.
const Folder = "core/log"

// A Kind says what sort of thing happened.
type Kind string

// The kinds.
const (
	Reflection Kind = "reflection" // what a session taught
	Decision   Kind = "decision"   // what a person or a command decided, undo among it
	Edit       Kind = "edit"       // what was changed by hand, or by another program
	Month      Kind = "month"      // the text of a rollup
	Base       Kind = "base"       // imported records
)

// Errors of Decode.
var (
	ErrUnreadable = errors.New("not a readable fact")
	ErrNewer      = errors.New("of a kind that this version of mem does not know")
)

// A Fact is what happened at one moment.
type Fact struct {
	ID      string    `json:"fact"` // "r-" of a reflection, else "d-", and hex digits
	Kind    Kind      `json:"kind"`
	N       int64     `json:"n"`  // the order: milliseconds since 1970, later than of all facts that were known
	At      time.Time `json:"at"` // by the clock
	Who     string    `json:"who,omitzero"`
	Why     string    `json:"why,omitzero"`   // what a commit says of it
	Label   string    `json:"label,omitzero"` // of a reflection that the journal has
	Session string    `json:"session,omitzero"`
	Trace   string    `json:"trace,omitzero"`   // identity of the session
	Model   string    `json:"model,omitzero"`   // who put it into words
	Outcome string    `json:"outcome,omitzero"` // how the task ended, in its words
	Mark    *Mark     `json:"mark,omitzero"`    // how far the session was read
	From    string    `json:"from,omitzero"`    // of imported records: the memory that counted them; "" for this one

	Undo   []string        `json:"undo,omitzero"`   // ids of facts that count no longer
	Redo   []string        `json:"redo,omitzero"`   // or again
	Gone   bool            `json:"gone,omitzero"`   // the facts are missing from the log: Undo holds while that is so
	Marks  map[string]Mark `json:"marks,omitzero"`  // of sessions that stay read, by trace
	Read   []string        `json:"read,omitzero"`   // and of reflections
	Purged []string        `json:"purged,omitzero"` // ids of lessons that must never come back
	Taken  map[string]int  `json:"taken,omitempty"` // undone sightings of lessons, "r-1 m-1"; of facts that git removed, and of versions before 4

	Fixes      []index.Lesson   `json:"-"` // a line each, as all that follows
	Mistakes   []index.Lesson   `json:"-"`
	Candidates []jsontext.Value `json:"-"` // observations that the session does not prove
	Changes    []index.Decision `json:"-"`
	Old        []index.Old      `json:"-"`
	Notes      []Note           `json:"-"` // what was written in the journal
}

// A Mark is how far a session was read.
type Mark struct {
	Last    string         `json:"last"`   // id of the last event
	At      time.Time      `json:"at"`     // of the last event; zero if it carries no time
	Events  int            `json:"events"` // seen in all
	Read    time.Time      `json:"read"`   // when
	Unknown jsontext.Value `json:",embed"`
}

// A Note is a text of the journal: the file of a month, or a part of a day that a person or another
// program wrote, or that stands in the place of one.
type Note struct {
	Day   string `json:"day"`            // "2026-02-03", or the month "2026-02"; of a proposal "proposal"
	Entry string `json:"entry,omitzero"` // the part that it replaces, by the id of its fact or of its text; "" for one of its own
	After string `json:"after,omitzero"` // the part behind which it stands; "" at the end
	Text  string `json:"text,omitzero"`  // "" takes it out
}

// A line is one of a fact's file behind the first: one of its members is set.
type line struct {
	Fact      string          `json:"fact"`
	Fix       *index.Lesson   `json:"fix,omitzero"`
	Mistake   *index.Lesson   `json:"mistake,omitzero"`
	Candidate jsontext.Value  `json:"candidate,omitzero"`
	Change    *index.Decision `json:"change,omitzero"`
	Old       *index.Old      `json:"old,omitzero"`
	Note      *Note           `json:"note,omitzero"`

	Unknown jsontext.Value `json:",embed"`
}

func (f *Fact) lines(id string) []line {
	return slices.Concat(
		linesOf(f.Fixes, func(l *index.Lesson) line { return line{Fact: id, Fix: f.bare(*l)} }),
		linesOf(f.Mistakes, func(l *index.Lesson) line { return line{Fact: id, Mistake: f.bare(*l)} }),
		linesOf(f.Candidates, func(c *jsontext.Value) line { return line{Fact: id, Candidate: *c} }),
		linesOf(f.Changes, func(d *index.Decision) line { return line{Fact: id, Change: d} }),
		linesOf(f.Old, func(o *index.Old) line { return line{Fact: id, Old: o} }),
		linesOf(f.Notes, func(n *Note) line { return line{Fact: id, Note: n} }),
	)
}

func linesOf[T any](said []T, lineOf func(*T) line) (list []line) {
	for i := range said {
		list = append(list, lineOf(&said[i]))
	}
	return list
}

// bare returns a lesson without the source data that the fact's head already holds.
func (f *Fact) bare(l index.Lesson) *index.Lesson {
	l.Source.ID = ""
	for _, p := range [][2]*string{{&l.Source.Trace, &f.Trace}, {&l.Source.Session, &f.Session}, {&l.Source.Model, &f.Model}} {
		if *p[0] == *p[1] {
			*p[0] = ""
		}
	}
	return &l
}

// Encode returns the path of a fact's file and its content. A fact without an id gets the hash of what it says.
func (f *Fact) Encode() (path string, data []byte, err error) {
	if f.ID == "" {
		said, err := f.encode("")
		if err != nil {
			return "", nil, err
		}
		f.ID = "d-" + shortHash(said)
	}
	if data, err = f.encode(f.ID); err != nil {
		return "", nil, err
	}
	return PathOf(f.N, data), data, nil
}

func (f *Fact) encode(id string) ([]byte, error) {
	var b bytes.Buffer
	head := *f
	head.ID = id
	rows := []any{head}
	for _, l := range f.lines(id) {
		rows = append(rows, l)
	}
	for i, row := range rows {
		data, err := json.Marshal(row, index.Options())
		if err != nil {
			return nil, fmt.Errorf("encode fact %s: %w", id, err)
		}
		// git compares files in chunks of 64 bytes, and takes a new fact for a rename of a similar deleted one.
		// With varying numbers of spaces no two facts share a chunk, nor two files of one fact.
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", id, f.N, i))
		b.WriteByte('{')
		b.WriteString(strings.Repeat(" ", int(sum[0]%64)))
		b.Write(data[1:])
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

func shortHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

const layout = "2006-01/02T150405.000"

// PathOf returns the path of a fact with this order and content.
func PathOf(n int64, data []byte) string {
	return Folder + "/" + time.UnixMilli(n).UTC().Format(layout) + "-" + shortHash(data) + ".jsonl"
}

// OrderOf returns the order that is part of a fact's path; false if the path is not a fact's.
func OrderOf(path string) (n int64, ok bool) {
	rest, isIn := strings.CutPrefix(path, Folder+"/")
	stem, isFact := strings.CutSuffix(rest, ".jsonl")
	month, tail, _ := strings.Cut(stem, "/")
	day, _, hasHash := strings.Cut(tail, "-")
	at, err := time.Parse(layout, month+"/"+day)
	return at.UnixMilli(), isIn && isFact && hasHash && err == nil
}

// Decode reads the fact in a file. A file that is not one, or has another name than its content gives
// it, wraps ErrUnreadable, one that a later mem wrote ErrNewer.
func Decode(path string, data []byte) (Fact, error) {
	f, err := Parse(data)
	if err == nil && PathOf(f.N, data) != path {
		err = fmt.Errorf("its content has another name: %w", ErrUnreadable)
	}
	if err != nil {
		return Fact{}, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Parse is Decode for a fact whose file has any name.
func Parse(data []byte) (f Fact, err error) {
	text, ended := bytes.CutSuffix(data, []byte("\n"))
	for i, row := range bytes.Split(text, []byte("\n")) {
		var l line
		if i == 0 {
			err = f.readHead(row)
		} else if err = json.Unmarshal(row, &l, index.Options()); err == nil {
			err = f.add(l)
		}
		if errors.Is(err, ErrNewer) {
			return f, err
		} else if err != nil {
			return f, fmt.Errorf("line %d: %w: %w", i+1, ErrUnreadable, err)
		}
	}
	if !ended || f.ID == "" || f.Kind == "" {
		return f, ErrUnreadable
	}
	return f, nil
}

func (f *Fact) readHead(row []byte) error {
	err := json.Unmarshal(row, f, index.Options())
	if err == nil && !slices.Contains([]Kind{Reflection, Decision, Edit, Month, Base, ""}, f.Kind) {
		err = fmt.Errorf("kind %q: %w", f.Kind, ErrNewer)
	}
	return err
}

func (f *Fact) add(l line) error {
	switch {
	case l.Fact != f.ID:
		return fmt.Errorf("it is of %q", l.Fact)
	case l.Fix != nil:
		f.Fixes = append(f.Fixes, f.full(*l.Fix))
	case l.Mistake != nil:
		f.Mistakes = append(f.Mistakes, f.full(*l.Mistake))
	case l.Candidate != nil:
		f.Candidates = append(f.Candidates, l.Candidate.Clone())
	case l.Change != nil:
		f.Changes = append(f.Changes, *l.Change)
	case l.Old != nil:
		f.Old = append(f.Old, *l.Old)
	case l.Note != nil:
		f.Notes = append(f.Notes, *l.Note)
	default:
		return fmt.Errorf("line %.40q: %w", l.Unknown, ErrNewer)
	}
	return nil
}

// full returns a lesson with the source data from the fact's head.
func (f *Fact) full(l index.Lesson) index.Lesson {
	l.Source.Trace, l.Source.Session = cmp.Or(l.Source.Trace, f.Trace), cmp.Or(l.Source.Session, f.Session)
	l.Source.Model = cmp.Or(l.Source.Model, f.Model)
	return l
}

// IsOfOthers reports whether a fact makes other facts count no longer, or again, or purges lessons.
func (f *Fact) IsOfOthers() bool { return len(f.Undo)+len(f.Redo)+len(f.Purged) > 0 }

// IsEmpty reports whether a fact says nothing.
func (f *Fact) IsEmpty() bool {
	return len(f.lines(""))+len(f.Undo)+len(f.Redo)+len(f.Purged)+len(f.Taken)+len(f.Read)+len(f.Marks) == 0 && f.Mark == nil
}
