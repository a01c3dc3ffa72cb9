package learning

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mem/words"
)

// Limits of what is made of a text, in characters.
const (
	maxTitle     = 72
	maxStatement = 240
)

// TitleOf returns what a text says first, on one line that is not long.
func TitleOf(text string) string {
	return strings.TrimRight(shorten(FirstSentence(firstParagraph(text)), maxTitle), ".;:, ")
}

// StatementOf returns what a text says in the length of a lesson: its first
// paragraph or, if that is long, the first sentence of it.
func StatementOf(text string) string {
	text = firstParagraph(text)
	if len([]rune(text)) > maxStatement {
		text = FirstSentence(text)
	}
	return shorten(text, maxStatement)
}

// firstParagraph returns the first paragraph that is not a heading, on one line; the
// first heading if there is none.
func firstParagraph(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	heading := ""
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		var lines []string
		for line := range strings.Lines(paragraph) {
			line = strings.TrimSpace(line)
			if bare := strings.TrimLeft(line, "#"); bare == line || !strings.HasPrefix(bare, " ") {
				lines = append(lines, line)
			} else {
				heading = cmp.Or(heading, words.FoldSpace(bare))
			}
		}
		if folded := words.FoldSpace(strings.Join(lines, " ")); strings.ContainsFunc(folded, isWordRune) {
			return strings.TrimPrefix(strings.TrimPrefix(folded, "- "), "* ")
		}
	}
	return heading
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// abbreviations end in a point that does not end a sentence.
var abbreviations = []string{"e.g", "i.e", "etc", "vs", "cf", "approx", "no", "nr", "z.b"}

// FirstSentence returns the first sentence of a folded text, with the point that
// ends it. A point in code, within a name or after an abbreviation does not end one.
func FirstSentence(text string) string {
	code := false
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		switch {
		case r == '`':
			code = !code
		case code:
		case strings.ContainsRune("。！？", r), strings.ContainsRune(".!?", r) && endsSentence(text[:i], text[next:]):
			return text[:next]
		}
	}
	return text
}

// endsSentence reports whether a point between two texts ends a sentence.
func endsSentence(before, after string) bool {
	word := strings.ToLower(before[strings.LastIndexByte(before, ' ')+1:])
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " `\"'("))
	return (after == "" || after[0] == ' ') && !unicode.IsLower(next) && !slices.Contains(abbreviations, strings.TrimLeft(word, "(\"'"))
}

// shorten cuts a folded text at a word.
func shorten(text string, most int) string {
	chars := []rune(text)
	if len(chars) <= most {
		return text
	}
	cut := string(chars[:most-1])
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
