package speech

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/words"
)

// isConcrete reports whether a lesson makes sense some other day: it names things,
// is not about right now, and keeps its temper.
func isConcrete(h Heard, sc Scene) bool {
	text := h.Text
	said := strings.Fields(text)
	if len(said) < 2 || len(said) > 45 || matchesAny(text, notConcrete(h, sc)...) {
		return false
	}
	lower := strings.ToLower(text)
	if _, rest, ok := strings.Cut(strings.TrimPrefix(lower, "always "), " "); ok && startsVague(rest) {
		return false
	}
	last := said[len(said)-1]
	if danglingWords.has(strings.Trim(last, ",.;:")) && (!strings.EqualFold(last, "them") || !strings.Contains(text, ", ")) {
		return false
	}
	n := len(words.SpeechWords(text))
	return n >= 2 || n == 1 && (hasCode(text) || h.Choice != "" || strings.HasPrefix(lower, "use "))
}

// notConcrete returns the expressions for what a lesson must not hold. A person
// who states a rule or refuses a call may well say "now".
func notConcrete(h Heard, sc Scene) []*lazy.Regexp {
	out := []*lazy.Regexp{reRude, rePointing, reMachine, reThatEnd, reUnsureInside}
	if sc.Refused {
		out = append(out, reNotYet)
	} else if !h.Standing {
		out = append(out, reNow)
	}
	if h.Standing {
		return append(out, reToday)
	}
	return append(out, reHereNow)
}

func matchesAny(text string, expressions ...*lazy.Regexp) bool {
	return slices.ContainsFunc(expressions, func(re *lazy.Regexp) bool { return re.Matches(text) })
}

// withoutTail drops a last clause that points at something, such as ", see that".
func withoutTail(text string) string {
	if i := strings.LastIndex(text, ", "); i >= 0 && reThatEnd.Matches(text[i:]) {
		return text[:i]
	}
	return text
}

// startsVague reports whether the words after a verb only point at something.
func startsVague(words string) bool {
	w := strings.Trim(firstWord(words), ",.;:")
	return (w == "" || vagueWords.has(w)) && !reKeepIt.Matches(strings.TrimSpace(words))
}

// nameFile replaces "this file" by the name of the file that was just worked on.
func nameFile(text, file string) string {
	if file == "" || shell.IsTemporary(file) {
		return text
	}
	return reThatFile.Get().ReplaceAllLiteralString(text, "`"+strings.ReplaceAll(file, "`", "'")+"`")
}

var (
	reRude         = lazy.New(`(?i)\b(fuck\w*|shit\w*|stupid|idiot|asshole|bullshit|crap|dumb|suck\w*)\b`)
	rePointing     = lazy.New(`(?i)\b(?:(?:this|that|these|those) (?:file|one|ones|way|function|tests?|code|change|changes|line|lines|part|section|thing|class|method|component|field|page|box|error|issue|bug|pr|commit|task|step|command|script|approach|endpoint|table|column|value|flag|option|button|image|text|name|folder|directory|message|idea|path|case|cases|comment|again|stuff|shit)|the (?:above|below|former|latter|first one|second one|other one)|see (?:above|below)|option \d|as is|as i (?:said|described))\b`)
	reUnsureInside = lazy.New(`(?i)\b(?:i think|i guess|i suppose|idk|not sure|maybe we|right\?|i will|i'll|let me|for me to)\b`)
	reNow          = lazy.New(`(?i)\b(?:yet|for now|for a (?:moment|minute|second|bit|while)|right now|just now|at the moment|for the moment|until|till|this time|today|tonight|tomorrow|anymore|any more|so far|in the meantime|while i|before i|later|first|for this (?:task|change|pr|one)|in this (?:pr|task|change|session|commit)|now)\b`)
	reToday        = lazy.New(`(?i)\b(?:today|tonight|tomorrow|right now|at the moment|this time|for now)\b`)
	reKeepIt       = lazy.New(`(?i)^it (?:simple|short|small|minimal|in memory)\b`)
	reThatEnd      = lazy.New(`(?i)\b(?:like|be|for|with|of|about|to|at|in|on) (?:this|that|it|those|these)(?:[,.;:!]|$)`)
	reMachine      = lazy.New(`\b[0-9a-f]{10,}\b|\S@\S+\.\w|\|.*\||\w+=\w+&`)
	reHereNow      = lazy.New(`(?i)\bhere\b`)
	reNotYet       = lazy.New(`(?i)\b(?:yet|right now|until i|tomorrow|later|not now|this time)\b`)
	reThatFile     = lazy.New(`(?i)\b(?:this|that) file\b`)
)
