package heuristic

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mem/oracle/heuristic/shell"
)

// line makes text one clean line of at most MaxText characters.
func line(text string) string {
	text = strings.ToValidUTF8(text, "")
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	return strings.TrimRight(shell.Clip(strings.Join(strings.Fields(text), " "), MaxText), " .,;:-")
}

// capital makes the first letter of a sentence large, unless it is code.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || isCode(firstWord(s)) || strings.ContainsAny(strings.SplitN(s, " ", 2)[0], "_/.()") {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// small makes the first letter of a sentence small, unless the word is a name
// or an abbreviation.
func small(s string) string {
	w := strings.SplitN(s, " ", 2)[0]
	r, n := utf8.DecodeRuneInString(w)
	if n == 0 || w == "I" || strings.ToLower(w[n:]) != w[n:] {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}

// contentWords returns the words of text that carry meaning, in small letters.
func contentWords(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != '/' && r != '.'
	}) {
		w = strings.Trim(w, "-./")
		if w != "" && !emptyWord(w) {
			out[w] = true
		}
	}
	return out
}

// emptyWord reports whether a word says nothing by itself.
func emptyWord(w string) bool {
	switch w {
	case "a", "an", "the", "of", "to", "in", "on", "at", "by", "for", "with", "from", "into", "and", "or", "but", "so",
		"as", "if", "is", "are", "was", "were", "be", "been", "being", "it", "its", "it's", "this", "that", "these",
		"those", "them", "they", "there", "here", "you", "your", "we", "our", "us", "i", "me", "my", "he", "she", "do",
		"does", "did", "done", "not", "no", "don't", "dont", "never", "always", "just", "also", "too", "very", "really", "please",
		"use", "instead", "will", "would", "should", "could", "can", "must", "have", "has", "had", "only", "than", "then",
		"what", "which", "who", "when", "where", "how", "why", "all", "any", "some", "more", "like", "again", "now",
		"fails", "without", "rather", "s", "t", "re", "ve", "ll":
		return true
	}
	return false
}
