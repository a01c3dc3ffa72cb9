package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"mem/cmd/mem/console"
	"mem/recall"
	"mem/recall/shown"
	"mem/render"
	"mem/workspace"
)

type contextOptions struct {
	recall.Options
	BudgetSet bool
	Explain   bool
	Agent     string
	Session   string
}

func newContext(env Env, g *globals) *cobra.Command {
	var opts contextOptions
	c := &cobra.Command{
		Use:   "context",
		Short: "Print what the next session should read",
		Long: `Print what a session reads when it starts: rules, pinned lessons, what a
person said, five lessons that are proven, and MEMORY.md, from your own memory
(~/.mem) and the project's. What a hook shows before its command, and what
AGENTS.md, CLAUDE.md or README.md say, is left out. With context.start = "core" it
is all that CORE.md has. It keeps within a budget, in whole lessons, and is fenced
so that mem recognises its own words later.

With --for, only lessons that fit the task are printed, and pinned ones: words,
topics, names, paths, commands and errors count, and the rank decides between
lessons that fit about as well. If none fits, it says so.`,
		Example: `  mem context --for "the e2e tests time out"
  gh issue view 17 | mem context --for - --explain`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			opts.BudgetSet = c.Flags().Changed("budget-tokens")
			return runContext(c.Context(), env, g, opts)
		},
	}
	c.Flags().StringVar(&opts.For, "for", "", "print what fits the task described by `TEXT`; - reads it from standard input")
	c.Flags().IntVar(&opts.Budget, "budget-tokens", 0, "print at most `N` tokens (default: context.start_tokens, or budget_tokens, of the configuration)")
	c.Flags().BoolVar(&opts.Explain, "explain", false, "also say why each entry is there")
	c.Flags().BoolVar(&opts.Small, "small", false, "rules and lessons only: for a subagent")
	c.Flags().StringVar(&opts.Session, "session", "", "keep a receipt of what the session `ID` was given")
	c.Flags().StringVar(&opts.Agent, "agent", "", "the `NAME` of the agent, for the receipt")
	return g.addJSONFlag(c)
}

func runContext(ctx context.Context, env Env, g *globals, opts contextOptions) error {
	flags := map[string]string{}
	if opts.BudgetSet {
		flags["budget_tokens"] = strconv.Itoa(opts.Budget)
	}
	return withOptions(env, g, workspace.Options{Config: flags}, func(w *work) (err error) {
		if opts.For, err = env.ReadText(ctx, opts.For, "the task", maxTask); err != nil {
			return err
		}
		opts.Asked, opts.Later = true, w.FindLater()
		c, err := w.BundleContext(opts.Options)
		if err != nil {
			return err
		}
		if here, own := w.ListRoots(); here == nil && own == nil && console.IsTerminal(env.Out) && w.Untrusted() == nil {
			env.Note("there is no memory here yet")
			env.Hint("run 'mem init'")
		}
		w.hintBeside()
		if c.Text == "" && c.LeftOut > 0 && opts.For == "" && !opts.BudgetSet {
			env.Note("nothing to print; %s left out", render.Count(c.LeftOut, "entry is", "entries are"))
			env.Hint("'mem context --for TASK' prints those that fit a task")
		}
		if opts.Session != "" && c.Text != "" {
			w.KeepReceipt(shown.NewReceipt(c, shown.OnDemand, opts.Agent, opts.Session, w.Now))
		}
		if !opts.Explain {
			c.Why = nil
		}
		return w.printResult(c, func() {
			env.Printf("%s", c.Text)
			if opts.Explain {
				env.Printf("%s", c.DescribeReasons())
			}
		}, "text")
	})
}

// maxTask bounds the description of a task that is read.
const maxTask = 1 << 20
