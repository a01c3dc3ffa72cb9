package workspace

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"mem/curate"
	"mem/guard"
	"mem/render"
	"mem/repo"
)

// titles are the titles of the kinds.
var titles = map[curate.Kind]string{
	curate.KindRule: "Rules in the making", curate.KindFeedback: "What you told other tools", curate.KindHeld: "Lessons that are not confirmed",
}

// WriteList lists proposals for people, by kind, as Queues lists them.
func WriteList(w io.Writer, list []curate.Proposal) {
	for i, p := range list {
		if i == 0 || list[i-1].Kind != p.Kind {
			fmt.Fprintf(w, "%s%s:\n", strings.Repeat("\n", min(i, 1)), titles[p.Kind])
		}
		fmt.Fprintf(w, "  %s  %s\n", guard.Line(p.ID), guard.Line(p.Title))
		for _, line := range append(describeInList(p), listJoined(p)...) {
			fmt.Fprintf(w, "      %s\n", line)
		}
	}
}

// maxLine is how long a line is at most that lists things, in bytes.
const maxLine = 100

// describeInList says what else there is to say of a proposal: on one line, or
// each thing on a line of its own where one would be too long to read.
func describeInList(p curate.Proposal) []string {
	lines := describeProposal(p)
	if all := strings.Join(lines, "; "); all != "" && len(all) <= maxLine {
		return []string{all}
	}
	return lines
}

// mostJoined is how many lessons of a rule are listed.
const mostJoined = 5

// listJoined returns the lessons that a rule would join, in short; none if its title says
// what there is.
func listJoined(p curate.Proposal) (lines []string) {
	if p.Kind != curate.KindRule {
		return nil
	}
	for line := range strings.Lines(guard.Scrub(p.Text)) {
		if strings.HasPrefix(line, "- ") {
			lines = append(lines, render.Shorten(guard.Line(line), maxLine))
		}
	}
	switch n := len(lines); {
	case n < 2:
		return nil
	case n > mostJoined:
		lines = append(lines[:mostJoined-1], fmt.Sprintf("and %d more", n-mostJoined+1))
	}
	return lines
}

// describeProposal says where a proposal belongs, and what speaks for it or against it.
func describeProposal(p curate.Proposal) []string {
	var about []string
	if p.Domain != "" {
		about = append(about, p.Domain)
		if len(p.Tags) > 0 {
			about[0] += ": " + strings.Join(p.Tags, ", ")
		}
	}
	if p.Cohesion > 0 {
		about = append(about, fmt.Sprintf("cohesion %.2f", p.Cohesion))
	}
	lines := []string{guard.Line(strings.Join(about, "; "))}
	for _, n := range p.Notes {
		lines = append(lines, guard.Line(n))
	}
	return slices.DeleteFunc(lines, func(s string) bool { return s == "" })
}

// WriteProposal shows a proposal in full, without what it would change.
func WriteProposal(w io.Writer, m *repo.Memory, p curate.Proposal) {
	fmt.Fprintf(w, "%s  %s\n", guard.Line(p.ID), guard.Line(p.Title))
	for _, line := range describeProposal(p) {
		fmt.Fprintf(w, "%s\n", line)
	}
	fmt.Fprintf(w, "\n%s\n", strings.TrimRight(guard.Scrub(p.Text), "\n"))
	WriteNames(w, "rests on", NameLessons(m, p.From))
}

// WriteNames lists names below a title; nothing if there are none.
func WriteNames(w io.Writer, title string, names []string) {
	if len(names) > 0 {
		fmt.Fprintf(w, "\n%s:\n%s", title, guard.ListSome("  ", names, len(names)))
	}
}

// NameLessons adds to the ids of lessons what they say, and the status of those that
// are not shown.
func NameLessons(m *repo.Memory, ids []string) (lines []string) {
	for _, id := range ids {
		if at := m.Index.ByID(id); at >= 0 {
			it := &m.Index.Items[at]
			if id += " " + it.Text; !it.IsShown() {
				id += " (" + string(it.Status) + ")"
			}
		}
		lines = append(lines, id)
	}
	return lines
}
