package main

import (
	"context"

	"github.com/spf13/cobra"

	"mem/workspace/remote"
)

func newSync(env Env, g *globals) *cobra.Command {
	var opts remote.Options
	c := &cobra.Command{
		Use:   "sync",
		Short: "Exchange what was learned with another machine, over git",
		Long:  remote.Help,
		Args:  atMost(0),
		RunE: g.inWork(env, func(ctx context.Context, w *work, _ []string) error {
			opts.MayAsk, opts.Confirm = env.Interactive(), env.Confirm
			opts.RequirePerson = func() error { return env.RequirePerson(false) }
			res, err := remote.Sync(ctx, w.Workspace, opts)
			if err != nil {
				return err
			}
			return w.printResult(res, func() { w.env.Printf("%s", res.Describe()) })
		}),
	}
	c.Flags().StringVar(&opts.Remote, "remote", "", "sync with this remote, or address: `NAME|URL`")
	c.Flags().StringVar(&opts.Ref, "ref", "", "keep the memory in this `REF` there, such as refs/mem/main")
	c.Flags().BoolVar(&opts.Own, "own", false, "all that the remote brings is yours")
	c.Flags().BoolVar(&opts.Public, "public", false, "send it also where anyone can read it")
	c.Flags().BoolVar(&opts.Whole, "whole", false, "send it also where it speaks of you")
	c.Flags().BoolVar(&opts.Move, "move", false, "move what speaks of you to your own memory, and send the rest without the history")
	return g.addJSONFlag(c)
}
