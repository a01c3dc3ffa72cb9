package reflect

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/facts"
	"mem/index"
	"mem/oracle"
	"mem/oracle/heuristic"
	"mem/oracle/heuristic/speech"
	"mem/words"
)

// Bounds of the facts that are looked at.
const (
	maxCandidates = 2000
	maxSightings  = 8    // of one candidate, or lesson, the latest
	maxText       = 300  // bytes of one with its reason
	maxAll        = 4000 // of all
)

// A Candidate is shown by one session and told to none: a failure and its cure, or a command that a person
// stopped. It becomes a lesson when a second session shows the same. By the id of a lesson it holds which sessions were
// shown that needlessly.
type Candidate struct {
	Sessions int        `json:"sessions"` // that showed it
	Seen     []Sighting `json:"seen"`     // the latest of them, by time
}

// A Sighting is a candidate as one session shows it.
type Sighting struct {
	Reflection string    `json:"reflection,omitzero"`
	Trace      string    `json:"trace,omitzero"` // identity of the session
	Session    string    `json:"session,omitzero"`
	At         time.Time `json:"at,omitzero"`
	Of         string    `json:"needless,omitzero"` // the lesson that the session was shown needlessly; "" for a candidate
	index.Lesson
}

// key names what a sighting is about, so that sessions which show the same agree on it; "" if it cannot be a candidate.
func (s Sighting) key() string { return cmp.Or(s.Of, heuristic.Signature(s.Cue)) }

func (s Sighting) encode() jsontext.Value {
	data, _ := json.Marshal(s, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)) // texts alone: none fails
	return data
}

// addSighting adds the candidate of a session to a table, and returns the entry. A session counts once, in whatever
// copy it is read.
func addSighting(table map[string]Candidate, key string, s Sighting) Candidate {
	c := table[key]
	isFull := len(c.Seen) == maxSightings
	if slices.ContainsFunc(c.Seen, s.isSame) || isFull && s.compare(c.Seen[0]) < 0 { // which may have been counted
		return c
	}
	c.Sessions++
	c.Seen = append(slices.Clip(c.Seen), s)
	slices.SortFunc(c.Seen, Sighting.compare)
	c.Seen = c.Seen[max(0, len(c.Seen)-maxSightings):]
	table[key] = c
	return c
}

// haveKeys reports whether a table has the keys that this build gives.
func haveKeys(table map[string]Candidate) bool {
	for key, c := range table {
		if len(c.Seen) == 0 || c.Last().key() != key {
			return false
		}
	}
	return true
}

// addFact adds what a fact says of candidates to a table.
func addFact(table map[string]Candidate, f facts.Fact) {
	for _, raw := range f.Candidates {
		s := Sighting{}
		if json.Unmarshal(raw, &s) != nil {
			continue // of which a purge left nothing
		}
		s.Reflection, s.Trace, s.Session = cmp.Or(s.Reflection, f.ID), cmp.Or(s.Trace, f.Trace), cmp.Or(s.Session, f.Session)
		s.At = cmp.Or(s.At, f.At)
		if s.key() != "" {
			addSighting(table, s.key(), s)
		}
	}
}

// boundCandidates drops candidates without sightings, those that a purge removed words from, and those
// above the limits: first those that the fewest sessions show, oldest first.
func boundCandidates(table map[string]Candidate) {
	maps.DeleteFunc(table, func(key string, c Candidate) bool {
		return len(c.Seen) == 0 || strings.Contains(key, purgedMark) || slices.ContainsFunc(c.Seen, func(s Sighting) bool {
			return strings.Contains(s.Text+s.Why+s.Cue.Command+s.Cue.Error+s.Remedy.Command+s.Next, purgedMark)
		})
	})
	sightings := 0
	for i, key := range sortCandidates(table) {
		if sightings += len(table[key].Seen); i >= maxCandidates || sightings > maxAll {
			delete(table, key)
		}
	}
}

// sortCandidates returns the keys of a table: those of most sessions first, then the latest.
func sortCandidates(table map[string]Candidate) []string {
	return slices.SortedFunc(maps.Keys(table), func(a, b string) int {
		x, y := table[a], table[b]
		return cmp.Or(y.Sessions-x.Sessions, y.Last().compare(x.Last()), strings.Compare(a, b))
	})
}

func (s Sighting) compare(o Sighting) int {
	return cmp.Or(s.At.Compare(o.At), strings.Compare(s.Trace, o.Trace))
}

// isSame reports whether two sightings are of one session, or of a copy of it.
func (s Sighting) isSame(o Sighting) bool {
	first, _, _ := strings.Cut(s.Span, "..")
	return s.Trace == o.Trace || s.Span == o.Span && facts.IsRandomID(s.Trace, first)
}

// Last returns the latest sighting.
func (c Candidate) Last() Sighting { return c.Seen[len(c.Seen)-1] }

// best returns the lesson that a candidate is: with the cure that most of its sessions used or, if none is known, ran
// next; of equals the latest, in the latest words; and with a reason if two sessions gave the same one.
func (c Candidate) best() index.Lesson {
	best, _ := c.choose()
	return best.Lesson
}

// choose returns the sighting that a candidate is shown as, and whether most of its sessions that went on had some cure,
// or ran this one next.
func (c Candidate) choose() (best Sighting, agrees bool) {
	ran, next, cured := c.count()
	went, most, line := len(c.Seen)-ran[""], 0, ""
	ran[""] = 0
	isOne := true // error, and not of another name in each session
	for _, s := range c.Seen {
		isOne = isOne && errorOf(s.Text) == errorOf(c.Seen[0].Text)
		if next != "" && slices.Contains(strings.Split(s.Next, "; "), next) {
			what, said, _ := strings.Cut(s.Text, " fails with ")
			if line = cmp.Or(line, said); line != said {
				line = "`" + s.Cue.Error + "`" // whatever it names
			}
			s.Text, s.Remedy.Command, s.Cue.Command = "When "+what+" fails with "+line+", run `"+next+"`", next, ""
		}
		if n := ran[s.Remedy.Command]; n >= most {
			best, most = s, n
		}
	}
	if best.Why = c.reason(); best.isBare() && best.Why != "" && len(best.Text)+len(best.Why) < maxText {
		best.Text += ": " + best.Why
	}
	return best, most == 0 || 2*max(cured, most) > went && (isOne || most > 1)
}

func errorOf(text string) string {
	_, failed, _ := strings.Cut(text, " fails with `")
	failed, _, _ = strings.Cut(failed, "`")
	return failed
}

// count returns in how many sessions each command cured or was run next, "" where none was; the one that two sessions,
// and most of all, have in common; and how many knew a cure.
func (c Candidate) count() (ran map[string]int, next string, cured int) {
	ran = map[string]int{}
	for _, s := range c.Seen {
		cured += min(1, len(s.Remedy.Command))
		for command := range strings.SplitSeq(cmp.Or(s.Remedy.Command, s.Next), "; ") {
			ran[command]++
		}
	}
	most := max(1, len(c.Seen)/2)
	for command, n := range ran {
		if n > most {
			next, most = command, n
		} else if n == most {
			next = ""
		}
	}
	return ran, next, cured
}

// reason returns the latest reason that two sessions gave; "" if there is none.
func (c Candidate) reason() (why string) {
	for i, s := range c.Seen {
		if slices.ContainsFunc(c.Seen[:i], func(o Sighting) bool {
			of, in := words.AlignWords(s.Why), words.AlignWords(o.Why)
			return 2*speech.CountShared(of, in) > max(len(of), len(in)) // most of the words of each
		}) {
			why = s.Why
		}
	}
	return why
}

// isBare reports whether a candidate says no more than that something fails, which may be over by now.
func (s Sighting) isBare() bool { return s.Remedy.Command+s.Cue.Command == "" }

// isLesson reports whether the sessions of a candidate make a lesson of it: there are two, and it says what to do or
// to leave, or why it is so.
func (c Candidate) isLesson() bool {
	best, agrees := c.choose()
	return c.Sessions > 1 && agrees && (!best.isBare() || best.Why != "")
}

// isUsual reports whether more than two thirds of the sessions that taught anything since the first of these show it.
func (c Candidate) isUsual(known Traces) bool {
	others := 0
	for trace, mark := range known.Marks {
		if !mark.At.Before(c.Seen[0].At) && !slices.ContainsFunc(c.Seen, func(s Sighting) bool { return s.Trace == trace }) {
			others++
		}
	}
	return 2*others < len(c.Seen)
}

// split returns what a session shows, false if that is not among the latest, and where else a candidate is from.
func (c Candidate) split(trace string) (own Sighting, ok bool, others []index.Source) {
	for _, s := range c.Seen {
		if s.Trace == trace {
			own, ok = s, true
			continue
		}
		others = append(others, index.Source{ID: s.Reflection, Trace: s.Trace, Session: s.Session, Span: s.Span, Model: oracle.Code, At: s.At})
	}
	return own, ok, others
}
