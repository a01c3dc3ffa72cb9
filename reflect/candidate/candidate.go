// Package candidate keeps what one session shows and no session is told: a failure and its cure, or a
// command that a person stopped. It becomes a lesson when a second session shows the same.
//
// A List is a private note of one clone, and pure: sessions are added in any order, and more than once.
package candidate

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/index"
	"mem/oracle"
	"mem/oracle/heuristic"
	"mem/reflect/answer"
	"mem/repo/private"
	"mem/words"
)

// Bounds of a List.
const (
	maxCandidates = 2000
	maxSightings  = 8  // of one candidate, the latest
	maxNeedless   = 16 // sessions of one lesson, the latest
	maxBytes      = private.MaxNote / 2
)

// A List is all candidates of a clone, and which lessons sessions were shown needlessly. It is kept as one
// record of JSON a line, so that a purge can take out what holds some words.
type List struct {
	byKey    map[string]*Candidate
	needless map[string]*Needless
}

// A Candidate is what one session shows, or several.
type Candidate struct {
	Key      string     `json:"key"`
	Sessions int        `json:"sessions"` // that showed it
	Seen     []Sighting `json:"seen"`     // the latest of them, by time
}

// A Sighting is a candidate as one session shows it.
type Sighting struct {
	Reflection string    `json:"reflection"`
	Trace      string    `json:"trace"` // identity of the session
	Session    string    `json:"session,omitzero"`
	At         time.Time `json:"at"`
	answer.Lesson
}

// Needless are the sessions that were shown a lesson before a command which then worked without its remedy.
type Needless struct {
	ID       string    `json:"needless"`
	Sessions []Session `json:"sessions"` // by time
}

// A Session is one by its identity, and when it was judged.
type Session struct {
	Trace string    `json:"trace"`
	At    time.Time `json:"at"`
}

// KeyOf names what a lesson is about, so that sessions which show the same agree on it; "" if it cannot be a
// candidate.
func KeyOf(cue index.Literals) string {
	return heuristic.Lesson{Op: heuristic.Once, Cue: &heuristic.Literals{Command: cue.Command, Error: cue.Error}}.Signature()
}

// Read reads a note. Lines that it cannot read are left out.
func Read(note []byte) *List {
	l := &List{byKey: map[string]*Candidate{}, needless: map[string]*Needless{}}
	for line := range bytes.Lines(note) {
		var c Candidate
		var n Needless
		if json.Unmarshal(line, &c) == nil && c.Key != "" && len(c.Seen) > 0 {
			l.byKey[c.Key] = &c
		} else if json.Unmarshal(line, &n) == nil && n.ID != "" {
			l.needless[n.ID] = &n
		}
	}
	return l
}

// Encode returns the note. What does not fit goes: first what only one session shows, the oldest first.
func (l *List) Encode() (note []byte) {
	add := func(v any) {
		if line, err := json.Marshal(v); err == nil && len(note)+len(line) < maxBytes { // a time that JSON cannot say is lost
			note = append(append(note, line...), '\n')
		}
	}
	for _, id := range slices.Sorted(maps.Keys(l.needless)) {
		add(l.needless[id])
	}
	list := l.Candidates()
	for _, c := range list[:min(len(list), maxCandidates)] {
		add(c)
	}
	return note
}

// Candidates returns all candidates: those of most sessions first, then the latest.
func (l *List) Candidates() []*Candidate {
	return slices.SortedFunc(maps.Values(l.byKey), func(a, b *Candidate) int {
		return cmp.Or(b.Sessions-a.Sessions, b.last().compare(a.last()), strings.Compare(a.Key, b.Key))
	})
}

// Find returns the candidate with a key; nil if there is none.
func (l *List) Find(key string) *Candidate { return l.byKey[key] }

// Add adds what a session shows under a key. A session counts once, in whatever copy it is read.
func (l *List) Add(key string, s Sighting) {
	c := l.byKey[key]
	if c == nil {
		c = &Candidate{Key: key}
		l.byKey[key] = c
	}
	isFull := len(c.Seen) == maxSightings
	if slices.ContainsFunc(c.Seen, s.isSame) || isFull && s.compare(c.Seen[0]) < 0 { // which may have been counted
		return
	}
	c.Sessions++
	c.Seen = append(c.Seen, s)
	slices.SortFunc(c.Seen, Sighting.compare)
	c.Seen = c.Seen[max(0, len(c.Seen)-maxSightings):]
}

func (s Sighting) compare(o Sighting) int {
	return cmp.Or(s.At.Compare(o.At), strings.Compare(s.Trace, o.Trace))
}

// isSame reports whether two sightings are of one session, or of a copy of it.
func (s Sighting) isSame(o Sighting) bool {
	first, _, _ := strings.Cut(s.Span, "..")
	return s.Trace == o.Trace || s.Span == o.Span && index.IsRandomID(s.Trace, first)
}

func (c *Candidate) last() Sighting { return c.Seen[len(c.Seen)-1] }

// Lesson returns the lesson that a candidate is: with the cure that most of its sessions used, or of equals the
// latest, in the latest words; and with a reason if two sessions gave the same one.
func (c *Candidate) Lesson() answer.Lesson {
	var best Sighting
	most, count := 0, map[string]int{}
	for _, s := range c.Seen {
		count[s.Remedy.Command]++
	}
	for _, s := range c.Seen {
		if n := count[s.Remedy.Command]; n >= most {
			best, most = s, n
		}
	}
	best.Why = ""
	for i, s := range c.Seen {
		if slices.ContainsFunc(c.Seen[:i], func(o Sighting) bool { return saysSame(s.Why, o.Why) }) {
			best.Why = s.Why
		}
	}
	return best.Lesson
}

// saysSame reports whether two sentences share most of the words of each.
func saysSame(a, b string) bool {
	in, shared := words.AlignWords(b), 0
	of := words.AlignWords(a)
	for word := range of {
		if in[word] {
			shared++
		}
	}
	return 2*shared > max(len(of), len(in))
}

// Says reports whether a session shows a candidate in words with this key.
func (c *Candidate) Says(key string) bool {
	return slices.ContainsFunc(c.Seen, func(s Sighting) bool { return index.KeyOf(s.Text) == key })
}

// In returns what a session shows, if it is among the latest; false if not.
func (c *Candidate) In(trace string) (Sighting, bool) {
	i := slices.IndexFunc(c.Seen, func(s Sighting) bool { return s.Trace == trace })
	if i < 0 {
		return Sighting{}, false
	}
	return c.Seen[i], true
}

// Sources returns where a candidate comes from, but for one session.
func (c *Candidate) Sources(but string) (list []index.Source) {
	for _, s := range c.Seen {
		if s.Trace != but {
			list = append(list, index.Source{ID: s.Reflection, Trace: s.Trace, Session: s.Session, Span: s.Span, Model: oracle.Code, At: s.At})
		}
	}
	return list
}

// AddNeedless notes that a session was shown a lesson needlessly, and returns all that were.
func (l *List) AddNeedless(id string, s Session) Needless {
	n := l.needless[id]
	if n == nil {
		n = &Needless{ID: id}
		l.needless[id] = n
	}
	if !slices.ContainsFunc(n.Sessions, func(o Session) bool { return o.Trace == s.Trace }) {
		n.Sessions = append(n.Sessions, s)
	}
	slices.SortFunc(n.Sessions, func(a, b Session) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Trace, b.Trace)) })
	n.Sessions = n.Sessions[max(0, len(n.Sessions)-maxNeedless):]
	return *n
}
