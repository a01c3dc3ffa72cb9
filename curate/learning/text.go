package learning

import (
	"cmp"
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
	return strings.TrimRight(shorten(firstSentence(firstParagraph(text)), maxTitle), ".;:, ")
}

// StatementOf returns what a text says in the length of a lesson: its first
// paragraph or, if that is long, the first sentence of it.
func StatementOf(text string) string {
	text = firstParagraph(text)
	if len([]rune(text)) > maxStatement {
		text = firstSentence(text)
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

// firstSentence returns the first sentence of a folded text. A point within a name
// or an abbreviation does not end one.
func firstSentence(text string) string {
	for i, r := range text {
		if strings.ContainsRune("。！？", r) {
			return text[:i+utf8.RuneLen(r)]
		}
		if !strings.ContainsRune(".!?", r) {
			continue
		}
		sentence, rest := text[:i+1], text[i+1:]
		if !strings.HasPrefix(rest, " ") || strings.HasSuffix(sentence, "e.g.") || strings.HasSuffix(sentence, "i.e.") {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " `\"'(")); !unicode.IsLower(next) {
			return sentence
		}
	}
	return text
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
