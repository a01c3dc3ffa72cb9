package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mem/curate"
	"mem/guard"
	"mem/index"
	"mem/repo"
	"mem/workspace/inspect"
)

func newRule(env Env, g *globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "rule",
		Short: "List rules, show one, or take one back",
		Long: `List the rules that every session reads, show one, or retire one. A rule is named by
its file and name, as in rules/coding.md#wrap-errors, by its name alone if no
other rule has it, or by the pattern that it was. 'mem review' makes rules.`,
		Example: `  mem rule list
  mem rule show "Wrap errors"
  mem rule retire rules/coding.md#wrap-errors --lessons retired --reason "only true of the old build"`,
		Args: noCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRuleList(env, g), newRuleShow(env, g), newRuleRetire(env, g))
	return c
}

func newRuleList(env Env, g *globals) *cobra.Command {
	return g.addJSONFlag(&cobra.Command{
		Use:   "list",
		Short: "List the rules that sessions read",
		Args:  atMost(0),
		RunE: g.inMemory(env, func(_ context.Context, w *work, m *repo.Memory, _ []string) error {
			list, unread := curate.ListRules(m)
			for _, file := range unread {
				env.Note("skipped: %s cannot be read", guard.Line(file))
			}
			if len(list) == 0 && !w.JSON {
				env.Note("no rules yet; 'mem review' makes them")
			}
			return w.printText(list, func(out io.Writer) {
				for _, d := range list {
					fmt.Fprintf(out, "%s  %s\n", guard.Line(d.ID), guard.Line(d.Name+d.Describe()))
				}
			}, "text")
		}),
	})
}

func newRuleShow(env Env, g *globals) *cobra.Command {
	return g.addJSONFlag(&cobra.Command{
		Use:               "show RULE",
		Short:             "Show a rule, and the lessons that it was made of",
		Args:              oneRule,
		ValidArgsFunction: completeRules(env, g),
		RunE: g.inMemory(env, func(_ context.Context, w *work, m *repo.Memory, args []string) error {
			d, err := inspect.FindRule(w.Workspace, m, args[0])
			if err != nil {
				return err
			}
			return w.printText(d, func(out io.Writer) { inspect.WriteRule(out, m, d) }, "text")
		}),
	})
}

// oneRule requires the name of one rule.
var oneRule = oneName("the name of a rule; 'mem rule list' shows them")

func newRuleRetire(env Env, g *globals) *cobra.Command {
	lessons, reason := "active", ""
	c := &cobra.Command{
		Use:   "retire RULE",
		Short: "Take a rule out of its file",
		Long: `Take a rule out of its file, in one commit. The lessons that it was made of are
active again or, with --lessons retired, no longer shown. The same is not proposed
again before 'mem review reopen' allows it.`,
		Args: func(c *cobra.Command, args []string) error {
			if lessons != "active" && lessons != string(index.Retired) {
				return usagef("--lessons is active or retired, not %q", lessons)
			}
			return oneRule(c, args)
		},
		ValidArgsFunction: completeRules(env, g),
		PreRunE:           func(*cobra.Command, []string) error { return env.RequirePerson(g.DryRun) },
		RunE: g.inRoot(env, func(ctx context.Context, w *work, args []string) error {
			return w.retireRule(ctx, args[0], lessons, reason)
		}),
	}
	c.Flags().StringVar(&lessons, "lessons", lessons, "what becomes of its lessons: `STATE` is active or retired")
	c.Flags().StringVar(&reason, "reason", "", "why, in a few words: `TEXT` for the commit")
	_ = c.RegisterFlagCompletionFunc("lessons", completeFixed("active", string(index.Retired)))
	return g.addChangeFlags(c, "print the change as a diff and write nothing")
}

// ruleResult is the JSON of mem rule retire.
type ruleResult struct {
	ID string `json:"id"`
	changeResult
}

func (w *work) retireRule(ctx context.Context, id, lessons, reason string) error {
	to := index.Status(strings.TrimPrefix(lessons, "active")) // which has no name in the index
	var d curate.RuleDetail
	var items []index.Item
	changed, err := w.Change(ctx, w.DryRun, func(m *repo.Memory) (msg repo.Message, err error) {
		d, items, msg, err = curate.RetireRule(m, id, to, reason)
		return msg, err
	})
	if err != nil {
		return err
	}
	changed.Call("retired")
	res := ruleResult{d.ID, changeResult{Changed: changed, Root: w.At.Root, Lessons: inspect.NewResults(items)}}
	return w.printChange(res, changed, func() {
		w.env.Printf("retired %s  %s\n", guard.Line(d.ID), guard.Line(d.Name))
		for i := range items {
			w.env.Printf("%-7s %s  %s\n", lessons, guard.Line(items[i].ID), guard.Line(items[i].Text))
		}
		w.env.Printf("commit %s\n", changed.CommitLine())
	})
}

// completeRules offers the rules, with their names.
func completeRules(env Env, g *globals) cobra.CompletionFunc {
	return completeOne(env, g, func(m *repo.Memory, offer offer) {
		list, _ := curate.ListRules(m)
		for _, d := range list {
			offer(d.ID, d.Name)
		}
	})
}
