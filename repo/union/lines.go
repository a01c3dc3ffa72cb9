package union

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"mem/frontmatter"
)

// An edit replaces the lines of a text from one place up to another.
type edit struct {
	from, to int
	lines    []string
}

// MergeLines returns ours with what became of base in theirs. It reports false where
// both changed the same lines.
func MergeLines(base, ours, theirs string) (string, bool) {
	edits := listEdits(base, theirs)
	for _, o := range listEdits(base, ours) {
		isSame := func(e edit) bool { return reflect.DeepEqual(e, o) }
		if slices.ContainsFunc(edits, isSame) {
			continue
		}
		if slices.ContainsFunc(edits, o.isAt) {
			return "", false
		}
		edits = append(edits, o)
	}
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(a.from-b.from, a.to-b.to, slices.Compare(a.lines, b.lines)) // what was added stands before what was changed
	})
	lines, out, at := slices.Collect(strings.Lines(endLine(base))), []string{}, 0
	for _, e := range edits {
		out, at = append(append(out, lines[at:e.from]...), e.lines...), e.to
	}
	return strings.Join(append(out, lines[at:]...), ""), true
}

// isAt reports whether two edits are about the same lines. What was added beside a
// change stands by itself only if it is a part of its own, such as a section.
func (e edit) isAt(o edit) bool {
	if e.from > o.to || o.from > e.to {
		return false
	}
	return e.from < o.to && o.from < e.to || !e.isPart() || !o.isPart()
}

func (e edit) isPart() bool {
	isBlank := func(line string) bool { return strings.TrimSpace(line) == "" }
	return e.from < e.to || strings.HasPrefix(e.lines[0], "#") || isBlank(e.lines[0]) || isBlank(e.lines[len(e.lines)-1])
}

// listEdits returns what makes of base the other text, in order.
func listEdits(base, other string) (list []edit) {
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
			list, isOpen = append(list, edit{from: at, to: at}), true
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

// facts begin the lines in which mem says what a rule was made of.
var facts = []string{"**Source:**", "**Confidence:**", "**Compiled:**", "**Source learnings:**", "**Domain:**"}

func isFact(line string) bool {
	return slices.ContainsFunc(facts, func(fact string) bool { return strings.HasPrefix(line, fact) })
}

// joinTexts returns what two versions of a text say: the lines of both, without those
// of base that one of them took out. The facts are those of one. It reports false where
// both changed the same lines, and where one is gone.
func joinTexts(base, ours, theirs string) (string, bool) {
	had := countLines(base, ours, theirs)
	isNew := func(line string) bool { return had[line] == 0 && !isFact(line) && strings.TrimSpace(line) != "" }
	keep := func(line string) bool { return had[line] == 0 || isFact(line) }
	isLost := func(line string) bool { return had[line] == 1 && !isFact(line) }
	mayClash := slices.ContainsFunc(slices.Collect(maps.Keys(had)), isLost)
	first, second := max(ours, theirs), min(ours, theirs)
	lines, out, at := slices.Collect(strings.Lines(endLine(first))), []string{}, 0
	for _, e := range listEdits(first, second) {
		replaced := lines[e.from:e.to]
		if mayClash && slices.ContainsFunc(replaced, isNew) && slices.ContainsFunc(e.lines, isNew) {
			return "", false
		}
		out = append(append(out, lines[at:e.from]...), filterLines(replaced, keep)...)
		out, at = append(out, filterLines(e.lines, isNew)...), e.to
	}
	text := strings.Join(append(out, lines[at:]...), "")
	return strings.TrimRight(text, "\n"), second != "" && !hasConflict(text)
}

// countLines returns in how many of three versions each line of base is.
func countLines(base, ours, theirs string) map[string]int {
	had := map[string]int{}
	for line := range strings.Lines(endLine(base)) {
		had[line] = 1
	}
	for line := range strings.Lines(endLine(ours) + endLine(theirs)) {
		if had[line] > 0 {
			had[line]++
		}
	}
	return had
}

func filterLines(lines []string, keep func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !keep(line) })
}

// hasConflict reports whether git left both sides of a merge in a text.
func hasConflict(text string) bool { return strings.Contains("\n"+text, "\n<<<<<<< ") }

// joinFiles merges files that are not lists, such as that of a learning: both captured
// one of that name, or made a rule of it. The fields are those of one.
func joinFiles(base, ours, theirs []byte) ([]byte, error) {
	var fields, bodies [3]string
	for i, data := range [][]byte{base, ours, theirs} {
		bodies[i] = string(data)
		if f, err := frontmatter.Parse(data); err == nil {
			bodies[i] = f.Body()
		}
		fields[i] = strings.TrimSuffix(string(data), bodies[i])
	}
	head, ok := mergeWhole([]byte(fields[0]), []byte(fields[1]), []byte(fields[2]))
	if !ok {
		head = []byte(max(fields[1], fields[2]))
	}
	if body, ok := mergeWhole([]byte(bodies[0]), []byte(bodies[1]), []byte(bodies[2])); ok {
		return append(slices.Clip(head), body...), nil
	}
	body, ok := joinTexts(bodies[0], bodies[1], bodies[2])
	if !ok {
		return nil, fmt.Errorf("both changed the same lines: %w", ErrUnsure)
	}
	return append(slices.Clip(head), endLine(body)...), nil
}
