package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mem/agent"
	"mem/cmd/mem/console"
	"mem/curate"
	"mem/curate/lesson"
	"mem/curate/undo"
	"mem/guard"
	"mem/index"
	"mem/index/withheld"
	"mem/repo"
	"mem/workspace"
	"mem/workspace/inspect"
)

type lessonOptions struct {
	Change   lesson.Change
	All      []string // ids of the lessons that are named
	Severity string   // of pin: "high", "ordinary", or ""
}

// A lessonCommand is one command that changes single lessons.
type lessonCommand struct {
	*cobra.Command
	verb       lesson.Verb
	done, same string                 // words for what it changed, and for what was so already
	fits       func(*index.Item) bool // lessons to offer in a shell
}

// lessonCommands returns the commands that change single lessons.
func lessonCommands(env Env, g *globals) (list []*cobra.Command) {
	for _, c := range []lessonCommand{
		{&cobra.Command{
			Use:   "pin ID...",
			Short: "Always show lessons first",
			Long: `Pin lessons: they come first in what sessions read, whatever their rank, on at
most half of the slots. It is for what is rare and costs much when it happens;
--severity high marks such a lesson as one, --severity ordinary takes the mark off.`,
			Example: `  mem pin m-1f9c2a7e --severity high`,
		}, lesson.Pin, "pinned", "is pinned already", func(it *index.Item) bool { return it.Status == index.Active && !it.Pinned }},
		{&cobra.Command{
			Use:   "unpin ID...",
			Short: "Let lessons be ranked like others again",
			Long:  `Take the pin off lessons, so that they are shown by their rank. Their severity stays.`,
		}, lesson.Unpin, "unpinned", "is not pinned", func(it *index.Item) bool { return it.Pinned }},
		{&cobra.Command{
			Use:   "retire ID...",
			Short: "Stop showing lessons that no longer hold",
			Long: `Retire lessons that no longer hold: no session is shown them, and what says the
same is counted but not brought back. Nothing is deleted; 'mem restore' undoes it.
The reason, if you give one, stands in the commit.`,
			Example: `  mem retire m-1f9c2a7e --reason "the legacy job is gone"
  mem retire m-1f9c2a7e m-0b12cd34 --dry-run`,
		}, lesson.Retire, "retired", "is retired already", func(it *index.Item) bool {
			return it.Status == index.Active || it.Status == index.Quarantined
		}},
		{&cobra.Command{
			Use:   "restore ID...",
			Short: "Bring lessons back that were retired or superseded",
			Long: `Make lessons active again that were retired or superseded, or that became a rule;
the rule stays, and so does the count of how often it was broken. A lesson that
was never confirmed waits for a review again, as it did before it was retired.`,
			Example: `  mem list --status retired
  mem restore m-1f9c2a7e`,
		}, lesson.Restore, "restored", "is active already", func(it *index.Item) bool {
			return it.Status == index.Retired || it.Status == index.Superseded || it.Status == index.Compiled
		}},
		{&cobra.Command{
			Use:   "supersede OLD... NEW",
			Short: "Let a lesson stand for others that it says better",
			Long: `Let the last lesson stand for the others: those are no longer shown. Their counts
stay with them. If one was pinned, the last one is pinned now. If the last one is
itself superseded, the lesson that stands for it is taken. 'mem restore' undoes it.`,
			Example: `  mem supersede m-1f9c2a7e m-0b12cd34`,
		}, lesson.Supersede, "superseded", "is superseded by it already", func(it *index.Item) bool { return it.Status == index.Active }},
	} {
		list = append(list, c.complete(env, g))
	}
	return list
}

// complete sets what a command does, and its flags.
func (l lessonCommand) complete(env Env, g *globals) *cobra.Command {
	c, opts := l.Command, lessonOptions{Change: lesson.Change{Verb: l.verb}}
	c.GroupID = "curate"
	c.Args = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usagef("%s needs the id of a lesson; 'mem list' shows them", c.CommandPath())
		case l.verb == lesson.Supersede && len(args) == 1:
			return usagef("%s needs two lessons: the old one, then the one that says it better", c.CommandPath())
		case opts.Severity != "" && opts.Severity != lesson.High && opts.Severity != "ordinary":
			return usagef("--severity is high or ordinary, not %q", opts.Severity)
		}
		return nil
	}
	c.ValidArgsFunction = completeSome(env, g, l.fits)
	c.RunE = func(c *cobra.Command, args []string) error {
		return l.run(c.Context(), env, g, opts.withLessons(args))
	}
	switch l.verb {
	case lesson.Pin:
		c.Flags().StringVar(&opts.Severity, "severity", "", "also say how bad it is: `LEVEL` is high or ordinary")
		_ = c.RegisterFlagCompletionFunc("severity", completeFixed("high", "ordinary"))
	case lesson.Retire:
		c.Flags().StringVar(&opts.Change.Reason, "reason", "", "why, in a few words: `TEXT` for the commit")
	}
	return g.addChangeFlags(c, "say what would change and change nothing")
}

// withLessons sets the lessons from the arguments.
func (o lessonOptions) withLessons(args []string) lessonOptions {
	for _, id := range args {
		o.All = append(o.All, strings.TrimSpace(id))
	}
	o.Change.IDs = o.All
	if o.Change.Verb == lesson.Supersede {
		last := len(args) - 1
		o.Change.By, o.Change.IDs = o.All[last], o.All[:last]
	}
	if o.Severity != "" {
		level := strings.TrimPrefix(o.Severity, "ordinary")
		o.Change.Severity = &level
	}
	return o
}

func (l lessonCommand) run(ctx context.Context, env Env, g *globals, opts lessonOptions) error {
	hides := l.verb == lesson.Retire || l.verb == lesson.Unpin || l.verb == lesson.Hold
	if err := env.RequirePerson(g.DryRun || hides); err != nil {
		return err
	}
	return opts.apply(ctx, env, g, func(w *work, res changeResult, r lesson.Result) error {
		return w.printResult(res, func() { l.print(w, r, res.Changed) })
	})
}

// apply carries the change out, and hands on what it did.
func (o lessonOptions) apply(ctx context.Context, env Env, g *globals, done func(*work, changeResult, lesson.Result) error) error {
	isOne := g.JSON || o.Change.Verb == lesson.Supersede
	return withHolding(env, g, o.All, !isOne, func(w *work, ids []string, isTrial bool) error {
		if !isOne {
			o.Change.IDs = ids
		}
		var r lesson.Result
		changed, err := w.Change(ctx, w.DryRun || isTrial, func(m *repo.Memory) (msg repo.Message, err error) {
			r, msg, err = o.Change.Apply(m)
			return msg, err
		})
		if err != nil || isTrial {
			return err
		}
		changed.HideHeld(r.Changed, r.Same)
		return done(w, changeResult{changed, w.At.Root, inspect.NewResults(r.Changed), inspect.NewResults(r.Same), r.Notes}, r)
	})
}

// changeResult is the JSON of the commands that change single lessons.
type changeResult struct {
	workspace.Changed
	Root    string           `json:"root"`
	Lessons []inspect.Result `json:"changed"`
	Same    []inspect.Result `json:"same"` // those that were so already
	Notes   []string         `json:"notes"`
}

func (l lessonCommand) print(w *work, r lesson.Result, changed workspace.Changed) {
	done := l.done
	if w.DryRun {
		done = "would be " + done
	}
	for i := range r.Changed {
		it := &r.Changed[i]
		w.env.Printf("%s %s  %s\n", done, guard.Line(it.ID), guard.Line(it.Text+l.verb.DescribeChange(it)))
	}
	for _, it := range r.Same {
		w.env.Printf("%s %s  %s\n", guard.Line(it.ID), l.same, guard.Line(it.Text))
	}
	for _, n := range r.Notes {
		w.env.Note("%s", guard.Line(n))
	}
	if changed.Status == workspace.Done {
		w.env.Printf("commit %s\n", changed.CommitLine())
	}
}

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
				return fmt.Errorf("to an agent mem showed the lesson, which makes it no witness for it: %w", console.ErrAgent)
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

func newUndo(env Env, g *globals) *cobra.Command {
	asList, limit := false, 20
	c := &cobra.Command{
		Use:   "undo [COMMIT|ID]",
		Short: "Take back what a commit did, and keep what came after it",
		Long: `Take back one step, however old: a reflection, a learning, a decision, a rule, an
import or a redistill. Without an argument it is the newest one that is not undone.
COMMIT names one by its id, as HEAD~2 or by a tag. ID, as 'mem show' takes it, means
the newest step about a lesson (m-...), a session or a rule. What was learned later is
kept. Two undos go back two steps, and 'mem redo' takes the latest undo back.

Nothing is deleted: the memory notes that the step no longer counts, and other clones
follow. What was read of a session stays read, so a session that goes on does not
bring back what you took back. A plain 'git revert' comes to the same.

An agent may undo what was learned, and nothing else.`,
		Example: `  mem undo --list
  mem undo                 the newest step
  mem undo m-1f9c2a7e --dry-run`,
		Args: func(c *cobra.Command, args []string) error {
			if limit < 0 || asList && len(args) > 0 {
				return usagef("--list takes no argument, and --limit is a number of commits, 0 for all")
			}
			return atMostOne(c, args)
		},
		RunE: g.inRoot(env, func(ctx context.Context, w *work, args []string) error {
			if !asList {
				return runUndo(ctx, w, firstOf(args), false)
			}
			list, err := inspect.ListSteps(w.Workspace, w.root, limit)
			if err != nil {
				return err
			}
			return w.printResult(list, func() { inspect.WriteSteps(w.env.Out, list) })
		}),
	}
	c.Flags().BoolVarP(&asList, "list", "l", false, "list the newest commits that can be undone")
	c.Flags().IntVar(&limit, "limit", limit, "list `N` commits, 0 for all")
	return g.addChangeFlags(c, "say what would be undone and change nothing")
}

func newRedo(env Env, g *globals) *cobra.Command {
	return g.addChangeFlags(&cobra.Command{
		Use:   "redo [COMMIT|ID]",
		Short: "Take an undo back",
		Long: `Take the newest undo back, or the one that undid the COMMIT, or what an ID names,
such as a lesson (m-...) or a session. What was learned later is kept.`,
		Args: atMostOne,
		RunE: g.inRoot(env, func(ctx context.Context, w *work, args []string) error {
			return runUndo(ctx, w, firstOf(args), true)
		}),
	}, "say what would be redone and change nothing")
}

// atMostOne takes one argument at most, which says something: an empty one is of a
// script whose variable is not set, and must not mean the newest.
func atMostOne(c *cobra.Command, args []string) error {
	if len(args) > 0 && strings.TrimSpace(args[0]) == "" {
		return usagef("an empty COMMIT or ID names nothing; leave it out for the newest")
	}
	return atMost(1)(c, args)
}

// undoResult is the JSON of mem undo and mem redo.
type undoResult struct {
	workspace.Changed
	Root   string      `json:"root"`
	Undone string      `json:"undone"` // the commit that was taken back
	Lines  []undo.Line `json:"lines"`
}

func runUndo(ctx context.Context, w *work, arg string, redo bool) error {
	log, err := undo.ReadLog(w.root, w.Now)
	if err != nil {
		return err
	}
	step, err := inspect.FindStep(w.Workspace, log, strings.TrimSpace(arg), redo)
	if err != nil {
		return err
	}
	before, err := w.ViewForCaller(w.root, w.Now)
	if err != nil {
		return err
	}
	var r undo.Result
	hidden, about := withheld.WordsOf(before.Index), step.Commit
	changed, err := w.Change(ctx, w.DryRun, func(m *repo.Memory) (msg repo.Message, err error) {
		if r, msg, err = step.Apply(m); err == nil {
			err = w.env.RequirePerson(w.DryRun || !r.Decides)
		}
		if err == nil {
			err = curate.RenderViews(m)
		}
		return msg, err
	})
	if err != nil {
		return err
	}
	changed.Subject = hidden.Mark(hidden.CutSubject(changed.Subject, about.Message))
	for i := range r.Lines {
		r.Lines[i].Text = hidden.Hide(r.Lines[i].Text)
	}
	res := undoResult{changed, w.At.Root, about.Hash.String(), r.Lines}
	return w.printResult(res, func() {
		done := map[bool]string{true: "would be "}[w.DryRun] + map[bool]string{false: "undone", true: "redone"}[step.IsRedo]
		w.env.Printf("%s %.12s  %s\n", done, about.Hash, hidden.Mark(guard.Line(hidden.CutSubject(about.Subject(), about.Message))))
		inspect.WriteTaken(w.env.Out, r.Lines)
		if changed.Status == workspace.Done {
			w.env.Printf("commit %s\n", changed.CommitLine())
		}
	})
}
