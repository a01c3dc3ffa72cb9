package reflect_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mem/envtest"
	"mem/index"
	"mem/oracle"
	"mem/reflect"
	"mem/repo"
	"mem/session"
	"mem/trace"
	"mem/words"
)

// A wanted lesson is a label of labels.json: what a careful engineer would note.
type wanted struct {
	Text, Basis, At, Value, Reach string
	Cues                          []string
}

// near is how many lines a lesson's evidence may lie from a label's.
const near = 15

// matches reports whether a lesson from these lines says what the label wants, as far
// as a program can tell.
func (w wanted) matches(text string, first, last int) bool {
	text = strings.ToLower(text)
	hits := 0
	for _, cue := range w.Cues {
		if strings.Contains(text, strings.ToLower(cue)) {
			hits++
		}
	}
	if hits < min(2, max(1, len(w.Cues)-1)) {
		return false
	}
	for at := range strings.SplitSeq(w.At, ",") {
		from, to, _ := strings.Cut(strings.TrimSpace(at), "-")
		a, err := strconv.Atoi(from)
		if err != nil {
			continue
		}
		b, err := strconv.Atoi(to)
		if err != nil {
			b = a
		}
		if first <= b+near && last >= a-near {
			return true
		}
	}
	return false
}

// A trap says which lines of a session look like a lesson and are none, and why.
type trap string

var reLines = regexp.MustCompile(`\b(\d+)(?:-(\d+))?\b`)

// isAbout reports whether a lesson rests on a line that the trap names, and shares two words
// with it. Whether the lesson falls for it only a reader can tell.
func (tr trap) isAbout(text string, first, last int) bool {
	of, shared := words.AlignWords(string(tr)), 0
	for w := range words.AlignWords(text) {
		if of[w] {
			shared++
		}
	}
	return shared > 1 && slices.ContainsFunc(reLines.FindAllStringSubmatch(string(tr), -1), func(m []string) bool {
		from, _ := strconv.Atoi(m[1])
		to, err := strconv.Atoi(m[2])
		if err != nil {
			to = from
		}
		return first <= to && last >= from
	})
}

// countAlike counts the records that are active and share most of their words with one before.
func countAlike(items []index.Item) (alike int) {
	var seen []map[string]bool
	for _, it := range items {
		of := words.AlignWords(index.StripAvoid(it.Text))
		if it.Status == index.Active && slices.ContainsFunc(seen, func(other map[string]bool) bool { return overlap(of, other) >= 0.6 }) {
			alike++
		}
		if it.Status == index.Active {
			seen = append(seen, of)
		}
	}
	return alike
}

// overlap is how much of all the words of two texts both have.
func overlap(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

// TestMeasured measures the heuristics on sessions with labels and on conversations that
// decide something, which are not part of the project: those of the folders that
// MEM_EVAL names. It prints each lesson with the label that it answers, for readers to judge.
func TestMeasured(t *testing.T) {
	for dir := range strings.FieldsSeq(os.Getenv("MEM_EVAL")) {
		measureLabelled(t, dir)
		measureDecisions(t, dir)
	}
}

// readJSON reads a file of a folder of material; false if there is none.
func readJSON(t *testing.T, path string, v any) bool {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	envtest.StopIf(t, err != nil, "%v %v", path, err)
	return true
}

func measureLabelled(t *testing.T, dir string) {
	var all []struct {
		Session string
		Lessons []wanted
		Traps   []trap `json:"junk_traps"`
	}
	if !readJSON(t, filepath.Join(dir, "labels.json"), &all) {
		return
	}
	projects, reach := map[string]*tally{}, map[string]*tally{}
	traps, near := 0, 0
	count := func(sums map[string]*tally, name string, one tally) {
		if sums[name] == nil {
			sums[name] = &tally{}
		}
		sums[name].add(one)
	}
	for _, s := range all {
		doc, starts := openPacked(t, filepath.Join(dir, s.Session))
		project, _, _ := strings.Cut(s.Session, "__")
		hit := make([]bool, len(s.Lessons))
		traps += len(s.Traps)
		for _, l := range learnFrom(t, doc) {
			first, last := linesOf(doc, starts, l.Span)
			one, label := tally{junk: 1}, ""
			for i, want := range s.Lessons {
				if want.matches(l.Text, first, last) {
					one, hit[i], label = tally{right: 1}, true, label+fmt.Sprintf(" [%s: %s]", want.Value, want.Text)
				}
			}
			for _, trap := range s.Traps {
				if trap.isAbout(l.Text, first, last) {
					near++
					label += "\n      NEAR A TRAP: " + string(trap)
				}
			}
			count(projects, project, one)
			t.Logf("%s %d-%d %s%s\n      %s", s.Session, first, last, map[bool]string{true: "HELD "}[l.Held], l.Text, label)
		}
		for i, want := range s.Lessons {
			one := tally{wanted: 1}
			if hit[i] {
				one.found = 1
			} else if want.Reach == "code" {
				t.Logf("%s %s MISSED %s %s: %s", s.Session, want.At, want.Basis, want.Value, want.Text)
			}
			count(projects, project, one)
			count(reach, want.Reach+" "+want.Basis, one)
			count(reach, want.Reach, one)
		}
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Session)
	}
	measureTogether(t, dir, names)
	t.Logf("== traps: %d of %d are near a lesson, for readers to judge", near, traps)
	for _, sums := range []map[string]*tally{projects, reach} {
		for _, name := range slices.Sorted(maps.Keys(sums)) {
			t.Logf("== %s: %s", name, sums[name])
		}
	}
}

// measureTogether counts what the sessions of each project, in the order in which they began,
// leave in one memory, and prints it with the lines that it rests on.
func measureTogether(t *testing.T, dir string, names []string) {
	type packed struct {
		name   string
		s      *session.Session
		starts []int64
	}
	projects := map[string][]packed{}
	for _, name := range names {
		s, starts := openPacked(t, filepath.Join(dir, name))
		project, _, _ := strings.Cut(name, "__")
		projects[project] = append(projects[project], packed{name, s, starts})
	}
	kept, again, replaced, alike := 0, 0, 0, 0
	for _, project := range slices.Sorted(maps.Keys(projects)) {
		list := projects[project]
		slices.SortFunc(list, func(a, b packed) int { return a.s.Started.Compare(b.s.Started) })
		m := repo.BlankMemory(noon, repo.Options{})
		for _, one := range list {
			countSession(t, m, one.s)
		}
		alike += countAlike(m.Index.Items)
		for _, it := range m.Index.Items {
			kept++
			again += it.Hits - 1
			if it.Status == index.Superseded {
				replaced++
			}
			t.Logf("kept %s %dx: %s", it.Status, it.Hits, it.Text)
			for _, from := range it.Sources {
				for _, one := range list {
					if first, last := linesOf(one.s, one.starts, from.Span); first > 0 {
						t.Logf("    %s %d-%d", one.name, first, last)
					}
				}
			}
		}
	}
	t.Logf("== together: %d lessons, %d came again, %d were replaced, %d are near another one (%.1f %%)",
		kept, again, replaced, alike, 100*float64(alike)/float64(max(1, kept-replaced)))
}

// countSession counts what the heuristics find in a session into a memory.
func countSession(t *testing.T, m *repo.Memory, s *session.Session) {
	r := reflect.Reflector{Oracles: []oracle.Oracle{oracle.Rules}}
	p, _, err := r.ReflectOn(t.Context(), m, s, reflect.Options{Now: noon})
	if err == nil && p != nil {
		_, _, err = p.CountInto(m)
	}
	envtest.StopIf(t, err != nil, "%v %v", s.ID, err)
}

// openPacked reads a packed session; starts holds the place of each of its lines.
func openPacked(t *testing.T, path string) (s *session.Session, starts []int64) {
	f, err := os.Open(path + ".gz")
	envtest.NoError(t, err)
	defer f.Close()
	plain, err := gzip.NewReader(f)
	envtest.NoError(t, err)
	data, err := io.ReadAll(plain)
	envtest.NoError(t, err)
	doc, err := trace.Read(bytes.NewReader(data))
	envtest.StopIf(t, err != nil, "%v %v", path, err)
	at := int64(0)
	for lines := bufio.NewReader(bytes.NewReader(data)); ; {
		line, err := lines.ReadString('\n')
		if starts = append(starts, at); err != nil {
			return doc.Session, starts
		}
		at += int64(len(line))
	}
}

// linesOf returns the lines, from 1, of the events that are behind a lesson.
func linesOf(s *session.Session, starts []int64, span string) (first, last int) {
	from, to, _ := strings.Cut(span, "..")
	for _, e := range s.Events {
		line := lineOf(starts, e.Offset)
		if e.ID == from {
			first, last = line, line
		}
		if e.ID == to {
			last = line
		}
	}
	return first, last
}

// lineOf returns the line, from 1, that begins at or before a place.
func lineOf(starts []int64, offset int64) int {
	line := len(starts) - 1
	for line > 0 && starts[line] > offset {
		line--
	}
	return line + 1
}

// learnFrom returns the lessons that the heuristics find in a session, as they would
// be kept.
func learnFrom(t *testing.T, s *session.Session) (all []index.Lesson) {
	r := reflect.Reflector{Oracles: []oracle.Oracle{oracle.Rules}}
	p, _, err := r.ReflectOn(t.Context(), repo.BlankMemory(noon, repo.Options{}), s, reflect.Options{Now: noon})
	envtest.NoError(t, err)
	if p != nil {
		for _, l := range p.Mistakes {
			l.Text = "Avoid: " + l.Text
			all = append(all, l)
		}
		all = append(append(all, p.Fixes...), p.Sightings...)
	}
	return all
}

// A turn is one message of a conversation without tools.
type turn struct{ Role, Text string }

// converse writes a conversation down as a neutral trace, and reads it.
func converse(t *testing.T, id string, turns []turn) *session.Session {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"format":"mem-trace","version":1,"agent":"bench","id":%q}`+"\n", id)
	for _, turn := range turns {
		line, err := json.Marshal(map[string]string{"kind": turn.Role, "text": turn.Text})
		envtest.NoError(t, err)
		b.Write(append(line, '\n'))
	}
	doc, err := trace.Read(&b)
	envtest.NoError(t, err)
	return doc.Session
}

// reNamed matches what names the thing that was decided. A lesson that has one of these,
// or three of the other words, is counted as saying it.
var reNamed = regexp.MustCompile(`\d+(?:\.\d+)?|[A-Za-z]+_\w+|[A-Z][a-z]+[A-Z]\w+`)

func measureDecisions(t *testing.T, dir string) {
	var talks []struct {
		Task, Decides string
		Conversations [][]turn
	}
	if !readJSON(t, filepath.Join(dir, "decisions.json"), &talks) {
		return
	}
	decided, found, junk := 0, 0, 0
	for _, talk := range talks {
		m := repo.BlankMemory(noon, repo.Options{})
		for i, turns := range talk.Conversations {
			countSession(t, m, converse(t, fmt.Sprint(talk.Task, i), turns))
		}
		for _, it := range m.Index.Items {
			t.Logf("kept %s %dx %s: %s", it.Status, it.Hits, talk.Task, it.Text)
		}
		for i, turns := range talk.Conversations {
			decided++
			names := reNamed.FindAllString(talk.Decides, -1)
			terms := words.AlignWords(talk.Decides)
			hit := false
			for _, l := range learnFrom(t, converse(t, fmt.Sprint(talk.Task, i), turns)) {
				says := slices.ContainsFunc(names, func(name string) bool { return strings.Contains(l.Text, name) })
				shared := 0
				for w := range words.AlignWords(l.Text) {
					if terms[w] {
						shared++
					}
				}
				says = says || shared >= 3
				hit = hit || says
				t.Logf("%s %d says %v: %s\n      decides: %s", talk.Task, i, says, l.Text, talk.Decides)
			}
			if hit {
				found++
			} else {
				t.Logf("%s %d MISSED: %s", talk.Task, i, talk.Decides)
			}
		}
	}
	var decoys []struct{ Turns []turn }
	readJSON(t, filepath.Join(dir, "decoys.json"), &decoys)
	for i, d := range decoys {
		for _, l := range learnFrom(t, converse(t, fmt.Sprint("decoy", i), d.Turns)) {
			junk++
			t.Logf("decoy %d: %s", i, l.Text)
		}
	}
	t.Logf("== decisions: a lesson that names what was decided from %d of %d conversations; %d lessons from %d decoys", found, decided, junk, len(decoys))
}
