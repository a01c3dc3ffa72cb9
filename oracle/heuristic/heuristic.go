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

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/oracle"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/session"
)

// MaxText is the most characters that a lesson has.
const MaxText = 240

// A Lesson is what a session teaches, in the form in which a model answers too.
type Lesson struct {
	Text   string    `json:"text"`
	Why    string    `json:"why,omitzero"`
	Cue    *Literals `json:"cue,omitzero"`    // under which it matters; nil if nothing failed
	Remedy *Literals `json:"remedy,omitzero"` // of what cured it
	Events []int     `json:"events,omitzero"` // that it rests on, counted from 1
	Op     string    `json:"op,omitzero"`     // Once, or ""
	Next   string    `json:"next,omitzero"`   // what ran and worked after a failure whose cure is not known, with "; " between
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
	program, _, _ := strings.Cut(cmp.Or(l.Cue.Command, l.Cue.Tool), " ")
	if strings.Contains(l.Cue.Error, "/") && !strings.Contains(l.Cue.Error, " ") {
		program = "" // a folder, whatever fails there
	}
	return l.Cue.Error + "\x00" + shell.Voice(program)
}

// Lessons returns what the events of a session teach, at most max lessons, each one line of at most MaxText
// characters; a max of 0 or less gives none.
func Lessons(events []session.Event, max int) []Lesson {
	s := newTimeline(events)
	return pickLessons(slices.Concat(findCorrections(s), findFailures(s), findStops(s), findForeign(s)), max)
}

// Oracle answers reflection requests with Lessons, without model and network.
type Oracle struct{}

// Name returns "heuristic".
func (Oracle) Name() string { return oracle.Code }

// maxLessons bounds an answer; the caller cuts it down to its own limit.
const maxLessons = 64

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
	answer.Fixes = Lessons(r.Events, maxLessons)
	b, err := json.Marshal(answer, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "", fmt.Errorf("write the answer: %w", err)
	}
	return string(b), nil
}

// A finding is a lesson before repetitions are dropped.
type finding struct {
	Lesson
	at    int    // index of the event it comes from
	topic string // findings with equal topics say the same; "" is never equal
}

// pickLessons drops repetitions and keeps at most max: a person's words first, each kind in the order in which
// things happened.
func pickLessons(all []finding, max int) (lessons []Lesson) {
	slices.SortStableFunc(all, func(a, b finding) int { return cmp.Or(strings.Compare(a.Op, b.Op), a.at-b.at) })
	var kept []finding
	for _, f := range all {
		f.Text = shell.OneLine(f.Text, MaxText)
		if len(kept) < max && speech.IsSound(f.Text) && !slices.ContainsFunc(kept, f.saysSame) {
			kept, lessons = append(kept, f), append(lessons, f.Lesson)
		}
	}
	return lessons
}

// saysSame reports whether g says what f says.
func (f finding) saysSame(g finding) bool {
	return f.topic == g.topic && (f.topic != "" || speech.SaysSame(f.Text, g.Text))
}
