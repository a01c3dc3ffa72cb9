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

// completeSome offers the ids of the lessons that fit, with their texts, but those that
// are on the line already.
func completeSome(env Env, g *globals, fits func(*index.Item) bool) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if from, err := c.Flags().GetStringSlice("from"); err == nil {
			args = slices.Concat(args, from)
		}
		var list []string
		env.Err = io.Discard
		_ = withWork(env, g, func(w *work) error { // completion has no way to report an error
			sources, err := w.ReadSomeMemories()
			if err != nil {
				return err
			}
			for _, f := range search.ListAll(sources, search.Filter{Type: search.Lesson, Status: search.AnyStatus, ID: prefix}, 0).Found {
				if fits(f.Item) && !slices.Contains(args, f.ID) && len(list) < mostOffered {
					state := "" // first: what is long is cut
					if f.Item.Status != index.Active {
						state = string(f.Item.Status) + ": "
					}
					list = append(list, f.ID+"\t"+render.Shorten(state+f.Text, 59))
				}
			}
			return nil
		})
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
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

// completeOne offers the names of what list finds in the memory, with titles, for the
// first argument.
func completeOne(env Env, g *globals, list func(w *work, m *repo.Memory, offer func(id, title string))) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		env.Err = io.Discard
		_ = g.inMemory(env, func(_ context.Context, w *work, m *repo.Memory, args []string) error { // completion has no way to report an error
			list(w, m, func(id, title string) {
				if len(args) == 0 && len(names) < mostOffered {
					names = append(names, guard.Line(id)+"\t"+render.Shorten(guard.Line(title), 59))
				}
			})
			return nil
		})(c, args)
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// mostOffered is how many lessons a shell is offered.
const mostOffered = 1000
