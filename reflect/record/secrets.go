package record

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"mem/guard"
	"mem/guard/chars"
	"mem/session"
)

// secrets are what was redacted somewhere in a session, each with the mark that stands for
// it: said again without what told that it is one, it is redacted too.
type secrets struct {
	mu    sync.Mutex
	marks map[string]string
}

// Bounds of what is looked for again.
const (
	minAgain = 6    // bytes
	maxAgain = 1000 // secrets, the longest
)

// note keeps a secret that no word of a text is by chance: one with letters and digits, a
// long one that is not made of words, or one of four words.
func (s *secrets) note(secret, mark string) {
	isDrawn := chars.HasDigit(secret) || len(secret) > 2*minAgain && (!chars.IsWordy(secret) || strings.Count(secret, " ") > 2)
	if len(secret) < minAgain || !isDrawn || !chars.HasLetter(secret) || strings.Contains(secret, "[redacted:") {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, ok := s.marks[secret]; !ok || mark < before {
		s.marks[secret] = mark
	}
}

// redact takes the secrets out of events.
func (s *secrets) redact(events []session.Event) {
	if len(s.marks) == 0 {
		return
	}
	var list []string
	for secret := range s.marks {
		list = append(list, secret)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, secret := range list[:min(len(list), maxAgain)] {
		pairs = append(pairs, secret, s.marks[secret])
	}
	again := strings.NewReplacer(pairs...)
	forEach(len(events), func(i int) {
		e := &events[i]
		for _, text := range []*string{&e.Text, &e.Input, &e.Reason, &e.Outside} {
			*text = again.Replace(*text)
		}
	})
}

// RedactEvents takes the secrets out of events that are to be shown as they are.
func RedactEvents(events []session.Event) {
	found := secrets{marks: map[string]string{}}
	forEach(len(events), func(i int) {
		for _, text := range []*string{&events[i].Text, &events[i].Input, &events[i].Reason, &events[i].Outside} {
			*text = guard.ScrubNoting(*text, found.note)
		}
	})
	found.redact(events)
}
