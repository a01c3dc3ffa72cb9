package reflect

import (
	"maps"
	"slices"
	"strings"

	"mem/lazy"
	"mem/session"
	"mem/words"
)

// What follows finds what is behind a lesson where its words do not show it.

// findBehind returns which of these events are behind a lesson though few of its words stand there: its bare
// commands, a call of its command that the person stopped, or what the person said in another language.
func (e *evidence) findBehind(c claim, at []int) []int {
	if behind := e.findCommands(c, at); len(behind) > 0 {
		return behind
	}
	names := slices.Concat(c.commands, c.literals)
	return slices.DeleteFunc(slices.Clone(at), func(i int) bool {
		isNamed := slices.ContainsFunc(names, func(name string) bool { return e.holds(i, name) })
		at := slices.Index(e.calls, i)
		isStopped := at >= 0 && e.Events[at].Cause == session.DeniedByUser
		return !(isNamed && isStopped) && !e.isTranslated(i) && !e.isOwnFailure(c, i) && !e.isAnnounced(c, i)
	})
}

// isAnnounced reports whether event i is what the agent said before it made calls with a name of a lesson.
func (e *evidence) isAnnounced(c claim, i int) bool {
	if e.Events[i].Kind != session.AssistantText || !e.isOwn(i) {
		return false
	}
	for i++; i < len(e.Events) && e.Events[i].Kind != session.AssistantText && !saidByPerson(e.Events[i]); i++ {
		if e.Events[i].Kind == session.ToolCall && e.isNamed(c, i) {
			return true
		}
	}
	return false
}

// isTranslated reports whether a lesson may say in English what a person said in event i. Where
// text from outside was read it may say that instead.
func (e *evidence) isTranslated(i int) bool {
	ev := e.Events[i]
	return !e.Outside && saidByPerson(ev) && !ev.Pasted && isOtherLanguage(ev.Text)
}

// provenPart returns the beginning of a lesson, up to some clause, that the session bears out by itself; "" if there is
// none. What follows may be true, and may come from elsewhere: an explanation is worth less than the rest of the lesson.
func (e *evidence) provenPart(lesson string, at []int) string {
	joints := reJoint.Get().FindAllStringIndex(lesson, -1)
	for _, joint := range slices.Backward(joints) {
		part := strings.TrimRight(lesson[:joint[0]], " ")
		c := e.claimOf(part)
		first, _, _ := strings.Cut(part, " ")
		isSaid := slices.ContainsFunc(at, func(i int) bool { return e.isRemark(c, i) })
		if strings.Count(part, "`")%2 == 0 && isVerb(strings.ToLower(first)) && e.doubt(c, at) == "" && (isSaid || e.isProven(slices.Concat(c.literals, c.commands))) {
			return part
		}
	}
	return ""
}

var reReason = lazy.New(`(?i)[,;]?\s(?:because|since|as (?:the|it|they|this|these|our)|due to|weil|denn|da (?:die|der|das|es|sie)|parce qu[e'’]|car|porque|perché|omdat)\b(?:[^.;]|[.;]\S)*`)

func (e *evidence) withoutInvented(lesson string) string {
	if at := reReason.Get().FindStringIndex(lesson); at != nil && strings.Count(lesson[:at[0]], "`")%2 == 0 && e.isInvented(lesson[at[0]:at[1]]) {
		return lesson[:at[0]] + lesson[at[1]:]
	}
	return lesson
}

// isInvented reports whether half of the words of a reason, three at least, stand in no event.
func (e *evidence) isInvented(reason string) bool {
	said := wordsOf(reason)
	unknown := maps.Clone(said)
	maps.DeleteFunc(unknown, func(w string, _ bool) bool { return e.isAny(func(i int) bool { return e.words[i][w] }) })
	return len(e.Events) > 0 && len(unknown) > 2 && 2*len(unknown) >= len(said)
}

// runs reports whether a name, or each part of a compound name, occurs in event i.
func (e *evidence) runs(i int, name string) bool {
	return e.holds(i, name) || e.runsIn(e.texts[i], name)
}

// runsIn reports whether a text holds a name, or the parts of a compound name close together: words
// from two distant places are not a command.
func (e *evidence) runsIn(text, name string) bool {
	if words.HoldsName(text, name) {
		return true
	}
	parts, known := e.parts[name]
	if !known {
		parts = partsOf(name)
		e.parts[name] = parts
	}
	for from := 0; len(parts) > 1; {
		at := strings.Index(text[from:], parts[0])
		if at < 0 {
			return false
		}
		from += at + 1
		near := text[from-1 : min(len(text), from+3*len(name)+windowSize/4)]
		if !slices.ContainsFunc(parts, func(part string) bool { return !words.HoldsName(near, part) }) {
			return true
		}
	}
	return false
}

// isOwnFailure reports whether event i is how a command of a lesson failed, in words that the lesson has as well.
func (e *evidence) isOwnFailure(c claim, i int) bool {
	ev, call := e.Events[i], e.calls[i]
	rare := wordsIn(e.words[i], c.said)
	maps.DeleteFunc(rare, func(w string, _ bool) bool { return words.IsCommon(w) || words.IsSearchStop(w) })
	if ev.Origin != session.Tool || !e.failed[i] || len(rare) == 0 {
		return false
	}
	isCue := len(wordsOf(c.error)) > 1 && e.holds(i, c.error) // which it is told after, though its text does not quote it
	return isCue || len(rare) > 1 && slices.ContainsFunc(c.commands, func(name string) bool { return e.holds(call, name) })
}

func (e *evidence) isProven(names []string) bool {
	return e.isAny(func(i int) bool { return e.failed[i] && e.isCuredBy(i, names, func(int) bool { return true }) })
}
