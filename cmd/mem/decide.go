package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"mem/curate/proposal"
	"mem/guard"
	"mem/render"
	"mem/repo"
	"mem/workspace"
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
			return runDecision(c.Context(), env, g, decision{"approved", args[0], opts, proposal.Queue.Approve})
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
			return runDecision(c.Context(), env, g, decision{"rejected", args[0], opts, proposal.Queue.Reject})
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
			return runDecision(c.Context(), env, g, decision{"reopened", args[0], opts, func(d proposal.Queue, m *repo.Memory, id string, _ proposal.Decision) (repo.Message, error) {
				return d.Reopen(m, id)
			}})
		},
	}
	opts.flags(c)
	return c
}

// A decision is what a person wants done with a proposal.
type decision struct {
	done workspace.Status // what it is then
	id   string
	opts decideOptions
	do   func(d proposal.Queue, m *repo.Memory, id string, with proposal.Decision) (repo.Message, error)
}

// decisionResult is the JSON of a decision.
type decisionResult struct {
	ID                string `json:"id"`
	workspace.Changed        // "approved", "rejected", "reopened", "edited", "planned", "nothing"
}

func runDecision(ctx context.Context, env Env, g *globals, d decision) error {
	return withRoot(env, g, func(w *work, root *repo.Root) error { return w.decide(ctx, root, d) })
}

// callback asks the desk that the proposal is from.
func (d decision) callback(with proposal.Decision) func(*repo.Memory) (repo.Message, error) {
	return func(m *repo.Memory) (repo.Message, error) {
		for _, desk := range desks() {
			msg, err := d.do(desk, m, d.id, with)
			if !errors.Is(err, proposal.ErrUnknown) {
				return msg, err
			}
		}
		return repo.Message{}, fmt.Errorf("%q: %w", d.id, proposal.ErrUnknown)
	}
}

// decide does what a person decided, in one commit.
func (w *work) decide(ctx context.Context, root *repo.Root, d decision) error {
	with := proposal.Decision{Title: d.opts.Title, Text: d.opts.Text, Reason: d.opts.Reason}
	if with.Text == "-" {
		text, err := reading(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(w.env.In, maxDraft)) })
		if err != nil {
			return fmt.Errorf("read the text: %w", err)
		}
		if with.Text = string(text); len(text) == 0 {
			return usagef("standard input has no text")
		}
	}
	changed, err := w.Change(ctx, d.opts.DryRun, d.callback(with))
	if err != nil {
		return err
	}
	changed.Call(d.done)
	switch {
	case d.opts.JSON:
		return printJSON(w.env, decisionResult{d.id, changed})
	case d.opts.DryRun:
		return w.printPlanned(changed)
	case changed.Status == workspace.Nothing:
		w.env.Printf("nothing changed\n")
		return nil
	}
	w.env.Printf("%s %s\ncommit  %s %s\n", d.done, guard.Line(d.id), short(changed.Commit), guard.Line(changed.Subject))
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
			all, _, err := pending(m)
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
