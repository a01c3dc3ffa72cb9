package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"mem/render"
	"mem/workspace"
	"mem/workspace/doctor"
)

// errIll is returned when the doctor found something that should not stay so.
var errIll = errors.New("the memory is not as it should be")

func newDoctor(env Env, g *globals) *cobra.Command {
	var fix, deep bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Examine the memory, and say what is wrong with it",
		Long: `Examine the memory: its git repository, the index and the views, files that were edited,
what programs left, the queue, and whether agents still reach it. Each finding says what
it means and what can be done. With --fix, repair what is derived from the rest; it says
first what that is, and asks. What a person may have written is never removed.

The exit code is 9 if something is broken or odd, and 0 if there is no more than a note.`,
		Example: `  mem doctor
  mem doctor --fix
  mem doctor --deep        read every object of the history, and look for secrets`,
		Args: atMost(0),
		RunE: g.inWork(env, func(ctx context.Context, w *work, _ []string) error { return w.runDoctor(ctx, fix, deep) }),
	}
	c.Flags().BoolVar(&fix, "fix", false, "repair what is derived")
	c.Flags().BoolVar(&deep, "deep", false, "read every object, and look for secrets in what sessions read")
	g.addYesFlag(c, "repair without asking")
	return g.addChangeFlags(c, "with --fix: print what would change and change nothing")
}

// doctorResult is the JSON of mem doctor.
type doctorResult struct {
	Root     string             `json:"root"`
	Findings []doctor.Finding   `json:"findings"`
	Fixed    *workspace.Changed `json:"fixed,omitzero"`
}

func (w *work) runDoctor(ctx context.Context, fix, deep bool) error {
	p := doctor.Patient{Workspace: w.Workspace, Overview: w.readOverview, Deep: deep, Explain: func(err error) string {
		_, hint := explainError(err)
		return hint
	}}
	list, err := p.Examine(ctx)
	if err != nil {
		return err
	}
	res := doctorResult{Root: w.At.Root, Findings: list}
	if !w.JSON {
		doctor.Write(w.env.Out, list)
		if !doctor.IsIll(list) {
			w.env.Printf("%s%s is well (%s)\n", strings.Repeat("\n", min(len(list), 1)), w.ShowPath(w.At.Root), render.Count(len(list), "note", "notes"))
		}
	}
	if fix && doctor.CanFix(list) {
		if list, err = w.fix(ctx, &p, &res); err != nil {
			return err
		}
	} else if fix && !w.JSON {
		w.env.Printf("\nthere is nothing that --fix repairs\n")
	}
	if w.JSON {
		err = printJSON(w.env, res)
	}
	if err == nil && doctor.IsIll(list) {
		err = errIll
	}
	return err
}

// fix repairs what can be, once the person agrees, and examines the memory again.
func (w *work) fix(ctx context.Context, p *doctor.Patient, res *doctorResult) ([]doctor.Finding, error) {
	if !w.DryRun && !w.Yes {
		if err := w.env.Confirm(ctx, "Repair what --fix stands before?", "not repaired"); err != nil {
			return nil, err
		}
	}
	changed, err := p.Fix(ctx, w.DryRun)
	if res.Fixed = &changed; err == nil && !w.JSON {
		w.env.Printf("\n")
		err = w.printChange(res, changed, func() {
			if changed.Commit != "" { // not only git's lists were removed
				w.env.Printf("commit %s\n", changed.CommitLine())
			}
		})
	}
	if err != nil || w.DryRun {
		return res.Findings, err
	}
	return p.Examine(ctx)
}
