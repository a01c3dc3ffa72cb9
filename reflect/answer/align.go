package answer

import (
	"slices"
	"strings"

	"mem/index"
	"mem/session"
)

// suffices is how much of a lesson's words must stand in what a person said for it to be theirs.
const suffices = 0.6

// An evidence is the events of a session, and what prepare reads of them.
type evidence struct {
	events  []session.Event
	texts   []string          // by event, folded, in small letters
	words   []map[string]bool // by event
	foreign []string          // what of each is from outside, as texts
	known   map[string]bool   // the words of our own events
	retold  int               // behind this event, what the model says may be what others wrote
	theirs  map[string]bool   // the words of the texts from outside

	outside, isOpaque bool // some text is from outside, or pasted; and in another language, or encoded
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
		want := wordsOf(index.StripAvoid(l.Text))
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
		if shareOf(want, wordsOf(text)) >= enough {
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
