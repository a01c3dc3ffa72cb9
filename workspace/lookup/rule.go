package lookup

import (
	"fmt"
	"io"
	"strings"

	"mem/curate"
	"mem/guard"
	"mem/repo"
	"mem/workspace/review"
)

// WriteRule shows a rule of a memory, and the lessons that it was made of.
func WriteRule(out io.Writer, m *repo.Memory, d curate.RuleDetail) {
	fmt.Fprintf(out, "%s  %s\n\n%s\n", guard.Line(d.ID), guard.Line(d.Name+d.Describe()), strings.TrimRight(guard.Scrub(d.Text), "\n"))
	review.WriteNames(out, "made of", review.NameLessons(m, d.Lessons))
}
