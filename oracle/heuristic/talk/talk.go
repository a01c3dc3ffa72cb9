// Package talk knows what was said around an event of a session, and what kind of a
// message it is: an agent's that admits, explains or sets aside, a person's that is prose
// or takes back what came before. It is pure.
package talk

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/spelling"
	"mem/session"
)

// LastSaid returns where and what the agent said last before event at, since the person
// spoke; -1 if nothing.
func LastSaid(events []session.Event, at int) (int, string) {
	for i := at - 1; i >= 0 && events[i].Kind != session.UserText; i-- {
		if events[i].Kind == session.AssistantText {
			return i, strings.TrimSpace(events[i].Text)
		}
	}
	return -1, ""
}

// ReplyTo returns what the agent said right after event at, and where; -1 if nothing. What
// was typed while a call ran is answered later, so an agent that admits something may.
func ReplyTo(events []session.Event, at int) (text string, next int) {
	called := false
	for i := at + 1; i < len(events) && i <= at+30; i++ {
		switch e := events[i]; {
		case e.Kind == session.AssistantText && e.Origin == session.Agent && (!called || Agrees(strings.TrimSpace(e.Text))):
			return e.Text, i
		case e.Kind == session.UserText && e.Origin == session.Human && called:
			return "", -1
		}
		called = called || events[i].Kind == session.ToolCall
	}
	return "", -1
}

// AnswerTo returns where and what the agent said next after event at, before the person
// spoke again; -1 if nothing.
func AnswerTo(events []session.Event, at int) (int, string) {
	i := slices.IndexFunc(events[at+1:], func(e session.Event) bool {
		return e.Kind == session.UserText && e.Origin == session.Human || e.Kind == session.AssistantText && e.Origin == session.Agent
	})
	if i < 0 || events[at+1+i].Kind == session.UserText {
		return -1, ""
	}
	return at + 1 + i, strings.TrimSpace(events[at+1+i].Text)
}

// IsQuoted reports whether a person's line is taken from what the agent or a
// tool said shortly before: people paste what they talk about.
func IsQuoted(events []session.Event, text string, before int) bool {
	text = spelling.FoldLayout(text)
	if len(text) < 24 {
		return false
	}
	for i := before - 1; i >= 0 && i > before-60; i-- {
		e := events[i]
		said := e.Kind != session.UserText && e.Tool != "AskUserQuestion" && e.Kind != session.Compaction && e.Kind != session.BranchSummary
		if said && (strings.Contains(spelling.FoldLayout(e.Text), text) || strings.Contains(spelling.FoldLayout(e.Input), text)) {
			return true
		}
	}
	return false
}

// Agrees reports whether an agent's reply admits that the person is right.
func Agrees(reply string) bool { return reAgrees.Matches(reply) }

// IsProse reports whether text is prose of a person rather than a command to
// the client or the echo of one.
func IsProse(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, "<") {
		return false
	}
	return text[0] != '/' || strings.ContainsAny(strings.SplitN(text, " ", 2)[0][1:], "/.")
}

// IsForm reports whether the reason of a refusal was written by the client.
func IsForm(reason string) bool {
	return strings.HasPrefix(strings.TrimSpace(reason), "The user wants to clarify") || strings.Contains(reason, "(No answer provided)")
}

// TakesBack reports whether a person takes back what they said before.
func TakesBack(text string) bool { return reTakesBack.Matches(text) }

var (
	reAgrees    = lazy.New(`(?i)^(?:you(?:'re| are) (?:absolutely |completely |quite )?(?:right|correct)|good (?:point|catch|call)|fair (?:point|enough)|great (?:point|catch)|(?:that )?makes sense|agreed\b|point taken|my (?:mistake|bad)|(?:i )?apologi[sz]e|sorry\b|got it\b|understood\b|noted\b)`)
	reTakesBack = lazy.New(`(?i)(?:^|[.,;!–—-] |\b(?:actually|sorry|oh|ok|okay|no|wait|hm+),? )(?:please )?(?:forget (?:that|it|about (?:that|it)|what i (?:just )?said)|never ?mind|scratch that|on second thoughts?|i take (?:that|it) back|(?:ignore|disregard) (?:that|what i (?:just )?said|my (?:last|previous))|i was wrong|i changed my mind|(?:my (?:mistake|bad)|(?:i )?misspoke)\b)`)
)
