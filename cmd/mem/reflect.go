package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mem/curate"
	"mem/guard"
	"mem/index"
	"mem/oracle"
	"mem/reflect"
	"mem/reflect/queue"
	"mem/render"
	"mem/repo"
	"mem/trace"
	"mem/workspace"
)

type reflectOptions struct {
	File  string // "" for piped input, else the newest session; "-" for standard input
	Label string
	Auto  bool
	Show  bool // the prompt
}

func newReflect(env Env, g *globals) *cobra.Command {
	opts := reflectOptions{Label: "task"}
	c := &cobra.Command{
		Use:   "reflect [FILE|-]",
		Short: "Learn from a session",
		Long: `Read a session, note what went wrong and how it was fixed, and commit it.

FILE is a session of Claude Code, pi or Codex, a trace in mem's own format, or a
finished reflection: a JSON object {"mistakes": [...], "fixes": [...]}, with an
"id" if giving it twice must count once. A lesson in it is a string, or an object
with "text" and, if you like, "domain", "tags" and "severity". "-" reads standard
input, and so does a pipe that has data within a second. Without either, the
newest session of this project on this machine is read.

Only what is new in a session is read; reflecting again changes nothing. The
memory is made if there is none.`,
		Example: `  mem reflect
  mem reflect ~/.claude/projects/-home-me-app/4f2a.jsonl
  echo '{"mistakes":["pushing without running the tests"],"fixes":[]}' | mem reflect`,
		Args:        atMost(1),
		Annotations: map[string]string{forHooks: "auto"},
		RunE: func(c *cobra.Command, args []string) error {
			opts.File = firstOf(args)
			if opts.Show {
				return runShowPrompt(c.Context(), env, g, opts)
			}
			if opts.Auto {
				return runAuto(c.Context(), env, g, opts)
			}
			return runReflect(c.Context(), env, g, opts)
		},
	}
	c.Flags().StringVar(&opts.Label, "label", opts.Label, "what the session was, `LABEL` task or manual")
	_ = c.RegisterFlagCompletionFunc("label", completeFixed("task", "manual"))
	g.addOracleFlag(c)
	c.Flags().BoolVar(&opts.Auto, "auto", false, "for hooks: always exit 0, one line on standard error; --json prints what came of it")
	c.Flags().BoolVar(&opts.Show, "show-prompt", false, "print what a model would be sent, and send nothing")
	return g.addChangeFlags(c, "print what would be learned and write nothing")
}

func runReflect(ctx context.Context, env Env, g *globals, opts reflectOptions) error {
	return withWork(env, g, func(w *work) error {
		res, err := w.reflectOn(ctx, opts)
		if err != nil {
			return err
		}
		return w.printResult(reflectionJSON(w, res), func() { printReflection(w, res) })
	})
}

// A reflection is what mem reflect found and did.
type reflection struct {
	workspace.Changed
	doc     trace.Document
	pending *reflect.Pending
	outcome reflect.Outcome
}

// reflectOn learns from what opts names: Status is Nothing, for a reason, if
// there is nothing to learn. The memory is made for the first lesson.
func (w *work) reflectOn(ctx context.Context, opts reflectOptions) (res reflection, err error) {
	if opts.Label != "task" && opts.Label != "manual" {
		return res, usagef("--label is task or manual, not %q", opts.Label)
	}
	switch res.doc, err = w.readInput(ctx, opts.File); {
	case errors.Is(err, trace.ErrNoLessons):
		res.Changed = workspace.Unchanged(workspace.Nothing, string(reflect.NothingToSay))
		return res, nil
	case err != nil:
		return res, err
	}
	r, err := w.newReflector()
	if err != nil {
		return res, err
	}
	r.Wait = opts.Auto
	if _, err := w.OpenRootIfAny(); err != nil {
		if errors.Is(err, workspace.ErrUntrusted) && !w.DryRun {
			return res, res.waitForTrust(ctx, w, r, opts, err)
		}
		return res, err
	}
	var blocked error
	if !w.DryRun {
		blocked = w.DrainQueue(ctx)
	}
	var reason reflect.Reason
	if res.pending, reason, err = w.askAbout(ctx, r, res.doc, opts); err != nil {
		return res, err
	}
	if res.pending == nil {
		res.Changed = workspace.Unchanged(workspace.Nothing, string(reason))
		return res, nil
	}
	return res, res.commitLessons(ctx, w, opts, blocked)
}

// askAbout asks for the lessons of a session, or takes those of a finished
// reflection. Nil comes with the reason why there is nothing to count.
func (w *work) askAbout(ctx context.Context, r reflect.Reflector, doc trace.Document, opts reflectOptions) (*reflect.Pending, reflect.Reason, error) {
	about := reflect.Options{Now: w.Now, Label: opts.Label}
	var m *repo.Memory
	if doc.Session != nil { // else what is known is looked up under the lock
		var err error
		if m, err = w.ViewRoot(); err != nil {
			return nil, "", err
		}
	}
	if w.Budget.HasLimit() && !w.DryRun { // it is kept in the memory, whatever the answer
		if _, err := w.CreateRoot(ctx); err != nil {
			return nil, "", err
		}
	}
	if doc.Session != nil {
		return r.ReflectOn(ctx, m, doc.Session, about)
	}
	p, reason := r.TakeFinished(doc.Finished, about)
	return p, reason, nil
}

// commitLessons commits the lessons. It queues them when the memory cannot be changed
// now, and at once when it was blocked already: waiting for it again would only
// hold up the agent. Lessons that a hook hands in are queued after any error, as
// they are handed in once.
func (res *reflection) commitLessons(ctx context.Context, w *work, opts reflectOptions, blocked error) (err error) {
	if blocked == nil {
		res.Changed, err = w.Change(ctx, w.DryRun, func(m *repo.Memory) (msg repo.Message, err error) {
			res.outcome, msg, err = res.pending.CountInto(m)
			return msg, err
		})
		switch {
		case err == nil:
			res.Call("learned")
			res.Reason = string(res.outcome.Reason)
			return nil
		case !reflect.IsPostponed(err) && (!opts.Auto || res.doc.Finished == nil):
			return err
		}
		blocked = err
	}
	root, err := w.CreateRoot(ctx)
	if err != nil {
		return err
	}
	if res.outcome, err = reflect.QueuePending(root, res.pending, blocked); err != nil {
		return err
	}
	res.Changed = workspace.Unchanged(workspace.Queued, errorText(blocked))
	return nil
}

// waitForTrust queues what was handed in until the person vouches for the memory.
// No model is asked before.
func (res *reflection) waitForTrust(ctx context.Context, w *work, r reflect.Reflector, opts reflectOptions, why error) error {
	root, err := w.QueueRoot(ctx)
	if err != nil {
		return err
	}
	about := reflect.Options{Now: w.Now, Label: opts.Label}
	var reason reflect.Reason
	if s := res.doc.Session; s != nil {
		reason, err = queue.Defer(root, s, about)
	} else if res.pending, reason = r.TakeFinished(res.doc.Finished, about); res.pending != nil {
		res.outcome, err = reflect.QueuePending(root, res.pending, why)
	}
	res.Changed = workspace.Unchanged(workspace.Queued, workspace.AskTrust(why))
	if reason != "" {
		res.Changed = workspace.Unchanged(workspace.Nothing, string(reason))
	}
	return err
}

func printReflection(w *work, res reflection) {
	env, o := w.env, res.outcome
	if s := res.doc.Session; s != nil {
		from := ""
		if s.Path != "" {
			from = " (" + w.ShowPath(s.Path) + ")"
		}
		env.Printf("read    %s session %s%s\n", guard.Scrub(s.Agent), guard.Scrub(s.ID), from)
		if s.Skipped > 0 {
			env.Note("%d damaged %s skipped", s.Skipped, render.Plural(s.Skipped, "line was", "lines were"))
		}
	}
	switch res.Status {
	case workspace.Queued:
		if res.pending == nil {
			env.Printf("queued  the session\n")
		} else {
			n := len(res.pending.Fixes) + len(res.pending.Mistakes)
			env.Printf("queued  %s; the next command that writes counts %s\n", render.Count(n, "lesson", "lessons"), render.Plural(n, "it", "them"))
		}
		env.Note("%s", res.Reason)
		return
	case workspace.Nothing:
		env.Printf("%s\n", reasons[reflect.Reason(res.Reason)])
		if mayLearnLater(res.Reason) {
			env.Hint("nothing was marked as read: run the command again later, or ask another one with --oracle; 'mem model' lists them")
		}
		return
	}
	fresh, again := o.CountLessons()
	verb := "learned"
	if w.DryRun {
		verb = "would learn"
	}
	env.Printf("%s %d new, %d repeated\n", verb, fresh, again)
	for _, l := range o.Lessons {
		env.Printf("  %s\n", lessonLine(l))
	}
	for _, l := range res.pending.Left {
		env.Printf("  - %s (left out: %s)\n", l.Text, l.Reason)
	}
	env.Printf("in      %s\n", w.indexFile())
	if !w.DryRun {
		env.Printf("commit  %.12s %s\n", res.Commit, res.Subject)
	}
	if len(w.Detector.Found) > 0 {
		env.Printf("Pending rule proposals: %d\nRun `mem review` to see them.\n", w.Detector.Pending)
	}
}

// reasons say why nothing was learned.
var reasons = map[reflect.Reason]string{
	reflect.NothingNew:   "nothing new: this was reflected on before",
	reflect.NothingToSay: "nothing to learn: no lesson in it",
	reflect.EmptySession: "nothing to learn: it has no messages",
	reflect.NoOracle:     "nothing learned: no configured oracle could answer",
	reflect.BadAnswer:    "nothing learned: the oracle's answer could not be used",
	reflect.Spent:        "nothing learned: the day's budget for models is spent",
}

func lessonLine(l reflect.Counted) string {
	mark := "+ "
	if !l.New {
		mark = fmt.Sprintf("×%d ", l.Hits)
	}
	note := ""
	switch {
	case l.Confirmed:
		note = " (confirmed)"
	case l.Recurred:
		note = " (again, although a rule says so)"
	case l.Status == index.Quarantined:
		note = " (quarantined: not shown before it is confirmed)"
	case l.Status != index.Active:
		note = " (" + string(l.Status) + ": counted, not shown)"
	}
	return mark + l.Text + note
}

// reflectResult is the JSON of mem reflect.
type reflectResult struct {
	workspace.Changed
	Root       string            `json:"root"`
	Reflection string            `json:"reflection"`
	Agent      string            `json:"agent"`
	Session    string            `json:"session"`
	Path       string            `json:"path"`
	Oracle     string            `json:"oracle"`
	Skipped    int               `json:"skippedLines"`
	Lessons    []reflect.Counted `json:"lessons"`
	Left       []reflect.Left    `json:"left"`     // proposed and not kept
	Patterns   []curate.Found    `json:"patterns"` // that appeared
}

func reflectionJSON(w *work, res reflection) reflectResult {
	out := reflectResult{
		Changed: res.Changed, Root: w.At.Root, Reflection: res.outcome.ID,
		Lessons: res.outcome.Lessons, Patterns: w.Detector.Found,
	}
	if s := res.doc.Session; s != nil {
		out.Agent, out.Session, out.Path, out.Skipped = s.Agent, s.ID, s.Path, s.Skipped
	}
	if res.pending != nil {
		out.Oracle, out.Left = res.pending.Model, res.pending.Left
	}
	return out
}

// promptResult is the JSON of mem reflect --show-prompt.
type promptResult struct {
	Reason reflect.Reason `json:"reason"` // why nothing would be sent, or ""
	To     string         `json:"to"`     // who would be asked first
	System string         `json:"system"`
	Prompt string         `json:"prompt"`
	Schema string         `json:"schema"` // for servers that take one
}

// runShowPrompt prints what a model would be sent, byte for byte, and on standard
// error to whom.
func runShowPrompt(ctx context.Context, env Env, g *globals, opts reflectOptions) error {
	return withWork(env, g, func(w *work) error {
		doc, err := w.readInput(ctx, opts.File)
		if err != nil {
			return err
		}
		if doc.Session == nil {
			return usagef("--show-prompt is about sessions; finished lessons are not sent")
		}
		r, err := w.newReflector()
		if err != nil {
			return err
		}
		m, err := w.ViewRoot()
		if err != nil {
			return err
		}
		q, reason, err := r.PreviewRequest(m, doc.Session)
		if err != nil {
			return err
		}
		res := promptResult{Reason: reason, System: q.System, Prompt: q.Prompt, Schema: q.Schema}
		if len(r.Oracles) > 0 && reason == "" {
			res.To = oracle.By(r.Oracles[0])
		}
		return w.printResult(res, func() { printPrompt(env, res, q.Text()) }, "system", "prompt", "schema")
	})
}

func printPrompt(env Env, res promptResult, text string) {
	switch {
	case res.Reason != "":
		env.Note("nothing would be sent: %s", reasons[res.Reason])
		return
	case res.To == "heuristic":
		env.Note("no model is configured, so nothing is sent; it would be:")
	default:
		env.Note("first to be asked: %s; nothing was sent", res.To)
	}
	env.Printf("%s", text)
}
