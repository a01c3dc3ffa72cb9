package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"mem/curate/proposal"
	"mem/guard"
	"mem/render"
	"mem/repo"
	"mem/workspace"
	"mem/workspace/review"
)

type decideOptions struct {
	Title, Text, Reason string
	DryRun              bool
	JSON                bool
}

// oneID wants the id of a proposal.
func oneID(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("%s takes the id of what is to be decided; 'mem review' lists them", c.CommandPath())
	}
	return nil
}

// flags adds what all decisions have.
func (o *decideOptions) flags(c *cobra.Command) {
	c.Flags().BoolVarP(&o.DryRun, "dry-run", "n", false, "print the change as a diff and write nothing")
	c.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
}

func newReviewApprove(env Env, g *globals) *cobra.Command {
	var opts decideOptions
	c := &cobra.Command{
		Use:   "approve ID",
		Short: "Make it part of what every session reads",
		Long: `Make what is proposed part of what was agreed, in one commit. A rule goes to the
file of its domain, the learnings behind it are archived, and CHANGELOG.md in the
memory says so.`,
		Args:              oneID,
		ValidArgsFunction: completeProposals(env, g),
		RunE: func(c *cobra.Command, args []string) error {
			return runDecision(c.Context(), env, g, args[0], review.Approved, opts)
		},
	}
	c.Flags().StringVar(&opts.Title, "title", "", "`NAME` of the rule, instead of the proposed one")
	c.Flags().StringVar(&opts.Text, "text", "", "`TEXT` of the rule, instead of the proposed one; - reads standard input")
	opts.flags(c)
	return c
}

func newReviewReject(env Env, g *globals) *cobra.Command {
	var opts decideOptions
	c := &cobra.Command{
		Use:               "reject ID",
		Short:             "Turn it down, for good",
		Long:              `Turn down what is proposed. It is not proposed again; what it rests on stays.`,
		Args:              oneID,
		ValidArgsFunction: completeProposals(env, g),
		RunE: func(c *cobra.Command, args []string) error {
			return runDecision(c.Context(), env, g, args[0], review.Rejected, opts)
		},
	}
	c.Flags().StringVar(&opts.Reason, "reason", "", "`REASON` for whoever wonders later")
	opts.flags(c)
	return c
}

func newReviewReopen(env Env, g *globals) *cobra.Command {
	var opts decideOptions
	c := &cobra.Command{
		Use:   "reopen ID",
		Short: "Let what was turned down wait again",
		Args:  oneID,

		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			return runDecision(c.Context(), env, g, args[0], review.Reopened, opts)
		},
	}
	opts.flags(c)
	return c
}

// decisionResult is the JSON of a decision.
type decisionResult struct {
	ID                string `json:"id"`
	workspace.Changed        // "approved", "rejected", "reopened", "edited", "planned", "nothing"
}

// runDecision decides about a proposal, in one commit.
func runDecision(ctx context.Context, env Env, g *globals, id string, done workspace.Status, opts decideOptions) error {
	return withRoot(env, g, func(w *work, _ *repo.Root) error {
		with := proposal.Decision{Title: opts.Title, Text: opts.Text, Reason: opts.Reason}
		if with.Text == "-" {
			var err error
			if with.Text, err = env.readInput(ctx, "the text", review.MaxText); err != nil {
				return err
			}
			if with.Text == "" {
				return usagef("standard input has no text")
			}
		}
		changed, err := w.Change(ctx, opts.DryRun, func(m *repo.Memory) (repo.Message, error) {
			switch done {
			case review.Approved:
				return review.Queues().Approve(m, id, with)
			case review.Rejected:
				return review.Queues().Reject(m, id, with)
			}
			return review.Queues().Reopen(m, id)
		})
		if err != nil {
			return err
		}
		changed.Call(done)
		return w.printDecision(id, changed, opts)
	})
}

func (w *work) printDecision(id string, changed workspace.Changed, opts decideOptions) error {
	switch {
	case opts.JSON:
		return printJSON(w.env, decisionResult{id, changed})
	case opts.DryRun:
		return w.printPlanned(changed)
	}
	review.WriteDecision(w.env.Out, id, changed)
	return nil
}

// completeProposals offers the ids of what waits, with titles.
func completeProposals(env Env, g *globals) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var list []string
		env.Err = io.Discard
		_ = withRoot(env, g, func(w *work, root *repo.Root) error { // a shell that completes is told nothing
			m, err := root.View(w.Now)
			if err != nil {
				return err
			}
			all, _, err := review.Queues().ListPending(m)
			for _, p := range all {
				if !slices.Contains(args, p.ID) && len(args) == 0 {
					list = append(list, guard.Scrub(p.ID)+"\t"+render.Shorten(guard.Line(p.Title), 59))
				}
			}
			return err
		})
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
