package main

import (
	"strings"

	"github.com/spf13/cobra"

	"mem/recall/search"
)

func newSearch(env Env, g *globals) *cobra.Command {
	opts := findOptions{Type: string(search.AnyType), Limit: 20}
	c := &cobra.Command{
		Use:   "search TEXT...",
		Short: "Search lessons, rules, notes and the journal",
		Long: `Search the project's memory and your own (~/.mem) for words: lessons, rules,
MEMORY.md and memories, months and days, best first, with the id that other
commands take ('mem list ID', 'mem daily DAY'). Endings do not matter; of
several words the rarer ones count more. If no word is found, mem searches for the
text letter for letter.`,
		Example: `  mem search migrations
  mem search "ERR_MODULE_NOT_FOUND packages/core"
  mem search --type day --since 30d release`,
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, " ")) == "" {
				return usagef("mem search needs a text")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			return runFind(env, g, opts, strings.Join(args, " "))
		},
	}
	opts.addFlags(env, g, c)
	return c
}
