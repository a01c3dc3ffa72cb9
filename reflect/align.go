package reflect

import (
	"strings"

	"mem/guard"
	"mem/index"
	"mem/session"
	"mem/trace"
	"mem/words"
)

// maxLesson is the length of a lesson in characters.
const maxLesson = 240

// support makes lessons of proposed ones: cleaned, bounded, each different,
// and traced to the events whose words are behind it. Without events the
// words are the agent's.
func (r Reflector) support(stated []trace.Lesson, events []session.Event) []Lesson {
	most := r.MaxLessons
	if most <= 0 {
		most = defaultLessons
	}
	cleaned := make([]Lesson, 0, len(stated))
	for _, s := range stated {
		cleaned = append(cleaned, Lesson{
			Text: shorten(words.FoldSpace(scrub(s.Text))), Origin: index.OriginAgent,
			Domain: s.Domain, Tags: s.Tags, Severity: s.Severity,
		})
	}
	heard := make([]map[string]bool, len(events))
	lessons := limit(cleaned, most)
	for i := range lessons {
		l := &lessons[i]
		l.Held = len(guard.Lint(l.Text)) > 0
		l.tidy()
		if len(events) > 0 {
			for i := range heard {
				if heard[i] == nil {
					heard[i] = words.AlignWords(events[i].Text + " " + events[i].Input + " " + events[i].Reason)
				}
			}
			l.Origin, l.Span = align(l.Text, events, heard)
		}
	}
	return lessons
}

// shorten cuts a lesson at a word.
func shorten(s string) string {
	n := 0
	for i := range s {
		if n++; n == maxLesson {
			if space := strings.LastIndexByte(s[:i], ' '); space > i/2 {
				i = space
			}
			if n < len([]rune(s)) {
				return s[:i] + "…"
			}
		}
	}
	return s
}

// How much of a lesson's words must stand in an event for the event to be
// behind it.
const (
	supports   = 0.3 // at least, for any event
	suffices   = 0.6 // for a person's own words to carry it alone
	nearlyBest = 0.8 // of the best event's share
)

// align finds the events whose words are behind a lesson. The weakest of them
// sets the origin, because a text that was fetched and then repeated by the
// model is still what was fetched. Only a person's own words stand alone. A
// lesson whose words stand nowhere is the model's.
func align(text string, events []session.Event, heard []map[string]bool) (index.Origin, string) {
	want := words.AlignWords(text)
	if len(want) == 0 {
		return index.OriginAgent, ""
	}
	shares := make([]float64, len(events))
	best := 0.0
	for i := range events {
		shares[i] = share(want, heard[i])
		best = max(best, shares[i])
	}
	if best < supports {
		return index.OriginAgent, ""
	}
	weakest, person := index.OriginUser, false
	first, last := -1, -1
	for i, e := range events {
		if shares[i] < supports || shares[i] < best*nearlyBest {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
		o := origin(e)
		person = person || o == index.OriginUser && shares[i] >= suffices
		if weaker(o, weakest) {
			weakest = o
		}
	}
	if person {
		weakest = index.OriginUser
	}
	return weakest, span(events[first].ID, events[last].ID)
}

func span(first, last string) string {
	if first == last {
		return first
	}
	return first + ".." + last
}

// origin is who is behind an event's words.
func origin(e session.Event) index.Origin {
	switch e.Origin {
	case session.Human:
		return index.OriginUser
	case session.External:
		return index.OriginExternal
	case session.Tool:
		if e.Reason != "" { // the person's words on a denial
			return index.OriginUser
		}
		return index.OriginTool
	}
	return index.OriginAgent
}

func weaker(a, b index.Origin) bool { return trust(a) < trust(b) }

func trust(o index.Origin) int {
	switch o {
	case index.OriginUser:
		return 4
	case index.OriginAgent:
		return 3
	case index.OriginTool:
		return 2
	case index.OriginImport:
		return 1
	}
	return 0
}
