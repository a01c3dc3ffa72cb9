package facts

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/fault"
	"mem/frontmatter"
	"mem/index"
)

// How much core/traces.json holds. A session that fell out of it and is reflected on
// again is still recognised by its reflection ids.
const (
	maxMarks       = 500
	maxReflections = 1000
)

// Traces is core/traces.json: how far each session was read, and which reflections
// were counted. Package reflect knows what it means.
type Traces struct {
	Version     int             `json:"version"`
	Marks       map[string]Mark `json:"traces"`      // by the identities of sessions
	Reflections []string        `json:"reflections"` // latest last
	Unknown     jsontext.Value  `json:",embed"`
}

// ErrTraces is wrapped when core/traces.json cannot be read.
var ErrTraces = fault.New(fault.Unreadable, "not a readable list of traces",
	"repair the file; 'git show HEAD:core/traces.json' in the memory prints the last good one")

// ReadTraces decodes core/traces.json. What a newer version wrote wraps index.ErrNewerVersion.
func ReadTraces(data []byte) (t Traces, err error) {
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &t); err != nil {
		return t, fmt.Errorf("%w: %w", ErrTraces, err)
	}
	if t.Version > 1 {
		return t, fmt.Errorf("version %d: %w", t.Version, index.ErrNewerVersion)
	}
	if t.Version = 1; t.Marks == nil {
		t.Marks = map[string]Mark{}
	}
	return t, nil
}

// Encode returns core/traces.json.
func (t Traces) Encode() ([]byte, error) {
	data, err := json.Marshal(t, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("encode traces: %w", err)
	}
	return append(data, '\n'), nil
}

// Bound drops what is too much, oldest first.
func (t *Traces) Bound() {
	DropOldest(t.Marks, maxMarks)
	t.Reflections = t.Reflections[max(0, len(t.Reflections)-maxReflections):]
}

// DropOldest drops the marks that are more than most, oldest first.
func DropOldest(marks map[string]Mark, most int) {
	if len(marks) <= most {
		return
	}
	oldest := slices.SortedFunc(maps.Keys(marks), func(a, b string) int {
		return cmp.Or(marks[a].Read.Compare(marks[b].Read), cmp.Compare(a, b))
	})
	for _, id := range oldest[:len(oldest)-most] {
		delete(marks, id)
	}
}

// Read adds how far a fact's sessions were read, even if the fact counts no longer: what was read stays read.
// Of two marks of a session the further one counts.
func (t *Traces) Read(f Fact) {
	if f.Kind == Reflection && !slices.Contains(t.Reflections[max(0, len(t.Reflections)-maxReflections):], f.ID) {
		t.Reflections = append(t.Reflections, f.ID)
	}
	t.Reflections = append(t.Reflections, f.Read...)
	if f.Mark != nil {
		t.TakeMark(f.Trace, *f.Mark)
	}
	for _, trace := range slices.Sorted(maps.Keys(f.Marks)) {
		t.TakeMark(trace, f.Marks[trace])
	}
}

// TakeMark notes how far a session was read, unless it was read further.
func (t *Traces) TakeMark(trace string, m Mark) {
	m.At, m.Read = m.At.Truncate(time.Millisecond), m.Read.Truncate(time.Millisecond) // as the fact has it
	// Of a long session only the end is seen, of a rewritten one less than before: there time tells
	// more than the number of events.
	if was, ok := t.Marks[trace]; !ok || m.At.After(was.At) || m.At.Equal(was.At) && m.Events >= was.Events {
		t.Marks[trace] = m
	}
}

// Traces returns how far the facts say that sessions were read.
func (l *Log) Traces() Traces {
	t := Traces{Version: 1, Marks: map[string]Mark{}}
	for _, f := range l.facts {
		t.Read(f)
	}
	t.Bound()
	return t
}

// proposals is the Day of notes that say what a proposal is, and what was decided about it: Entry is its key, Text its
// file.
const proposals = "proposal"

const proposalStart = "patterns/pattern-"

// IsProposal reports whether a file is that of a proposal, which is a view.
func IsProposal(name string) bool {
	return strings.HasPrefix(name, proposalStart) && strings.HasSuffix(name, ".md") && path.Dir(name) == "patterns"
}

// ProposalNote returns what the file of a proposal says, as a note; one without a text takes it out.
func ProposalNote(name, was, is string) Note {
	return Note{Day: proposals, Entry: keyOf(name, was, is), Text: is}
}

// keyOf returns what a proposal is about, from the first version that says so, with the text that it would
// amend; if none does, the file name is the key.
func keyOf(name string, versions ...string) string {
	for _, text := range versions {
		if key := valueOf(text, "key"); key != "" {
			return strings.Join(strings.Fields(key+" "+valueOf(text, "amends")+" "+valueOf(text, "amends_text")), " ")
		}
	}
	return name
}

// valueOf returns what the front matter of a proposal says; "" for nothing.
func valueOf(text, name string) string {
	f, _ := frontmatter.Parse([]byte(text)) // else there are no fields
	return f.Value(name)
}

// A Proposals is what is proposed, by key, in the order of birth.
type Proposals struct {
	Last  int               // the highest number that one ever had
	Files map[string][]byte // by path
	keys  []string
	texts map[string]string
	born  map[string]int // the latest number in each file; 0 for none
}

// Proposals returns the proposals of the log, each with its latest text. A proposal by a clone that did not
// know of a decision does not revert that decision.
func (l *Log) Proposals() Proposals {
	p := Proposals{texts: map[string]string{}, born: map[string]int{}, Files: map[string][]byte{}}
	for _, f := range l.facts {
		if !l.counted[f.ID] {
			continue
		}
		for _, n := range f.Notes {
			if n.Day != proposals {
				continue
			}
			was, known := p.texts[n.Entry]
			if !known {
				p.keys = append(p.keys, n.Entry)
			} else if f.Kind != Edit && valueOf(was, "decided") != "" && valueOf(n.Text, "status") == "pending" && valueOf(n.Text, "reopened") == "" {
				continue // it was never decided as far as it says
			}
			born := 0 // 0 for one that says none
			_, _ = fmt.Sscanf(valueOf(n.Text, "id"), "pattern-%d", &born)
			p.texts[n.Entry], p.born[n.Entry] = n.Text, cmp.Or(born, p.born[n.Entry])
			p.Last = max(p.Last, p.born[n.Entry])
		}
	}
	p.number()
	return p
}

// number gives each proposal its original number. A proposal without one, or the later of two with the same
// number, gets the next free one.
func (p *Proposals) number() {
	for _, key := range p.keys {
		text, n := p.texts[key], p.born[key]
		if text == "" {
			continue
		}
		name := fmt.Sprintf("%s%03d.md", proposalStart, n)
		if n == 0 && IsProposal(key) {
			name = key
		} else if n == 0 || p.Files[name] != nil {
			p.Last++
			name = fmt.Sprintf("%s%03d.md", proposalStart, p.Last)
			if f, err := frontmatter.Parse([]byte(text)); err == nil {
				f.Set("id", strings.TrimSuffix(path.Base(name), ".md"))
				text = string(f.Bytes())
			}
		}
		p.Files[name] = []byte(text)
	}
}

// Diff returns the hand edits of the proposal files that were rendered from p, by path.
func (p Proposals) Diff(is map[string][]byte) (notes []Note) {
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if text := string(is[name]); text != string(p.Files[name]) && !strings.Contains("\n"+text, "\n<<<<<<< ") {
			notes = append(notes, ProposalNote(name, string(p.Files[name]), text))
		}
	}
	return notes
}
