package inspect

import (
	"context"
	"fmt"
	"io"

	"mem/curate"
	"mem/curate/undo"
	"mem/guard"
	"mem/repo"
	"mem/workspace"
)

// Taking says how something is taken back: whether that is undone, or is to be undone again.
type Taking struct {
	Redo, DryRun  bool
	RequirePerson func(dryRun bool) error // refuses an agent what only a person decides
}

// undone is what was taken back, or would be.
type undone struct {
	workspace.Changed
	Root   string      `json:"root"`
	Undone string      `json:"undone"` // the commit that was taken back
	Lines  []undo.Line `json:"lines"`

	said string
}

// TakeBack takes back what the commit or the lesson with this id did, or the newest commit. What quarantined lessons say
// is not in the result.
func TakeBack(ctx context.Context, w *workspace.Workspace, root *repo.Root, id string, how Taking) (u undone, err error) {
	log, err := undo.ReadLog(root)
	if err != nil {
		return u, err
	}
	step, err := findStep(ctx, w, log, id, how.Redo)
	if err != nil {
		return u, err
	}
	before, err := w.ViewForCaller(root)
	if err != nil {
		return u, err
	}
	hidden, about := before.Withheld(), step.Commit
	u = undone{Root: w.At.Root, Undone: about.Hash.String()}
	u.Changed, err = w.Change(ctx, how.DryRun, func(m *repo.Memory) (msg repo.Message, err error) {
		r, msg, err := step.Apply(m)
		if u.Lines = r.Lines; err == nil {
			err = how.RequirePerson(how.DryRun || !r.Decides)
		}
		if err == nil {
			err = curate.RenderViews(m)
		}
		return msg, err
	})
	if err != nil {
		return u, err
	}
	u.Subject = hidden.Mark(hidden.CutSubject(u.Subject, about.Message))
	for i := range u.Lines {
		u.Lines[i].Text = hidden.Hide(u.Lines[i].Text)
	}
	done := map[bool]string{true: "would be "}[how.DryRun] + map[bool]string{false: "undone", true: "redone"}[step.IsRedo]
	u.said = fmt.Sprintf("%s %.12s  %s", done, u.Undone, hidden.Mark(guard.Line(hidden.CutSubject(about.Subject(), about.Message))))
	return u, nil
}

// Write writes what was taken back.
func (u undone) Write(out io.Writer) {
	fmt.Fprintln(out, u.said)
	writeTaken(out, u.Lines)
	if u.Status == workspace.Done {
		fmt.Fprintf(out, "commit %s\n", u.CommitLine())
	}
}
