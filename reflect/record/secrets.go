package record

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mem/guard"
	"mem/guard/chars"
	"mem/session"
)

// secrets are what was redacted somewhere in a session, each with the mark that stands for
// it: said again without what told that it is one, it is redacted too.
type secrets map[string]string

// Bounds of what is looked for again.
const (
	minAgain = 6    // bytes
	maxAgain = 1000 // secrets, the longest
)

// note keeps a secret that no word of a text is by chance: one with letters and digits, a
// long one that is not made of words, or one of four words.
func (s secrets) note(secret, mark string) {
	isDrawn := chars.HasDigit(secret) || len(secret) > 2*minAgain && (!chars.IsWordy(secret) || strings.Count(secret, " ") > 2)
	if len(secret) < minAgain || !isDrawn || !chars.HasLetter(secret) || strings.Contains(secret, "[redacted:") {
		return
	}
	if before, ok := s[secret]; !ok || mark < before {
		s[secret] = mark
	}
}

// redact takes the secrets out of events.
func (s secrets) redact(events []session.Event) {
	if len(s) == 0 {
		return
	}
	list := slices.SortedFunc(maps.Keys(s), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, secret := range list[:min(len(list), maxAgain)] {
		pairs = append(pairs, secret, s[secret])
	}
	again := strings.NewReplacer(pairs...)
	for i := range events {
		for _, text := range textsOf(&events[i]) {
			*text = again.Replace(*text)
		}
	}
}

// textsOf returns where the texts of an event are.
func textsOf(e *session.Event) []*string { return []*string{&e.Text, &e.Input, &e.Reason, &e.Outside} }

// RedactEvents takes the secrets out of events that are to be shown as they are.
func RedactEvents(events []session.Event) {
	found := secrets{}
	for i := range events {
		for _, text := range textsOf(&events[i]) {
			*text = guard.ScrubNoting(*text, found.note)
		}
	}
	found.redact(events)
}
