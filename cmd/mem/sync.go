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
			res, err := w.sync(ctx, opts)
			if err != nil {
				return err
			}
			return w.printResult(res, func() { w.env.Printf("%s", res.Describe()) })
		}),
	}
	c.Flags().StringVar(&opts.Remote, "remote", "", "sync with this remote, or address: `NAME|URL`")
	c.Flags().StringVar(&opts.Ref, "ref", "", "keep the memory in this `REF` there, such as refs/mem/main")
	c.Flags().BoolVar(&opts.Own, "own", false, "you alone push there")
	c.Flags().BoolVar(&opts.Team, "team", false, "a team pushes there")
	c.MarkFlagsMutuallyExclusive("own", "team")
	c.Flags().BoolVar(&opts.Public, "public", false, "send it also where anyone can read it")
	c.Flags().BoolVar(&opts.Whole, "whole", false, "send also what looks private")
	return g.addJSONFlag(c)
}

// sync asks on a terminal what a sync leaves to the person.
func (w *work) sync(ctx context.Context, opts remote.Options) (remote.Result, error) {
	opts.MayAsk, opts.Confirm, opts.Ask = w.env.Interactive(), w.env.Confirm, w.env.Ask
	opts.RequirePerson = func() error { return w.env.RequirePerson(false) }
	return remote.Sync(ctx, w.Workspace, opts)
}
