package answer

import (
	"slices"
	"strings"

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
	at    int     // of the event
	share float64 // of the lesson's words
}

// align finds the events whose words are behind a lesson. The weakest of them
// sets the origin, because a text that was fetched and then repeated by the
// model is still what was fetched; an echo of what a person or the model said
// before is no source. Only a person's own words stand alone. A lesson whose
// words stand nowhere is the model's.
//
// copied says that the lesson only repeats what was read or said, and that
// nothing in the session happened that bears it out: any file can hold advice.
func (e *evidence) align(text string) (origin index.Origin, span string, copied bool) {
	want := words.AlignWords(text)
	behind := e.findMatches(want)
	if len(behind) == 0 {
		return index.OriginAgent, "", false
	}
	span = e.spanOf(behind[0].at, behind[len(behind)-1].at)
	origin = index.OriginUser
	for _, m := range behind {
		o := eventOrigin(e.events[m.at])
		if o == index.OriginUser && m.share >= suffices {
			return o, span, false
		}
		if slices.Index(byTrust, o) < slices.Index(byTrust, origin) && !e.isEcho(want, m.at) {
			origin = o
		}
	}
	read, said := e.findCopies(text, want)
	switch happened := e.hasHappened(want); {
	case !read && happened && origin == index.OriginExternal:
		origin = index.OriginTool // the page is not where it comes from
	case origin == index.OriginTool || origin == index.OriginAgent:
		copied = read || said && !happened
	}
	return origin, span, copied
}

// cite returns the events that an answer names as what a lesson rests on, by their
// numbers. The weakest sets the origin. There is no span if the numbers are of none.
func (e *evidence) cite(numbers []int) (origin index.Origin, span string) {
	if len(numbers) == 0 || slices.Min(numbers) < 1 || slices.Max(numbers) > len(e.events) {
		return "", ""
	}
	origin = index.OriginUser
	for _, n := range numbers {
		origin = lessTrusted(origin, eventOrigin(e.events[n-1]))
	}
	return origin, e.spanOf(slices.Min(numbers)-1, slices.Max(numbers)-1)
}

// spanOf names the events from first to last.
func (e *evidence) spanOf(first, last int) string {
	from, to := e.events[first].ID, e.events[last].ID
	if from == to {
		return from
	}
	return from + ".." + to
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
			behind = append(behind, match{i, share})
		}
	}
	return behind
}

func eventOrigin(e session.Event) index.Origin {
	if e.Cause == session.DeniedByUser && e.Reason != "" {
		return index.OriginUser // the person's words, whatever tool was refused
	}
	switch e.Origin {
	case session.Human:
		return index.OriginUser
	case session.External:
		return index.OriginExternal
	case session.Tool:
		return index.OriginTool
	}
	return index.OriginAgent
}

// lessTrusted returns the weaker of two origins.
func lessTrusted(a, b index.Origin) index.Origin {
	return byTrust[min(slices.Index(byTrust, a), slices.Index(byTrust, b))]
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
// model repeats or obeys what it was shown is not evidence. The others are left.
func DropEchoes(lessons []Lesson, shown []string, events []session.Event) (kept []Lesson, left []Left) {
	if len(shown) == 0 || len(lessons) == 0 {
		return lessons, nil
	}
	lines := windowsOf(strings.Join(shown, "\n"))
	kept = slices.DeleteFunc(lessons, func(l Lesson) bool {
		want := words.AlignWords(index.StripAvoid(l.Text))
		covers := func(line map[string]bool) bool { return shareOf(want, line) >= isEcho }
		echoes := len(want) > 0 && slices.ContainsFunc(lines, covers) && !isEvident(want, events)
		if echoes {
			left = append(left, Left{Text: l.Text, Reason: "the session was shown it, and brought nothing new"})
		}
		return echoes
	})
	return kept, left
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
