package main

import (
	"context"

	"github.com/spf13/cobra"

	"mem/curate/proposal"
	"mem/guard"
	"mem/repo"
	"mem/workspace/review"
)

type reviewOptions struct {
	List   bool // also on a terminal
	DryRun bool
	JSON   bool
}

func newReview(env Env, g *globals) *cobra.Command {
	var opts reviewOptions
	c := &cobra.Command{
		Use:   "review",
		Short: "Decide about proposals",
		Long: `Go through the pending proposals, after a search for patterns in everything that
was learned. On a terminal each proposal is shown with the change that it would
make, and you accept, edit, reject or skip it. Elsewhere, and with --list, they are
listed. Each decision is a commit of its own: when you stop, what you decided is
done, and the rest stays pending.

'mem review show ID' shows a proposal in full, 'approve' agrees to it, and 'reject'
turns it down for good: only 'reopen' brings it back. With --dry-run these commands
show the change as a diff.`,
		Example: `  mem review
  mem review --list
  mem review show pattern-001
  mem review approve pattern-001 --title "Wrap errors" --text "Wrap errors with %w."
  mem review reject pattern-002 --reason "only true of the old build"`,
		Args: noReview,
		RunE: func(c *cobra.Command, _ []string) error { return runReview(c.Context(), env, g, opts) },
	}
	c.Flags().BoolVarP(&opts.List, "list", "l", false, "list the proposals, on a terminal too")
	c.Flags().BoolVarP(&opts.DryRun, "dry-run", "n", false, "list what the search would find, and write nothing")
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	c.AddCommand(newReviewShow(env, g), newReviewApprove(env, g), newReviewReject(env, g), newReviewEdit(env, g), newReviewReopen(env, g))
	return c
}

// noReview refuses arguments, and suggests what may be meant.
func noReview(c *cobra.Command, args []string) error {
	c.SuggestionsMinimumDistance = 2
	if len(args) == 0 || len(c.SuggestionsFor(args[0])) > 0 {
		return noCommand(c, args)
	}
	return usagef("mem review takes no argument, and got %q; to see one: mem review show ID", args[0])
}

func runReview(ctx context.Context, env Env, g *globals, opts reviewOptions) error {
	return withRoot(env, g, func(w *work, root *repo.Root) error {
		m, applied, err := review.ScanMemory(ctx, w.Workspace, opts.DryRun)
		if err != nil {
			return err
		}
		list, problems, err := review.AllQueues().ListPending(m)
		if err != nil {
			return err
		}
		for _, p := range problems {
			env.Note("left alone: %s: %s", guard.Line(p.Path), guard.Line(p.Why))
		}
		for _, f := range applied {
			env.Note("%s %q is a matter of form, so it is a rule now: %s", f.ID, f.Title, f.Rule)
		}
		alone := opts.List || opts.DryRun || !env.Interactive() || !isTerminal(env.Out)
		switch {
		case opts.JSON:
			return printJSON(env, list, "text")
		case alone || len(list) == 0:
			printPending(env, list)
			return nil
		}
		session := review.Session{Workspace: w.Workspace, Out: env.Out, Ask: env.newAsker(), Open: env.openEditor}
		return session.Run(ctx, list)
	})
}

func printPending(env Env, list []proposal.Proposal) {
	if len(list) == 0 {
		env.Printf("no pending proposals\n")
		return
	}
	review.WriteList(env.Out, list)
	env.Hint("'mem review show ID' shows one, 'mem review approve ID' agrees, 'mem review reject ID' turns it down")
}

func newReviewShow(env Env, g *globals) *cobra.Command {
	var opts reviewOptions
	c := &cobra.Command{
		Use:               "show ID",
		Short:             "Show a proposal, and what it rests on",
		Args:              oneID,
		ValidArgsFunction: completeProposals(env, g),
		RunE:              func(_ *cobra.Command, args []string) error { return runReviewShow(env, g, args[0], opts) },
	}
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	return c
}

func runReviewShow(env Env, g *globals, id string, opts reviewOptions) error {
	return withMemory(env, g, func(_ *work, m *repo.Memory) error {
		p, err := review.AllQueues().FindPending(m, id)
		if err != nil {
			return err
		}
		if opts.JSON {
			return printJSON(env, p, "text")
		}
		review.WriteProposal(env.Out, m, p)
		review.WriteNames(env.Out, "would change", p.Files)
		return nil
	})
}
