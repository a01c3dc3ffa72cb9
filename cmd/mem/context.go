package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"
)

type contextOptions struct {
	Budget    int
	BudgetSet bool
	JSON      bool
}

func newContext(env Env, g *globals) *cobra.Command {
	var opts contextOptions
	c := &cobra.Command{
		Use:   "context",
		Short: "Print what the next session should read",
		Long: `Print the best lessons of both kinds, whole ones only, within a budget, fenced
so that mem recognises its own words later. Nothing is printed when there is
nothing to say, or no memory.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			opts.BudgetSet = c.Flags().Changed("budget-tokens")
			return runContext(c.Context(), env, g, opts)
		},
	}
	c.Flags().IntVar(&opts.Budget, "budget-tokens", 0, "print at most `N` tokens (default: budget_tokens of the configuration)")
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	return c
}

// contextResult is the JSON of mem context.
type contextResult struct {
	Text    string   `json:"text"`
	Items   []string `json:"items"`
	LeftOut int      `json:"left_out"`
	Tokens  int      `json:"tokens"`
}

func runContext(_ context.Context, env Env, g *globals, opts contextOptions) error {
	flags := map[string]string{}
	if opts.BudgetSet {
		flags["budget_tokens"] = strconv.Itoa(opts.Budget)
	}
	w, err := g.workspace(env, flags)
	if err != nil {
		return err
	}
	c, err := w.bundle(want{})
	if err != nil {
		return err
	}
	if opts.JSON {
		return printJSON(env, contextResult{c.Text, append([]string{}, c.Items...), c.LeftOut, c.Tokens})
	}
	env.Printf("%s", c.Text)
	return nil
}
