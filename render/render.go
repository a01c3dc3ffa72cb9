// Package render writes what people and agents read: the views of an index and the entries of the journal.
//
// Every function is pure: the same index and the same options give the same bytes, on any machine and at any time.
// Views are ranked as of the moment of the index's last change, so that rendering again changes nothing. They show no
// decaying numbers, and no count or date that would change in every commit, which keeps the history of a view readable.
package render

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"mem/index"
	"mem/words"
)

// Paths of the views in a memory root.
const (
	CorePath     = "core/CORE.md"
	LongTermPath = "long-term-memory.md"
)

// Headings of the two lists in a view. A root that has no index is imported by them: see ParseCore.
const (
	learningsHeading = "## Learnings"
	watchOutsHeading = "## Watch-outs"
)

// Core renders core/CORE.md: the balanced selection of limit records out of ranked (the result of ix.Rank), learnings
// first, then watch-outs. A line changes with its words alone, so that git blame names the commit that they came with.
func Core(ix *index.Index, ranked []int, limit int) []byte {
	chosen := ix.Select(ranked, limit)
	var b bytes.Buffer
	b.WriteString("# Core memory\n\n")
	b.WriteString("The best lessons of both kinds; all of them are in `../" + LongTermPath + "`.\n")
	b.WriteString("Rendered from `index.json`; edits here are not read back.\n")
	lists(&b, ix, chosen, func(*index.Item) {})
	return b.Bytes()
}

// LongTerm renders long-term-memory.md: every active record of ranked, with
// its id, how often it was seen and when last.
func LongTerm(ix *index.Index, ranked []int) []byte {
	b := &bytes.Buffer{}
	b.WriteString("# Long-term memory\n\n")
	b.WriteString("All lessons that sessions may read, best first.\n")
	b.WriteString("Rendered from `core/index.json`; edits here are not read back.\n")
	lists(b, ix, ranked, func(it *index.Item) {
		if it.Hits > 1 {
			fmt.Fprintf(b, ", ×%d", it.Hits)
		}
		b.WriteString(", " + it.LastSeen.UTC().Format(time.DateOnly))
	})
	return b.Bytes()
}

// lists writes both lists, each in the order of positions; more adds to the brackets behind a record.
func lists(b *bytes.Buffer, ix *index.Index, positions []int, more func(*index.Item)) {
	for _, section := range []struct {
		heading  string
		learning bool
	}{{learningsHeading, true}, {watchOutsHeading, false}} {
		b.WriteString("\n" + section.heading + "\n\n")
		empty := true
		for _, pos := range positions {
			if it := &ix.Items[pos]; it.IsLearning() == section.learning {
				writeLine(b, it)
				more(it)
				b.WriteString(")\n")
				empty = false
			}
		}
		if empty {
			b.WriteString("None yet.\n")
		}
	}
}

func writeLine(b *bytes.Buffer, it *index.Item) {
	text := oneLine(it.Text)
	if it.Kind == index.AntiPattern {
		text = index.StripAvoid(text)
	}
	if it.Pinned {
		text = "(pinned) " + text
	}
	b.WriteString("- " + text + " (" + oneLine(it.ID))
}

// oneLine keeps a stored text from starting a line of its own: an index that was edited by hand may hold line breaks.
func oneLine(s string) string {
	if strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return words.FoldSpace(s)
}

// Readme is the README.md of a new root.
func Readme() []byte {
	return []byte(`# Memory

What coding agents learned in this project, kept by mem. It is a git
repository of its own: git log, git show and git revert work as usual.

- core/index.json: every lesson with its scores; the only source
- core/CORE.md: the best of them, for the next session
- long-term-memory.md: all of them, best first
- daily/: one entry for every reflection
- monthly/: one summary for every month

Edit what you like: the next mem command commits your edits on their own.
CORE.md and long-term-memory.md are rendered from the index and never read
back.
`)
}

// Count writes a number with its noun: "1 lesson", "3 lessons", "10,000 tokens".
func Count(n int, one, many string) string { return Number(n) + " " + Plural(n, one, many) }

// Number writes a number, with commas if it is long.
func Number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && n >= 10_000; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Plural returns one if n is 1, else many.
func Plural[T ~string](n int, one, many T) T {
	if n == 1 {
		return one
	}
	return many
}

// MarkSeen returns what marks a lesson that was counted: "+" a new one, else how often it was seen.
func MarkSeen(isNew bool, hits int) string {
	if isNew {
		return "+"
	}
	return fmt.Sprintf("×%d", hits)
}

// Shorten returns the first most characters of s and "…", without white space
// before it, or s itself if it has no more than most.
func Shorten(s string, most int) string {
	n := 0
	for i := range s {
		if n >= most {
			return strings.TrimRightFunc(s[:i], unicode.IsSpace) + "…"
		}
		n++
	}
	return s
}

// ParseCore reads the lessons of a CORE.md, for the one import of a root that has the view and no index. Items under a
// heading that speaks of what went wrong are mistakes, all others are fixes; the notes in brackets that Core adds are
// dropped. Nothing else ever reads a view.
func ParseCore(data []byte) (fixes, mistakes []index.Lesson) {
	isMistakes := false
	for l := range strings.Lines(string(data)) {
		l = strings.TrimSpace(l)
		text, item := strings.CutPrefix(l, "- ")
		if !item {
			text, item = strings.CutPrefix(l, "* ")
		}
		switch {
		case strings.HasPrefix(l, "#"):
			isMistakes = saysMistakes(l)
		case !item, words.SaysNothing(index.StripAvoid(text)):
		case isMistakes || index.SaysAvoid(text):
			mistakes = append(mistakes, imported(text))
		default:
			fixes = append(fixes, imported(text))
		}
	}
	return fixes, mistakes
}

func imported(text string) index.Lesson {
	text = strings.TrimPrefix(text, "(pinned) ")
	if open := strings.LastIndex(text, " (m-"); open > 0 && strings.HasSuffix(text, ")") {
		text = text[:open]
	}
	return index.Lesson{Text: text, Origin: index.OriginImport}
}
