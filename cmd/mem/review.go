package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mem/cmd/mem/console"
	"mem/curate"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/repo"
	"mem/workspace"
	"mem/workspace/inspect"
)

func newReview(env Env, g *globals) *cobra.Command {
	var list, all bool
	c := newCommand("review", noCommand, g.inRoot(env, func(ctx context.Context, w *work, _ []string) error {
		return runReview(ctx, w, list, all)
	}))
	c.Flags().BoolVarP(&all, "all", "a", false, "with proposals that have waited for more than ninety days")
	c.Flags().BoolVarP(&list, "list", "l", false, "list the proposals, on a terminal too")
	c.AddCommand(newDecisions(env, g)...)
	return g.addChangeFlags(c, "list what the search would find, and write nothing")
}

func runReview(ctx context.Context, w *work, asList, all bool) error {
	env := w.env
	m, applied, err := w.ScanMemory(ctx, w.DryRun)
	if err != nil {
		return err
	}
	list, problems, err := workspace.Queues.ListPending(m)
	if err != nil {
		return err
	}
	folded := ""
	if !all {
		list, folded = curate.FoldOld(list, m.Now())
	}
	for _, p := range problems {
		env.Note("left alone: %s: %s", guard.Line(p.Path), guard.Line(p.Why))
	}
	for _, f := range applied {
		env.Note("%s %q is a matter of form, so it is a rule now: %s", f.ID, f.Title, f.Rule)
	}
	if folded != "" {
		env.Note("%s", folded)
	}
	alone := asList || env.RequirePerson(w.DryRun) != nil || w.DryRun || !env.Interactive() || !console.IsTerminal(env.Out)
	switch {
	case w.JSON:
		return printJSON(env, list, "text")
	case len(list) == 0:
		env.Printf("no pending proposals\n")
		return nil
	case alone:
		workspace.WriteList(env.Out, list)
		env.Hint("'mem show ID' shows one, 'mem review approve ID' agrees, 'mem review reject ID' turns it down")
		return nil
	}
	review := workspace.Review{Workspace: w.Workspace, Out: env.Out, Ask: env.NewAsker()}
	return review.Run(ctx, list)
}

func newDecisions(env Env, g *globals) (list []*cobra.Command) {
	for _, d := range []struct {
		name string
		verb curate.Verdict
	}{{"approve", curate.Approve}, {"reject", curate.Reject}, {"edit", curate.Edit}, {"reopen", curate.Reopen}} {
		with := curate.Decision{Verb: d.verb}
		c := newCommand("review "+d.name, needs("the id of a proposal; 'mem review' lists them", 1, 1), func(c *cobra.Command, args []string) error {
			with.ID = args[0]
			return runDecision(c.Context(), env, g, with)
		})
		c.ValidArgsFunction = cobra.NoFileCompletions
		switch d.verb {
		case curate.Approve:
			c.Flags().StringVar(&with.Title, "title", "", "`NAME` of the rule, instead of the proposed one")
			c.Flags().StringVar(&with.Text, "text", "", "`TEXT` of the rule, instead of the proposed one; - reads standard input")
		case curate.Reject:
			c.Flags().StringVar(&with.Reason, "reason", "", "`REASON` why, for later readers")
		}
		list = append(list, g.addChangeFlags(c, "print the change as a diff and write nothing"))
	}
	return list
}

// decisionResult is the JSON of a decision.
type decisionResult struct {
	ID                string `json:"id"`
	workspace.Changed        // "approved", "rejected", "reopened", "edited", "planned", "nothing"
}

// runDecision decides about one proposal, in one commit.
func runDecision(ctx context.Context, env Env, g *globals, d curate.Decision) (err error) {
	if err := env.RequirePerson(g.DryRun || d.Verb != curate.Approve); err != nil {
		return err
	}
	if d.Verb == curate.Edit && (!env.Interactive() || !console.IsTerminal(env.Out)) {
		return fault.New(fault.Refused, "an editor needs a terminal", "without one, 'mem review approve ID --title NAME --text -' reads the words from standard input")
	}
	fromInput := d.Text == "-"
	if d.Text, err = env.ReadText(ctx, d.Text, "the text", workspace.MaxText); err != nil {
		return err
	}
	if fromInput && d.Text == "" {
		return fault.Usagef("standard input has no text")
	}
	return decide(ctx, env, g, d)
}

// decide is runDecision once it is known that it may be.
func decide(ctx context.Context, env Env, g *globals, d curate.Decision) error {
	return withRoot(env, g, func(w *work) (err error) {
		var changed workspace.Changed
		if d.Verb == curate.Edit {
			changed, err = w.EditProposal(ctx, d.ID, w.DryRun)
		} else {
			changed, err = w.Decide(ctx, w.DryRun, d)
		}
		return w.printChange(decisionResult{d.ID, changed}, changed, err, func() { workspace.WriteDecision(env.Out, d.ID, changed) })
	})
}

func newRule(env Env, g *globals) *cobra.Command {
	c := g.addJSONFlag(newCommand("rule", noCommand, g.inMemory(env, runRuleList)))
	c.AddCommand(newRuleRetire(env, g))
	return c
}

// runRuleList lists the rules. Like a search, it fails where there are none.
func runRuleList(_ context.Context, w *work, m *repo.Memory, _ []string) error {
	list, unread := curate.ListRules(m)
	for _, file := range unread {
		w.env.Note("skipped: %s cannot be read", guard.Line(file))
	}
	if len(list) == 0 && !w.JSON {
		return errors.New("no rules yet; 'mem review' makes them")
	}
	return w.printText(list, nil, func(out io.Writer) {
		for _, d := range list {
			fmt.Fprintf(out, "%s  %s\n", guard.Line(d.ID), guard.Line(d.Name+d.Describe()))
		}
	}, "text")
}

func newRuleRetire(env Env, g *globals) *cobra.Command {
	lessons, reason := "active", ""
	c := newCommand("rule retire", needs("the name of a rule; 'mem rule' shows them", 1, 1), g.inRoot(env, func(ctx context.Context, w *work, args []string) error {
		return w.retireRule(ctx, args[0], lessons, reason)
	}))
	c.ValidArgsFunction = cobra.NoFileCompletions
	c.PreRunE = func(*cobra.Command, []string) error { return env.RequirePerson(g.DryRun) }
	addChoice(c, &lessons, "lessons", "the state of its lessons: `STATE` is active or retired", "active", index.Retired)
	c.Flags().StringVar(&reason, "reason", "", "why, in a few words: `TEXT` for the commit")
	return g.addChangeFlags(c, "print the change as a diff and write nothing")
}

// ruleResult is the JSON of mem rule retire.
type ruleResult struct {
	ID string `json:"id"`
	changeResult
}

func (w *work) retireRule(ctx context.Context, id, lessons, reason string) error {
	to := index.Status(strings.TrimPrefix(lessons, "active")) // which has no name in the index
	var d curate.Rule
	var items []index.Item
	changed, err := w.Change(ctx, w.DryRun, func(m *repo.Memory) (msg repo.Message, err error) {
		d, items, msg, err = curate.RetireRule(m, id, to, reason)
		return msg, err
	})
	changed.Call("retired")
	res := ruleResult{d.ID, changeResult{Changed: changed, Root: w.At.Root, Lessons: inspect.NewResults(items)}}
	return w.printChange(res, changed, err, func() {
		w.env.Printf("retired %s  %s\n", guard.Line(d.ID), guard.Line(d.Name))
		for i := range items {
			w.env.Printf("%-7s %s  %s\n", lessons, guard.Line(items[i].ID), guard.Line(items[i].Text))
		}
		w.env.Printf("commit %s\n", changed.CommitLine())
	})
}
