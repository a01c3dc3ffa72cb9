package reflect_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"mem/envtest"
	"mem/index"
	"mem/oracle"
	"mem/reflect"
	"mem/repo"
	"mem/session"
)

// The floors of the halves of fixtures/eval that are worked with. A blind half has none: it
// says how good the heuristics are, and must not be worked towards.
const (
	wantPrecision = 0.95
	wantRecall    = 0.7
)

// An evaluated session is one of fixtures/eval.
type evaluated struct {
	name   string
	format string
	events []written
	labels []label
}

// A written event is a line of a fixture and the lines that belong to it.
type written struct {
	mark byte
	text string
	more string
}

// A label is a lesson worth noting: all words, each in one of its forms.
type label struct {
	side   string // "fix", "mistake", or "" for either
	signal string
	words  [][]string
}

// sessions reads one half of the labelled set.
func sessions(t *testing.T, name string) []evaluated {
	t.Helper()
	data := envtest.Read(t, "../fixtures/eval/"+name+".txt")
	var all []evaluated
	for l := range strings.Lines(data) {
		l = strings.TrimRight(l, "\n")
		switch {
		case strings.HasPrefix(l, "== "):
			title, format, _ := strings.Cut(strings.TrimSuffix(l[3:], ")"), " (")
			all = append(all, evaluated{name: title, format: format})
			continue
		case l == "":
			continue
		}
		s := &all[len(all)-1]
		switch {
		case strings.HasPrefix(l, "="):
			s.labels = append(s.labels, parseLabel(l[1:]))
		case strings.HasPrefix(l, "  "):
			e := &s.events[len(s.events)-1]
			e.more += strings.ReplaceAll(l[2:], `\n`, "\n") + "\n"
		default:
			s.events = append(s.events, written{mark: l[0], text: strings.TrimSpace(l[1:])})
		}
	}
	return all
}

func parseLabel(s string) label {
	head, list, _ := strings.Cut(s, ": ")
	side, signal, _ := strings.Cut(head, " ")
	l := label{side: side, signal: signal}
	for w := range strings.SplitSeq(list, ", ") {
		l.words = append(l.words, strings.Split(w, "|"))
	}
	return l
}

// covers reports whether a lesson says what the label wants.
func (l label) covers(side, text string) bool {
	if l.side != "" && l.side != side {
		return false
	}
	text = strings.ToLower(text)
	for _, forms := range l.words {
		if !slices.ContainsFunc(forms, func(w string) bool { return strings.Contains(text, strings.ToLower(w)) }) {
			return false
		}
	}
	return true
}

// session writes the events down as the agent would have, and reads them.
func (s evaluated) session(t *testing.T) *session.Session {
	t.Helper()
	tr := newTranscript(cmp.Or(map[string]string{"plain": "claude"}[s.format], s.format), strings.ReplaceAll(s.name, " ", "-"))
	for i, e := range s.events {
		more := strings.TrimRight(e.more, "\n")
		switch e.mark {
		case '>':
			tr.user(e.text)
		case '<':
			tr.say(e.text)
		case '$':
			tr.call("Bash", map[string]any{"command": e.text}, more, false)
		case '!':
			failed := "Exit code 1\n" + more
			if s.format == "pi" {
				failed = more + "\n\nCommand exited with code 1"
			}
			tr.call("Bash", map[string]any{"command": e.text}, failed, true)
		case 'E':
			tr.call("Edit", map[string]any{"file_path": e.text, "old_string": fmt.Sprint("line ", i), "new_string": more}, "The file has been updated.", false)
		case 'F':
			tr.call("Edit", map[string]any{"file_path": e.text, "old_string": fmt.Sprint("line ", i), "new_string": more}, more, true)
		case 'R':
			tr.call("Read", map[string]any{"file_path": e.text}, more, false)
		case 'W':
			tr.call("WebFetch", map[string]any{"url": e.text}, more, false)
		case 'N':
			tr.deny("Bash", map[string]any{"command": e.text}, strings.TrimPrefix(more, ": "))
		case '^':
			tr.user("[Request interrupted by user]")
		default:
			t.Fatalf("%s: what is %q?", s.name, e)
		}
	}
	doc := tr.read(t)
	if s.format != "plain" {
		return doc
	}
	return &session.Session{ID: doc.ID, Events: doc.Events} // as if no known agent had written it
}

// A tally counts lessons and labels.
type tally struct{ right, junk, found, wanted int }

func (a *tally) add(b tally) {
	a.right, a.junk, a.found, a.wanted = a.right+b.right, a.junk+b.junk, a.found+b.found, a.wanted+b.wanted
}

func (a tally) precision() float64 { return float64(a.right) / float64(max(1, a.right+a.junk)) }
func (a tally) recall() float64    { return float64(a.found) / float64(max(1, a.wanted)) }

func (a tally) String() string {
	return fmt.Sprintf("precision %.2f (%d of %d lessons), recall %.2f (%d of %d labels)",
		a.precision(), a.right, a.right+a.junk, a.recall(), a.found, a.wanted)
}

// judge reflects on a session and compares what was learned with its labels.
// found counts labels by signal; the notes say what was missed and what was
// junk.
func (s evaluated) judge(t *testing.T, found map[string]*tally) (sum tally, notes []string) {
	t.Helper()
	r := reflect.Reflector{Oracles: []oracle.Oracle{oracle.Rules}}
	p, reason, err := r.ReflectOn(t.Context(), repo.BlankMemory(noon, repo.Options{}), s.session(t), reflect.Options{Now: noon})
	envtest.StopIf(t, err != nil || p == nil && reason != reflect.NothingToSay, "%s: %q, %v", s.name, reason, err)
	hit := make([]bool, len(s.labels))
	check := func(side string, lessons []index.Lesson) {
		for _, l := range lessons {
			right := false
			for i, want := range s.labels {
				if want.covers(side, l.Text) {
					right, hit[i] = true, true
				}
			}
			if right {
				sum.right++
				notes = append(notes, fmt.Sprintf("  right %s: %s", side, l.Text))
			} else {
				sum.junk++
				notes = append(notes, fmt.Sprintf("  JUNK  %s: %s", side, l.Text))
			}
		}
	}
	if p != nil {
		check("mistake", p.Mistakes)
		isOpen := func(l index.Lesson) bool { return l.Next != "" } // what cures it is for several sessions to say
		check("fix", slices.DeleteFunc(slices.Concat(p.Fixes, p.Sightings), isOpen))
	}
	for i, want := range s.labels {
		one := tally{wanted: 1}
		if hit[i] {
			one.found = 1
		} else {
			notes = append(notes, fmt.Sprintf("  MISS  %s: %s", want.signal, want.words))
		}
		sum.add(one)
		if found[want.signal] == nil {
			found[want.signal] = &tally{}
		}
		found[want.signal].add(one)
	}
	return sum, notes
}

// What a careful engineer would note after real work, and what is learned.
func TestEval(t *testing.T) {
	for _, half := range []string{"tuned", "blind", "elsewhere", "elsewhere-blind", "unseen", "kinds"} {
		var sum tally
		signals := map[string]*tally{}
		all := sessions(t, half)
		quiet := 0
		for _, s := range all {
			one, notes := s.judge(t, signals)
			sum.add(one)
			if len(s.labels) == 0 {
				quiet++
			}
			if len(notes) > 0 {
				t.Logf("%s: %s\n%s", half, s.name, strings.Join(notes, "\n"))
			}
		}
		t.Logf("== %s: %d sessions, %d of them with nothing to learn: %s", half, len(all), quiet, sum)
		for _, name := range slices.Sorted(maps.Keys(signals)) {
			t.Logf("==   %s: recall %.2f (%d of %d)", name, signals[name].recall(), signals[name].found, signals[name].wanted)
		}
		envtest.FailIf(t, len(all) < 15 || 3*quiet < len(all),
			"%s: %d sessions, %d of them with nothing to learn; want 15, and a third", half, len(all), quiet)
		if (half == "tuned" || half == "kinds") && (sum.precision() < wantPrecision || sum.recall() < wantRecall) {
			t.Errorf("%s: %s; want at least %.2f and %.2f", half, sum, wantPrecision, wantRecall)
		}
	}
}
