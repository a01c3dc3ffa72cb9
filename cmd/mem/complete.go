package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/index"
	"mem/recall"
)

// completeItems offers the ids of lessons with their texts, for every command
// that takes some.
func completeItems(env Env, g *globals) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		var list []string
		eachItem(env, g, prefix, func(f *recall.Found) {
			if !slices.Contains(args, f.ID) {
				list = append(list, f.ID+"\t"+cut(f.Text, 60))
			}
		})
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completeOf offers the values that lessons have of something, such as tags.
func completeOf(env Env, g *globals, values func(*index.Item) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		var list []string
		eachItem(env, g, "", func(f *recall.Found) {
			for _, v := range values(f.Item) {
				if v = oneLine(safe(v)); v != "" && strings.HasPrefix(v, prefix) {
					list = append(list, v)
				}
			}
		})
		slices.Sort(list)
		return slices.Compact(list), cobra.ShellCompDirectiveNoFileComp
	}
}

// mostOffered is how many lessons a shell is offered.
const mostOffered = 1000

// eachItem calls f with the lessons whose ids begin so, whatever became of
// them. A shell that completes is told nothing of what goes wrong.
func eachItem(env Env, g *globals, prefix string, f func(*recall.Found)) {
	env.Err = io.Discard
	w, err := g.workspace(env, nil)
	if err != nil {
		return
	}
	mems, err := w.memories()
	if err != nil {
		return
	}
	l := recall.List(mems.sources, recall.Filter{Type: recall.Lesson, Status: recall.AnyStatus, ID: prefix}, mostOffered)
	for i := range l.Found {
		f(&l.Found[i])
	}
	_ = mems.close() // only read
}
