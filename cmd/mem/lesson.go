package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/agent"
	"mem/cmd/mem/console"
	"mem/curate"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/workspace"
	"mem/workspace/inspect"
)

// lessonWords are the words for a change to a lesson, and for a lesson that needs no change.
var lessonWords = map[curate.Verb][2]string{
	curate.Pin: {"pinned", "is pinned already"}, curate.Unpin: {"unpinned", "is not pinned"}, curate.Retire: {"retired", "is retired already"},
	curate.Restore: {"restored", "is active already"}, curate.Supersede: {"superseded", "is superseded by it already"},
	curate.Confirm: {"confirmed", "is confirmed already"}, curate.Hold: {"held", "is held already"},
}

// lessonCommands returns the commands that change single lessons. A shell is offered those that fit.
func lessonCommands(env Env, g *globals) (list []*cobra.Command) {
	isActive := func(it *index.Item) bool { return it.Status == index.Active }
	for verb, fits := range map[curate.Verb]func(*index.Item) bool{
		curate.Pin:       func(it *index.Item) bool { return isActive(it) && !it.Pinned },
		curate.Unpin:     func(it *index.Item) bool { return it.Pinned },
		curate.Retire:    func(it *index.Item) bool { return isActive(it) || it.Status == index.Quarantined },
		curate.Restore:   func(it *index.Item) bool { return !isActive(it) && it.Status != index.Quarantined },
		curate.Supersede: isActive,
	} {
		list = append(list, newLessonCommand(env, g, verb, fits))
	}
	return list
}

// lessonIDs are what most commands about lessons take.
const lessonIDs = "the ids of lessons; 'mem list' shows them"

func newLessonCommand(env Env, g *globals, verb curate.Verb, fits func(*index.Item) bool) *cobra.Command {
	change, severity := curate.LessonChange{Verb: verb}, "" // "high", "ordinary" or ""
	takes := needs(lessonIDs, 1, anyNumber)
	if verb == curate.Supersede {
		takes = needs("two lessons: the old one, then the one that says it better", 2, anyNumber)
	}
	c := newCommand(string(verb), takes, func(c *cobra.Command, args []string) error {
		if change.IDs = args; verb == curate.Supersede {
			last := len(args) - 1
			change.By, change.IDs = args[last], args[:last]
		}
		if severity != "" {
			level := strings.TrimPrefix(severity, "ordinary")
			change.Severity = &level
		}
		return runChange(c.Context(), env, g, change)
	})
	c.ValidArgsFunction = completeSome(env, g, fits)
	switch verb {
	case curate.Pin:
		addChoice(c, &severity, "severity", "also say how bad it is: `LEVEL` is high or ordinary", "high", "ordinary")
	case curate.Retire:
		c.Flags().StringVar(&change.Reason, "reason", "", "why, in a few words: `TEXT` for the commit")
	}
	return g.addChangeFlags(c, "say what would change and change nothing")
}

func runChange(ctx context.Context, env Env, g *globals, change curate.LessonChange) error {
	hides := change.Verb == curate.Retire || change.Verb == curate.Unpin || change.Verb == curate.Hold
	if err := env.RequirePerson(g.DryRun || hides); err != nil {
		return err
	}
	return applyChange(ctx, env, g, change, func(w *work, res changeResult, r curate.LessonResult) error {
		return w.printResult(res, func() { printLessons(w, change.Verb, change.Reason, r, res.Changed) })
	})
}

// applyChange carries a change out, and hands on what it did.
func applyChange(ctx context.Context, env Env, g *globals, change curate.LessonChange, done func(*work, changeResult, curate.LessonResult) error) error {
	all := slices.Clone(change.IDs)
	if change.By != "" {
		all = append(all, change.By)
	}
	return withOptions(env, g, workspace.Options{}, func(w *work) error {
		r, changed, err := changeMemory(ctx, w, change.Apply)
		if err != nil {
			return err
		}
		changed.HideHeld(r.Changed, r.Same)
		return done(w, changeResult{changed, w.At.Root, inspect.NewResults(r.Changed), inspect.NewResults(r.Same), r.Notes}, r)
	}, all...)
}

// changeResult is the JSON of the commands that change single lessons.
type changeResult struct {
	workspace.Changed
	Root    string           `json:"root"`
	Lessons []inspect.Result `json:"changed"`
	Same    []inspect.Result `json:"same"` // those that were so already
	Notes   []string         `json:"notes"`
}

func printLessons(w *work, verb curate.Verb, reason string, r curate.LessonResult, changed workspace.Changed) {
	done, same := lessonWords[verb][0], lessonWords[verb][1]
	if w.DryRun {
		done = "would be " + done
	}
	for i := range r.Changed {
		it := &r.Changed[i]
		w.env.Printf("%s %s  %s\n", done, guard.Line(it.ID), guard.Line(it.Text+verb.DescribeChange(it)))
	}
	for _, it := range r.Same {
		w.env.Printf("%s %s  %s\n", guard.Line(it.ID), same, guard.Line(it.Text))
	}
	for _, n := range r.Notes {
		w.env.Note("%s", guard.Line(n))
	}
	if reason != "" && len(r.Same) > 0 {
		w.env.Note("the reason is not kept: nothing changed that it is the reason of; 'mem restore' comes first")
	}
	if changed.Status == workspace.Done {
		w.env.Printf("commit %s\n", changed.CommitLine())
	}
}

func newFeedback(env Env, g *globals) *cobra.Command {
	var wrong, helped bool
	fits := func(it *index.Item) bool { return it.IsShown() || it.Status == index.Quarantined }
	c := newCommand("feedback", needs(lessonIDs, 1, anyNumber), func(c *cobra.Command, args []string) error {
		if wrong == helped {
			return fault.Usagef("%s takes one of --wrong and --helped", c.CommandPath())
		}
		verb := map[bool]curate.Verb{true: curate.Confirm, false: curate.Retire}[helped]
		isAgent, session := agent.FindCaller(env.Getenv)
		switch {
		case isAgent && wrong:
			verb = curate.Hold
		case isAgent && !g.DryRun:
			return fmt.Errorf("to an agent mem showed the lesson, which makes it no witness for it: %w", console.ErrAgent)
		}
		change := curate.LessonChange{Verb: verb, IDs: args[:1], Reason: strings.Join(args[1:], " "), Session: session}
		return runChange(c.Context(), env, g, change)
	})
	c.ValidArgsFunction = completeSome(env, g, fits)
	c.Flags().BoolVar(&wrong, "wrong", false, "it is wrong, or no longer holds")
	c.Flags().BoolVar(&helped, "helped", false, "it is right, and it helped")
	return g.addChangeFlags(c, "say what would change and change nothing")
}

// holdFor holds a lesson for an agent, as its "mem feedback --wrong" does.
func holdFor(ctx context.Context, env Env, g *globals, id, why string) (res changeResult, err error) {
	_, session := agent.FindCaller(env.Getenv)
	change := curate.LessonChange{Verb: curate.Hold, IDs: []string{id}, Reason: why, Session: session}
	err = applyChange(ctx, env, g, change, func(_ *work, r changeResult, _ curate.LessonResult) error {
		res = r
		return nil
	})
	return res, err
}

func newUndo(env Env, g *globals) *cobra.Command {
	asList, limit := false, uint(20)
	c := newCommand("undo", func(c *cobra.Command, args []string) error {
		if asList {
			return atMost(0)(c, args)
		}
		return atMostOne(c, args)
	}, g.inRoot(env, func(ctx context.Context, w *work, args []string) error {
		if !asList {
			return runUndo(ctx, w, firstOf(args), false)
		}
		list, err := inspect.ListSteps(w.Workspace, w.root, int(limit))
		return w.printText(list, err, func(out io.Writer) { inspect.WriteSteps(out, list) })
	}))
	c.Flags().BoolVarP(&asList, "list", "l", false, "list the newest commits that can be undone")
	c.Flags().UintVar(&limit, "limit", limit, "list `N` commits, 0 for all")
	return g.addChangeFlags(c, "say what would be undone and change nothing")
}

func newRedo(env Env, g *globals) *cobra.Command {
	return g.addChangeFlags(newCommand("redo", atMostOne, g.inRoot(env, func(ctx context.Context, w *work, args []string) error {
		return runUndo(ctx, w, firstOf(args), true)
	})), "say what would be redone and change nothing")
}

// atMostOne allows one argument at most, which must not be empty: an empty one comes from a script whose
// variable is not set, and must not mean the newest.
func atMostOne(c *cobra.Command, args []string) error {
	if len(args) > 0 && strings.TrimSpace(args[0]) == "" {
		return fault.Usagef("an empty COMMIT or ID names nothing; leave it out for the newest")
	}
	return atMost(1)(c, args)
}

func runUndo(ctx context.Context, w *work, arg string, redo bool) error {
	res, err := inspect.TakeBack(ctx, w.Workspace, w.root, strings.TrimSpace(arg), redo, w.DryRun)
	return w.printText(res, err, res.Write)
}
