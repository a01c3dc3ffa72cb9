package main

import (
	"context"

	"github.com/spf13/cobra"

	"mem/workspace/purging"
	"mem/workspace/remote"
)

func newPurge(env Env, g *globals) *cobra.Command {
	opts := purging.Options{Confirm: env.Confirm}
	c := &cobra.Command{
		Use:     "purge --item ID | -",
		Short:   "Take a lesson or words out of the whole history, for good",
		Long:    purging.Help,
		Example: "  mem purge --item m-1f9c2a7e --dry-run\n  mem purge - < words.txt",
		Args:    func(_ *cobra.Command, args []string) error { return opts.ReadArgs(args, env.In) },
		RunE: g.inRoot(env, func(ctx context.Context, w *work, _ []string) error {
			if err := env.RequirePerson(w.DryRun); err != nil {
				return err
			}
			opts.DryRun = w.DryRun
			res, err := remote.Purge(ctx, w.Workspace, w.root, opts)
			if err != nil {
				return err
			}
			return w.printResult(res, func() { env.Printf("%s", res.Describe()) })
		}),
	}
	c.Flags().StringVar(&opts.Item, "item", "", "purge the lesson with this `ID`")
	c.Flags().BoolVar(&opts.Push, "push", false, "put it in the place of what the remote of 'mem sync' has")
	c.Flags().BoolVar(&opts.Resume, "continue", false, "end a purge that broke off")
	c.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "do not ask")
	return g.addChangeFlags(c, "say how much would be purged and change nothing")
}
