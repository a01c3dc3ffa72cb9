package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newConfig(env Env, g *globals) *cobra.Command {
	return g.addJSONFlag(&cobra.Command{
		Use:   "config",
		Short: "Show the configuration and where each value is from",
		Long: `Show every key of the configuration, its value, and where the value was set.

A later source wins: built-in default, your own file (mem/config.toml in
$XDG_CONFIG_HOME or ~/.config), the memory's mem.toml, the variable MEM_<KEY>, a
flag. The memory's file may set only keys that cannot run or reach anything: it
may come from another person.`,
		Args: atMost(0),
		RunE: g.inWork(env, func(_ context.Context, w *work, _ []string) error {
			values, width := w.Config.Values(), 0
			for _, v := range values {
				width = max(width, len(v.Key)+len(v.Value)+3)
			}
			return w.printResult(values, func() {
				for _, v := range values {
					env.Printf("%-*s  # %s\n", width, v.Key+" = "+v.Value, v.Origin)
				}
			}, "value")
		}),
	})
}
