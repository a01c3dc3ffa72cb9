package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/words"
)

// MonthlyPath returns the rollup file of the month of t, in UTC.
func MonthlyPath(t time.Time) string { return "monthly/" + t.UTC().Format("2006-01") + ".md" }

// Monthly renders the rollup of a month from its text. The last line says
// from how many reflections it was made and by whom.
func Monthly(month time.Time, text string, reflections int, by string) []byte {
	return fmt.Appendf(nil, "# %s\n\n%s\n\n<!-- mem: from %s, by %s -->\n",
		month.UTC().Format("2006-01"), strings.TrimSpace(text), Count(reflections, "reflection", "reflections"), comment(by))
}

// digestLines is how many lines a list of a digest has at most.
const digestLines = 10

// Digest summarises a month's journal without a model: what came up more than
// once, what else is new, and which mistakes of the month before did not come
// back. known tells whether a lesson, by key, was known before the month.
func Digest(entries, before []Entry, known func(key string) bool) string {
	seen := tally(entries)
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s.\n", Count(len(entries), "reflection", "reflections"), Count(len(seen), "different lesson", "different lessons"))
	var repeated, fresh, resolved []lessonCount
	for key, l := range seen {
		switch {
		case l.n > 1:
			repeated = append(repeated, l)
		case !known(key):
			fresh = append(fresh, l)
		}
	}
	for key, l := range tally(before) {
		if _, again := seen[key]; l.mistake && !again {
			resolved = append(resolved, l)
		}
	}
	digestList(&b, "## Repeated", repeated)
	digestList(&b, "## New", fresh)
	digestList(&b, "## Resolved: mistakes of the month before that did not come back", resolved)
	return b.String()
}

type lessonCount struct {
	text    string
	mistake bool
	n       int
}

func tally(entries []Entry) map[string]lessonCount {
	seen := map[string]lessonCount{}
	add := func(texts []string, mistake bool) {
		for _, t := range texts {
			text, mistake := words.FoldSpace(t), mistake || index.SaysAvoid(t)
			if mistake {
				text = index.AddAvoid(t)
			}
			key := index.KeyOf(text)
			if key == "" {
				continue
			}
			l := seen[key]
			seen[key] = lessonCount{text, mistake, l.n + 1}
		}
	}
	for _, e := range entries {
		add(e.Mistakes, true)
		add(e.Fixes, false)
	}
	return seen
}

func digestList(b *strings.Builder, heading string, list []lessonCount) {
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(x, y lessonCount) int { return cmp.Or(cmp.Compare(y.n, x.n), cmp.Compare(x.text, y.text)) })
	fmt.Fprintf(b, "\n%s\n\n", heading)
	for _, l := range list[:min(len(list), digestLines)] {
		fmt.Fprintf(b, "- %s", l.text)
		if l.n > 1 {
			fmt.Fprintf(b, " (×%d)", l.n)
		}
		b.WriteString("\n")
	}
	if more := len(list) - digestLines; more > 0 {
		fmt.Fprintf(b, "- and %d more\n", more)
	}
}
