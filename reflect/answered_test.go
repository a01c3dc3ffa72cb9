package reflect_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mem/guard"
	"mem/index"
	"mem/oracle"
	"mem/reflect"
	"mem/repo"
	"mem/session"
	"mem/words"
)

// An answered lesson is one that a scripted model gives, with the events it names.
type answered struct {
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	Events []int  `json:"events"`
}

// A fate says what became of the lessons of an answer.
type fate struct{ active, review, left, lost int }

// waitsRightly reports whether a person has to look at a lesson: it reads like an order, or
// it rests on something from outside, by what it names or by its words.
func (a answered) waitsRightly(events []session.Event) bool {
	want := words.AlignWords(a.Text)
	outside := func(n int, e session.Event) bool {
		shared := 0
		for w := range words.AlignWords(e.Text) {
			if want[w] {
				shared++
			}
		}
		return e.Origin == session.External && (slices.Contains(a.Events, n+1) || 10*shared >= 3*len(want))
	}
	for n, e := range events {
		if outside(n, e) {
			return true
		}
	}
	return len(guard.Lint(a.Text)) > 0
}

// follow answers a request about a session with these lessons and follows each into the
// index.
func (f *fate) follow(t *testing.T, s *session.Session, lessonsOf func(events []session.Event) []answered) {
	t.Helper()
	var given []answered
	var events []session.Event
	model := &asker{name: "scripted", f: func(r oracle.Request) (string, error) {
		events, given = r.Events, lessonsOf(r.Events)
		out, err := json.Marshal(map[string]any{"lessons": given})
		return string(out), err
	}}
	r := reflect.Reflector{Oracles: []oracle.Oracle{model}}
	m := repo.BlankMemory(noon, repo.Options{})
	p, _, err := r.ReflectOn(t.Context(), m, s, reflect.Options{Now: noon})
	if err != nil || p == nil {
		t.Fatalf("%s: %v, %v", s.ID, p, err)
	}
	var o reflect.Outcome
	if _, err := m.Preview(func(m *repo.Memory) (msg repo.Message, err error) {
		o, msg, err = p.CountInto(m)
		return msg, err
	}); err != nil {
		t.Fatal(err)
	}
	status := map[string]index.Status{}
	for _, l := range o.Lessons {
		status[index.KeyOf(index.StripAvoid(l.Text))] = l.Status
	}
	kept := slices.Concat(p.Fixes, p.Mistakes)
	for _, l := range kept {
		one := slices.IndexFunc(given, func(g answered) bool { return strings.HasSuffix(l.Text, lastWords(g.Text)) })
		rightly := one >= 0 && given[one].waitsRightly(events)
		switch st := status[index.KeyOf(index.StripAvoid(l.Text))]; {
		case st == index.Active:
			f.active++
		case st == index.Quarantined && rightly:
			f.review++
			t.Logf("review: %s (%s)", l.Text, l.Origin)
		default:
			f.left++
			t.Logf("%s WRONGLY %q: %s (%s, held %v)", s.ID, st, l.Text, l.Origin, l.Held)
		}
	}
	for _, l := range p.Left {
		f.left++
		t.Logf("%s LEFT: %s (%s)", s.ID, l.Text, l.Reason)
	}
	f.lost += len(given) - len(kept) - len(p.Left)
}

// lastWords are what is left of a lesson however it begins.
func lastWords(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[max(0, len(words)-4):], " ")
}

// check wants at least 97 of 100 lessons in their place, and none lost.
func (f fate) check(t *testing.T, what string) {
	t.Helper()
	all := f.active + f.review + f.left + f.lost
	t.Logf("== answers about %s: %d of %d lessons of a scripted model are active, %d wait in review for a reason, %d are left or wait without one, %d are lost", what, f.active, all, f.review, f.left, f.lost)
	if f.lost > 0 || 100*(f.active+f.review) < 97*all {
		t.Errorf("%s: %+v", what, f)
	}
}

// TestAnswered follows what a model would have answered, the lessons that were noted by
// hand, from the answer into the index: for the sessions of fixtures/eval, and for those
// of the folders that MEM_EVAL names.
func TestAnswered(t *testing.T) {
	var own fate
	for _, half := range []string{"tuned", "elsewhere"} {
		for _, s := range sessions(t, half) {
			if len(s.labels) > 0 {
				own.follow(t, s.session(t), s.answers)
			}
		}
	}
	own.check(t, "fixtures/eval")
	for dir := range strings.FieldsSeq(os.Getenv("MEM_EVAL")) {
		followLabelled(t, dir)
	}
}

// answers words the labels of a session as a model would, resting on all that was done
// and said: of a lesson with a failure, from the failure on.
func (s evaluated) answers(events []session.Event) (all []answered) {
	for i, want := range s.labels {
		a := answered{Kind: "fix"}
		var words []string
		for _, forms := range want.words {
			words = append(words, "`"+forms[0]+"`")
		}
		a.Text = fmt.Sprintf("Session %s, point %d: in this project the right thing is %s", s.name, i+1, strings.Join(words, " and "))
		for n, e := range events {
			if e.Kind == session.ToolResult || e.Kind == session.UserText && n > 0 {
				a.Events = append(a.Events, n+1)
			}
		}
		all = append(all, a)
	}
	return all
}

func followLabelled(t *testing.T, dir string) {
	var all []struct {
		Session string
		Lessons []struct{ Kind, Text, At string }
	}
	if !readJSON(t, filepath.Join(dir, "labels.json"), &all) {
		return
	}
	var sum fate
	for _, s := range all {
		if len(s.Lessons) == 0 {
			continue
		}
		doc, starts := openPacked(t, filepath.Join(dir, s.Session))
		sum.follow(t, doc, func(events []session.Event) (given []answered) {
			for _, l := range s.Lessons {
				a := answered{Kind: l.Kind, Text: l.Text}
				for n, e := range events {
					if withinLines(l.At, lineOf(starts, e.Offset)) {
						a.Events = append(a.Events, n+1)
					}
				}
				given = append(given, a)
			}
			return given
		})
	}
	sum.check(t, dir)
}

// withinLines reports whether a line is one of those of a list such as "3-5,9".
func withinLines(list string, line int) bool {
	for part := range strings.SplitSeq(list, ",") {
		from, to, found := strings.Cut(strings.TrimSpace(part), "-")
		if !found {
			to = from
		}
		a, errA := strconv.Atoi(from)
		b, errB := strconv.Atoi(to)
		if errA == nil && errB == nil && a <= line && line <= b {
			return true
		}
	}
	return false
}
