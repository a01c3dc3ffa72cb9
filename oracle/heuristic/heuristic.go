// Package heuristic finds the lessons of a session without a model.
//
// It applies six rules to the events of a session: a command that failed and the
// form that worked in the end, an error that came back again and again, a
// person's correction, an edit that a person took back or changed, a call that a
// hook refused. Lessons is pure. Package shell understands commands and errors,
// package speech what people say.
//
// A junk lesson costs more than a missed one, so a rule that is in doubt says
// nothing. Ranking across sessions, trust and redaction are the work of other
// packages.
package heuristic

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/oracle"
	"mem/session"
)

// MaxText is the most characters that a lesson has.
const MaxText = 240

// A Lesson is one thing worth knowing in the next session.
//
// The text of a mistake reads on after "Avoid: "; the text of a fix is a
// sentence of its own. Both are one line of at most MaxText characters.
type Lesson struct {
	Text string   `json:"text"`
	Refs []string `json:"refs,omitempty"` // Event.ID of the events it rests on, in order
	Rule string   `json:"rule"`           // the rule that found it, such as "correction"
}

// Lessons returns what the events of a session teach: what to avoid, and what
// to do. Each list holds at most max lessons, the weightiest first; a max of
// 0 or less gives none.
func Lessons(events []session.Event, max int) (mistakes, fixes []Lesson) {
	if max <= 0 || len(events) == 0 {
		return nil, nil
	}
	s := newTimeline(events)
	var all []finding
	for _, rule := range []func(*timeline) []finding{
		findCorrections,
		findResolutions,
		findRepetitions,
		findReversals,
		findAmendments,
		findBlocks,
	} {
		all = append(all, rule(s)...)
	}
	return pickLessons(all, max)
}

// Oracle answers reflection requests with Lessons.
type Oracle struct{}

// New returns the oracle that needs no model and no network.
func New() oracle.Oracle { return Oracle{} }

// Name returns "heuristic".
func (Oracle) Name() string { return "heuristic" }

// maxPerSide bounds an answer; the caller cuts it down to its own limit.
const maxPerSide = 32

// Ask answers a Reflect request from its Events with the same JSON a model is
// asked for: {"mistakes": […], "fixes": […]}, both always present. For any
// other task it returns an error that wraps oracle.ErrUnavailable.
func (Oracle) Ask(ctx context.Context, r oracle.Request) (string, error) {
	if r.Task != oracle.Reflect {
		return "", fmt.Errorf("answer a %s request without a model: %w", r.Task, oracle.ErrUnavailable)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	mistakes, fixes := Lessons(r.Events, maxPerSide)
	var answer struct {
		Mistakes []string `json:"mistakes"`
		Fixes    []string `json:"fixes"`
	}
	for _, l := range mistakes {
		answer.Mistakes = append(answer.Mistakes, l.Text)
	}
	for _, l := range fixes {
		answer.Fixes = append(answer.Fixes, l.Text)
	}
	b, err := json.Marshal(answer, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "", fmt.Errorf("write the answer: %w", err)
	}
	return string(b), nil
}
