// Package spelling knows how words are written: which of them are code, and which texts say the
// same. Everything is pure.
package spelling

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
)

// MarkCode sets paths, flags, commands and identifiers in a text as code.
func MarkCode(text string) string {
	if strings.Count(text, "`")%2 == 1 { // an open backtick
		text = strings.ReplaceAll(text, "`", "")
	}
	return MapProse(text, markPlain)
}

// MapProse applies f to the parts of a text that are not set as code.
func MapProse(text string, f func(string) string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = f(parts[i])
	}
	return strings.Join(parts, "`")
}

// markPlain is MarkCode for text without backticks.
func markPlain(text string) string {
	words := strings.Split(text, " ")
	var out []string
	for i := 0; i < len(words); i++ {
		lead, core, trail := splitMarks(words[i])
		if n := commandLength(words[i:]); n > 1 {
			_, last, end := splitMarks(words[i+n-1])
			run := slices.Concat([]string{core}, words[i+1:i+n-1], []string{last})
			out = append(out, lead+shell.Code(strings.Join(run, " "))+end)
			i += n - 1
		} else if IsCode(core) && !(i > 0 && reArrow.Matches(words[i-1]) && reChoices.Matches(core)) {
			out = append(out, lead+shell.Code(core)+trail)
		} else {
			out = append(out, words[i])
		}
	}
	return strings.Join(out, " ")
}

// splitMarks splits a word from the punctuation around it.
func splitMarks(w string) (lead, core, trail string) {
	core = strings.TrimLeft(w, `("'`)
	lead = w[:len(w)-len(core)]
	trimmed := strings.TrimRight(core, `,.;:!?"'`)
	if strings.Count(trimmed, ")") > strings.Count(trimmed, "(") {
		trimmed = strings.TrimRight(trimmed, ")")
	}
	return lead, trimmed, core[len(trimmed):]
}

// commandLength returns how many words from the start make up a command, if over 1.
func commandLength(words []string) int {
	_, first, trail := splitMarks(words[0])
	if trail != "" || len(words) < 2 {
		return 0
	}
	subs := shell.SubcommandsInProse(first)
	if len(subs) == 0 {
		return 0
	}
	n := 1
	for end := ""; n < len(words) && n < 5 && end == ""; n++ {
		var w string
		_, w, end = splitMarks(words[n])
		isFlag := strings.HasPrefix(w, "-") && len(w) > 1
		if w == "" || !isFlag && !slices.Contains(subs, w) && (n < 2 || words[n-1] != "run") {
			break
		}
	}
	return n
}

// IsCode reports whether a word is a path, a flag, a command or an identifier.
func IsCode(w string) bool {
	return shell.IsProgram(w) || len(w) >= 2 && !strings.ContainsAny(w, "`\"") && !rePlainWord.Matches(w) &&
		reCode.Matches(w) && !reNotCode.Matches(w)
}

// ListCode returns the parts of a text that are set as code.
func ListCode(text string) (code []string) {
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			code = append(code, part)
		}
	}
	return code
}

// HasCode reports whether any word of text is code or set as such.
func HasCode(text string) bool {
	return strings.Contains(text, "`") || slices.ContainsFunc(strings.Fields(text), func(w string) bool {
		_, core, _ := splitMarks(w)
		return IsCode(core)
	})
}

// FindName returns the first name of a function or variable in a text; "" if there is none.
func FindName(text string) string {
	for _, at := range reNamed.Get().FindAllStringIndex(text, -1) {
		name := strings.TrimRight(text[at[0]:at[1]], "(")
		inPath := at[0] > 0 && strings.ContainsRune("/.-@", rune(text[at[0]-1])) || at[1]+1 < len(text) && strings.ContainsRune("/.-", rune(text[at[1]])) && text[at[1]+1] > ' '
		if !inPath && !reNotCode.Matches(name) {
			return name
		}
	}
	return ""
}

var reFileName = lazy.New(`\b([\w-]{3,})\.([a-z]\w{1,5})\b`)

// FileNames returns the names of files in a text, without their folders.
func FileNames(text string) []string { return reFileName.Get().FindAllString(text, -1) }

// NamesTool reports whether text holds a tool or a command such as "make test".
func NamesTool(text string) bool {
	words := strings.Fields(text)
	for i, w := range words {
		if shell.IsTool(ToolWord(w)) || commandLength(words[i:]) > 1 {
			return true
		}
	}
	return false
}

// ToolWord strips a word of marks and backticks.
func ToolWord(w string) string { return strings.Trim(w, "`'\",.;:!?()") }

// ShowChoice sets a choice as code if it is one.
func ShowChoice(choice string) string {
	if first := strings.Fields(choice + " _")[0]; IsCode(choice) || shell.IsProgram(first) || shell.HasSubcommands(first) {
		return shell.Code(choice)
	}
	return choice
}

var (
	// reChoices matches what is a list rather than a path, where an arrow leads to it.
	reArrow     = lazy.New(`^(?:->|→|=>)$`)
	reChoices   = lazy.New(`^\w+(?:/\w+)+$`)
	rePlainWord = lazy.New(`^[A-Za-z]?[a-z]*$`)
	reCode      = lazy.New(`^(?:--?[a-zA-Z][\w-]*(?:=\S+)?|[~.]{0,2}/[\w.@*/+-]+|@[\w-]+/[\w./-]+|(?:src|docs?|tests?|packages|cmd|internal|scripts|config|conf|lib|apps?|pkg|tools|\.github|db|migrations|api|build|dist)/[\w.@*/+-]*|[\w.@-]+(?:/[\w.@*-]+)*/?\.?[\w@*-]+\.(?:go|tsx?|jsx?|mjs|cjs|json[lc5]?|mdx?|py|rs|toml|ya?ml|sh|s?css|html|sql|rb|exs?|java|kts?|c|h|cpp|cc|lock|txt|env|xml|proto|mod|sum|cfg|ini|vue|svelte|tf|gradle|tmpl|csv|log)|\.[a-z][\w.-]+|\w+(?:/[\w.-]+){2,}|[\w.-]{2,}/|[a-z]\w*\.[A-Z]\w+|[a-zA-Z]\w*(?:_\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[\w.]+\(\)|\w+(?:::\w+)+(?:\(\))?|_[a-z]\w+|[a-z]\w*\.[a-z]+_\w+|(?:[A-Z][A-Z0-9]*_)+[A-Z0-9]+)$`)
	reNamed     = lazy.New(`\b(?:[a-z]\w*_\w+|[a-z]+[A-Z]\w*|[a-z]{3,}\d[a-z]\w+|[a-z]\w{2,}\()`)
	reNotCode   = lazy.New(`(?i)^(?:github|gitlab|javascript|typescript|postgresql|mysql|graphql|openai|macos|ios|iphone|youtube|linkedin|devops|oauth|nodejs|vscode|and/or|i/o|ci/cd|\d+(?:\.\d+)*|jetbrains|sqlite|mongodb|websocket|whatsapp|ok|e2e|k8s|i18n|\w+_case)$`)
)
