package facts

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// An edit replaces the lines of a text from one place up to another.
type lineEdit struct {
	from, to int
	lines    []string
}

// MergeLines returns ours with what became of base in theirs. It reports false where
// both changed the same lines.
func MergeLines(base, ours, theirs string) (string, bool) {
	edits := listEdits(base, theirs)
	for _, o := range listEdits(base, ours) {
		isSame := func(e lineEdit) bool { return reflect.DeepEqual(e, o) }
		if slices.ContainsFunc(edits, isSame) {
			continue
		}
		if slices.ContainsFunc(edits, o.isAt) {
			return "", false
		}
		edits = append(edits, o)
	}
	slices.SortStableFunc(edits, func(a, b lineEdit) int {
		return cmp.Or(a.from-b.from, a.to-b.to) // what was added stands before what was changed
	})
	lines, out, at := slices.Collect(strings.Lines(endLine(base))), []string{}, 0
	for _, e := range edits {
		out, at = append(append(out, lines[at:e.from]...), e.lines...), e.to
	}
	return strings.Join(append(out, lines[at:]...), ""), true
}

// isAt reports whether two edits are about the same lines. What was added beside a
// change stands by itself only if it is a part of its own, such as a section.
func (e lineEdit) isAt(o lineEdit) bool {
	if e.from > o.to || o.from > e.to {
		return false
	}
	return e.from < o.to && o.from < e.to || !e.isPart() || !o.isPart()
}

func (e lineEdit) isPart() bool {
	isBlank := func(line string) bool { return strings.TrimSpace(line) == "" }
	return e.from < e.to || strings.HasPrefix(e.lines[0], "#") || isBlank(e.lines[0]) || isBlank(e.lines[len(e.lines)-1])
}

// listEdits returns what makes of base the other text, in order.
func listEdits(base, other string) (list []lineEdit) {
	at, isOpen := 0, false
	_, hunks, _ := strings.Cut(string(diff.Diff("a", []byte(endLine(base)), "b", []byte(endLine(other)))), "\n+++ b\n")
	for line := range strings.Lines(hunks) {
		if isOpen = isOpen && strings.ContainsAny(line[:1], "+-"); line[0] == '@' {
			var n int
			_, _ = fmt.Sscanf(line, "@@ -%d,%d", &at, &n) // the form that diff.Diff writes
			at -= min(n, 1)                               // without lines it names the one before
			continue
		}
		if line[0] == ' ' {
			at++
			continue
		}
		if !isOpen {
			list, isOpen = append(list, lineEdit{from: at, to: at}), true
		}
		if last := &list[len(list)-1]; line[0] == '+' {
			last.lines = append(last.lines, line[1:])
		} else {
			at++
			last.to = at
		}
	}
	return list
}

// endLine ends the last line of a text, if there is one.
func endLine(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}
