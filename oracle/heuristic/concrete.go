package heuristic

import (
	"slices"
	"strings"

	"mem/oracle/heuristic/lazy"
	"mem/oracle/heuristic/shell"
	"mem/words"
)

// concrete reports whether what was heard makes sense on its own, some other
// day: it names things rather than pointing at them, is not about right now,
// and keeps its temper.
func concrete(h heard, sc scene) bool {
	text := h.text
	said := strings.Fields(text)
	if len(said) < 2 || len(said) > 45 || reRude.Get().MatchString(text) || rePointing.Get().MatchString(text) {
		return false
	}
	if reMachine.Get().MatchString(text) || reThatEnd.Get().MatchString(text) {
		return false
	}
	if reUnsureInside.Get().MatchString(text) {
		return false
	}
	if !h.standing && reHereNow.Get().MatchString(text) {
		return false
	}
	if h.standing && reToday.Get().MatchString(text) {
		return false
	}
	if sc.denied == nil && !h.standing && reNow.Get().MatchString(text) || sc.denied != nil && reNotYet.Get().MatchString(text) {
		return false
	}
	verb := strings.TrimPrefix(strings.ToLower(text), "always ")
	if _, rest, ok := strings.Cut(verb, " "); ok && startsVague(" "+rest) {
		return false
	}
	last := said[len(said)-1]
	if dangling(last) && (!strings.EqualFold(last, "them") || !strings.Contains(text, ", ")) {
		return false
	}
	n := len(words.SpeechWords(text))
	return n >= 2 || n == 1 && (hasCode(text) || h.choice != "" || strings.HasPrefix(strings.ToLower(text), "use "))
}

// withoutTail drops a last clause that points at something, such as ", we had
// an incident because of that".
func withoutTail(text string) string {
	i := strings.LastIndex(text, ", ")
	if i < 0 || !reThatEnd.Get().MatchString(text[i:]) {
		return text
	}
	return text[:i]
}

// startsVague reports whether the words after a verb point at something that
// only those present could see. rest begins with a blank.
func startsVague(rest string) bool {
	if reKeepIt.Get().MatchString(rest) {
		return false
	}
	w := strings.ToLower(strings.Trim(firstWord(rest), ",.;:"))
	switch w {
	case "it", "it's", "that", "that's", "this", "them", "those", "these", "one", "so", "both", "stuff", "thing", "things", "something",
		"anything", "shit", "what", "whatever", "there", "here", "everything,", "again", "ahead", "him", "her", "back", "",
		"yourself", "you", "i", "another", "yet", "now", "which", "they", "he", "she", "if", "bot":
		return true
	}
	return false
}

func dangling(w string) bool {
	switch strings.ToLower(strings.Trim(w, ",.;:")) {
	case "it", "that", "this", "them", "those", "these", "there", "one", "the", "a", "an", "of", "to", "and", "or", "with", "as":
		return true
	}
	return false
}

// resolvePronoun replaces "this file" by the name of the file that was just
// worked on, where there is one.
func resolvePronoun(text string, sc scene) string {
	if sc.file == "" || shell.IsTemporary(sc.file) {
		return text
	}
	return reThatFile.Get().ReplaceAllLiteralString(text, "`"+strings.ReplaceAll(sc.file, "`", "'")+"`")
}

// tick sets paths, flags, commands and identifiers in a person's words as
// code.
func tick(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		if i == len(parts)-1 && i%2 == 1 {
			break
		}
		parts[i] = tickPlain(parts[i])
	}
	if len(parts)%2 == 0 { // an open backtick
		return tickPlain(strings.ReplaceAll(text, "`", ""))
	}
	return strings.Join(parts, "`")
}

func tickPlain(text string) string {
	words := strings.Split(text, " ")
	var out []string
	for i := 0; i < len(words); i++ {
		lead, core, trail := bare(words[i])
		n := commandLength(words[i:])
		switch {
		case n > 1:
			run := append([]string{core}, words[i+1:i+n]...)
			if trail != "" {
				out = append(out, lead+shell.Code(core)+trail)
				continue
			}
			_, last, end := bare(run[n-1])
			run[n-1] = last
			out = append(out, lead+shell.Code(strings.Join(run, " "))+end)
			i += n - 1
		case isCode(core):
			out = append(out, lead+shell.Code(core)+trail)
		default:
			out = append(out, words[i])
		}
	}
	return strings.Join(out, " ")
}

// bare splits a word from the punctuation around it.
func bare(w string) (lead, core, trail string) {
	core = strings.TrimLeft(w, `("'`)
	lead = w[:len(w)-len(core)]
	trimmed := strings.TrimRight(core, `,.;:!?"'`)
	if strings.Count(trimmed, ")") > strings.Count(trimmed, "(") {
		trimmed = strings.TrimRight(trimmed, ")")
	}
	return lead, trimmed, core[len(trimmed):]
}

// commandLength returns how many words from the start make up a command such
// as "npm run build"; 0 if none.
func commandLength(words []string) int {
	_, first, trail := bare(words[0])
	if trail != "" || len(words) < 2 {
		return 0
	}
	subs := shell.SubcommandsInProse(first)
	if len(subs) == 0 {
		return 0
	}
	n := 1
	for n < len(words) && n < 5 {
		_, w, end := bare(words[n])
		isFlag := strings.HasPrefix(w, "-") && len(w) > 1
		known := slices.Contains(subs, w)
		named := n >= 2 && words[n-1] == "run" && w != ""
		if w == "" || !isFlag && !known && !named {
			break
		}
		n++
		if end != "" {
			break
		}
	}
	if n == 1 {
		return 0
	}
	return n
}

// isCode reports whether a word is a path, a flag, a command or an identifier
// rather than English.
func isCode(w string) bool {
	if len(w) < 2 || strings.ContainsAny(w, "`\"") || rePlainWord.Get().MatchString(w) {
		return shell.IsProgram(w)
	}
	return shell.IsProgram(w) || reCode.Get().MatchString(w) && !reNotCode.Get().MatchString(w)
}

// hasCode reports whether any word of text is code or set as such.
func hasCode(text string) bool {
	if strings.Contains(text, "`") {
		return true
	}
	for _, w := range strings.Fields(text) {
		if _, core, _ := bare(w); isCode(core) {
			return true
		}
	}
	return false
}

var (
	rePlainWord    = lazy.New(`^[A-Za-z]?[a-z]*$`)
	reCode         = lazy.New(`^(?:--?[a-zA-Z][\w-]*(?:=\S+)?|[~.]{0,2}/[\w.@*/+-]+|@[\w-]+/[\w./-]+|(?:src|docs?|tests?|packages|cmd|internal|scripts|config|conf|lib|apps?|pkg|tools|\.github|db|migrations|api|build|dist)/[\w.@*/+-]*|[\w.@-]+(?:/[\w.@*-]+)*/?\.?[\w@*-]+\.(?:go|tsx?|jsx?|mjs|cjs|json[lc5]?|mdx?|py|rs|toml|ya?ml|sh|s?css|html|sql|rb|exs?|java|kts?|c|h|cpp|cc|lock|txt|env|xml|proto|mod|sum|cfg|ini|vue|svelte|tf|gradle|tmpl|csv|log)|\.[a-z][\w.-]+|\w+(?:/[\w.-]+){2,}|[\w.-]{2,}/|[a-z]\w*\.[A-Z]\w+|[a-zA-Z]\w*(?:_\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[\w.]+\(\)|(?:[A-Z][A-Z0-9]*_)+[A-Z0-9]+)$`)
	reNotCode      = lazy.New(`(?i)^(?:github|gitlab|javascript|typescript|postgresql|mysql|graphql|openai|macos|ios|iphone|youtube|linkedin|devops|oauth|nodejs|vscode|and/or|i/o|ci/cd|\d+(?:\.\d+)*|jetbrains|sqlite|mongodb|websocket|whatsapp|ok)$`)
	reRude         = lazy.New(`(?i)\b(fuck\w*|shit\w*|stupid|idiot|asshole|bullshit|crap|dumb|suck\w*)\b`)
	rePointing     = lazy.New(`(?i)\b(?:(?:this|that|these|those) (?:file|one|ones|way|function|tests?|code|change|changes|line|lines|part|section|thing|class|method|component|field|page|box|error|issue|bug|pr|commit|task|step|command|script|approach|endpoint|table|column|value|flag|option|button|image|text|name|folder|directory|message|idea|path|case|cases|comment|again|stuff|shit)|the (?:above|below|former|latter|first one|second one|other one)|see (?:above|below)|option \d|as is|as i (?:said|described))\b`)
	reUnsureInside = lazy.New(`(?i)\b(?:i think|i guess|i suppose|idk|not sure|maybe we|right\?|i will|i'll|let me|for me to)\b`)
	reNow          = lazy.New(`(?i)\b(?:yet|for now|for a (?:moment|minute|second|bit|while)|right now|just now|at the moment|for the moment|until|till|this time|today|tonight|tomorrow|anymore|any more|so far|in the meantime|while i|before i|later|first|for this (?:task|change|pr|one)|in this (?:pr|task|change|session|commit)|now)\b`)
	reToday        = lazy.New(`(?i)\b(?:today|tonight|tomorrow|right now|at the moment|this time|for now)\b`)
	reKeepIt       = lazy.New(`(?i)^ it (?:simple|short|small|minimal|in memory)\b`)
	reThatEnd      = lazy.New(`(?i)\b(?:like|be|for|with|of|about|to|at|in|on) (?:this|that|it|those|these)(?:[,.;:!]|$)`)
	reMachine      = lazy.New(`\b[0-9a-f]{10,}\b|\S@\S+\.\w|\|.*\||\w+=\w+&`)
	reHereNow      = lazy.New(`(?i)\bhere\b`)
	reNotYet       = lazy.New(`(?i)\b(?:yet|right now|until i|tomorrow|later|not now|this time)\b`)
	reThatFile     = lazy.New(`(?i)\b(?:this|that) file\b`)
)
