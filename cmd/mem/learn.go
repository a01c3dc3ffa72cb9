package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/curate"
	"mem/curate/learning"
	"mem/guard"
	"mem/index"
	"mem/reflect"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

type learnOptions struct {
	Text       string // "-" for standard input
	Domain     string
	Tags       []string
	Confidence string
	Severity   string
	Pin        bool
	DryRun     bool
	JSON       bool
}

func newLearn(env Env, g *globals) *cobra.Command {
	var opts learnOptions
	c := &cobra.Command{
		Use:   "learn TEXT|-",
		Short: "Note one insight",
		Long: `Note one insight: what to do, or "Avoid: …" for what not to do, and why. It is
kept at once, as a file in learnings/ and as a lesson. "-" reads standard input.

Domain and tags say what it is about; left out, they are found in its words.
Three learnings of one domain that share two tags are a pattern, which 'mem
review' shows: a rule that waits for your yes.

The domains are ` + strings.Join(topic.Domains(), ", ") + `.`,
		Example: `  mem learn "Wrap errors with %w, so that callers can tell them apart"
  mem learn --domain coding --tags error-handling,go "Avoid: comparing error texts"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("what is to be noted? mem learn TEXT, or - to read it")
			}
			opts.Text = strings.Join(args, " ")
			return runLearn(c.Context(), env, g, opts)
		},
	}
	c.Flags().StringVar(&opts.Domain, "domain", "", "`DOMAIN` that it is about")
	c.Flags().StringSliceVar(&opts.Tags, "tags", nil, "`TAGS` that it is about, with commas, five at most")
	c.Flags().StringVar(&opts.Confidence, "confidence", "", "`LEVEL` high, medium or low; a new one is medium")
	c.Flags().StringVar(&opts.Severity, "severity", "", "`LEVEL` high, if it must not happen again")
	c.Flags().BoolVar(&opts.Pin, "pin", false, "show it to every session before others")
	c.Flags().BoolVarP(&opts.DryRun, "dry-run", "n", false, "print what would change and write nothing")
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	fixed := func(words ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	}
	for flag, complete := range map[string]cobra.CompletionFunc{
		"domain": fixed(topic.Domains()...), "confidence": fixed("high", "medium", "low"), "severity": fixed("high"),
		"tags": completeOf(env, g, func(it *index.Item) []string { return it.Tags }),
	} {
		if err := c.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic(err) // a flag that is not there
		}
	}
	return c
}

// capture makes of the command line what is to be kept.
func (w *work) capture(ctx context.Context, opts learnOptions) (curate.Capture, error) {
	c := curate.Capture{ID: strings.ToLower(rand.Text()[:12]), At: w.Now, Text: opts.Text, Pinned: opts.Pin, Severity: opts.Severity}
	c.Agent, c.Session = w.env.agent()
	if opts.Domain != "" {
		if c.Domain = topic.Domain(opts.Domain); c.Domain == "" {
			return c, usagef("%q is no domain; there are %s", opts.Domain, strings.Join(topic.Domains(), ", "))
		}
	}
	for _, tag := range opts.Tags {
		if tag = topic.Tag(tag); tag != "" && !slices.Contains(c.Tags, tag) {
			c.Tags = append(c.Tags, tag)
		}
	}
	switch {
	case len(c.Tags) > topic.MaxTags:
		return c, usagef("a learning has at most %d tags, not %d", topic.MaxTags, len(c.Tags))
	case len(opts.Tags) > 0 && len(c.Tags) == 0:
		return c, usagef("--tags holds no tag: they are words, with commas between them")
	case opts.Severity != "" && opts.Severity != "high":
		return c, usagef("--severity is high, or left out")
	}
	if opts.Confidence != "" {
		if c.Confidence = learning.ParseConfidence(opts.Confidence); c.Confidence == "" {
			return c, usagef("--confidence is high, medium or low, not %q", opts.Confidence)
		}
	}
	if opts.Text == "-" {
		text, err := reading(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(w.env.In, curate.MaxText+1)) })
		if err != nil {
			return c, fmt.Errorf("read the learning: %w", err)
		}
		c.Text = string(text)
	}
	if len(c.Text) > curate.MaxText {
		return c, usagef("a learning is one insight of at most %d KiB", curate.MaxText>>10)
	}
	c, err := c.ScrubText()
	if errors.Is(err, curate.ErrNothing) {
		return c, usagef("there is not a word in it")
	}
	return c, err
}

// agent reports whether an agent runs the command, and in which session as far
// as it tells. These are the variables that agents set for what they run.
func (e Env) agent() (bool, string) {
	found := false
	for _, name := range []string{
		"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
		"PI_CODING_AGENT", "GEMINI_CLI", "CURSOR_AGENT", "AI_AGENT", "MEM_CHILD",
	} {
		found = found || e.Getenv(name) != ""
	}
	for _, name := range []string{"CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"} {
		if id := e.Getenv(name); id != "" {
			return true, guard.Line(render.Shorten(id, 99))
		}
	}
	return found, ""
}

func runLearn(ctx context.Context, env Env, g *globals, opts learnOptions) (err error) {
	w, err := g.newWork(env, nil)
	if err != nil {
		return err
	}
	c, err := w.capture(ctx, opts)
	if err != nil {
		return err
	}
	if opts.DryRun {
		return w.previewLearn(c, opts)
	}
	root, err := w.CreateRoot(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	var noted curate.Noted
	var commit repo.Commit
	blocked := w.DrainQueue(ctx)
	if blocked == nil {
		w.Detector.AutoApply = w.mayApply(root)
		direct := c
		direct.ID = "" // each call counts
		commit, blocked = root.Settle(ctx, w.Now, func(m *repo.Memory) (msg repo.Message, err error) {
			noted, msg, err = direct.LearnIn(m)
			return msg, err
		})
	}
	res := learnResult{Status: "noted", Commit: commit.ID, Files: append([]string{}, commit.Files...), Tags: []string{}, Patterns: []patternResult{}}
	switch {
	case reflect.Postponed(blocked):
		if err := c.EnqueueIn(root); err != nil {
			return err
		}
		res.Status, res.Reason = "queued", oneLine(blocked.Error())
		env.Note("%s; it is queued, and the next command that writes keeps it", res.Reason)
	case blocked != nil:
		return blocked
	default:
		res.fill(noted, w.patternResults())
	}
	return w.printLearn(res, noted, opts)
}

// learnResult is the JSON of mem learn.
type learnResult struct {
	Status     string          `json:"status"` // "noted", "planned", "queued"
	Reason     string          `json:"reason"` // why it is queued
	ID         string          `json:"id"`     // of the lesson
	Text       string          `json:"text"`
	Kind       string          `json:"kind"`
	State      string          `json:"lesson_status"` // "" is active
	Hits       int             `json:"hits"`
	Path       string          `json:"path"` // of the learning, in the memory
	Domain     string          `json:"domain"`
	Tags       []string        `json:"tags"`
	Confidence string          `json:"confidence"`
	Patterns   []patternResult `json:"patterns"` // that appeared
	Commit     string          `json:"commit"`
	Files      []string        `json:"files"`
}

// patternResult is a pattern that appeared, as JSON.
type patternResult struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Rule  string `json:"rule"` // the file it went to without asking; "" if it waits
}

// patternResults are the patterns that appeared, as JSON.
func (w *work) patternResults() []patternResult {
	list := []patternResult{}
	for _, f := range w.Detector.Found {
		list = append(list, patternResult{f.ID, f.Title, f.Rule})
	}
	return list
}

func (r *learnResult) fill(n curate.Noted, found []patternResult) {
	it := n.Lesson
	r.ID, r.Text, r.Kind, r.State, r.Hits = it.ID, it.Text, string(it.Kind), string(it.Status), it.Hits
	r.Path, r.Domain, r.Tags, r.Confidence = n.Path, n.Domain, append([]string{}, n.Tags...), n.Confidence
	r.Patterns = found
}

// printLearn answers, and says more only if there is more to say.
func (w *work) printLearn(res learnResult, n curate.Noted, opts learnOptions) error {
	switch {
	case len(n.Held) > 0:
		w.env.Note("held: it reads like an order (%s), and an agent says it; no session is shown it before a person agrees", n.Held[0].Rule)
	case res.State != "" && res.State != string(index.Compiled):
		w.env.Note("this lesson is %s: it is counted, and not shown", res.State)
	}
	if opts.JSON {
		return printJSON(w.env, res)
	}
	w.env.Printf("Noted.\n")
	w.printFound(w.Detector.Found)
	return nil
}

// printFound tells of patterns that appeared.
func (w *work) printFound(found []curate.Found) {
	for _, f := range found {
		w.env.Printf("Pattern detected: %s\n", f.Title)
		if f.Rule == "" {
			w.env.Printf("Run `mem review` to see proposal.\n")
		} else {
			w.env.Printf("It is a matter of form, so it is a rule now: %s\n", f.Rule)
		}
	}
}

// previewLearn shows what would be committed.
func (w *work) previewLearn(c curate.Capture, opts learnOptions) (err error) {
	root, err := w.OpenRootIfAny()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	if root != nil {
		w.Detector.AutoApply = w.mayApply(root)
	}
	var noted curate.Noted
	c.ID = ""
	plan, err := w.Change(context.Background(), true, func(m *repo.Memory) (msg repo.Message, err error) {
		noted, msg, err = c.LearnIn(m)
		return msg, err
	})
	if err != nil {
		return err
	}
	if opts.JSON {
		res := learnResult{Status: "planned", Files: append([]string{}, plan.Files...)}
		res.fill(noted, w.patternResults())
		return printJSON(w.env, res)
	}
	return w.printPlanned(plan)
}

// mayApply returns what decides whether a rule may be written without asking:
// the configuration allows it, and it was not done before. Who takes such a
// rule back with git has said no.
func (w *work) mayApply(root *repo.Root) func(key string) bool {
	if !w.Config.Rules.AutoApply {
		return nil
	}
	return func(key string) bool {
		before := false
		err := root.History(func(rev repo.Revision) bool {
			before = slices.Contains(rev.Trailers[curate.AutoTrailer], key)
			return !before
		})
		return err == nil && !before
	}
}
