package pattern

import (
	"fmt"
	"slices"
	"strings"

	"mem/render"
)

// RenderView returns patterns/index.md: what waits, what was agreed and what was not,
// each in the order of the ids. last is the highest number given so far; it is
// kept at the end, so that the number of a pattern that is gone is not given
// again.
func RenderView(list []*Pattern, last int) []byte {
	var b strings.Builder
	b.WriteString("# Patterns\n")
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *Pattern) int { return NumberOf(a.ID) - NumberOf(b.ID) })
	section := func(name string, status Status, line func(*Pattern) string) {
		fmt.Fprintf(&b, "\n## %s\n\n", name)
		none := true
		for _, p := range list {
			if p.Status == status {
				fmt.Fprintf(&b, "- %s: %s\n", p.ID, line(p))
				none = false
			}
		}
		if none {
			b.WriteString("None.\n")
		}
	}
	section("Pending", Pending, func(p *Pattern) string {
		return fmt.Sprintf("%s (%s)", p.Title, render.Count(p.Times, "learning", "learnings"))
	})
	section("Approved", Approved, func(p *Pattern) string { return fmt.Sprintf("%s (%s)", p.Title, p.Decided) })
	section("Rejected", Rejected, func(p *Pattern) string {
		if p.Reason == "" {
			return fmt.Sprintf("%s (%s)", p.Title, p.Decided)
		}
		return fmt.Sprintf("%s (%s) - %s", p.Title, p.Decided, p.Reason)
	})
	fmt.Fprintf(&b, "\n"+markStart+idForm+markEnd+"\n", last)
	return []byte(b.String())
}

const (
	markStart = "<!-- mem: the last id given was "
	markEnd   = " -->"
)

// LastNumber returns the highest number that was given so far, as View noted it; 0
// if it did not.
func LastNumber(view []byte) int {
	_, rest, _ := strings.Cut(string(view), markStart)
	id, _, _ := strings.Cut(rest, markEnd)
	return NumberOf(id)
}
