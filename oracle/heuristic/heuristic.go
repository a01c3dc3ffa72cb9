// Package heuristic finds the lessons of a session without a model.
//
// It applies two rules to the events of a session: a command that failed and what
// cured it, and what a person corrected, refused or decided. Lessons is pure. Package shell
// understands commands and errors, package speech what people say.
//
// A junk lesson costs more than a missed one, so a rule that is in doubt says
// nothing. Ranking across sessions, trust and redaction are the work of other
// packages.
package heuristic

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/oracle"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/session"
)

// MaxText is the most characters that a lesson has.
const MaxText = 240

// unlessLong returns a text, or another one if that has more than MaxText characters.
func unlessLong(text, instead string) string {
	if utf8.RuneCountInString(text) > MaxText {
		return instead
	}
	return text
}

// A Lesson is what a session teaches, in the form in which a model answers too.
type Lesson struct {
	Text   string    `json:"text"`
	Why    string    `json:"why,omitzero"`
	Cue    *Literals `json:"cue,omitzero"`    // under which it matters; nil if nothing failed
	Remedy *Literals `json:"remedy,omitzero"` // of what cured it
	Events []int     `json:"events,omitzero"` // that it rests on, counted from 1
	Op     string    `json:"op,omitzero"`     // Once, or ""
}

// Once is the Op of a lesson that counts when another session shows it, too.
const Once = "once"

// Literals are the program, subcommand and flags of a command, the signature of an
// error, and a file below the project.
type Literals struct {
	Tool    string `json:"tool,omitzero"`
	Command string `json:"command,omitzero"`
	Error   string `json:"error,omitzero"`
	Path    string `json:"path,omitzero"`
}

// Signature names what a candidate is about, so that sessions that show the same agree on it: the error and
// the program that failed, or the command that a person stopped. It is "" for what has neither.
func (l Lesson) Signature() string {
	switch {
	case l.Op != Once || l.Cue == nil || l.Cue.Command+l.Cue.Error == "":
		return ""
	case l.Cue.Error == "":
		return "ask\x00" + l.Cue.Command
	}
	program, _, _ := strings.Cut(l.Cue.Command, " ")
	if strings.Contains(l.Cue.Error, "/") && !strings.Contains(l.Cue.Error, " ") {
		program = "" // a folder, whatever fails there
	}
	return l.Cue.Error + "\x00" + program
}

// Lessons returns what the events of a session teach: what to avoid, and what
// to do. Each list holds at most max lessons, the weightiest first; a max of
// 0 or less gives none.
//
// A mistake reads on after "Avoid: "; a fix is a sentence of its own. Both are
// one line of at most MaxText characters.
func Lessons(events []session.Event, max int) (mistakes, fixes []Lesson) {
	if max <= 0 || len(events) == 0 {
		return nil, nil
	}
	s := newTimeline(events)
	return pickLessons(slices.Concat(findCorrections(s), findFailures(s), findStops(s), findForeign(s)), max)
}

// Oracle answers reflection requests with Lessons, without model and network.
type Oracle struct{}

// Name returns "heuristic".
func (Oracle) Name() string { return oracle.Code }

// maxPerSide bounds an answer; the caller cuts it down to its own limit.
const maxPerSide = 32

// Ask answers a Reflect request from its Events with the same JSON a model is
// asked for: {"mistakes": […], "fixes": […]}, both always present. For any
// other task it returns an error.
func (Oracle) Ask(ctx context.Context, r oracle.Request) (string, error) {
	if r.Task != oracle.Reflect {
		return "", fmt.Errorf("a %s needs a model", r.Task)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	var answer struct {
		Mistakes []Lesson `json:"mistakes"`
		Fixes    []Lesson `json:"fixes"`
	}
	answer.Mistakes, answer.Fixes = Lessons(r.Events, maxPerSide)
	b, err := json.Marshal(answer, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "", fmt.Errorf("write the answer: %w", err)
	}
	return string(b), nil
}

// The two lists that a finding can belong to.
const (
	mistake = iota
	fix
)

// How much each kind of signal counts.
const (
	weightWords     = 5 // a person said no, with words
	weightInterrupt = 4 // a person stopped the agent and said why
	weightStanding  = 4 // a person stated a rule that is meant to last
	weightFact      = 2 // a failure and what resolved it
)

// A finding is a lesson before it is ranked against the others.
type finding struct {
	Lesson
	side   int // mistake or fix
	weight int
	at     int    // index of the event it comes from
	topic  string // findings of one side with equal topics say the same; "" is never equal
}

// pickLessons drops repetitions, puts the weightiest first and keeps at most max of
// each side. Equal weights keep the order in which things happened.
func pickLessons(all []finding, max int) (mistakes, fixes []Lesson) {
	slices.SortStableFunc(all, func(a, b finding) int {
		return cmp.Or(b.weight-a.weight, a.at-b.at)
	})
	var kept [2][]finding
	var lessons [2][]Lesson
	for _, f := range all {
		f.Text = shell.OneLine(f.Text, MaxText)
		same := slices.IndexFunc(kept[f.side], f.saysSame)
		if len(kept[f.side]) == max || !speech.IsSound(f.Text) || same >= 0 {
			continue
		}
		kept[f.side] = append(kept[f.side], f)
		lessons[f.side] = append(lessons[f.side], f.Lesson)
	}
	return lessons[mistake], lessons[fix]
}

// saysSame reports whether g says what f says.
func (f finding) saysSame(g finding) bool {
	if f.topic != "" && f.topic == g.topic {
		return true
	}
	return speech.SaysSame(f.Text, g.Text)
}
