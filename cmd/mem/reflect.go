package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mem/curate"
	"mem/guard"
	"mem/index"
	"mem/reflect"
	"mem/render"
	"mem/repo"
	"mem/trace"
	"mem/words"
)

type reflectOptions struct {
	File   string // "" for piped input, else the newest session; "-" for standard input
	Label  string
	Oracle string
	Auto   bool
	DryRun bool
	Show   bool // the prompt
	JSON   bool
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
input, and so does a pipe that says something within a second. Without either, the
newest session of this project on this machine is read.

Only what is new in a session is read; reflecting again changes nothing. The
memory is made if there is none.`,
		Example: `  mem reflect
  mem reflect ~/.claude/projects/-home-me-app/4f2a.jsonl
  echo '{"mistakes":["pushing without running the tests"],"fixes":[]}' | mem reflect`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.File = args[0]
			}
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
	_ = c.RegisterFlagCompletionFunc("label", cobra.FixedCompletions([]string{"task", "manual"}, cobra.ShellCompDirectiveNoFileComp))
	oracleFlag(c, &opts.Oracle)
	c.Flags().BoolVar(&opts.Auto, "auto", false, "for hooks: always exit 0, one line on standard error; --json prints what came of it")
	c.Flags().BoolVarP(&opts.DryRun, "dry-run", "n", false, "print what would be learned and write nothing")
	c.Flags().BoolVar(&opts.Show, "show-prompt", false, "print what a model would be sent, and send nothing")
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	return c
}

func runReflect(ctx context.Context, env Env, g *globals, opts reflectOptions) error {
	w, err := g.newWork(env, nil)
	if err != nil {
		return err
	}
	res, err := w.reflect(ctx, opts)
	if err != nil {
		return err
	}
	return printReflection(w, opts, res)
}

// A reflection is what mem reflect found and did.
type reflection struct {
	doc     trace.Document
	outcome reflect.Outcome
	pending *reflect.Pending
}

func (w *work) reflect(ctx context.Context, opts reflectOptions) (res reflection, err error) {
	if opts.Label != "task" && opts.Label != "manual" {
		return res, usagef("--label is task or manual, not %q", opts.Label)
	}
	switch res.doc, err = w.input(ctx, opts.File); {
	case errors.Is(err, trace.ErrNoLessons):
		res.outcome.Reason = reflect.NothingToSay
		return res, nil
	case err != nil:
		return res, err
	}
	r, err := w.reflector(opts.Oracle)
	if err != nil {
		return res, err
	}
	r.Wait = opts.Auto
	j, err := w.forReflection(ctx, opts, res.doc)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, j.close(w)) }()
	if j.root == nil && w.Budget.HasLimit() && !opts.DryRun {
		// A budget needs a place where it is kept, whatever the answer.
		if j.root, err = w.CreateRoot(ctx); err != nil {
			return res, err
		}
	}
	about := reflect.Options{Now: w.Now, Label: opts.Label}
	if res.doc.Session != nil {
		res.pending, res.outcome.Reason, err = r.Session(ctx, j.m, res.doc.Session, about)
	} else {
		res.pending, res.outcome.Reason = r.Finished(res.doc.Finished, about)
	}
	if err != nil || res.pending == nil {
		return res, err
	}
	if opts.DryRun {
		res.outcome, err = reflect.Preview(j.m, res.pending)
		return res, err
	}
	if j.root == nil {
		if j.root, err = w.CreateRoot(ctx); err != nil {
			return res, err
		}
	}
	res.outcome, err = j.count(ctx, res.pending)
	if err != nil && opts.Auto && res.doc.Finished != nil {
		// Nobody will hand these lessons in again.
		res.outcome, err = reflect.Postpone(j.root, res.pending, err)
	}
	return res, err
}

// A job is where a reflection goes.
type job struct {
	root    *repo.Root // nil when there is none yet
	m       *repo.Memory
	blocked error // why the memory cannot be changed now
}

func (j *job) close(w *work) error {
	return w.LeaveRoots()
}

// count commits a reflection, or queues it at once when the memory has just
// been found blocked: waiting for it again would only hold up the agent.
func (j *job) count(ctx context.Context, p *reflect.Pending) (reflect.Outcome, error) {
	if j.blocked != nil {
		return reflect.Postpone(j.root, p, j.blocked)
	}
	return reflect.Apply(ctx, j.root, p)
}

// forReflection opens the memory, if there is one, and returns it as it
// stands. A missing one is made when there is something to put into it.
func (w *work) forReflection(ctx context.Context, opts reflectOptions, doc trace.Document) (*job, error) {
	j := &job{}
	var err error
	if j.root, err = w.OpenRootIfAny(); err != nil {
		return nil, err
	}
	if !opts.DryRun {
		j.blocked = w.DrainQueue(ctx)
	}
	if j.root != nil && doc.Session == nil && !opts.DryRun {
		return j, nil // what is known is looked up under the lock
	}
	if j.m, err = w.ViewRoot(); err != nil {
		return nil, errors.Join(err, w.LeaveRoots())
	}
	return j, nil
}

// input reads what there is to reflect on.
func (w *work) input(ctx context.Context, file string) (trace.Document, error) {
	return reading(ctx, func() (trace.Document, error) { return w.document(ctx, file) })
}

func (w *work) document(ctx context.Context, file string) (trace.Document, error) {
	if file == "-" {
		return trace.Read(w.env.In)
	}
	if file == "" {
		if in, ok := w.env.piped(ctx); ok {
			return trace.Read(in)
		}
		path, _, err := trace.Latest(trace.DefaultPlaces(w.env.Home(), w.env.Getenv), w.At.Project)
		if err != nil {
			return trace.Document{}, err
		}
		return openSession(path)
	}
	path := w.AbsPath(file)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return trace.Document{}, fmt.Errorf("there is no file %s: %w", file, trace.ErrNoSession)
	case err == nil && info.IsDir():
		return trace.Document{}, fmt.Errorf("%s is a folder: %w", file, trace.ErrUnknownFormat)
	}
	return openSession(path)
}

func printReflection(w *work, opts reflectOptions, res reflection) error {
	if opts.JSON {
		return printJSON(w.env, reflectionJSON(w, opts, res))
	}
	env, o := w.env, res.outcome
	if s := res.doc.Session; s != nil {
		env.Printf("read    %s session %s%s\n", guard.Scrub(s.Agent), guard.Scrub(s.ID), guard.Scrub(from(w, s.Path)))
		if s.Skipped > 0 {
			env.Note("%d damaged %s passed over", s.Skipped, render.Plural(s.Skipped, "line was", "lines were"))
		}
	}
	switch {
	case o.Queued != nil:
		n := lessons(res.pending)
		env.Printf("queued  %d %s; the next command that writes counts %s\n", n, render.Plural(n, "lesson", "lessons"), render.Plural(n, "it", "them"))
		env.Note("%s", words.FoldSpace(o.Queued.Error()))
		return nil
	case o.Reason != "":
		env.Printf("%s\n", reasons[o.Reason])
		switch o.Reason {
		case reflect.NoOracle, reflect.BadAnswer, reflect.Spent:
			env.Hint("nothing was marked as read: run the command again later, or ask another one with --oracle; 'mem model' lists them")
		}
		return nil
	}
	fresh, again := o.Numbers()
	verb := "learned"
	if opts.DryRun {
		verb = "would learn"
	}
	env.Printf("%s %d new, %d repeated\n", verb, fresh, again)
	for _, l := range o.Lessons {
		env.Printf("  %s\n", lessonLine(l))
	}
	env.Printf("in      %s\n", w.ShowPath(filepath.Join(w.At.Root, filepath.FromSlash(repo.IndexPath))))
	if !opts.DryRun {
		env.Printf("commit  %s %s\n", short(o.Commit.ID), o.Commit.Subject)
	}
	if len(w.Detector.Found) > 0 {
		env.Printf("Pending rule proposals: %d\nRun `mem review` to see them.\n", w.Detector.Pending)
	}
	return nil
}

// reasons says for people why nothing was learned.
var reasons = map[reflect.Reason]string{
	reflect.NothingNew:   "nothing new: this was reflected on before",
	reflect.NothingToSay: "nothing to learn: no lesson in it",
	reflect.EmptySession: "nothing to learn: nobody said anything in it",
	reflect.NoOracle:     "nothing learned: no configured oracle could answer",
	reflect.BadAnswer:    "nothing learned: the oracle's answer could not be used",
	reflect.Spent:        "nothing learned: the day's budget for models is spent",
}

func from(w *work, path string) string {
	if path == "" {
		return ""
	}
	return " (" + w.ShowPath(path) + ")"
}

func lessons(p *reflect.Pending) int { return len(p.Fixes) + len(p.Mistakes) }

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
	Status     string            `json:"status"` // "learned", "planned", "queued", "nothing"
	Reason     string            `json:"reason"`
	Root       string            `json:"root"`
	Reflection string            `json:"reflection"`
	Agent      string            `json:"agent"`
	Session    string            `json:"session"`
	Path       string            `json:"path"`
	Oracle     string            `json:"oracle"`
	Skipped    int               `json:"skippedLines"`
	Lessons    []reflect.Counted `json:"lessons"`
	Commit     string            `json:"commit"`
	Files      []string          `json:"files"`
	Patterns   []curate.Found    `json:"patterns"` // that appeared
}

func reflectionJSON(w *work, opts reflectOptions, res reflection) reflectResult {
	o := res.outcome
	out := reflectResult{
		Status: "learned", Reason: string(o.Reason), Root: w.At.Root, Reflection: o.ID,
		Lessons: o.Lessons, Commit: o.Commit.ID, Files: o.Commit.Files, Patterns: w.Detector.Found,
	}
	switch {
	case o.Queued != nil:
		out.Status, out.Reason = "queued", words.FoldSpace(o.Queued.Error())
	case o.Reason != "":
		out.Status = "nothing"
	case opts.DryRun:
		out.Status = "planned"
	}
	if s := res.doc.Session; s != nil {
		out.Agent, out.Session, out.Path, out.Skipped = s.Agent, s.ID, s.Path, s.Skipped
	}
	if res.pending != nil {
		out.Oracle = res.pending.Model
	}
	return out
}
