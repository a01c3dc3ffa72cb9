package render

import (
	"fmt"
	"strings"

	"mem/lazy"
)

const green = "\x1b[32m"

const maxLabel = 32 // bytes; a longer one is a sentence

// reID finds what other commands take: lessons and commits.
var reID = lazy.New(`(?:^|[ (])(?:m-[0-9a-f]{8,16}|[0-9a-f]{12})\b`)

// A Layout fits a text to a terminal line by line: it breaks lines at words, below where the text of the line begins,
// and paints labels, ids, headings and diffs.
type Layout struct {
	Terminal
	column         int // where the text of the line before begins, behind its label
	removed, added int // lines that the part of a diff still has
}

// Fit returns a line as the terminal is to show it. One that was painted before stays as it is.
func (l *Layout) Fit(line string) string {
	if strings.Contains(line, "\x1b") {
		return line
	}
	if look, isDiff := l.lookInDiff(line); isDiff {
		return l.wrap(line, 0, 1, look)
	}
	rest := strings.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	if at := l.findText(line, indent); at > 0 {
		l.column = at
		return l.wrap(line, at, at, "")
	}
	l.column = 0
	name, _, isFact := strings.Cut(rest, ": ")
	switch {
	case strings.HasPrefix(rest, "#"):
		return l.wrap(line, 0, indent+2, bold)
	case indent == 2 && isFact && len(name) < maxLabel && !strings.ContainsAny(name, "`'\",.#>-"):
		return l.wrap(line, indent+len(name)+1, indent+2, "")
	case strings.HasPrefix(rest, "- "), strings.HasPrefix(rest, "> "):
		indent += 2
	}
	return l.wrap(line, 0, indent, "")
}

// findText returns where the text of a line begins that has a label or an id before it, with two spaces between, or one
// below such a text; 0 if it has none.
func (l *Layout) findText(line string, indent int) int {
	at := l.column
	if label, text, ok := strings.Cut(line[indent:], "  "); ok && (len(label) < 2*minText || !strings.Contains(label, " ")) {
		return len(line) - len(strings.TrimLeft(text, " "))
	} else if indent == 0 && at > 1 && len(line) > at && strings.IndexByte(line, ' ') == at-1 {
		return at
	}
	return 0
}

// lookInDiff says how a line of a diff looks. How long a part of one is, its heading says: lists have dashes, too.
func (l *Layout) lookInDiff(line string) (look string, isDiff bool) {
	var at int
	switch {
	case l.added > 0 && strings.HasPrefix(line, "+"):
		l.added--
		return green, true
	case l.removed > 0 && strings.HasPrefix(line, "-"):
		l.removed--
		return red, true
	case l.removed > 0 || l.added > 0:
		l.removed, l.added = l.removed-1, l.added-1
		return "", true
	case strings.HasPrefix(line, "@@ -"):
		_, _ = fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &at, &l.removed, &at, &l.added)
		return cyan, true
	}
	return bold, strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ")
}

// wrap breaks a line at words, and begins the lines below at indent. Up to the byte label it is a label.
func (l *Layout) wrap(line string, label, indent int, look string) string {
	if indent > l.Width-minText {
		indent = 2
	}
	done, part, used := l.paintLabel(line[:label]), "", CellWidth(line[:label])
	for _, word := range strings.SplitAfter(line[label:], " ") {
		if used+CellWidth(strings.TrimRight(word, " ")) > l.Width && strings.TrimSpace(part) != "" {
			done += l.paintText(strings.TrimRight(part, " "), look) + "\n" + strings.Repeat(" ", indent)
			part, used, word = "", indent, strings.TrimLeft(word, " ")
		}
		part += word
		used += CellWidth(word)
	}
	return done + l.paintText(part, look)
}

// paintLabel paints ids like those of lists, and other words faint.
func (l *Layout) paintLabel(label string) string {
	name := strings.Trim(label, " ")
	switch {
	case strings.Contains(name, " ") && !strings.HasSuffix(name, ":"):
		return l.paintText(label, "")
	case strings.ContainsAny(name, "/#0123456789"):
		return l.paint(label, yellow)
	}
	return l.paint(label, faint)
}

// paintText paints the ids in a text that has no look of its own.
func (l *Layout) paintText(text, look string) string {
	if look != "" || !l.Colour {
		return l.paint(text, look)
	}
	return reID.Get().ReplaceAllStringFunc(text, func(id string) string { return l.paint(id, yellow) })
}
