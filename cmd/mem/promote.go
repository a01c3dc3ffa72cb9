package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"mem/cmd/mem/console"
	"mem/guard"
	"mem/index"
	"mem/repo"
	"mem/workspace/promotion"
)

func newPromote(env Env, g *globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "promote ID|RULE...",
		Short: "Propose lessons and rules to the memory that a team shares",
		Long: `Propose rules and proven lessons of this project to the memory above projects, which
the key "shared" of your configuration names. They wait there for a review:
'mem review --root FOLDER'. Once approved, every project that reads the shared memory
is shown them, after its own. The project keeps what it has.

A lesson needs more than one sighting, or proof, or your pin. What is about a person
is not promoted.`,
		Example: `  mem promote m-1f9c2a7e
  mem promote rules/coding.md#wrap-errors --dry-run`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s takes the ids of lessons, or the names of rules", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: completeSome(env, g, (*index.Item).IsShown),
		PreRunE:           func(*cobra.Command, []string) error { return env.RequirePerson(g.DryRun) },
		RunE: g.inRoot(env, func(ctx context.Context, w *work, args []string) error {
			m, err := w.ViewForCaller(w.root, w.Now)
			if err != nil {
				return err
			}
			return w.runPromote(ctx, m, args)
		}),
	}
	return g.addChangeFlags(c, "say what would be proposed and write nothing")
}

func (w *work) runPromote(ctx context.Context, m *repo.Memory, ids []string) error {
	res, err := promotion.Promote(ctx, w.Workspace, m, ids, w.DryRun)
	if err != nil {
		return err
	}
	return w.printResult(res, func() {
		for _, l := range res.List {
			w.env.Printf("%s  %s\n", guard.Line(fmt.Sprintf("%-8s %s", l.Status, l.Shared)), guard.Line(l.Text))
		}
		if res.Commit != "" {
			w.env.Printf("in %s, commit %s\n", w.ShowPath(res.Root), res.CommitLine())
			w.env.Hint("'mem review --root %s' decides", console.InShell(w.ShowPath(res.Root)))
		}
	})
}
