package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"mem/guard"
	"mem/index"
	"mem/recall/search"
	"mem/render"
	"mem/repo"
)

// An offer names something to complete, with its title.
type offer = func(name, title string)

// completeNames offers the names that list finds, with titles. Completion has no way to report
// an error.
func completeNames(env Env, list func(env Env, c *cobra.Command, args []string, prefix string, offer offer) error) cobra.CompletionFunc {
	env.Err = io.Discard
	return func(c *cobra.Command, args []string, prefix string) (names []string, _ cobra.ShellCompDirective) {
		_ = list(env, c, args, prefix, func(name, title string) {
			if len(names) < mostOffered {
				names = append(names, guard.Line(name)+"\t"+render.Shorten(guard.Line(title), 59))
			}
		})
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completeSome offers the ids of the lessons that fit, with their texts, but those that
// are on the line already.
func completeSome(env Env, g *globals, fits func(*index.Item) bool) cobra.CompletionFunc {
	return completeNames(env, func(env Env, _ *cobra.Command, args []string, prefix string, offer offer) error {
		return withWork(env, g, func(w *work) error {
			sources, err := w.ReadSomeMemories()
			for _, f := range search.ListAll(sources, search.Filter{Type: search.Lesson, Status: search.AnyStatus, ID: prefix}, 0).Found {
				if fits(f.Item) && !slices.Contains(args, f.ID) {
					state := "" // first: what is long is cut
					if f.Item.Status != index.Active {
						state = string(f.Item.Status) + ": "
					}
					offer(f.ID, state+f.Text)
				}
			}
			return err
		})
	})
}

// completeFixed offers words.
func completeFixed(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// completeFirst offers words for the first argument, and nothing after it.
func completeFirst(words []string, otherwise cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words, otherwise
	}
}

// completeOne offers the names of what list finds in the memory for the first argument.
func completeOne(env Env, g *globals, list func(m *repo.Memory, offer offer)) cobra.CompletionFunc {
	return completeNames(env, func(env Env, c *cobra.Command, args []string, _ string, offer offer) error {
		return g.inMemory(env, func(_ context.Context, _ *work, m *repo.Memory, args []string) error {
			if len(args) == 0 {
				list(m, offer)
			}
			return nil
		})(c, args)
	})
}

// mostOffered is how many lessons a shell is offered.
const mostOffered = 1000
