package reflect

import (
	"maps"
	"slices"
	"strings"

	"mem/index"
	"mem/lazy"
	"mem/oracle/heuristic/speech"
	"mem/words"
)

// A statement is a lesson taken apart.
type statement struct {
	text    string
	said    map[string]bool // stems of its words, without numbers
	numbers []string        // in order
	values  map[string]bool // numbers and code that it names
	taken   map[string]bool // those that it takes back, such as "not 50"
	ban     bool
}

func readStatement(text string) statement {
	s := statement{text: text, said: map[string]bool{}, values: map[string]bool{}, taken: map[string]bool{},
		numbers: reNumber.Get().FindAllString(text, -1), ban: reBan.Matches(text)}
	for w := range words.SpeechWords(reNumber.Get().ReplaceAllString(text, " ")) {
		s.said[words.StemWord(w)] = true
	}
	for _, m := range reValue.Get().FindAllStringSubmatch(text, -1) {
		if s.values[m[2]] = true; m[1] != "" {
			s.taken[m[2]] = true
		}
	}
	return s
}

// amendKnown finds the known lesson that each of these stands for: a statement that names another
// value of it, or says the same. What failed and what cured it is compared elsewhere.
func amendKnown(ix *index.Index, list []index.Lesson) []index.Lesson {
	list = slices.Clone(list)
	said := make([]statement, len(list))
	for i, l := range list {
		said[i] = readStatement(l.Text)
	}
	for it := range ix.All() {
		if !it.IsShown() || it.Cue != nil && it.Cue.Error != "" {
			continue
		}
		var old *statement
		for i := range list {
			l := &list[i]
			if l.Op != "" || l.Cue.Error != "" || it.Key == index.KeyOf(l.Text) {
				continue
			}
			if old == nil {
				s := readStatement(index.StripAvoid(it.Text))
				s.ban = s.ban || index.SaysAvoid(it.Text)
				old = &s
			}
			if text, op := said[i].compare(*old); op != "" {
				l.Text, l.Op, l.Of = text, op, it.ID
			}
		}
	}
	return list
}

// compare returns how s relates to an earlier statement: Replaces, Again, or "" if they differ. text
// is s's own, which Replaces prefixes with the old subject where needed.
func (s statement) compare(old statement) (text, op string) {
	takes, adds := false, false
	for v := range s.values {
		takes = takes || s.taken[v] && old.values[v] && !old.taken[v]
		adds = adds || !old.values[v] && !s.taken[v]
	}
	renewed := len(s.numbers) > 0 && len(s.numbers) == len(old.numbers) && !slices.Equal(s.numbers, old.numbers) && len(s.said) > 1 && maps.Equal(s.said, old.said)
	switch {
	case renewed, takes && adds && speech.CountShared(s.said, old.said) > 1:
		if name := reSubject.Get().FindString(old.text); name != "" && !strings.Contains(s.text, name) {
			return name + ": " + speech.LowerFirst(s.text), Replaces
		}
		return s.text, Replaces
	case s.ban == old.ban && max(len(s.said), len(old.said))-min(len(s.said), len(old.said)) < 2 && maps.Equal(s.values, old.values) && speech.SaysSame(s.text, old.text):
		return s.text, Again
	}
	return s.text, ""
}

var (
	reNumber  = lazy.New(`\d+(?:\.\d+)*`)
	reValue   = lazy.New("(?i)(\\b(?:not|no longer|instead of|rather than|supersed(?:es|ing)|replac(?:es|ing)|was|formerly|previously|from)(?: the)?(?: old| earlier| previous)? )?(`[^`]+`|\\d+(?:\\.\\d+)*)")
	reBan     = lazy.New(`(?i)\b(?:never|not|no|avoid)\b|n['’]t\b`)
	reSubject = lazy.New("^`\\w+`")
)
