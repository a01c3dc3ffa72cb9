package review

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mem/agent/install"
	"mem/curate/lesson"
	"mem/curate/markdown"
	"mem/curate/proposal"
	"mem/repo"
	"mem/repo/disk"
	"mem/words"
	"mem/workspace"
	"mem/workspace/preview"
)

// Approve agrees to a proposal, in one commit. seen is what the person saw of it, and
// nothing else is approved; without an id in it, it is what waits now. A line for the
// project's own instructions is written before the commit: should that fail, the next
// review finds the line there.
func Approve(ctx context.Context, w *workspace.Workspace, dryRun bool, id string, seen proposal.Proposal, d proposal.Decision) (workspace.Changed, error) {
	approve := func(m *repo.Memory) (repo.Message, error) {
		now, err := AllQueues(w).FindPending(m, id)
		if err != nil && seen.ID != "" {
			return repo.Message{}, err
		}
		if seen.ID != "" && (now.Text != seen.Text || now.Title != seen.Title || !slices.Equal(now.From, seen.From)) {
			return repo.Message{}, fmt.Errorf("%s: %w", id, ErrChanged)
		}
		return AllQueues(w).Approve(m, id, d)
	}
	if !strings.HasPrefix(id, lesson.GuidePrefix) {
		return w.Change(ctx, dryRun, approve)
	}
	plan, err := w.Change(ctx, true, approve)
	if err != nil {
		return plan, err
	}
	guide, err := planGuide(w, id, d)
	if err != nil {
		return workspace.Changed{}, err
	}
	if dryRun {
		plan.ShowBeside(preview.FileDiff{Path: filepath.Base(guide.Path), Outside: true, Diff: guide.Diff()})
		return plan, nil
	}
	if err := guide.Write(disk.Files{Fault: w.Fault}); err != nil {
		return workspace.Changed{}, err
	}
	w.Note("%s has a new line, for you to commit", w.ShowPath(guide.Path))
	return w.Change(ctx, false, approve)
}

// planGuide plans the line that approving a proposal adds to the project's own
// instructions.
func planGuide(w *workspace.Workspace, id string, d proposal.Decision) (*install.Edit, error) {
	m, err := w.ViewRoot()
	if err != nil {
		return nil, err
	}
	guides := w.ReadGuides()
	p, err := AllQueues(w).FindPending(m, id)
	switch {
	case err != nil:
		return nil, err
	case len(guides) == 0:
		return nil, fmt.Errorf("%s: %w", id, ErrChanged)
	}
	e := &install.Edit{Path: filepath.Join(w.At.Project, guides[0].Name), Project: w.At.Project, Mode: 0o644}
	e.Change = func(before []byte) ([]byte, error) {
		return addToGuide(before, words.FoldSpace(cmp.Or(d.Text, p.Text))), nil
	}
	return e, e.Plan()
}

// addToGuide adds an item to the list of lessons in a file of instructions, which comes
// last if the file has none yet.
func addToGuide(data []byte, text string) []byte {
	const title = "Lessons"
	end := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		end = "\r\n"
	}
	at, gap := len(data), end+"## "+title+end+end
	headings := markdown.Headings(data)
	if i := slices.IndexFunc(headings, func(h markdown.Heading) bool { return h.Name == title }); i >= 0 {
		to := len(data)
		if i+1 < len(headings) {
			to = headings[i+1].From
		}
		if at, gap = endOfList(data, headings[i].To, to), ""; at == headings[i].To {
			gap = end
		}
	}
	switch {
	case len(data) == 0:
		gap = strings.TrimPrefix(gap, end)
	case data[at-1] != '\n':
		gap = end + gap
	}
	return slices.Concat(data[:at], []byte(gap+"- "+text+end), data[at:])
}

// endOfList returns where the last item of a list ends, in a part of a file; from, if
// the part has none. What another program generates there, between marks, is not looked
// at.
func endOfList(data []byte, from, to int) int {
	last, at := from, from
	for line := range bytes.Lines(data[from:to]) {
		if bytes.HasPrefix(line, []byte("<!--")) {
			break
		}
		at += len(line)
		_, isItem := markdown.ItemOf(string(line))
		if isItem || last > from && line[0] == ' ' && len(bytes.TrimSpace(line)) > 0 {
			last = at
		}
	}
	return last
}
