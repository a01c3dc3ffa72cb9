package heuristic

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"mem/oracle/heuristic/shell"
	"mem/words"
)

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
	weightSteer     = 3 // a correction, an undo, an edited proposal, a left branch
	weightFact      = 2 // a failure and what resolved it, a repeated failure, a block
)

// A finding is a lesson before it is ranked against the others.
type finding struct {
	side   int // mistake or fix
	text   string
	rule   string
	refs   []string
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
	for _, f := range all {
		f.text = shell.OneLine(f.text, MaxText)
		if len(kept[f.side]) == max || !isSound(f.text) || slices.ContainsFunc(kept[f.side], f.saysSame) {
			continue
		}
		kept[f.side] = append(kept[f.side], f)
	}
	return lessonsOf(kept[mistake]), lessonsOf(kept[fix])
}

// saysSame reports whether g says what f says.
func (f finding) saysSame(g finding) bool {
	if f.topic != "" && f.topic == g.topic {
		return true
	}
	a, b := words.SpeechWords(f.text), words.SpeechWords(g.text)
	shared := countShared(a, b)
	// One lesson rewords the other, or adds no more than a word.
	return 5*shared >= 4*min(len(a), len(b)) && 5*shared >= 3*max(len(a), len(b))
}

// countShared counts the words that two sets have in common.
func countShared(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

func lessonsOf(fs []finding) []Lesson {
	var out []Lesson
	for _, f := range fs {
		out = append(out, Lesson{Text: f.text, Refs: slices.Compact(slices.Clone(f.refs)), Rule: f.rule})
	}
	return out
}

// refsOfCalls returns the ids of the events of calls.
func refsOfCalls(calls []*call) []string {
	var out []string
	for _, c := range calls {
		out = append(out, c.refs...)
	}
	return out
}

// isSound reports whether text is valid and says something in words.
func isSound(text string) bool {
	return utf8.ValidString(text) && len(words.SpeechWords(text)) >= 1 && utf8.RuneCountInString(text) >= 8
}
