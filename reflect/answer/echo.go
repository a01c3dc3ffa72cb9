package answer

import (
	"slices"
	"strings"

	"mem/index"
	"mem/session"
)

// How much of a lesson's words must stand somewhere: in a line that mem
// showed, for the lesson to be an echo; in what a person said or in a failure,
// for an echo to be learned once more.
const (
	isEcho    = 0.8
	isNewWord = suffices
	isNewFail = 0.5
)

// DropEchoes takes out the lessons that mem showed the session itself in these lines, but for those of which the session
// has evidence of its own, and returns them. That a model repeats or obeys what it was shown is not evidence.
func DropEchoes(lessons *[]index.Lesson, shown []string, events []session.Event) (left []Left) {
	if len(shown) == 0 || len(*lessons) == 0 {
		return nil
	}
	lines := windowsOf(strings.Join(shown, "\n"))
	*lessons = slices.DeleteFunc(*lessons, func(l index.Lesson) bool {
		want := wordsOf(index.StripAvoid(l.Text))
		covers := func(line map[string]bool) bool { return shareOf(want, line) >= isEcho }
		echoes := len(want) > 0 && slices.ContainsFunc(lines, covers) && !isEvident(want, events)
		if echoes {
			left = append(left, Left{Text: l.Text, Reason: "the session was shown it, and brought nothing new"})
		}
		return echoes
	})
	return left
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
