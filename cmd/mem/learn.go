package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/agent"
	"mem/cmd/mem/console"
	"mem/curate"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/oracle"
	"mem/redistill"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/workspace"
	"mem/workspace/inspect"
)

type learnOptions struct {
	Text                         string // "-" for standard input
	Domain, Confidence, Severity string
	Tags                         []string
	Pin, Private                 bool
}

func newLearn(env Env, g *globals) *cobra.Command {
	var opts learnOptions
	c := newCommand("learn", func(_ *cobra.Command, args []string) error {
		if opts.Text = strings.Join(args, " "); len(args) == 0 {
			return fault.Usagef("what should be noted? mem learn TEXT, or - to read it")
		}
		return env.RequirePerson(g.DryRun || !opts.Pin)
	}, func(c *cobra.Command, args []string) error {
		if opts.Private && g.Root != "" {
			return fault.Usagef("--private names your own memory, and --root another one")
		} else if opts.Private {
			g.Root = env.Person().GlobalRoot().Root
		}
		return withNew(c.Context(), env, g, func(w *work) error { return opts.runLearn(c.Context(), w) })
	})
	c.Flags().StringVar(&opts.Domain, "domain", "", "`DOMAIN` that it is about")
	c.Flags().StringSliceVar(&opts.Tags, "tags", nil, "`TAGS` that it is about, with commas, five at most")
	addChoice(c, &opts.Confidence, "confidence", "`LEVEL` high, medium or low; a new one is medium", "high", "medium", "low")
	addChoice(c, &opts.Severity, "severity", "`LEVEL` high, if it must not happen again", "high")
	c.Flags().BoolVar(&opts.Pin, "pin", false, "show it to every session before others")
	c.Flags().BoolVar(&opts.Private, "private", false, "note it in your own memory, which no project shares")
	_ = c.RegisterFlagCompletionFunc("domain", completeFixed(topic.Domains()...))
	return g.addChangeFlags(c, "print what would change and write nothing")
}

// newCapture returns what the command line asks to keep.
func (w *work) newCapture(ctx context.Context, opts learnOptions) (curate.Capture, error) {
	c := curate.Capture{ID: strings.ToLower(rand.Text()[:12]), At: w.Now, Pinned: opts.Pin, Severity: opts.Severity}
	c.Agent, c.Session = agent.FindCaller(w.Getenv)
	c.Session = guard.Line(render.Shorten(c.Session, 99))
	err := opts.file(&c)
	if err != nil {
		return c, err
	}
	if c.Text, err = w.env.ReadText(ctx, opts.Text, "the learning", curate.MaxText+1); err != nil {
		return c, err
	}
	if len(c.Text) > curate.MaxText {
		return c, fault.Usagef("a learning is one lesson of at most %d KiB", curate.MaxText>>10)
	}
	c, err = c.ScrubText()
	if errors.Is(err, curate.ErrNothing) {
		return c, fault.Usagef("%q says nothing: say what to do, or \"Avoid: …\", and when", index.StripAvoid(c.Text))
	}
	if c.Agent && c.Session != "" {
		c.Doubt = w.FindDoubt(c.Session, c.Text)
	}
	return c, err
}

// file sets the domain, the tags and the confidence from the flags.
func (o learnOptions) file(c *curate.Capture) error {
	c.Domain, c.Confidence = topic.Domain(o.Domain), curate.ParseConfidence(o.Confidence)
	for _, tag := range o.Tags {
		if tag = topic.Tag(tag); tag != "" && !slices.Contains(c.Tags, tag) {
			c.Tags = append(c.Tags, tag)
		}
	}
	switch {
	case o.Domain != "" && c.Domain == "":
		return fault.Usagef("%q is not a domain; there are %s", o.Domain, strings.Join(topic.Domains(), ", "))
	case len(c.Tags) > topic.MaxTags:
		return fault.Usagef("a learning has at most %d tags, not %d", topic.MaxTags, len(c.Tags))
	case len(o.Tags) > 0 && len(c.Tags) == 0:
		return fault.Usagef("--tags holds no tag: they are words, with commas between them")
	}
	return nil
}

func (o *learnOptions) runLearn(ctx context.Context, w *work) error {
	c, err := w.newCapture(ctx, *o)
	if err != nil {
		return err
	}
	changed, n, err := w.keepLearning(ctx, c)
	if err != nil {
		return err
	}
	if remark := n.Remark(); remark != "" && changed.Status != workspace.Planned {
		w.env.Note("%s", remark)
	}
	return w.printChange(w.newLearnResult(changed, n), changed, nil, func() {
		w.env.Printf("Noted.\n")
		w.describeNoted(n)
		for _, f := range w.Detector.Found {
			w.env.Printf("Pattern detected: %s\n", f.Title)
			if f.Rule == "" {
				w.env.Printf("Run `mem review` to see proposal.\n")
			} else {
				w.env.Printf("It is a matter of form, so it is a rule now: %s\n", f.Rule)
			}
		}
	})
}

func (w *work) keepLearning(ctx context.Context, c curate.Capture) (changed workspace.Changed, noted curate.Noted, err error) {
	w.AllowAutoApply()
	direct := c
	direct.ID = "" // each call counts
	noted, changed, err = changeMemory(ctx, w, direct.LearnIn)
	if workspace.IsPostponed(err) && !w.DryRun {
		changed, err = w.queueLearning(ctx, c, err)
	}
	changed.Call("noted")
	return changed, noted, err
}

// queueLearning keeps a learning for the next command that can change the memory.
func (w *work) queueLearning(ctx context.Context, c curate.Capture, why error) (workspace.Changed, error) {
	queue, err := w.Queue(ctx)
	if err == nil {
		err = c.EnqueueIn(queue)
	}
	if err != nil {
		return workspace.Changed{}, err
	}
	changed := workspace.Unchanged(workspace.Queued, why.Error())
	then, hint := "it is queued, and the next command that writes keeps it", ""
	if errors.Is(why, workspace.ErrUntrusted) {
		then, hint = "what you noted waits until you vouch for it", fault.Hint(why)
	}
	w.env.Note("%s; %s", guard.Line(changed.Reason), then)
	w.env.Hint("%s", hint)
	return changed, nil
}

// learnResult is the JSON of mem learn.
type learnResult struct {
	workspace.Changed // "noted", "planned", "queued"
	curate.Noted
	Lesson   inspect.Result `json:"lesson,omitzero"` // as it is now; absent if it is queued
	Patterns []curate.Found `json:"patterns"`        // that appeared
}

func (w *work) newLearnResult(changed workspace.Changed, n curate.Noted) learnResult {
	res := learnResult{Changed: changed, Noted: n, Patterns: w.Detector.Found}
	if n.Lesson.ID != "" {
		res.Lesson = inspect.NewResult(&n.Lesson)
	}
	return res
}

// describeNoted tells a person on a terminal which lesson it is, where, and what was taken out.
func (w *work) describeNoted(n curate.Noted) {
	if n.Lesson.ID == "" || !console.IsTerminal(w.env.Out) {
		return
	}
	w.env.Note("%s in %s: %s", n.Lesson.ID, w.HomePath(w.At.Root), guard.Line(n.Lesson.Text))
	if strings.Contains(n.Lesson.Text, "[redacted:") {
		w.env.Note("a secret was taken out; 'mem undo %s' takes the lesson back", n.Lesson.ID)
	}
}

// confirmAbove is how many lessons are reworded without asking.
const confirmAbove = 200

func newRedistill(env Env, g *globals) *cobra.Command {
	limit := math.MaxInt
	c := newCommand("redistill", atMost(1), func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 1 {
				return fault.Usagef("%q is not a number of lessons", args[0])
			}
			limit = n
		}
		return withRoot(env, g, func(w *work) error { return w.redistill(c.Context(), limit) })
	})
	g.addOracleFlag(c)
	g.addYesFlag(c, "do not ask, and allow to lose more than a third")
	return g.addChangeFlags(c, "print what would change and change nothing")
}

func (w *work) redistill(ctx context.Context, limit int) error {
	if !w.DryRun {
		if err := w.DrainQueue(ctx); err != nil {
			return err
		}
	}
	plan, err := w.makePlan(ctx, limit)
	switch {
	case err != nil:
		return err
	case w.DryRun:
		return w.printResult(plan, func() {
			w.env.Printf("%s", plan.Describe())
			noteProblems(w.env, plan)
		}, "before", "after", "text")
	}
	return w.applyPlan(ctx, plan)
}

func (w *work) makePlan(ctx context.Context, limit int) (*redistill.Plan, error) {
	m, err := w.root.View(w.Now)
	if err != nil {
		return nil, err
	}
	examined := min(len(m.Index.Rank(w.Now)), limit)
	if examined > confirmAbove && !w.Yes && !w.DryRun {
		lessons := fmt.Sprintf("%d lessons", examined)
		if err := w.env.Confirm(ctx, "Reword "+lessons+"?", "rewording "+lessons+" at once"); err != nil {
			return nil, err
		}
	}
	r, err := w.newReflector()
	if err != nil {
		return nil, err
	}
	show, done := w.env.Progress("rewording")
	defer done()
	var model oracle.Oracle // the built-in rules cannot reword
	if at := slices.IndexFunc(r.Oracles, func(o oracle.Oracle) bool { return o.Name() != oracle.Code }); at >= 0 {
		model = r.Oracles[at]
	}
	plan, err := redistill.MakePlan(ctx, m.Index, model, redistill.Options{
		Limit: limit, Global: r.Global, Now: w.Now, Progress: show,
	})
	if err == nil && plan.IsUnanswered() {
		noteProblems(w.env, plan)
		return nil, fmt.Errorf("nothing reworded: %w", oracle.ErrUnusable)
	}
	return plan, err
}

func noteProblems(env Env, p *redistill.Plan) {
	for _, problem := range p.ListProblems() {
		env.Note("%s", problem)
	}
}

// redistillResult is the JSON of mem redistill.
type redistillResult struct {
	workspace.Changed        // "redistilled" or "nothing"
	Examined          int    `json:"examined"`
	Oracle            string `json:"oracle"`
	redistill.Result
	Problems []string `json:"problems"`
}

func (w *work) applyPlan(ctx context.Context, p *redistill.Plan) error {
	r, changed, err := changeMemory(ctx, w, func(m *repo.Memory) (redistill.Result, repo.Message, error) { return p.Apply(m, w.Yes) })
	if err != nil {
		return err
	}
	if p.Unanswered == 0 { // else it is still due
		if err := w.root.KeepNote(repo.NoteRedistilled, w.Now.AppendFormat(nil, time.RFC3339)); err != nil {
			w.Note("it is due again, as this could not be noted: %s", workspace.DescribeError(err))
		}
	}
	changed.Call("redistilled")
	if w.JSON {
		return printJSON(w.env, redistillResult{changed, p.Examined, p.Oracle, r, p.Problems})
	}
	if n := len(r.Changed); n > 0 {
		w.Note("%s since the plan was made and left alone: %s", render.Count(n, "lesson was changed", "lessons were changed"), strings.Join(r.Changed, ", "))
	}
	noteProblems(w.env, p)
	if changed.Status == workspace.Nothing {
		w.env.Printf("nothing to reword in %s\n", render.Count(p.Examined, "lesson", "lessons"))
		return nil
	}
	w.env.Printf("%d reworded, %d merged away, by %s\ncommit %.12s %s\n", r.Reworded, r.Merged, p.By(), changed.Commit, changed.Subject)
	return nil
}
