package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/curate/lesson"
	"mem/guard"
	"mem/index"
	"mem/repo"
	"mem/workspace"
)

type lessonOptions struct {
	Change   lesson.Change
	Severity string // of pin: "high", "ordinary", or ""
	DryRun   bool
	JSON     bool
}

// lessonVerbs says how a change is told of, and which lessons it is for.
var lessonVerbs = map[lesson.Verb]struct {
	done, same string
	fits       func(*index.Item) bool
}{
	lesson.Pin: {"pinned", "is pinned already", func(it *index.Item) bool {
		return it.Status == index.Active && !it.Pinned
	}},
	lesson.Unpin: {"unpinned", "is not pinned", func(it *index.Item) bool { return it.Pinned }},
	lesson.Retire: {"retired", "is retired already", func(it *index.Item) bool {
		return it.Status == index.Active || it.Status == index.Quarantined
	}},
	lesson.Restore: {"restored", "is active already", func(it *index.Item) bool {
		return it.Status == index.Retired || it.Status == index.Superseded || it.Status == index.Compiled
	}},
	lesson.Supersede: {"superseded", "is superseded by it already", func(it *index.Item) bool { return it.Status == index.Active }},
}

func newPin(env Env, g *globals) *cobra.Command {
	return lessonCommand(env, g, lesson.Pin, &cobra.Command{
		Use:   "pin ID...",
		Short: "Always show lessons first",
		Long: `Pin lessons: they come first in what sessions read, whatever their rank, on at
most half of the slots. It is for what is rare and costs much when it happens;
--severity high marks such a lesson as one, --severity ordinary takes the mark off.`,
		Example: `  mem pin m-1f9c2a7e --severity high`,
	})
}

func newUnpin(env Env, g *globals) *cobra.Command {
	return lessonCommand(env, g, lesson.Unpin, &cobra.Command{
		Use:   "unpin ID...",
		Short: "Let lessons be ranked like others again",
		Long:  `Take the pin off lessons, so that they are shown by their rank. Their severity stays.`,
	})
}

func newRetire(env Env, g *globals) *cobra.Command {
	return lessonCommand(env, g, lesson.Retire, &cobra.Command{
		Use:   "retire ID...",
		Short: "Stop showing lessons that no longer hold",
		Long: `Retire lessons that no longer hold: no session is shown them, and what says the
same is counted but not brought back. Nothing is deleted; 'mem restore' undoes it.
The reason, if you give one, stands in the commit.`,
		Example: `  mem retire m-1f9c2a7e --reason "the legacy job is gone"
  mem retire m-1f9c2a7e m-0b12cd34 --dry-run`,
	})
}

func newRestore(env Env, g *globals) *cobra.Command {
	return lessonCommand(env, g, lesson.Restore, &cobra.Command{
		Use:   "restore ID...",
		Short: "Bring lessons back that were retired or superseded",
		Long: `Make lessons active again that were retired or superseded, or that became a rule;
the rule stays, and so does the count of how often it was broken. A lesson that
nobody ever vouched for waits for a review again, as it did before it was retired.`,
		Example: `  mem list --status retired
  mem restore m-1f9c2a7e`,
	})
}

func newSupersede(env Env, g *globals) *cobra.Command {
	return lessonCommand(env, g, lesson.Supersede, &cobra.Command{
		Use:   "supersede OLD... NEW",
		Short: "Let a lesson stand for others that it says better",
		Long: `Let the last lesson stand for the others: those are shown to nobody any more. Their
counts stay with them. If one was pinned, the last one is pinned now; if the last one
is superseded itself, the lesson that stands for it is taken. 'mem restore' undoes it.`,
		Example: `  mem supersede m-1f9c2a7e m-0b12cd34`,
	})
}

// lessonCommand completes a command that changes single lessons.
func lessonCommand(env Env, g *globals, verb lesson.Verb, c *cobra.Command) *cobra.Command {
	opts := lessonOptions{Change: lesson.Change{Verb: verb}}
	c.Args = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usagef("%s needs the id of a lesson; 'mem list' shows them", c.CommandPath())
		case verb == lesson.Supersede && len(args) == 1:
			return usagef("%s needs two lessons: the old one, then the one that says it better", c.CommandPath())
		case opts.Severity != "" && opts.Severity != lesson.High && opts.Severity != "ordinary":
			return usagef("--severity is high or ordinary, not %q", opts.Severity)
		}
		return nil
	}
	c.ValidArgsFunction = completeSome(env, g, lessonVerbs[verb].fits)
	c.RunE = func(c *cobra.Command, args []string) error {
		return runLesson(c.Context(), env, g, opts.naming(args))
	}
	switch verb {
	case lesson.Pin:
		c.Flags().StringVar(&opts.Severity, "severity", "", "also say how bad it is: `LEVEL` is high or ordinary")
		_ = c.RegisterFlagCompletionFunc("severity", cobra.FixedCompletions([]string{"high", "ordinary"}, cobra.ShellCompDirectiveNoFileComp))
	case lesson.Retire:
		c.Flags().StringVar(&opts.Change.Reason, "reason", "", "why, in a few words: `TEXT` for the commit")
	}
	c.Flags().BoolVarP(&opts.DryRun, "dry-run", "n", false, "say what would change and change nothing")
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	return c
}

// naming adds the lessons that were named.
func (o lessonOptions) naming(args []string) lessonOptions {
	ids := make([]string, len(args))
	for i, id := range args {
		ids[i] = strings.TrimSpace(id)
	}
	if o.Change.Verb == lesson.Supersede {
		o.Change.By, ids = ids[len(ids)-1], ids[:len(ids)-1]
	}
	o.Change.IDs = ids
	if o.Severity != "" {
		level := strings.TrimPrefix(o.Severity, "ordinary")
		o.Change.Severity = &level
	}
	return o
}

// all returns every id that the change names.
func (o lessonOptions) all() []string {
	if o.Change.By == "" {
		return o.Change.IDs
	}
	return slices.Concat(o.Change.IDs, []string{o.Change.By})
}

func runLesson(ctx context.Context, env Env, g *globals, opts lessonOptions) (err error) {
	w, err := g.newHolding(env, opts.all())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	var r lesson.Result
	changed, err := w.Change(ctx, opts.DryRun, func(m *repo.Memory) (msg repo.Message, err error) {
		r, msg, err = opts.Change.Apply(m)
		return msg, err
	})
	if err != nil {
		return err
	}
	return printLesson(w, opts, r, changed)
}

// changeResult is the JSON of the commands that change single lessons.
type changeResult struct {
	workspace.Changed
	Root    string         `json:"root"`
	Lessons []lessonResult `json:"changed"`
	Same    []lessonResult `json:"same"` // those that were so already
	Notes   []string       `json:"notes"`
}

func printLesson(w *work, opts lessonOptions, r lesson.Result, changed workspace.Changed) error {
	if opts.JSON {
		return printJSON(w.env, changeResult{changed, w.At.Root, lessonsJSON(r.Changed), lessonsJSON(r.Same), r.Notes})
	}
	said := lessonVerbs[opts.Change.Verb]
	done := said.done
	if opts.DryRun {
		done = "would be " + done
	}
	for i := range r.Changed {
		it := &r.Changed[i]
		w.env.Printf("%s %s  %s\n", done, guard.Line(it.ID), guard.Line(it.Text+changeMark(it, opts.Change.Verb)))
	}
	for _, it := range r.Same {
		w.env.Printf("%s %s  %s\n", guard.Line(it.ID), said.same, guard.Line(it.Text))
	}
	for _, n := range r.Notes {
		w.env.Note("%s", guard.Line(n))
	}
	if changed.Status == workspace.Done {
		w.env.Printf("commit %s %s\n", short(changed.Commit), guard.Line(changed.Subject))
	}
	return nil
}

// changeMark says what a line about a lesson does not say otherwise.
func changeMark(it *index.Item, verb lesson.Verb) string {
	switch {
	case verb == lesson.Supersede:
		return " (by " + it.SupersededBy + ")"
	case verb == lesson.Pin && it.Severity != "":
		return fmt.Sprintf(" (severity %s)", it.Severity)
	case verb == lesson.Restore && it.Status != index.Active:
		return " (" + string(it.Status) + ")"
	}
	return ""
}
