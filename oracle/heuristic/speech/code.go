package speech

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/words"
)

// MarkCode sets paths, flags, commands and identifiers in a text as code.
func MarkCode(text string) string {
	if strings.Count(text, "`")%2 == 1 { // an open backtick
		text = strings.ReplaceAll(text, "`", "")
	}
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 { // the prose
		parts[i] = markPlain(parts[i])
	}
	return strings.Join(parts, "`")
}

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
		} else if isCode(core) {
			out = append(out, lead+shell.Code(core)+trail)
		} else {
			out = append(out, words[i])
		}
	}
	return strings.Join(out, " ")
}

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

// isCode reports whether a word is a path, a flag, a command or an identifier.
func isCode(w string) bool {
	return shell.IsProgram(w) || len(w) >= 2 && !strings.ContainsAny(w, "`\"") && !rePlainWord.Matches(w) &&
		reCode.Matches(w) && !reNotCode.Matches(w)
}

// hasCode reports whether any word of text is code, or set as such, or names a tool.
func hasCode(text string) bool {
	return strings.Contains(text, "`") || slices.ContainsFunc(reGap.Get().Split(text, -1), func(w string) bool {
		_, core, _ := splitMarks(w)
		return isCode(core) || shell.IsTool(core)
	})
}

// FindName returns the first name of a function or variable in a text; "" if there is none.
func FindName(text string) string {
	for _, m := range reNamed.Get().FindAllStringSubmatch(text, -1) {
		if name := m[1] + m[2]; !reNotCode.Matches(name) {
			return name
		}
	}
	return ""
}

func firstWord(s string) string {
	w, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.Trim(w, "`'\",.;:!?()")
}

// UpperFirst makes the first letter of a sentence large, unless it is code.
func UpperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if w, _, _ := strings.Cut(s, " "); n == 0 || isCode(strings.Trim(w, ",.;:!")) || strings.ContainsAny(w, "_/.()-0123456789") || isBare(s) {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// LowerFirst makes the first letter small, unless it begins a name.
func LowerFirst(s string) string {
	w, _, _ := strings.Cut(s, " ")
	r, n := utf8.DecodeRuneInString(w)
	if n == 0 || w == "I" || strings.ToLower(w[n:]) != w[n:] {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}

var (
	reGap       = lazy.New(`[\s\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]+`)
	rePlainWord = lazy.New(`^[A-Za-z]?[a-z]*$`)
	reCode      = lazy.New(`^(?:--?[a-zA-Z][\w-]*(?:=\S+)?|[~.]{0,2}/[\w.@*/+-]+|@[\w-]+/[\w./-]+|(?:src|docs?|tests?|packages|cmd|internal|scripts|config|conf|lib|apps?|pkg|tools|\.github|db|migrations|api|build|dist)/[\w.@*/+-]*|[\w.@-]+(?:/[\w.@*-]+)*/?\.?[\w@*-]+\.(?:go|tsx?|jsx?|mjs|cjs|json[lc5]?|mdx?|py|rs|toml|ya?ml|sh|s?css|html|sql|rb|exs?|java|kts?|c|h|cpp|cc|lock|txt|env|xml|proto|mod|sum|cfg|ini|vue|svelte|tf|gradle|tmpl|csv|log)|\.[a-z][\w.-]+|\w+(?:/[\w.-]+){2,}|[\w.-]{2,}/|[a-z]\w*\.[A-Z]\w+|[a-zA-Z]\w*(?:_\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[\w.]+\(\)|\w+(?:::\w+)+(?:\(\))?|_[a-z]\w+|[a-z]\w*\.[a-z]+_\w+|(?:[A-Z][A-Z0-9]*_)+[A-Z0-9]+)$`)
	reNamed     = lazy.New(`(?:^|[^\w/.@-])(?:([a-z]\w{2,})\(|([a-z]\w*_\w+|[a-z]+[A-Z]\w*|[a-z]{3,}\d[a-z]\w+)(?:[^\w/.-]|[.-](?:\s|$)|$))`)
	reNotCode   = lazy.New(`(?i)^(?:github|gitlab|javascript|typescript|postgresql|mysql|graphql|openai|macos|ios|iphone|youtube|linkedin|devops|oauth|nodejs|vscode|and/or|i/o|ci/cd|\d+(?:\.\d+)*|jetbrains|sqlite|mongodb|websocket|whatsapp|ok|e2e|k8s|i18n|\w+_case)$`)
)

// CountShared counts the words that two sets have in common.
func CountShared(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// SaysSame reports whether one of two texts rewords the other, or adds no more than a word.
func SaysSame(text, other string) bool {
	a, b := words.SpeechWords(text), words.SpeechWords(other)
	shared := CountShared(a, b)
	return 5*shared >= 4*min(len(a), len(b)) && 5*shared >= 3*max(len(a), len(b))
}

// IsSound reports whether text is valid and says something in words.
func IsSound(text string) bool {
	return utf8.ValidString(text) && len(words.SpeechWords(text)) > 0 && len(text) >= 8
}
