package survey

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mem/guard"
	"mem/index"
	"mem/index/withheld"
	"mem/render"
)

// SortLessons returns the texts of the lessons: those that read like an order, which
// will be held, and the others, with what became of them. It counts the pinned ones.
func (s *Survey) SortLessons() (orders, others []string, pinned int) {
	for i := range s.Index.Items {
		it := &s.Index.Items[i]
		if it.Pinned {
			pinned++
		}
		switch {
		case it.IsShown() && len(guard.Lint(it.ShownText())) > 0:
			orders = append(orders, guard.Line(it.Text))
		case it.Status == index.Active:
			others = append(others, it.Text)
		default:
			others = append(others, it.Text+" ("+string(it.Status)+")")
		}
	}
	return orders, others, pinned
}

// How much of a memory a person is shown before they approve it.
const (
	maxListed = 40  // lessons, or lines of a file
	maxColumn = 160 // characters
)

// Describe shows people what is in the root at this path, the worst first.
func (s *Survey) Describe(root string) string {
	var b strings.Builder
	orders, others, pinned := s.SortLessons()
	fmt.Fprintf(&b, "memory   %s\n", guard.Line(root))
	if s.ID != "" {
		fmt.Fprintf(&b, "id       %s\n", s.ID)
	}
	fmt.Fprintf(&b, "lessons  %d, %d pinned\n", len(s.Index.Items), pinned)
	if s.Journal > 0 {
		fmt.Fprintf(&b, "journal  %s; the latest follow\n", render.Count(s.Journal, "day or month", "days and months"))
	}
	if s.Queued > 0 {
		fmt.Fprintf(&b, "queue    %s to be learned\n", render.Count(s.Queued, "entry", "entries"))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Remotes)) {
		fmt.Fprintf(&b, "remote   %s; approving covers what it brings from now on\n", guard.Line(name+" "+s.Remotes[name]))
	}
	if len(s.Brought) > 0 { // all of it: the yes is to all
		b.WriteString("\ngit brought, and no session is shown yet:\n")
		for _, line := range s.Brought {
			fmt.Fprintf(&b, "  %s\n", guard.Line(line))
		}
		return b.String()
	}
	addSome(&b, "These read like orders, and will be held:", orders)
	addSome(&b, "Lessons:", others)
	hidden := withheld.WordsOf(s.Index)
	for _, name := range slices.Sorted(maps.Keys(s.Texts)) {
		addSome(&b, guard.Line(name)+":", strings.Split(hidden.Mark(s.Texts[name]), "\n"))
	}
	return b.String()
}

// addSome adds the first lines below a title, and how many there are more.
func addSome(b *strings.Builder, title string, lines []string) {
	n := 0
	for _, line := range lines {
		if line = guard.Line(line); line == "" {
			continue
		}
		if n++; n == 1 {
			fmt.Fprintf(b, "\n%s\n", title)
		}
		if n <= maxListed {
			fmt.Fprintf(b, "  %s\n", render.Shorten(line, maxColumn))
		}
	}
	if n > maxListed {
		fmt.Fprintf(b, "  and %d more\n", n-maxListed)
	}
}
