package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"mem/curate"
	"mem/curate/undo"
	"mem/guard"
	"mem/index/withheld"
	"mem/repo"
	"mem/workspace"
	"mem/workspace/inspect"
)

func newUndo(env Env, g *globals) *cobra.Command {
	asList, limit := false, 20
	c := &cobra.Command{
		Use:   "undo [COMMIT|ID]",
		Short: "Take back what a commit did, and keep what came after it",
		Long: `Take back one step, however old: a reflection, a learning, a decision, a rule, an
import or a redistill. Without an argument it is the newest one that is not undone.
COMMIT names one by its id, as HEAD~2 or by a tag. ID, as 'mem show' takes it, means
the newest step about a lesson (m-...), a session or a rule. What was learned later is
kept. Two undos go back two steps, and 'mem redo' takes the latest undo back.

Nothing is deleted: the memory notes that the step no longer counts, and other clones
follow. What was read of a session stays read, so a session that goes on does not
bring back what you took back. A plain 'git revert' comes to the same.

An agent may undo what was learned, and nothing else.`,
		Example: `  mem undo --list
  mem undo                 the newest step
  mem undo m-1f9c2a7e --dry-run`,
		Args: func(c *cobra.Command, args []string) error {
			if limit < 0 || asList && len(args) > 0 {
				return usagef("--list takes no argument, and --limit is a number of commits, 0 for all")
			}
			return atMostOne(c, args)
		},
		RunE: g.inRoot(env, func(ctx context.Context, w *work, args []string) error {
			if !asList {
				return runUndo(ctx, w, firstOf(args), false)
			}
			list, err := inspect.ListSteps(w.Workspace, w.root, limit)
			if err != nil {
				return err
			}
			return w.printResult(list, func() { inspect.WriteSteps(w.env.Out, list) })
		}),
	}
	c.Flags().BoolVarP(&asList, "list", "l", false, "list the newest commits that can be undone")
	c.Flags().IntVar(&limit, "limit", limit, "list `N` commits, 0 for all")
	return g.addChangeFlags(c, "say what would be undone and change nothing")
}

func newRedo(env Env, g *globals) *cobra.Command {
	return g.addChangeFlags(&cobra.Command{
		Use:   "redo [COMMIT|ID]",
		Short: "Take an undo back",
		Long: `Take the newest undo back, or the one that undid the COMMIT, or what an ID names,
such as a lesson (m-...) or a session. What was learned later is kept.`,
		Args: atMostOne,
		RunE: g.inRoot(env, func(ctx context.Context, w *work, args []string) error {
			return runUndo(ctx, w, firstOf(args), true)
		}),
	}, "say what would be redone and change nothing")
}

// atMostOne takes one argument at most, which says something: an empty one is of a
// script whose variable is not set, and must not mean the newest.
func atMostOne(c *cobra.Command, args []string) error {
	if len(args) > 0 && strings.TrimSpace(args[0]) == "" {
		return usagef("an empty COMMIT or ID names nothing; leave it out for the newest")
	}
	return atMost(1)(c, args)
}

// undoResult is the JSON of mem undo and mem redo.
type undoResult struct {
	workspace.Changed
	Root   string      `json:"root"`
	Undone string      `json:"undone"` // the commit that was taken back
	Lines  []undo.Line `json:"lines"`
}

func runUndo(ctx context.Context, w *work, arg string, redo bool) error {
	log, err := undo.ReadLog(w.root, w.Now)
	if err != nil {
		return err
	}
	step, err := inspect.FindStep(w.Workspace, log, strings.TrimSpace(arg), redo)
	if err != nil {
		return err
	}
	before, err := w.ViewForCaller(w.root, w.Now)
	if err != nil {
		return err
	}
	var r undo.Result
	hidden, about := withheld.WordsOf(before.Index), step.Commit
	changed, err := w.Change(ctx, w.DryRun, func(m *repo.Memory) (msg repo.Message, err error) {
		if r, msg, err = step.Apply(m); err == nil {
			err = w.env.RequirePerson(w.DryRun || !r.Decides)
		}
		if err == nil {
			err = curate.RenderViews(m)
		}
		return msg, err
	})
	if err != nil {
		return err
	}
	changed.Subject = hidden.Mark(hidden.CutSubject(changed.Subject, about.Message))
	for i := range r.Lines {
		r.Lines[i].Text = hidden.Hide(r.Lines[i].Text)
	}
	res := undoResult{changed, w.At.Root, about.Hash.String(), r.Lines}
	return w.printResult(res, func() {
		done := map[bool]string{true: "would be "}[w.DryRun] + map[bool]string{false: "undone", true: "redone"}[step.IsRedo]
		w.env.Printf("%s %.12s  %s\n", done, about.Hash, hidden.Mark(guard.Line(hidden.CutSubject(about.Subject(), about.Message))))
		inspect.WriteTaken(w.env.Out, r.Lines)
		if changed.Status == workspace.Done {
			w.env.Printf("commit %s\n", changed.CommitLine())
		}
	})
}
