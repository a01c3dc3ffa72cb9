package heuristic

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mem/oracle/heuristic/shell"
	"mem/words"
)

// side says which of the two lists a finding belongs to.
type side int

const (
	mistake side = iota
	fix
)

// The weights of formats.md §7: how much each kind of signal counts.
const (
	weightWords     = 5 // a person said no, with words
	weightInterrupt = 4 // a person stopped the agent and said why
	weightStanding  = 4 // a person stated a rule that is meant to last
	weightSteer     = 3 // a correction, an undo, an edited proposal, a left branch
	weightFact      = 2 // a failure and what resolved it, a repeated failure, a block
)

// A finding is a lesson before it is ranked against the others.
type finding struct {
	side   side
	text   string
	rule   string
	refs   []string
	weight int
	at     int    // index of the step it comes from
	topic  string // findings of one side with equal topics say the same; "" is never equal
}

// pick drops repetitions, puts the weightiest first and keeps at most max of
// each side. Equal weights keep the order in which things happened.
func pick(all []finding, max int) (mistakes, fixes []Lesson) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b finding) int {
		if a.weight != b.weight {
			return b.weight - a.weight
		}
		return a.at - b.at
	})
	var kept [2][]finding
	for _, f := range all {
		f.text = oneLine(f.text)
		if len(kept[f.side]) == max || !sound(f.text) || slices.ContainsFunc(kept[f.side], f.same) {
			continue
		}
		kept[f.side] = append(kept[f.side], f)
	}
	return lessons(kept[mistake], max), lessons(kept[fix], max)
}

// same reports whether g says what f says.
func (f finding) same(g finding) bool {
	if f.topic != "" && f.topic == g.topic {
		return true
	}
	a, b := words.SpeechWords(f.text), words.SpeechWords(g.text)
	if len(a) == 0 || len(b) == 0 {
		return strings.EqualFold(f.text, g.text)
	}
	shared := 0
	for w := range a {
		if b[w] {
			shared++
		}
	}
	// Four fifths of the smaller set: one lesson is then a rewording of the
	// other, or adds no more than a word.
	return 5*shared >= 4*min(len(a), len(b)) && 5*shared >= 3*max(len(a), len(b))
}

func lessons(fs []finding, max int) []Lesson {
	var out []Lesson
	for _, f := range fs[:min(max, len(fs))] {
		out = append(out, Lesson{Text: f.text, Refs: slices.Compact(slices.Clone(f.refs)), Rule: f.rule})
	}
	return out
}

// sound reports whether text may leave the package: it is valid, not empty,
// and says something in words.
func sound(text string) bool {
	return utf8.ValidString(text) && len(words.SpeechWords(text)) >= 1 && utf8.RuneCountInString(text) >= 8
}

// oneLine makes text one clean line of at most MaxText characters.
func oneLine(text string) string {
	text = strings.ToValidUTF8(text, "")
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	return strings.TrimRight(shell.Clip(strings.Join(strings.Fields(text), " "), MaxText), " .,;:-")
}
