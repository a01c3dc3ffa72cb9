package frontmatter

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"mem/words"
)

// A Heading is a line that begins with one to six marks of #.
type Heading struct {
	Level    int
	Name     string
	From, To int // of its line
}

// Headings returns the headings of a text, in order. A block of code has none.
func Headings(data []byte) (list []Heading) {
	at, fence := 0, ""
	for line := range bytes.Lines(data) {
		from := at
		at += len(line)
		was, bare := fence, strings.TrimSpace(string(line))
		if fence = FenceAfter(fence, bare); was != "" || fence != "" {
			continue
		}
		level := len(bare) - len(strings.TrimLeft(bare, "#"))
		if level > 0 && level < 7 && line[0] == '#' && (len(bare) == level || bare[level] == ' ') {
			list = append(list, Heading{level, words.FoldSpace(bare[level:]), from, at})
		}
	}
	return list
}

// FenceAfter returns the marks of the block of code that is open after a line; ""
// for none. fence is what was open before it. A line that has more of the marks
// further on is code within a sentence.
func FenceAfter(fence, line string) string {
	line = strings.TrimSpace(line)
	marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
	if marks == "" {
		marks = line[:len(line)-len(strings.TrimLeft(line, "~"))]
	}
	rest := line[len(marks):]
	switch {
	case len(marks) < 3:
	case fence == "" && (marks[0] == '~' || !strings.Contains(rest, "`")):
		return marks
	case fence != "" && strings.HasPrefix(marks, fence) && rest == "":
		return ""
	}
	return fence
}

// CloseCode returns a text whose last block of code ends, so that what follows it
// in a file is not part of that block.
func CloseCode(text string) string {
	fence := ""
	for line := range strings.Lines(text) {
		fence = FenceAfter(fence, line)
	}
	if fence != "" {
		text += "\n" + fence
	}
	return text
}

// ItemOf returns the text of a line that begins an item of a list; false if it does
// not begin one.
func ItemOf(line string) (text string, ok bool) {
	line = strings.ReplaceAll(strings.TrimLeft(line, " \t"), "\t", " ")
	mark, text, ok := strings.Cut(line, " ")
	digits := strings.TrimRight(mark, ".)")
	isNumber := len(digits) == len(mark)-1 && digits != "" && strings.Trim(digits, "0123456789") == ""
	return words.FoldSpace(text), ok && (mark == "-" || mark == "*" || mark == "+" || isNumber)
}

// TitleOf returns the name of a file, without its ending, as a title: words with
// a capital in front.
func TitleOf(stem string) string {
	title := strings.ReplaceAll(stem, "-", " ")
	_, n := utf8.DecodeRuneInString(title)
	return strings.ToUpper(title[:n]) + title[n:]
}
