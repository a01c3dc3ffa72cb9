package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mem/agent"
	"mem/curate/lesson"
	"mem/index"
)

// verdicts are what feedback does: with --wrong and --helped, and with what an agent
// finds wrong.
var verdicts = map[lesson.Verb]lessonCommand{
	lesson.Retire:  {verb: lesson.Retire, done: "retired", same: "is retired already"},
	lesson.Confirm: {verb: lesson.Confirm, done: "confirmed", same: "is confirmed already"},
	lesson.Hold:    {verb: lesson.Hold, done: "held", same: "is held already"},
}

func newFeedback(env Env, g *globals) *cobra.Command {
	var wrong, helped bool
	fits := func(it *index.Item) bool { return it.IsShown() || it.Status == index.Quarantined }
	c := &cobra.Command{
		Use:   "feedback ID --wrong|--helped [WHY]",
		Short: "Say that a lesson is wrong, or that it helped",
		Long: `Say what a lesson turned out to be, and why in a few words. With --wrong it is
retired, as by 'mem retire'. With --helped it is confirmed: it counts as your own
words and as proven, and if it was held, sessions are shown it from now on.

An agent decides neither. When one says --wrong, the lesson is only held: no session
is shown it, and 'mem review' shows you why, and in which session it was said. Its
--helped is refused: mem showed it the lesson, so it is no second witness.`,
		Example: `  mem feedback m-1f9c2a7e --wrong "the legacy job is gone"
  mem feedback m-1f9c2a7e --helped`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usagef("%s needs the id of a lesson; 'mem list' shows them", c.CommandPath())
			case wrong == helped:
				return usagef("%s takes one of --wrong and --helped", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: completeSome(env, g, fits),
		RunE: func(c *cobra.Command, args []string) error {
			verb := map[bool]lesson.Verb{true: lesson.Confirm, false: lesson.Retire}[helped]
			isAgent, session := agent.FindCaller(env.Getenv)
			switch {
			case isAgent && wrong:
				verb = lesson.Hold
			case isAgent && !g.DryRun:
				return fmt.Errorf("to an agent mem showed the lesson, which makes it no witness for it: %w", errAgent)
			}
			opts := lessonOptions{Change: lesson.Change{Verb: verb, Reason: strings.Join(args[1:], " "), Session: session}}
			return verdicts[verb].run(c.Context(), env, g, opts.withLessons(args[:1]))
		},
	}
	c.Flags().BoolVar(&wrong, "wrong", false, "it is wrong, or no longer holds")
	c.Flags().BoolVar(&helped, "helped", false, "it is right, and it helped")
	return g.addChangeFlags(c, "say what would change and change nothing")
}

// holdFor holds a lesson for an agent, as its "mem feedback --wrong" does.
func holdFor(ctx context.Context, env Env, g *globals, id, why string) (res changeResult, err error) {
	_, session := agent.FindCaller(env.Getenv)
	opts := lessonOptions{Change: lesson.Change{Verb: lesson.Hold, Reason: why, Session: session}}
	err = opts.withLessons([]string{id}).apply(ctx, env, g, func(_ *work, r changeResult, _ lesson.Result) error {
		res = r
		return nil
	})
	return res, err
}
