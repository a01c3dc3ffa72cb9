package render

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"mem/lazy"
)

// A Row is one thing of a list.
type Row struct {
	ID    string
	Kind  string
	Seen  string // how often, such as "×3"
	Age   string
	Text  string
	Marks string // follow the text and are never cut
}

// A Terminal is what the list is shown on.
type Terminal struct {
	Width  int
	Colour bool
}

// What a terminal needs to know of colours.
const (
	plain  = "\x1b[0m"
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
)

// Limits of a line, in cells of the terminal.
const (
	gap     = 2
	mostID  = 24 // a longer id is whole, and moves its own line alone
	minText = 24 // less than that is not worth reading: the terminal breaks the line
)

var colours = map[string]string{"watch-out": red, "rule": cyan, "strategy": cyan}

// FormatRows lays the rows out below a heading. Columns without a word are left out.
func FormatRows(rows []Row, t Terminal) string {
	head := Row{ID: "ID", Kind: "KIND", Seen: "SEEN", Age: "AGE", Text: "TEXT"}
	var widths [4]int
	for _, r := range rows {
		for i, cell := range r.cells() {
			if n := CellWidth(cell); i > 0 || n <= mostID {
				widths[i] = max(widths[i], n)
			}
		}
	}
	for i, name := range head.cells() {
		if widths[i] > 0 || i == 0 {
			widths[i] = max(widths[i], len(name))
		}
	}
	var b strings.Builder
	t.writeRow(&b, head, widths, [4]string{faint, faint, faint, faint}, faint)
	for _, r := range rows {
		t.writeRow(&b, r, widths, [4]string{yellow, colours[r.Kind], bold, faint}, "")
	}
	return b.String()
}

func (r Row) cells() [4]string { return [4]string{r.ID, r.Kind, r.Seen, r.Age} }

func (t Terminal) writeRow(b *strings.Builder, r Row, widths [4]int, look [4]string, lookText string) {
	used := 0
	for i, cell := range r.cells() {
		if widths[i] == 0 {
			continue
		}
		pad := max(widths[i]-CellWidth(cell), 0) + gap
		b.WriteString(t.paint(cell, look[i]) + strings.Repeat(" ", pad))
		used += CellWidth(cell) + pad
	}
	marks := ""
	if r.Marks != "" {
		marks = " (" + r.Marks + ")"
	}
	room := max(t.Width-used-CellWidth(marks), minText)
	b.WriteString(t.paint(CutText(r.Text, room), lookText) + t.paint(marks, faint) + "\n")
}

func (t Terminal) paint(text, look string) string {
	if !t.Colour || look == "" || text == "" {
		return text
	}
	return look + text + plain
}

// CutText returns as much of a text as has room, with "…" if that is not all.
func CutText(text string, room int) string {
	if CellWidth(text) <= room {
		return text
	}
	used := 0
	for i, r := range text {
		if used += runeWidth(r); used > room-1 {
			return strings.TrimRightFunc(text[:i], unicode.IsSpace) + "…"
		}
	}
	return text
}

// CutAtWord returns as many words of a text as have room, in cells of a terminal, with "…" if that is not all.
func CutAtWord(text string, room int) string {
	if CellWidth(text) <= room {
		return text
	}
	kept := strings.TrimSuffix(CutText(text, room-1), "…")
	if at := strings.LastIndexByte(kept, ' '); at > 0 && text[len(kept)] != ' ' {
		kept = kept[:at]
	}
	end, isCode := "…", strings.Count(kept, "`")%2 == 1
	if isCode && strings.HasSuffix(kept, " `") {
		kept = kept[:len(kept)-1]
	} else if isCode {
		end = "…`"
	}
	return strings.TrimRight(kept, " ,;:.(") + end
}

// CellWidth returns how many cells of a terminal a text takes.
func CellWidth(text string) (n int) {
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

// runeWidth knows the scripts that take two cells, and marks that take none.
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul),
		0x3000 <= r && r <= 0x303E, 0xFF01 <= r && r <= 0xFF60, 0x1F300 <= r && r <= 0x1FAFF:
		return 2
	}
	return 1
}

// ShowAge says how long ago something was, in at most five characters.
func ShowAge(then, now time.Time) string {
	days := int(now.Sub(then).Hours() / 24)
	switch {
	case then.IsZero():
		return ""
	case days < 1:
		return "today"
	case days < 14:
		return fmt.Sprintf("%dd", days)
	case days < 60:
		return fmt.Sprintf("%dw", days/7)
	case days < 730:
		return fmt.Sprintf("%dmo", days/30)
	}
	return fmt.Sprintf("%dy", days/365)
}

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

func (l *Layout) paintText(text, look string) string {
	if look != "" || !l.Colour {
		return l.paint(text, look)
	}
	return reID.Get().ReplaceAllStringFunc(text, func(id string) string { return l.paint(id, yellow) })
}
