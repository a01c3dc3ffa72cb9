package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newConfig(env Env, g *globals) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the configuration and where each value is from",
		Long: `Show every key of the configuration, its value, and where the value was set.

A later source wins: built-in default, your own file (~/.config/mem/config.toml),
the memory's mem.toml, the variable MEM_<KEY>, a flag. The memory's file may set
only keys that cannot run or reach anything: it may come from somebody else.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return runConfig(c.Context(), env, g, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// configValue is one element of the JSON of mem config.
type configValue struct {
	Key    string `json:"key"`
	Value  string `json:"value"` // as TOML
	Origin string `json:"origin"`
}

func runConfig(_ context.Context, env Env, g *globals, asJSON bool) error {
	w, err := g.newWork(env, nil)
	if err != nil {
		return err
	}
	values := []configValue{}
	width := 0
	for _, v := range w.Config.Values() {
		values = append(values, configValue{v.Key, v.Value, v.Origin})
		width = max(width, len(v.Key)+len(v.Value)+3)
	}
	if asJSON {
		return printJSON(env, values)
	}
	for _, v := range values {
		env.Printf("%-*s  # %s\n", width, v.Key+" = "+v.Value, v.Origin)
	}
	return nil
}
