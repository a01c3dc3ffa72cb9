package reflect

import (
	"maps"
	"slices"
	"strings"

	"mem/index"
	"mem/session"
)

// windowsOf returns the words of each two lines of a text that follow each other:
// in a long text all the words of a lesson stand somewhere.
func windowsOf(text string) []map[string]bool {
	var windows []map[string]bool
	before := ""
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		windows = append(windows, wordsOf(before+" "+l))
		before = l
	}
	return windows
}

// covers reports whether two lines of event i hold so much of the words wanted.
func (e *evidence) covers(want map[string]bool, i int, enough float64) bool {
	ev := e.Events[i]
	if ev.Outside == "" && shareOf(want, e.words[i]) < enough {
		return false
	}
	windows := windowsOf(strings.ReplaceAll(ev.Text+"\n"+ev.Outside+"\n"+ev.Input+"\n"+ev.Reason, `\n`, "\n"))
	return slices.ContainsFunc(windows, func(w map[string]bool) bool { return shareOf(want, w) >= enough })
}

// isEcho reports whether a person or the model had said before what event i has of the words wanted.
func (e *evidence) isEcho(want map[string]bool, i int) bool {
	had := wordsIn(want, e.words[i])
	for j := range i {
		o := e.Events[j].Origin
		if (o == session.Human || o == session.Agent) && e.covers(had, j, isMost) {
			return true
		}
	}
	return false
}

// isOwnError reports whether event i is how a command failed, and holds none of the commands that a lesson names and the session
// ran: what the two share is the error, and the advice was not read there.
func (e *evidence) isOwnError(lesson string, i int) (own bool) {
	failed := e.Events[i]
	if failed.Kind != session.ToolResult || failed.Origin != session.Tool || !failedItself(failed.Cause) {
		return false
	}
	for n, code := range strings.Split(lesson, "`") {
		ran := n%2 == 1 && slices.ContainsFunc(e.Events, func(ev session.Event) bool {
			return ev.Kind == session.ToolCall && strings.Contains(ev.Input, code)
		})
		if ran && strings.Contains(failed.Text, code) {
			return false
		}
		own = own || ran
	}
	return own
}

// findCopies reports whether the words of a lesson, and those of them that are no names, were read from a
// tool's result or pasted text, whether a model said them, and whether they were read from outside.
func (e *evidence) findCopies(lesson string, c claim) (read, said, outside bool) {
	for i, ev := range e.Events {
		if ev.Kind == session.ToolCall || ev.Planned || eventOrigin(ev) == index.OriginUser || !e.covers(c.all, i, isCopy) || len(c.said) > fewSaid && !e.covers(c.said, i, isCopy) {
			continue
		}
		switch {
		case ev.Origin == session.Agent:
			said = true
		case !e.isEcho(c.all, i) && !e.isOwnError(lesson, i):
			read = true
			outside = outside || e.foreign[i] != ""
		}
	}
	return read, said, outside
}

// hasHappened reports whether a call failed that the words wanted are about, and whether calls and errors hold about all of them.
func (e *evidence) hasHappened(want map[string]bool) bool {
	all, tried := map[string]bool{}, false
	for i, ev := range e.Events {
		isFault := ev.Kind == session.ToolResult && failedItself(ev.Cause) && ev.Origin != session.External
		tried = tried || isFault && e.calls[i] >= 0 && shareOf(want, e.words[e.calls[i]]) >= isTried
		if isFault || ev.Kind == session.ToolCall {
			maps.Copy(all, e.words[i])
		}
	}
	return tried && shareOf(want, all) >= isMost
}

// dropEchoes removes the lessons that mem itself showed the session in these lines, except those that the session
// has its own evidence for, and returns them. A model that repeats or obeys what it was shown is not evidence.
func dropEchoes(lessons *[]index.Lesson, shown []string, events []session.Event) (left []Left) {
	if len(shown) == 0 || len(*lessons) == 0 {
		return nil
	}
	lines := windowsOf(strings.Join(shown, "\n"))
	*lessons = slices.DeleteFunc(*lessons, func(l index.Lesson) bool {
		want := wordsOf(index.StripAvoid(l.Text))
		covers := func(line map[string]bool) bool { return shareOf(want, line) >= isMost }
		echoes := len(want) > 0 && slices.ContainsFunc(lines, covers) && !isEvident(want, events)
		if echoes {
			left = append(left, Left{Text: l.Text, Reason: "the session was shown it, and brought nothing new"})
		}
		return echoes
	})
	return left
}

// isEvident reports whether a person said these words, or whether a failed call is about them.
func isEvident(want map[string]bool, events []session.Event) bool {
	calls := pairCalls(events)
	for i, e := range events {
		text, enough := "", suffices
		switch {
		case saidByPerson(e), e.Reason != "":
			text = e.Text + " " + e.Reason
		case calls[i] >= 0 && failedItself(e.Cause):
			text, enough = events[calls[i]].Input+" "+e.Text, isHalf
		default:
			continue
		}
		if shareOf(want, wordsOf(text)) >= enough {
			return true
		}
	}
	return false
}

// failedItself reports whether a call with this cause went wrong, and not only because of another one or because the agent ended.
func failedItself(c session.Cause) bool {
	return c != session.OK && c != session.Cascade && c != session.Shutdown
}
