package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/index"
)

// monthLines is how many lessons a section of a month's digest lists.
const monthLines = 12

// A monthLesson is a lesson with what happened to it in a month.
type monthLesson struct {
	*index.Item
	subject string
	n       int // sightings
}

// DigestMonth summarises the month that begins at from, without a model, from the
// records that sessions are shown: what came back, what is new and vouched for, what is
// resolved, and what used to come and did not. Each section is grouped by subject. It does
// not list everything. ran says in how many sessions the command of a lesson ran well
// since it was last seen; nil knows of none.
func DigestMonth(ix *index.Index, from time.Time, reflections int, ran func(*index.Item) int) string {
	var again, fresh, resolved, quiet []monthLesson
	once, total := 0, 0
	for i := range ix.Items {
		it := &ix.Items[i]
		if !it.IsShown() {
			continue
		}
		l := monthLesson{Item: it}
		var before int
		if l.n, before = countMonth(it, from); l.n > 0 {
			total++
		}
		switch {
		case l.n > 1 || l.n > 0 && before > 0:
			again = append(again, l)
		case l.n == 0 && before > 0 && ran != nil && ran(it) > 0:
			resolved = append(resolved, l)
		case l.n == 0 && before > 1:
			quiet = append(quiet, l)
		case l.n > 0 && (it.Origin == index.OriginUser || it.Confidence == "high" || it.Pinned):
			fresh = append(fresh, l)
		case l.n > 0:
			once++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s.\n", Count(reflections, "reflection", "reflections"), Count(total, "lesson", "lessons"))
	listMonth(&b, "## Came back", again)
	listMonth(&b, "## New, and said by a person or proven", fresh)
	listMonth(&b, "## Resolved: what failed ran well since", resolved)
	listMonth(&b, "## Quiet: it used to come back, and did not", quiet)
	if once > 0 {
		fmt.Fprintf(&b, "\n%s seen for the first time, once.\n", Count(once, "other lesson was", "other lessons were"))
	}
	return b.String()
}

// countMonth returns how often a record was seen in the month that begins at from, and
// how often before.
func countMonth(it *index.Item, from time.Time) (n, before int) {
	to := from.AddDate(0, 1, 0)
	it.EachSighting(func(s index.Sighting) {
		switch {
		case s.At.Before(from):
			before++
		case s.At.Before(to):
			n++
		}
	})
	if old := it.Hits - n - before; old > 0 && it.FirstSeen.Before(from) { // counted without ids
		before += old
	}
	return n, before
}

// listMonth writes a section, those of the subject with the most sightings first. A
// subject is named where several lessons have it.
func listMonth(b *strings.Builder, heading string, list []monthLesson) {
	if len(list) == 0 {
		return
	}
	weights := map[string]int{} // of tags
	for _, l := range list {
		for _, tag := range l.Tags {
			weights[tag] += max(1, l.n)
		}
	}
	having := map[string]int{} // lessons, by subject
	for i := range list {
		l := &list[i]
		for _, tag := range l.Tags {
			if weights[tag] > weights[l.subject] {
				l.subject = tag
			}
		}
		having[l.subject]++
	}
	slices.SortFunc(list, func(x, y monthLesson) int {
		return cmp.Or(cmp.Compare(weights[y.subject], weights[x.subject]), cmp.Compare(x.subject, y.subject),
			cmp.Compare(y.n, x.n), cmp.Compare(x.Text, y.Text))
	})
	fmt.Fprintf(b, "\n%s\n\n", heading)
	for _, l := range list[:min(len(list), monthLines)] {
		b.WriteString("- ")
		if l.subject != "" && having[l.subject] > 1 {
			b.WriteString(l.subject + ": ")
		}
		b.WriteString(l.ShownText())
		if l.n > 1 {
			fmt.Fprintf(b, " (×%d)", l.n)
		}
		b.WriteString("\n")
	}
	if more := len(list) - monthLines; more > 0 {
		fmt.Fprintf(b, "- and %d more\n", more)
	}
}
