package main

import (
	"context"

	"github.com/spf13/cobra"

	"mem/stats"
	"mem/trace"
	"mem/workspace/inspect"
)

func newStats(env Env, g *globals) *cobra.Command {
	var since string
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show whether the lessons help",
		Long: `Compare what sessions were shown with what happened in them: whether a lesson
mattered, whether the mistake was made again, and whether the remedy was used before
you had to name it. A lesson matters where its command, error or file comes up in a
session that an agent left on this machine. No model is asked, and no rank changes.`,
		Example: `  mem stats --since 30d`,
		Args:    atMost(0),
		RunE: g.inRoot(env, func(ctx context.Context, w *work, _ []string) error {
			from, err := trace.ParseSince(since, w.Now)
			if err != nil {
				return err
			}
			show, clear := env.Progress("reading")
			r, err := inspect.ReadReport(ctx, w.Workspace, from, w.openOneOfMany, show)
			clear()
			if err != nil {
				return err
			}
			return w.printResult(r, func() { stats.WriteReport(env.Out, r) }, "text")
		}),
	}
	c.Flags().StringVar(&since, "since", "", "count from `TIME` on: a date or an age such as 30d")
	return g.addJSONFlag(c)
}
