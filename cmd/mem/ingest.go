package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/curate"
	"mem/curate/evidence"
	"mem/curate/ingest"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/inspect"
)

func newIngest(env Env, g *globals) *cobra.Command {
	opts, format := usualIngest, ""
	c := newCommand("ingest", needs("claude, codex, or a file or folder", 1, 1), func(c *cobra.Command, args []string) error {
		switch {
		case format != "" && slices.Contains([]string{claudeWord, codexWord}, args[0]):
			return fault.Usagef("--format is for files")
		case args[0] == claudeWord:
			return runIngest(c.Context(), env, g, opts)
		}
		for _, name := range []string{"apply", "dir", "settle", "here", "all"} {
			if c.Flags().Changed(name) {
				return fault.Usagef("--%s is for 'mem ingest claude'; a file is only read", name)
			}
		}
		return runImport(c.Context(), env, g, args[0], format)
	})
	c.Flags().BoolVar(&opts.Apply, "apply", false, "import what is ready, and remove it from Claude Code's folders")
	c.Flags().StringVar(&opts.Places.Dir, "dir", "", "look in `DIR` instead of Claude Code's folder: the memories of one project, or of several")
	c.Flags().DurationVar(&opts.MinAge, "settle", opts.MinAge, "leave what was written less than `TIME` ago; 0 leaves nothing")
	c.Flags().BoolVar(&opts.Whole, "here", false, "take what is about you into this memory, too")
	c.Flags().BoolVar(&opts.All, "all", false, "what comes from other projects, too: into your own memory")
	addChoice(c, &format, "format", "read a file as `FORMAT`:", ingest.Formats...)
	return g.addChangeFlags(c, "say what would be done and do nothing")
}

// usualIngest has the age at which a file of Claude Code is finished.
var usualIngest = ingest.Options{MinAge: time.Minute}

// claudeWord and codexWord stand for the memories of Claude Code and Codex.
const (
	claudeWord = "claude"
	codexWord  = "codex"
)

// ingestResult is the JSON of mem ingest claude.
type ingestResult struct {
	*ingest.Result
	Root       string               `json:"root"`
	Uningested int                  `json:"uningested"` // memories that are ready or pending
	Silos      int                  `json:"silos"`      // that they are in
	Counts     map[ingest.State]int `json:"counts"`
	DryRun     bool                 `json:"dryRun"`
	Others     int                  `json:"others"`       // of other projects, that were left and are not listed
	Own        *ingest.Result       `json:"own,omitzero"` // what the person's own memory took, which is in items, too
}

func runIngest(ctx context.Context, env Env, g *globals, opts ingest.Options) error {
	if opts.MinAge < 0 {
		return fault.Usagef("--settle is a time such as 60s, or 0")
	}
	return withNew(ctx, env, g, func(w *work) error {
		dir := opts.Places.Dir
		opts := w.claudeOptions(opts)
		if _, err := os.Stat(opts.Places.Dir); dir != "" && errors.Is(err, fs.ErrNotExist) {
			return fault.Usagef("there is no folder %s", dir)
		}
		here, err := w.ChooseMemories(opts)
		if err != nil {
			w.env.Note("your own memory is left out: %s", workspace.DescribeError(err))
		}
		var mine *ingest.Result
		if here.HasOwn { // first, as it may have to be refused
			at, _, _ := w.FindOwn()
			if err := w.inOther(at, func(o *work) (err error) {
				own := here
				own.ForPerson = true
				mine, err = o.ingest(ctx, own)
				return err
			}); err != nil {
				return err
			}
		}
		res, err := w.ingest(ctx, here)
		if err != nil {
			return err
		}
		r := w.newIngestResult(opts, res, mine)
		return w.printResult(r, func() { w.printIngest(opts, r) })
	})
}

// ingest looks at Claude Code's memories and, with --apply, imports what is ready.
// It makes the memory only if there is something to put into it.
func (w *work) ingest(ctx context.Context, opts ingest.Options) (*ingest.Result, error) {
	root, err := w.OpenRootIfAny()
	if err != nil {
		return nil, err
	}
	if root == nil || w.DryRun {
		var plan *ingest.Result
		m, err := w.ViewRoot()
		if err == nil {
			plan, err = ingest.Plan(m, opts)
		}
		if err != nil || w.DryRun || len(plan.Files) == 0 {
			return plan, err
		}
		if root, err = w.CreateRoot(ctx); err != nil {
			return nil, err
		}
	}
	if err := w.DrainQueue(ctx); err != nil {
		return nil, err
	}
	return ingest.Run(ctx, root, w.Now, opts)
}

// claudeOptions adds where Claude Code's memories are looked for, and how.
func (w *work) claudeOptions(opts ingest.Options) ingest.Options {
	dir := opts.Places.Dir
	opts.Places, opts.Moment = ingest.DefaultPlaces(w.env.Home(), w.env.Getenv), w.env.Clock()
	if dir != "" {
		opts.Places.Dir = w.AbsPath(dir)
	}
	return opts
}

// newIngestResult counts what there is; mine is what the person's own memory took, nil for none.
func (w *work) newIngestResult(opts ingest.Options, res, mine *ingest.Result) ingestResult {
	r := ingestResult{Result: res, Root: w.At.Root, DryRun: w.DryRun}
	if r.Own = mine; mine != nil {
		res.Add(mine)
	}
	if !opts.All { // whose they are is shown to a person who asks
		res.Items = slices.DeleteFunc(res.Items, func(it ingest.Item) bool {
			isOthers := it.State == ingest.Left && it.IsOthers
			if isOthers && it.Note != nil {
				r.Others++
			}
			return isOthers
		})
	}
	r.Counts, r.Silos = res.Count()
	r.Uningested = r.Counts[ingest.Ready] + r.Counts[ingest.Pending]
	return r
}

func (w *work) printIngest(opts ingest.Options, r ingestResult) {
	env, last := w.env, ""
	env.Printf("%s\n", inspect.CountUningested(r.Uningested, r.Silos))
	for _, it := range r.Items {
		if dir := filepath.Dir(it.Path); dir != last {
			env.Printf("%s\n", w.HomePath(dir))
			last = dir
		}
		env.Printf("  %-8s  %s\n", it.State, guard.Line(filepath.Base(it.Path)+": "+it.Describe()))
	}
	for _, p := range r.Problems {
		env.Printf("left alone: %s: %s\n", w.HomePath(p.Path), guard.Line(p.Why))
	}
	if n := r.Counts[ingest.Removed]; n > 0 {
		env.Printf("imported %s\n", render.Count(n, "memory", "memories"))
	}
	w.printPlace(w.ShowPath(filepath.Join(w.At.Root, "memories")), r.Commit)
	pending, own := r.Counts[ingest.Pending], 0
	at, _, _ := w.FindOwn()
	if r.Own != nil {
		items, _ := r.Own.Count()
		own = items[ingest.Pending]
		w.printPlace(w.HomePath(filepath.Join(at, "memories")), r.Own.Commit)
	}
	if w.DryRun && len(r.Files) > 0 && pending > 0 { // nothing of it is in the memory yet
		env.Hint("without --dry-run, %d would become proposals in 'mem review'", pending)
	} else if own < pending {
		env.Hint("'mem review' shows the %d pending proposals", pending-own)
	}
	if own > 0 && !w.DryRun {
		env.Hint("'mem review --root %s' shows the %d pending proposals of your own memory", w.HomePath(at), own)
	}
	if ready := r.Counts[ingest.Ready]; !opts.Apply && ready > 0 {
		env.Hint("'mem ingest claude --apply' imports the %d that are ready", ready)
	}
	if r.Others > 0 {
		env.Hint("%s left alone; --all lists whose they are", render.Count(r.Others, "memory of another project is", "memories of other projects are"))
	}
}

// importResult is the JSON of mem ingest FILE.
type importResult struct {
	Root     string           `json:"root"`
	Files    []string         `json:"files"` // that lessons were read from
	New      []inspect.Result `json:"new"`
	Repeated []inspect.Result `json:"repeated"` // known, but not from these files
	Known    int              `json:"known"`    // lessons that these files brought before
	Problems []curate.Problem `json:"problems"`
	DryRun   bool             `json:"dryRun"`
	Commit   string           `json:"commit"`
}

func runImport(ctx context.Context, env Env, g *globals, path, format string) error {
	return withNew(ctx, env, g, func(w *work) error {
		imp, err := w.readImport(ctx, path, ingest.Format(format))
		if err != nil {
			return err
		}
		rep, commit, err := changeMemory(ctx, w, imp.Apply)
		if err != nil {
			return err
		}
		res := importResult{
			Root: w.At.Root, Files: imp.Files, New: inspect.NewResults(rep.New), Repeated: inspect.NewResults(rep.Repeated), Known: rep.Known,
			Problems: imp.Problems, DryRun: w.DryRun,
		}
		if len(rep.New)+len(rep.Repeated) > 0 { // otherwise a commit holds a person's edits
			res.Commit = commit.Commit
		}
		return w.printResult(res, func() { printImport(w, res) })
	})
}

// readCodex reads what Codex itself noted of this project or, for the person's own memory, of all.
func (w *work) readCodex() (*ingest.Import, error) {
	dir := filepath.Join(trace.DefaultPlaces(w.env.Home(), w.env.Getenv).Dirs[codexWord][0], "memories")
	if _, err := os.Stat(filepath.Join(dir, "MEMORY.md")); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Usagef("Codex has no memories in %s; it keeps some if [features] in its config.toml has memories = true", w.HomePath(dir))
	}
	opts, _ := w.ChooseMemories(ingest.Options{}) // an own memory that cannot be opened is not written here
	return ingest.ReadCodex(dir, w.HomePath(filepath.Join(dir, "MEMORY.md")), opts.Here)
}

// readImport reads what is to be imported; "-" is standard input.
func (w *work) readImport(ctx context.Context, path string, format ingest.Format) (*ingest.Import, error) {
	if path == codexWord {
		return w.readCodex()
	}
	if path == "-" {
		text, err := w.env.ReadText(ctx, path, "standard input", ingest.MaxFile+1)
		if err != nil {
			return nil, err
		}
		if len(text) > ingest.MaxFile {
			return nil, fault.Usagef("standard input has more than %d MiB", ingest.MaxFile>>20)
		}
		return ingest.ReadText([]byte(text), "standard input", format)
	}
	at := w.AbsPath(path)
	// The memory may be named by its index, too. Learnings and patterns may have been put there by hand.
	isForeign := filepath.Base(filepath.Dir(at)) == curate.LearningFolder || filepath.Base(at) == filepath.Base(evidence.ListPath)
	isView := filepath.Base(at) == render.LongTermPath && workspace.IsSameFolder(w.At.Root, filepath.Dir(at))
	if isView || workspace.IsSameFolder(w.At.Root, at) || !isForeign && workspace.IsSameFolder(w.At.Root, filepath.Dir(filepath.Dir(at))) {
		return nil, fault.Usagef("%s is the memory itself", w.ShowPath(at))
	}
	if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Usagef("there is no file or folder %s", path)
	}
	return ingest.ReadPath(at, w.StablePath(at), format, w.Now)
}

func printImport(w *work, res importResult) {
	env, held, list := w.env, 0, ""
	for _, it := range res.New {
		if it.Status == string(index.Quarantined) {
			held++
		}
		list += fmt.Sprintf("  + %s\n", guard.Line(it.Text))
	}
	learned := fmt.Sprintf("%d new, %d repeated", len(res.New), len(res.Repeated))
	if res.Known > 0 {
		learned += fmt.Sprintf(", %d known from there", res.Known)
	}
	if held > 0 {
		learned += fmt.Sprintf("; %d of the new ones held back until they are confirmed", held)
	}
	said := map[bool]string{false: "learned", true: "would learn"}[res.DryRun]
	env.Printf("read    %s\n%s %s\n%s", guard.Line(strings.Join(res.Files, ", ")), said, learned, list)
	for _, it := range res.Repeated {
		env.Printf("  ×%d %s\n", it.Hits, guard.Line(it.Text))
	}
	for _, p := range res.Problems {
		env.Printf("left alone: %s: %s\n", guard.Line(p.Path), guard.Line(p.Why))
	}
	w.printPlace(w.indexFile(), res.Commit)
}

// printPlace says where a commit put something, if there is one.
func (w *work) printPlace(path, commit string) {
	if commit != "" {
		w.env.Printf("in      %s\ncommit  %.12s\n", path, commit)
	}
}
