// Package english has the words and forms of English that it takes to read what people say: lists of
// words in english.txt, and "deleting" for "delete".
package english

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mem/oracle/heuristic/spelling"
	"mem/words"
)

// lists holds lists of English words, each below its name and what it is for.
//
//go:embed english.txt
var lists string

// wordList returns the words of a list in small letters.
func wordList(name string) []string {
	_, after, _ := strings.Cut(lists, "== "+name+": ")
	_, list, _ := strings.Cut(after, "\n")
	list, _, _ = strings.Cut(list, "==")
	return strings.Fields(list)
}

// wordSet returns the test whether a word, in any letters, is in a list that is
// read on first use.
func wordSet(name string) func(word string) bool {
	list := sync.OnceValue(func() []string { return wordList(name) })
	return func(word string) bool { return slices.Contains(list(), strings.ToLower(word)) }
}

// Whether a word is in the list of that name, or what it leads to there.
var (
	IsVerb       = wordSet("isVerb")
	IsOutputVerb = wordSet("isOutputVerb")
	FollowsNo    = wordSet("followsNo")
	IsVague      = wordSet("isVague")
	IsSwearWord  = wordSet("isSwearWord")
	IsDangling   = wordSet("isDangling")
	IsPointer    = wordSet("isPointer")
	participles  = readPairs("participles")
	Contractions = readPairs("contractions")
)

// Gerund turns "delete" into "deleting"; ok is false for words that are not
// known verbs.
func Gerund(verb string) (ing string, ok bool) {
	v := strings.ToLower(verb)
	if !IsVerb(v) && !slices.Contains([]string{"be", "do", "try", "have"}, v) {
		return "", false
	}
	return words.Gerund(v), true
}

// FromGerund returns w, spelled right, if it is the "ing" form of a known verb.
func FromGerund(w string) (string, bool) {
	stem, ok := strings.CutSuffix(strings.ToLower(w), "ing")
	if !ok || len(stem) < 2 {
		return "", false
	}
	for _, b := range []string{stem, stem + "e", stem[:len(stem)-1]} {
		if g, ok := Gerund(b); ok && b != "have" {
			return g, true
		}
	}
	return "", false
}

// readPairs reads, on first use, a list of words and what each leads to.
func readPairs(name string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		pairs := map[string]string{}
		for pair := range slices.Chunk(wordList(name), 2) {
			pairs[pair[0]] = pair[1]
		}
		return pairs
	})
}

// BaseForm turns "run" or "used" behind "should have" into the base form; ok is
// false for words that are not known verbs.
func BaseForm(participle string) (verb string, ok bool) {
	p := strings.ToLower(participle)
	if b := participles()[p]; b != "" {
		return b, true
	}
	for _, s := range []string{strings.TrimSuffix(p, "d"), strings.TrimSuffix(p, "ed"), p[:max(0, len(p)-len("ped"))]} {
		if strings.HasSuffix(p, "d") && IsVerb(s) {
			return s, true
		}
	}
	return "", false
}

// Doing rewrites "delete tests" as "deleting tests", with verbs that hang on it by
// "or" and "and". A command set as code is run.
func Doing(phrase string) (string, bool) {
	words := strings.Fields(phrase)
	if len(words) == 0 {
		return "", false
	}
	if strings.HasPrefix(phrase, "`") {
		return "running " + phrase, true
	}
	if words[0] == "just" && len(words) > 1 {
		words = words[1:]
	}
	at := 0
	if len(words) > 1 && IsVerb(words[1]) && slices.Contains([]string{"force", "hard", "squash", "auto"}, words[0]) {
		at = 1 // "force push"
	}
	head, tail := "", strings.TrimRight(words[at], ",;")
	mark := words[at][len(tail):]
	if i := strings.LastIndexByte(tail, '-'); i > 0 {
		head, tail = tail[:i+1], tail[i+1:] // "force-push"
	}
	g, ok := Gerund(tail)
	if !ok {
		return "", false
	}
	words[at] = head + g + mark
	for i := 1; i+1 < len(words); i++ {
		g, ok := Gerund(words[i+1])
		if ok && (words[i] == "or" || words[i] == "and" && i == 1) {
			words[i+1] = g
		}
	}
	return strings.Join(words, " "), true
}

// FirstWord returns the first word of a text without the marks around it.
func FirstWord(s string) string {
	w, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.Trim(w, ",.;:!")
}

// UpperFirst makes the first letter of a sentence large, unless it is code.
func UpperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || spelling.IsCode(FirstWord(s)) || strings.ContainsAny(strings.SplitN(s, " ", 2)[0], "_/.()") {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// LowerFirst makes the first letter small, unless it begins a name.
func LowerFirst(s string) string {
	w := strings.SplitN(s, " ", 2)[0]
	r, n := utf8.DecodeRuneInString(w)
	if n == 0 || w == "I" || strings.ToLower(w[n:]) != w[n:] {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}
