package evidence

import (
	"fmt"
	"strings"

	"mem/guard"
	"mem/render"
)

// mostKept is how many lessons that stay proven are named.
const mostKept = 10

// Describe says what a proof did, or would do, in lines for a person. learnings is the name of the LEARNINGS.md.
func (r *Report) Describe(learnings string) string {
	var b strings.Builder
	for _, part := range []struct {
		mark  string
		list  []Verdict
		found string
	}{{"+", r.Promoted, "found"}, {"=", r.Kept, "found"}, {"-", r.Demoted, "no longer proven: found"}, {"!", r.Present, "still present"}} {
		for i, v := range part.list {
			if part.mark == "=" && i == mostKept {
				fmt.Fprintf(&b, "= and %d more\n", len(r.Kept)-i)
				break
			}
			found := part.found
			if found == "found" {
				found = v.Confidence + ": found"
			}
			if found += " in " + render.Count(v.Files, "file", "files"); len(v.Paths) > 0 {
				found += " (" + strings.Join(v.Paths, ", ") + ")"
			}
			fmt.Fprintf(&b, "%s %s\n    %s\n", part.mark, guard.Line(v.Text), guard.Line(found))
		}
	}
	looked := len(r.Promoted) + len(r.Kept) + len(r.Demoted) + len(r.Unproven)
	fmt.Fprintf(&b, "%s searched for in %s: %d promoted, %d kept, %d demoted, %d not proven\n", render.Count(looked, "lesson", "lessons"),
		render.Count(r.Files, "file", "files"), len(r.Promoted), len(r.Kept), len(r.Demoted), len(r.Unproven))
	if n := len(r.Removed); n > 0 {
		would := map[bool]string{false: "would be "}[r.Status == "proved"]
		fmt.Fprintf(&b, "%s %sremoved from %s\n", render.Count(n, "block", "blocks"), would, learnings)
	}
	switch {
	case r.Status == "nothing":
		b.WriteString("nothing to change\n")
	case r.Commit != "":
		fmt.Fprintf(&b, "commit %.12s %s\n", r.Commit, r.Subject)
	}
	return b.String()
}
