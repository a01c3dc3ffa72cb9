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
		for _, line := range describeProposal(p) {
			fmt.Fprintf(w, "      %s\n", line)
		}
		if text := splitText(p.Text); p.Kind == curate.KindRule && len(text) > 1 {
			writeSome(w, "      ", text, cardLines)
		}
	}
}

// describeProposal says where a proposal belongs, and what speaks for it or against it: on one line, or each thing on a
// line of its own where one would be too long to read.
func describeProposal(p curate.Proposal) []string {
	lines := []string{guard.Line(p.Domain)}
	if p.Domain != "" && len(p.Tags) > 0 {
		lines[0] += ": " + guard.Line(strings.Join(p.Tags, ", "))
	}
	for _, n := range p.Notes {
		lines = append(lines, guard.Line(n))
	}
	lines = slices.DeleteFunc(lines, func(s string) bool { return s == "" })
	if all := strings.Join(lines, "; "); all != "" && len(all) <= cardWidth {
		return []string{all}
	}
	return lines
}

// Limits of what a person is shown of a proposal before deciding.
const (
	cardLines = 6  // of its text
	cardAll   = 9  // with what else there is to say
	cardWidth = 76 // characters of a line
)

// writeCard shows as much of a proposal as a decision needs, in few lines: what it says once, without a name that its
// text says as well.
func writeCard(w io.Writer, p curate.Proposal) {
	text, plainly := splitText(p.Text), strings.NewReplacer("avoid: ", "avoid ", "…", "")
	fmt.Fprintf(w, "%s  %s\n", guard.Line(p.ID), titles[p.Kind])
	all, name := strings.ToLower(strings.Join(text, "\n")), guard.Line(p.Title)
	if !strings.Contains(plainly.Replace(all), plainly.Replace(strings.ToLower(name))) {
		text = append([]string{name}, text...)
	}
	n := writeSome(w, "  ", text, cardLines)
	writeSome(w, "  ", describeProposal(p), cardAll-n)
}

// splitText returns the lines of a text that say something.
func splitText(text string) []string {
	return slices.DeleteFunc(strings.Split(guard.Scrub(text), "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}

// writeSome writes the first lines of a list, broken where they are long, and returns how many.
func writeSome(w io.Writer, indent string, list []string, most int) int {
	var lines []string
	for _, line := range list {
		layout := render.Layout{Terminal: render.Terminal{Width: cardWidth}}
		lines = append(lines, strings.Split(layout.Fit(line), "\n")...)
	}
	if len(lines) > most {
		lines = append(lines[:most-1], "and more")
	}
	for _, line := range lines {
		fmt.Fprintf(w, "%s%s\n", indent, render.Shorten(line, cardWidth))
	}
	return len(lines)
}

// WriteProposal shows a proposal in full, with the files that it would change.
func WriteProposal(w io.Writer, m *repo.Memory, p curate.Proposal) {
	fmt.Fprintf(w, "%s  %s\n%s\n", guard.Line(p.ID), guard.Line(p.Title), strings.Join(describeProposal(p), "\n"))
	fmt.Fprintf(w, "\n%s\n", strings.TrimRight(guard.Scrub(p.Text), "\n"))
	WriteNames(w, "rests on", NameLessons(m, p.From))
	WriteNames(w, "would change", p.Files)
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
