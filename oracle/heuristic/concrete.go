package heuristic

import (
	"strings"
)

// concrete reports whether what was heard makes sense on its own, some other
// day: it names things rather than pointing at them, is not about right now,
// and keeps its temper.
func concrete(h heard, sc scene) bool {
	text := h.text
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > 45 || reRude().MatchString(text) || rePointing().MatchString(text) {
		return false
	}
	if reMachine().MatchString(text) || reThatEnd().MatchString(text) {
		return false
	}
	if reUnsureInside().MatchString(text) {
		return false
	}
	if !h.standing && reHereNow().MatchString(text) {
		return false
	}
	if h.standing && reToday().MatchString(text) {
		return false
	}
	if sc.denied == nil && !h.standing && reNow().MatchString(text) || sc.denied != nil && reNotYet().MatchString(text) {
		return false
	}
	verb := strings.TrimPrefix(strings.ToLower(text), "always ")
	if _, rest, ok := strings.Cut(verb, " "); ok && startsVague(" "+rest) {
		return false
	}
	last := words[len(words)-1]
	if dangling(last) && (!strings.EqualFold(last, "them") || !strings.Contains(text, ", ")) {
		return false
	}
	n := len(contentWords(text))
	return n >= 2 || n == 1 && (hasCode(text) || h.choice != "" || strings.HasPrefix(strings.ToLower(text), "use "))
}

// withoutTail drops a last clause that points at something, such as ", we had
// an incident because of that".
func withoutTail(text string) string {
	i := strings.LastIndex(text, ", ")
	if i < 0 || !reThatEnd().MatchString(text[i:]) {
		return text
	}
	return text[:i]
}

// startsVague reports whether the words after a verb point at something that
// only those present could see. rest begins with a blank.
func startsVague(rest string) bool {
	if reKeepIt().MatchString(rest) {
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
	if sc.file == "" || isTemp(sc.file) {
		return text
	}
	return reThatFile().ReplaceAllLiteralString(text, "`"+strings.ReplaceAll(sc.file, "`", "'")+"`")
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
				out = append(out, lead+code(core)+trail)
				continue
			}
			_, last, end := bare(run[n-1])
			run[n-1] = last
			out = append(out, lead+code(strings.Join(run, " "))+end)
			i += n - 1
		case isCode(core):
			out = append(out, lead+code(core)+trail)
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
	subs := commonSubs(first)
	if subs == "" {
		return 0
	}
	n := 1
	for n < len(words) && n < 5 {
		_, w, end := bare(words[n])
		isFlag := strings.HasPrefix(w, "-") && len(w) > 1
		known := strings.Contains(subs, " "+w+" ")
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

// commonSubs lists, between blanks, the subcommands people name in prose.
func commonSubs(program string) string {
	switch program {
	case "npm", "pnpm", "yarn", "bun":
		return " run test install build ci add publish exec dev start lint fix check "
	case "git":
		return " push pull commit add rebase merge checkout stash reset revert diff log status restore fetch switch clean "
	case "go":
		return " test build run vet fmt mod tidy generate install get tool work "
	case "cargo":
		return " test build run clippy fmt check add doc bench "
	case "docker":
		return " compose up down build run exec "
	case "make", "just", "task":
		return " test build check lint fmt e2e generate gen dev install integration "
	case "uv", "pip", "pip3", "poetry":
		return " run install sync pip add lock "
	case "gh":
		return " pr issue run api create view diff release "
	case "mise":
		return " run exec fmt lint test "
	case "terraform":
		return " plan apply init destroy "
	case "kubectl":
		return " apply delete get "
	case "python", "python3":
		return " -m "
	}
	return ""
}

// isCode reports whether a word is a path, a flag, a command or an identifier
// rather than English.
func isCode(w string) bool {
	if len(w) < 2 || strings.ContainsAny(w, "`\"") || rePlainWord().MatchString(w) {
		return isProgram(w)
	}
	return isProgram(w) || reCode().MatchString(w) && !reNotCode().MatchString(w)
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

// isProgram reports whether a plain word is surely a program.
func isProgram(w string) bool {
	switch w {
	case "npm", "pnpm", "npx", "pytest", "gofmt", "goimports", "golangci-lint", "uv", "eslint", "biome", "tsc", "tsx", "vitest", "mypy",
		"ruff", "kubectl", "sqlc", "gofumpt", "sudo", "rg", "clippy", "rustfmt", "sed", "grep", "curl", "pip", "pip3", "python3", "jq":
		return true
	}
	return false
}

var (
	rePlainWord    = lazy(`^[A-Za-z]?[a-z]*$`)
	reCode         = lazy(`^(?:--?[a-zA-Z][\w-]*(?:=\S+)?|[~.]{0,2}/[\w.@*/+-]+|@[\w-]+/[\w./-]+|(?:src|docs?|tests?|packages|cmd|internal|scripts|config|conf|lib|apps?|pkg|tools|\.github|db|migrations|api|build|dist)/[\w.@*/+-]*|[\w.@-]+(?:/[\w.@*-]+)*/?\.?[\w@*-]+\.(?:go|tsx?|jsx?|mjs|cjs|json[lc5]?|mdx?|py|rs|toml|ya?ml|sh|s?css|html|sql|rb|exs?|java|kts?|c|h|cpp|cc|lock|txt|env|xml|proto|mod|sum|cfg|ini|vue|svelte|tf|gradle|tmpl|csv|log)|\.[a-z][\w.-]+|\w+(?:/[\w.-]+){2,}|[\w.-]{2,}/|[a-z]\w*\.[A-Z]\w+|[a-zA-Z]\w*(?:_\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[\w.]+\(\)|(?:[A-Z][A-Z0-9]*_)+[A-Z0-9]+)$`)
	reNotCode      = lazy(`(?i)^(?:github|gitlab|javascript|typescript|postgresql|mysql|graphql|openai|macos|ios|iphone|youtube|linkedin|devops|oauth|nodejs|vscode|and/or|i/o|ci/cd|\d+(?:\.\d+)*|jetbrains|sqlite|mongodb|websocket|whatsapp|ok)$`)
	reRude         = lazy(`(?i)\b(fuck\w*|shit\w*|stupid|idiot|asshole|bullshit|crap|dumb|suck\w*)\b`)
	rePointing     = lazy(`(?i)\b(?:(?:this|that|these|those) (?:file|one|ones|way|function|tests?|code|change|changes|line|lines|part|section|thing|class|method|component|field|page|box|error|issue|bug|pr|commit|task|step|command|script|approach|endpoint|table|column|value|flag|option|button|image|text|name|folder|directory|message|idea|path|case|cases|comment|again|stuff|shit)|the (?:above|below|former|latter|first one|second one|other one)|see (?:above|below)|option \d|as is|as i (?:said|described))\b`)
	reUnsureInside = lazy(`(?i)\b(?:i think|i guess|i suppose|idk|not sure|maybe we|right\?|i will|i'll|let me|for me to)\b`)
	reNow          = lazy(`(?i)\b(?:yet|for now|for a (?:moment|minute|second|bit|while)|right now|just now|at the moment|for the moment|until|till|this time|today|tonight|tomorrow|anymore|any more|so far|in the meantime|while i|before i|later|first|for this (?:task|change|pr|one)|in this (?:pr|task|change|session|commit)|now)\b`)
	reToday        = lazy(`(?i)\b(?:today|tonight|tomorrow|right now|at the moment|this time|for now)\b`)
	reKeepIt       = lazy(`(?i)^ it (?:simple|short|small|minimal|in memory)\b`)
	reThatEnd      = lazy(`(?i)\b(?:like|be|for|with|of|about|to|at|in|on) (?:this|that|it|those|these)(?:[,.;:!]|$)`)
	reMachine      = lazy(`\b[0-9a-f]{10,}\b|\S@\S+\.\w|\|.*\||\w+=\w+&`)
	reHereNow      = lazy(`(?i)\bhere\b`)
	reNotYet       = lazy(`(?i)\b(?:yet|right now|until i|tomorrow|later|not now|this time)\b`)
	reThatFile     = lazy(`(?i)\b(?:this|that) file\b`)
)
