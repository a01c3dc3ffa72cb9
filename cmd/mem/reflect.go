package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"mem/agent"
	"mem/cmd/mem/console"
	"mem/curate"
	"mem/fault"
	"mem/guard"
	"mem/oracle"
	"mem/recall"
	"mem/reflect"
	"mem/render"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/inspect"
)

type reflectOptions struct {
	File  string // "" for piped input, else the newest session; "-" for standard input
	Label string
	Show  bool // the prompt
}

func newReflect(env Env, g *globals) *cobra.Command {
	opts := reflectOptions{Label: "task"}
	c := newCommand("reflect", atMost(1), func(c *cobra.Command, args []string) error {
		opts.File = firstOf(args)
		return withNew(c.Context(), env, g, func(w *work) error {
			if opts.Show {
				return w.showPrompt(c.Context(), opts)
			}
			return w.runReflect(c.Context(), opts)
		})
	})
	addChoice(c, &opts.Label, "label", "what the session was, `LABEL` task or manual", "task", "manual")
	g.addOracleFlag(c)
	c.Flags().BoolVar(&opts.Show, "show-prompt", false, "print what a model would be sent, and send nothing; to an agent without what came from outside")
	return g.addChangeFlags(c, "print what would be learned and write nothing")
}

func (w *work) runReflect(ctx context.Context, opts reflectOptions) error {
	res, err := w.reflectOn(ctx, opts)
	if err != nil {
		return err
	}
	if reason := reflect.Reason(res.Reason); res.Status == workspace.Nothing && reason.MayPass() {
		why := reason.Describe()
		if root, _ := w.OpenRootIfAny(); root != nil && w.Oracle == "" && !w.DryRun {
			res.QueueSession(ctx)
			why += "; the session waits, and is tried again: 'mem status' says when"
		}
		return fault.New(fault.Later, why, "nothing was marked as read: "+oracle.AskLater)
	}
	return w.printResult(reflectionJSON(w, res), func() { printReflection(w, res) })
}

// reflectOn learns from what opts names.
func (w *work) reflectOn(ctx context.Context, opts reflectOptions) (*workspace.Reflection, error) {
	about := reflect.Options{Now: w.Now, Label: opts.Label, SessionModel: w.oracleSetup().SessionModel()}
	res := &workspace.Reflection{About: about, DryRun: w.DryRun}
	var err error
	switch res.Doc, err = w.readInput(ctx, opts.File); {
	case errors.Is(err, trace.ErrNoLessons):
		res.Changed = workspace.Unchanged(workspace.Nothing, string(reflect.NothingToSay))
		return res, nil
	case err != nil:
		return nil, err
	}
	r, err := w.newReflector()
	if err != nil {
		return nil, err
	}
	return res, res.LearnIn(ctx, w.Workspace, r)
}

// mostSaid is how many lessons of a session are printed at its end; the others are counted.
const mostSaid = 3

func printReflection(w *work, res *workspace.Reflection) {
	env, o := w.env, res.Outcome
	if s := res.Doc.Session; s != nil {
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
		if res.Pending == nil {
			env.Printf("queued  the session\n")
		} else {
			n := len(res.Pending.Fixes) + len(res.Pending.Mistakes)
			env.Printf("queued  %s; the next command that writes counts %s\n", render.Count(n, "lesson", "lessons"), render.Plural(n, "it", "them"))
		}
		env.Note("%s", res.Reason)
		return
	case workspace.Nothing:
		o.Lessons, o.Reason = nil, reflect.Reason(res.Reason)
	}
	if len(o.Lessons) == 0 && (res.Status == workspace.Nothing || o.Reason == reflect.NothingToSay) { // what the session shows is a candidate
		env.Printf("%s\n", o.Reason.Describe())
		printCandidates(w, res.Pending)
		return
	}
	fresh, again := o.CountLessons()
	env.Printf("%s %d new, %d repeated\n", map[bool]string{false: "learned", true: "would learn"}[w.DryRun], fresh, again)
	said := o.Lessons
	if res.Doc.Session != nil && !w.DryRun {
		said = said[:min(len(said), mostSaid)]
	}
	for _, l := range said {
		env.Printf("  %s\n", l.Describe())
	}
	if more := len(o.Lessons) - len(said); more > 0 {
		env.Printf("  and %d more; 'mem show %.12s' lists them\n", more, res.Commit)
	}
	for _, l := range res.Pending.Left {
		env.Printf("  - %s (left out: %s)\n", render.Shorten(l.Text, 199), l.Reason)
	}
	printCandidates(w, res.Pending)
	env.Printf("in      %s\n", w.indexFile())
	if !w.DryRun {
		env.Printf("commit  %.12s %s\n", res.Commit, res.Subject)
	}
	if len(w.Detector.Found) > 0 {
		env.Printf("Pending rule proposals: %d\nRun `mem review` to see them.\n", w.Detector.Pending)
	}
}

// printCandidates says how many candidates were noted, if any were; a dry run lists them for a person.
func printCandidates(w *work, p *reflect.Pending) {
	switch n := p.CountCandidates(); {
	case n == 0:
	case w.DryRun:
		w.env.Printf("would note %s\n", render.Count(n, "candidate", "candidates"))
		for _, key := range slices.Sorted(maps.Keys(p.Shown)) {
			if c := p.Shown[key]; c.Sessions == 1 && w.env.RequirePerson(false) == nil {
				w.env.Printf("  ? %s\n", render.Shorten(guard.Line(c.Last().Text), 199))
			}
		}
	default:
		w.env.Printf("noted   %s; when a second session shows the same, it is a lesson: mem list --candidates\n", render.Count(n, "candidate", "candidates"))
	}
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

func reflectionJSON(w *work, res *workspace.Reflection) reflectResult {
	out := reflectResult{
		Changed: res.Changed, Root: w.At.Root, Reflection: res.Outcome.ID,
		Lessons: res.Outcome.Lessons, Patterns: w.Detector.Found,
	}
	if s := res.Doc.Session; s != nil {
		out.Agent, out.Session, out.Path, out.Skipped = s.Agent, s.ID, s.Path, s.Skipped
	}
	if res.Pending != nil {
		out.Oracle, out.Left = res.Pending.Model, res.Pending.Left
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

// showPrompt prints what a model would be sent, byte for byte, and on standard
// error to whom.
func (w *work) showPrompt(ctx context.Context, opts reflectOptions) error {
	doc, err := w.readInput(ctx, opts.File)
	if err != nil {
		return err
	}
	if doc.Session == nil {
		return fault.Usagef("--show-prompt is about sessions; finished lessons are not sent")
	}
	isAgent, _ := agent.FindCaller(w.Getenv)
	if isAgent {
		inspect.FitSession(w.Workspace, doc.Session)
		w.env.Note("what came from outside, and the known lessons, are left out here, as an agent asks")
	}
	r, err := w.newReflector()
	if err != nil {
		return err
	}
	if isAgent {
		r.LookAround = nil // which has candidates, and what is held
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
	return w.printResult(res, func() {
		switch {
		case res.Reason != "":
			w.env.Note("nothing would be sent: %s", res.Reason.Describe())
			return
		case res.To == "heuristic":
			w.env.Note("no model is configured, so nothing is sent; it would be:")
		default:
			w.env.Note("first to be asked: %s; nothing was sent", res.To)
		}
		w.env.Printf("%s", q.Text())
	}, "system", "prompt", "schema")
}

func (w *work) readInput(ctx context.Context, file string) (trace.Document, error) {
	return w.TakeHeadless(console.ReadUnlessDone(ctx, func() (trace.Document, error) { return w.readDocument(ctx, file) }))
}

func (w *work) readDocument(ctx context.Context, file string) (trace.Document, error) {
	if file == "-" {
		w.env.AnnounceWait()
		return trace.Read(w.env.In)
	}
	if file == "" {
		if in, ok := w.env.PipedInput(ctx); ok {
			return trace.Read(in)
		}
		path, err := w.FindSession(trace.DefaultPlaces(w.env.Home(), w.env.Getenv))
		if err != nil {
			return trace.Document{}, err
		}
		return openSession(path)
	}
	path := w.AbsPath(file)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if path, _ = inspect.SplitRef(w.Workspace, file); path == file && !trace.IsExported(file) {
			return trace.Document{}, fmt.Errorf("there is no file %s, and no session with this id: %w", file, trace.ErrNoSession)
		}
	}
	return openSession(path)
}

func openSession(path string) (trace.Document, error) {
	console.CollectOften(path)
	return trace.Open(path)
}

type contextOptions struct {
	recall.Options
	BudgetSet, Explain bool
	Agent, Session     string
}

func newContext(env Env, g *globals) *cobra.Command {
	var opts contextOptions
	c := newCommand("context", func(c *cobra.Command, args []string) error {
		if opts.BudgetSet = c.Flags().Changed("budget-tokens"); opts.BudgetSet && (opts.Budget < 1 || opts.Budget > maxTask) {
			return fault.Usagef("--budget-tokens: want 1 to %d, got %d", maxTask, opts.Budget)
		}
		return atMost(0)(c, args)
	}, g.inWork(env, opts.runContext))
	c.Flags().StringVar(&opts.For, "for", "", "print what fits the task described by `TEXT`; - reads it from standard input")
	c.Flags().IntVar(&opts.Budget, "budget-tokens", 0, "print at most `N` tokens (default: context.start_tokens, or budget_tokens, of the configuration)")
	c.Flags().BoolVar(&opts.Explain, "explain", false, "also say why each entry is there")
	c.Flags().BoolVar(&opts.Small, "small", false, "rules and lessons only: for a subagent")
	c.Flags().StringVar(&opts.Session, "session", "", "keep a receipt of what the session `ID` was given")
	c.Flags().StringVar(&opts.Agent, "agent", "", "the `NAME` of the agent, for the receipt")
	return g.addJSONFlag(c)
}

func (o *contextOptions) runContext(ctx context.Context, w *work, _ []string) (err error) {
	opts := *o
	if opts.For, err = w.env.ReadText(ctx, opts.For, "the task", maxTask); err != nil {
		return err
	}
	opts.Asked, opts.Later = true, w.FindLater()
	c, err := w.BundleContext(opts.Options)
	if err != nil {
		return err
	}
	if here, own := w.ListRoots(); here == nil && own == nil && console.IsTerminal(w.env.Out) && w.Untrusted() == nil {
		w.Note("there is no memory here yet")
		w.env.Hint("run 'mem init'")
	}
	if c.Text == "" && c.LeftOut > 0 && opts.For == "" && !opts.BudgetSet {
		w.Note("nothing is for every session; %s told when a command, an error or a task calls for it", render.Count(c.LeftOut, "lesson is", "lessons are"))
		w.env.Hint("'mem context --for TASK' prints those that fit a task")
	}
	if opts.Session != "" && c.Text != "" {
		w.KeepReceipt(recall.NewReceipt(c, recall.OnDemand, opts.Agent, opts.Session, w.Now))
	}
	if !opts.Explain {
		c.Why = nil
	}
	return w.printResult(c, func() {
		w.env.Printf("%s", c.Text)
		if opts.Explain {
			w.env.Printf("%s", c.DescribeReasons())
		}
	}, "text")
}

// maxTask bounds the description of a task that is read, in bytes, and what is printed for it, in tokens.
const maxTask = 1_000_000
