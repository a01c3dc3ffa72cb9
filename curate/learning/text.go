package learning

import (
	"strings"
	"unicode"

	"mem/words"
)

// Limits of what is made of a text, in characters.
const (
	maxTitle     = 72
	maxStatement = 240
)

// TitleOf returns what a text says first, on one line that is not long.
func TitleOf(text string) string {
	return strings.TrimRight(shorten(sentence(first(text)), maxTitle), ".;:, ")
}

// StatementOf returns what a text says in the length of a lesson: its first
// paragraph or, if that is long, the first sentence of it.
func StatementOf(text string) string {
	text = first(text)
	if len([]rune(text)) > maxStatement {
		text = sentence(text)
	}
	return shorten(text, maxStatement)
}

// first returns the first paragraph that is not a heading, on one line.
func first(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	heads := ""
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		var lines []string
		for line := range strings.Lines(paragraph) {
			bare := strings.TrimLeft(strings.TrimSpace(line), "#")
			if heading := bare != strings.TrimSpace(line) && strings.HasPrefix(bare, " "); !heading {
				lines = append(lines, line)
			} else if heads == "" {
				heads = words.FoldSpace(bare)
			}
		}
		if folded := words.FoldSpace(strings.Join(lines, " ")); strings.ContainsFunc(folded, inWord) {
			return strings.TrimPrefix(strings.TrimPrefix(folded, "- "), "* ")
		}
	}
	return heads
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// sentence returns the first sentence of a folded text. A point within a name
// or an abbreviation ends none.
func sentence(text string) string {
	for i, r := range text {
		switch {
		case r == '。' || r == '！' || r == '？':
			return text[:i+len(string(r))]
		case r != '.' && r != '!' && r != '?':
			continue
		}
		rest := text[i+1:]
		if rest == "" || rest[0] != ' ' || strings.HasSuffix(text[:i+1], "e.g.") || strings.HasSuffix(text[:i+1], "i.e.") {
			continue
		}
		if next := []rune(strings.TrimLeft(rest, " `\"'(")); len(next) == 0 || !unicode.IsLower(next[0]) {
			return text[:i+1]
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
