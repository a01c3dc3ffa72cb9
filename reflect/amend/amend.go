// Package amend tells what a later statement of a person does to an earlier one, by the
// form of both alone: it names another value, takes one back, or forbids the same. It is
// pure, and what is in doubt is neither.
package amend

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mem/lazy"
	"mem/oracle/heuristic/spelling"
	"mem/reflect/answer"
	"mem/words"
)

// maxText is the most characters that a lesson has.
const maxText = 240

// A Statement is a lesson taken apart.
type Statement struct {
	text    string
	said    map[string]bool // its words, without numbers
	numbers []string        // in order
	values  map[string]bool // numbers and code that it does not take back
	taken   map[string]bool // those that it does
	refused map[string]bool // words of what it says not to do
	stems   []string        // beginnings of its words
	probes  []string        // of what it takes back or forbids
}

// ReadStatement takes a text apart.
func ReadStatement(text string) Statement {
	s := Statement{
		text: text, said: map[string]bool{}, values: map[string]bool{}, taken: map[string]bool{}, refused: map[string]bool{},
		numbers: reNumber.Get().FindAllString(text, -1),
	}
	for w := range words.SpeechWords(reNumber.Get().ReplaceAllString(text, " ")) {
		if stem := words.StemWord(w); !fillers[stem] {
			s.said[stem] = true
			s.stems = append(s.stems, stem[:min(len(stem), 4)])
		}
	}
	collect(s.taken, reTaken.Get(), reValue.Get(), text)
	for _, v := range reValue.Get().FindAllString(text, -1) {
		if v = strings.Trim(v, "`"); !s.taken[v] {
			s.values[v] = true
		}
	}
	for _, m := range reRefused.Get().FindAllStringSubmatch(text, -1) {
		for w := range words.SpeechWords(m[1]) {
			if stem := words.StemWord(w); s.said[stem] {
				s.refused[stem] = true
			}
		}
	}
	s.probes = slices.AppendSeq(slices.Collect(maps.Keys(s.taken)), maps.Keys(s.refused))
	return s
}

// collect adds what inner matches in the first group of outer.
func collect(set map[string]bool, outer, inner *regexp.Regexp, text string) {
	for _, m := range outer.FindAllStringSubmatch(text, -1) {
		for _, v := range inner.FindAllString(m[1], -1) {
			set[strings.Trim(v, "`")] = true
		}
	}
}

// MayConcern reports, at little cost, whether a text is worth reading beside s: it has all
// its words, or two and something that s takes back or forbids.
func (s Statement) MayConcern(text string) bool {
	text = strings.ToLower(text)
	shared := 0
	for _, stem := range s.stems {
		if strings.Contains(text, stem) {
			shared++
		}
	}
	return shared >= 2 && (shared == len(s.stems) || slices.ContainsFunc(s.probes, func(p string) bool { return strings.Contains(text, strings.ToLower(p)) }))
}

// Compare says what s is to an earlier statement: it replaces it, and then stands alone as
// text, says it again, or has nothing to do with it.
func (s Statement) Compare(old Statement) (text, op string) {
	switch {
	case s.renews(old):
		return s.restate(old), answer.Replaces
	case s.contains(old):
		return s.text, answer.Replaces
	case old.contains(s):
		return s.text, answer.Again
	}
	return s.text, ""
}

// renews reports whether s says of another value what old said: the same words with other
// numbers, or it takes a value of old back by name.
func (s Statement) renews(old Statement) bool {
	if len(s.numbers) > 0 && len(s.numbers) == len(old.numbers) && !slices.Equal(s.numbers, old.numbers) && len(s.said) >= 2 && maps.Equal(s.said, old.said) {
		return true
	}
	takes, adds := false, false
	for v := range s.taken {
		takes = takes || old.values[v]
	}
	for v := range s.values {
		adds = adds || !old.values[v]
	}
	return takes && adds && spelling.CountShared(s.said, old.said) >= 2
}

// contains reports whether s forbids what old forbids, and says all else that old says, with
// a reason: what it adds without one may be a condition.
func (s Statement) contains(old Statement) bool {
	return reReason.Matches(s.text) && spelling.CountShared(s.refused, old.refused) > 0 && len(old.said) >= 3 && spelling.CountShared(s.said, old.said) == len(old.said)
}

// restate words s for standing alone in the place of old: with its subject, and without
// what it says of the past.
func (s Statement) restate(old Statement) string {
	text := reHistory.Get().ReplaceAllString(s.text, "")
	text = rePassing.Get().ReplaceAllString(text, "")
	if m := reSubject.Get().FindStringSubmatch(old.text); m != nil && !strings.Contains(text, m[1]) {
		text = m[1] + ": " + strings.ToLower(text[:1]) + text[1:]
	}
	if utf8.RuneCountInString(text) > maxText {
		return s.text
	}
	return text
}

// fillers are stems that say nothing about what is forbidden.
var fillers = words.SetOf("suppos mode need want make sure old")

var (
	reNumber  = lazy.New(`\d+(?:\.\d+)*`)
	reValue   = lazy.New("\\d+(?:\\.\\d+)*|`[^`]+`")
	reTaken   = lazy.New("(?i)\\b(?:not|no longer|instead of|rather than|supersed(?:es|ing)|replac(?:es|ing)|was|formerly|previously|(?:up|down|changed) from)(?: the)?(?: old| earlier| previous| former)?((?: `[^`]+`| [^\\s,;.:`]+){1,2})")
	reRefused = lazy.New(`(?i)(?:\b(?:not|never|no|avoid|instead of|rather (?:than|from))|n't) ([^,;:()]+)`)
	reReason  = lazy.New(`(?i)\b(?:so (?:that|we|you|it|the)|because|since|otherwise)\b`)
	reHistory = lazy.New(`(?i),? (?:superseding|replacing) (?:the )?(?:old|earlier|previous|former)[^,;]*`)
	rePassing = lazy.New(`(?i)\b(?:still|now) `)
	reSubject = lazy.New("^(`\\w+`)")
)
