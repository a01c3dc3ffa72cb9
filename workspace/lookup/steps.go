package lookup

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mem/curate/undo"
	"mem/guard"
	"mem/index/withheld"
	"mem/repo"
	"mem/workspace"
)

// ListSteps lists the newest commits that can be taken back, as mem undo --list shows them.
func ListSteps(w *workspace.Workspace, root *repo.Root, limit int) ([]undo.Listed, error) {
	m, err := w.ViewForCaller(root, w.Now)
	if err != nil {
		return nil, err
	}
	log, err := undo.ReadLog(root)
	if err != nil {
		return nil, err
	}
	hidden := withheld.WordsOf(m.Index)
	list, err := log.ListSteps(limit, w.Now, func(c repo.Revision) string {
		return hidden.CutSubject(m.Foreign().DescribeCommit(c), c.Message)
	})
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Subject = hidden.Mark(list[i].Subject); m.Foreign().HasCommit(list[i].Commit) {
			list[i].Lines = []undo.Line{}
		}
		undo.HideForeign(list[i].Lines, m, m)
		for j := range list[i].Lines {
			list[i].Lines[j].Text = hidden.Mark(list[i].Lines[j].Text)
		}
	}
	return list, nil
}

// maxListed is how many lines are written of a commit.
const maxListed = 3

// WriteSteps writes each commit with what taking it back takes back, as far as its subject
// does not say it. The lessons are as they are now.
func WriteSteps(out io.Writer, list []undo.Listed) {
	for _, l := range list {
		var about []string
		if l.Undone != "" {
			about = append(about, fmt.Sprintf("undone by %.12s", l.Undone))
		}
		if l.Shared {
			about = append(about, "shared")
		}
		if len(about) > 0 {
			l.Subject += " (" + strings.Join(about, ", ") + ")"
		}
		fmt.Fprintf(out, "%.12s  %s  %s\n", l.Commit, l.When.Format(time.DateOnly), guard.Line(l.Subject))
		lines := slices.DeleteFunc(l.Lines, func(line undo.Line) bool { return strings.Contains(l.Subject, line.Text) })
		for _, line := range lines[:min(len(lines), maxListed)] {
			fmt.Fprintf(out, "  %s\n", guard.Line(line.Mark+" "+line.Text))
		}
		if more := len(lines) - maxListed; more > 0 {
			fmt.Fprintf(out, "  and %d more\n", more)
		}
	}
}

// WriteTaken writes what is taken back.
func WriteTaken(out io.Writer, lines []undo.Line) {
	for _, l := range lines {
		about := string(l.Status)
		if l.Mark == "=" && l.ID != "" {
			about = cmp.Or(about, "active")
		}
		if l.Text == undo.Held {
			about = ""
		}
		fmt.Fprintf(out, "  %s\n", strings.TrimSuffix(guard.Line(fmt.Sprintf("%s %s (%s)", l.Mark, l.Text, about)), " ()"))
	}
}
