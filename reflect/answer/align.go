package answer

import (
	"slices"

	"mem/index"
	"mem/session"
	"mem/words"
)

// How much of a lesson's words must stand in an event for the event to be
// behind it.
const (
	supports   = 0.3 // at least, for any event
	suffices   = 0.6 // for a person's own words to carry it alone
	nearlyBest = 0.8 // of the best event's share
)

// An evidence is the events of a session with the words of each.
type evidence struct {
	events []session.Event
	words  []map[string]bool // by event; nil before they are needed
}

// A match is an event whose words are behind a lesson.
type match struct {
	event *session.Event
	share float64 // of the lesson's words
}

// align finds the events whose words are behind a lesson. The weakest of them
// sets the origin, because a text that was fetched and then repeated by the
// model is still what was fetched. Only a person's own words stand alone. A
// lesson whose words stand nowhere is the model's.
func (e *evidence) align(text string) (index.Origin, string) {
	behind := e.findMatches(words.AlignWords(text))
	if len(behind) == 0 {
		return index.OriginAgent, ""
	}
	span := behind[0].event.ID
	if last := behind[len(behind)-1].event.ID; last != span {
		span += ".." + last
	}
	weakest := index.OriginUser
	for _, m := range behind {
		o := eventOrigin(*m.event)
		if o == index.OriginUser && m.share >= suffices {
			return o, span
		}
		if slices.Index(byTrust, o) < slices.Index(byTrust, weakest) {
			weakest = o
		}
	}
	return weakest, span
}

// findMatches returns the events that are about as good as the best, in order.
func (e *evidence) findMatches(want map[string]bool) (behind []match) {
	if len(want) == 0 {
		return nil
	}
	if e.words == nil {
		for _, ev := range e.events {
			e.words = append(e.words, words.AlignWords(ev.Text+" "+ev.Input+" "+ev.Reason))
		}
	}
	shares, best := make([]float64, len(e.events)), 0.0
	for i := range e.events {
		shares[i] = shareOf(want, e.words[i])
		best = max(best, shares[i])
	}
	for i, share := range shares {
		if share >= supports && share >= best*nearlyBest {
			behind = append(behind, match{&e.events[i], share})
		}
	}
	return behind
}

func eventOrigin(e session.Event) index.Origin {
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

// byTrust is what eventOrigin returns, least trusted first.
var byTrust = []index.Origin{index.OriginExternal, index.OriginTool, index.OriginAgent, index.OriginUser}

// shareOf is how many of the words wanted are among these.
func shareOf(want, words map[string]bool) float64 {
	n := 0
	for w := range want {
		if words[w] {
			n++
		}
	}
	return float64(n) / float64(max(1, len(want)))
}

// How much of a lesson's words must stand somewhere: in a line that mem
// showed, for the lesson to be an echo; in what a person said or in a failure,
// for an echo to be learned once more.
const (
	isEcho    = 0.8
	isNewWord = suffices
	isNewFail = 0.5
)

// DropEchoes returns the lessons that mem did not show the session itself in
// these lines, and those for which the session has evidence of its own. That a
// model repeats or obeys what it was shown is not evidence.
func DropEchoes(lessons []Lesson, shown []string, events []session.Event) []Lesson {
	if len(shown) == 0 {
		return lessons
	}
	lines := make([]map[string]bool, len(shown))
	for i, l := range shown {
		lines[i] = words.AlignWords(l)
	}
	return slices.DeleteFunc(lessons, func(l Lesson) bool {
		want := words.AlignWords(index.StripAvoid(l.Text))
		covers := func(line map[string]bool) bool { return shareOf(want, line) >= isEcho }
		return len(want) > 0 && slices.ContainsFunc(lines, covers) && !isEvident(want, events)
	})
}

// isEvident reports whether a person said these words, or whether a failed call
// is about them.
func isEvident(want map[string]bool, events []session.Event) bool {
	calls := map[string]string{}
	for _, e := range events {
		text, enough := "", isNewWord
		switch {
		case e.Kind == session.ToolCall:
			calls[e.CallID] = e.Input
			continue
		case saidByPerson(e):
			text = e.Text + " " + e.Reason
		case e.Kind == session.ToolResult && failedItself(e.Cause):
			text, enough = calls[e.CallID]+" "+e.Text, isNewFail
		default:
			continue
		}
		if shareOf(want, words.AlignWords(text)) >= enough {
			return true
		}
	}
	return false
}

// saidByPerson reports whether an event holds what a person said.
func saidByPerson(e session.Event) bool {
	return e.Origin == session.Human && e.Kind == session.UserText || e.Reason != ""
}

// failedItself reports whether a call with this cause went wrong, and not only
// because of another one or because the agent ended.
func failedItself(c session.Cause) bool {
	return c != session.OK && c != session.Cascade && c != session.Shutdown
}
