package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mem/workspace/inspect"
)

func newLog(env Env, g *globals) *cobra.Command {
	limit := 20
	c := &cobra.Command{
		Use:   "log [ID]",
		Short: "Show what was learned when",
		Long: `Show the memory's latest commits with the lessons that each brought; with an ID
those about what 'mem show' finds under it, such as a lesson (m-...), a session, a
pattern, a rule, a day or a month. It is the history that "git log" shows in the
memory; every command of git works there.`,
		Args: func(c *cobra.Command, args []string) error {
			if limit < 0 {
				return usagef("--limit is a number of commits, 0 for all")
			}
			return atMostOne(c, args)
		},
		RunE: g.inRoot(env, func(_ context.Context, w *work, args []string) error {
			list, err := inspect.ListHistory(w.Workspace, strings.TrimSpace(firstOf(args)), limit)
			if err != nil {
				return err
			}
			return w.printText(list, func(out io.Writer) { inspect.WriteAll(out, list) })
		}),
	}
	c.Flags().IntVar(&limit, "limit", limit, "show `N` commits, 0 for all")
	return g.addJSONFlag(c)
}
