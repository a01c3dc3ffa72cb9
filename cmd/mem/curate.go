package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/agent/install"
	"mem/curate"
	"mem/curate/evidence"
	"mem/fault"
	"mem/guard"
	"mem/project"
	"mem/reflect"
	"mem/render"
	"mem/repo"
	"mem/workspace"
	"mem/workspace/inspect"
)

type proveOptions struct {
	Codebase, Learnings string
	Include             []string
}

func newProve(env Env, g *globals) *cobra.Command {
	var opts proveOptions
	c := newCommand("prove", func(c *cobra.Command, args []string) error {
		for _, pattern := range opts.Include {
			if _, err := path.Match(pattern, ""); err != nil {
				return fault.Usagef("--include %q is not a pattern such as '*.yml'", pattern)
			}
		}
		return atMost(0)(c, args)
	}, g.inRoot(env, opts.runProve))
	c.Flags().StringVar(&opts.Codebase, "codebase", "", "look at the code in `DIR` instead of the project's")
	c.Flags().StringVar(&opts.Learnings, "learnings", "", "read blocks from `FILE` instead of LEARNINGS.md at the top of the code")
	c.Flags().StringArrayVar(&opts.Include, "include", nil, "count YAML and Markdown files that match `GLOB` too; may be repeated")
	return g.addChangeFlags(c, "print what would change and change nothing")
}

func (o *proveOptions) runProve(ctx context.Context, w *work, _ []string) error {
	run, path, err := w.newRun(*o)
	if err != nil {
		return err
	}
	if !w.DryRun {
		if err := w.DrainQueue(ctx); err != nil {
			return err
		}
	}
	if run.Learnings, err = w.readLearnings(path, o.Learnings != ""); err != nil {
		return err
	}
	res, err := run.Prove(ctx, w.root, w.Now)
	return w.printText(res, err, func(io.Writer) {
		learnings := filepath.Base(path)
		w.env.Printf("%s", res.Describe(learnings))
		for _, v := range res.Left {
			w.env.Note("%s keeps %q: %s", learnings, render.Shorten(guard.Line(v.Text), 59), v.Why)
		}
	})
}

// newRun finds the code, and the path of the LEARNINGS.md that belongs to it.
func (w *work) newRun(opts proveOptions) (run evidence.Proof, learnings string, err error) {
	dir := w.At.Project
	_, _, own := w.FindOwn()
	if opts.Codebase != "" {
		dir = w.AbsPath(opts.Codebase)
	} else if own || dir == w.env.Home() { // even when --root names it from a project
		return run, "", fault.Usagef("your own memory is not about one code base; name one with --codebase")
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return run, "", fault.Usagef("there is no folder %s", w.ShowPath(dir))
	}
	run.DryRun = w.DryRun
	run.Code, err = evidence.NewCode(dir, w.At.Project, w.At.Root)
	run.Code.Include = opts.Include
	if opts.Learnings != "" {
		return run, w.AbsPath(opts.Learnings), err
	}
	return run, filepath.Join(run.Code.Dir, "LEARNINGS.md"), err
}

// readLearnings reads the blocks of a LEARNINGS.md. A file that mem cannot change
// counts as missing, unless the person named it.
func (w *work) readLearnings(path string, named bool) (evidence.Learnings, error) {
	shown := w.ShowPath(path)
	l, err := evidence.ReadLearnings(path, w.env.Files)
	switch {
	case errors.Is(err, fs.ErrNotExist) && named:
		return l, fault.Usagef("there is no file %s", shown)
	case errors.Is(err, fs.ErrNotExist):
		return l, nil
	case err != nil && named:
		return l, fault.New(fault.Config, "not a file that mem changes: "+err.Error(), "name a regular file with --learnings")
	case err != nil:
		w.env.Note("%s is left alone: %s", shown, workspace.DescribeError(err))
	case l.Empty:
		w.env.Note("%s has no blocks; they stand between lines of ---", shown)
	}
	return l, nil
}

// The forms: what was agreed, and all that sessions are shown.
const (
	agentsMD = "agents-md"
	jsonl    = "jsonl"
)

func newExport(env Env, g *globals) *cobra.Command {
	to := ""
	c := newCommand("export", func(c *cobra.Command, args []string) error {
		switch {
		case len(args) != 1 || args[0] != jsonl && args[0] != agentsMD:
			return fault.Usagef("%s takes one of %s, %s", c.CommandPath(), agentsMD, jsonl)
		case args[0] == jsonl && to != "":
			return fault.Usagef("%s jsonl prints; send it to a file with > FILE", c.CommandPath())
		}
		return nil
	}, g.inMemory(env, func(_ context.Context, w *work, m *repo.Memory, args []string) error {
		if args[0] == jsonl {
			return w.exportRecords(m)
		}
		return w.exportBlock(m, to)
	}))
	c.ValidArgs = []string{agentsMD, jsonl}
	c.Flags().StringVar(&to, "to", "", "write it to `FILE` instead of printing it")
	return g.addChangeFlags(c, "with --to: print what would change and change nothing")
}

// exportResult is the JSON of mem export.
type exportResult struct {
	Form    string         `json:"form"`
	Files   []exportedFile `json:"files"`
	LeftOut []string       `json:"leftOut"`
}

// An exportedFile is a file with the block, and whether it changed.
type exportedFile struct {
	Path   string `json:"path"`   // "" for a block that was not written
	Status string `json:"status"` // "printed", "written", "removed", "unchanged", "planned"
	Text   string `json:"text"`   // "" for one that is removed
}

func (w *work) exportBlock(m *repo.Memory, to string) error {
	block, leftOut := curate.ExportBlock(m, w.StablePath(w.At.Root))
	for _, s := range leftOut {
		w.env.Note("left out: %s", guard.Line(s))
	}
	if block == "" {
		w.env.Note("nothing to export: there are no rules, and no lesson is pinned")
		w.env.Hint("'mem pin' pins a lesson; a rule is what you write into a file in rules, or agree to in a review")
	}
	res := exportResult{Form: agentsMD, LeftOut: leftOut}
	if to != "" {
		return w.exportTo(w.AbsPath(to), block, res)
	}
	if block != "" {
		res.Files = []exportedFile{{Status: "printed", Text: block}}
	}
	return w.printResult(res, func() {
		if block != "" { // on a terminal too as other tools read it
			w.env.Printf("%s\n", block)
		}
	}, "text")
}

// exportTo puts the block into a file, or takes it out if nothing is agreed, and says so.
func (w *work) exportTo(to, text string, res exportResult) error {
	if project.IsWithin(to, w.At.Root) {
		return fault.New(fault.Usage, w.ShowPath(to)+" is in the memory, which only holds what mem puts there", "--to names another file")
	}
	b := install.Block{Begin: curate.BlockBegin, End: curate.BlockEnd}
	e := install.Edit{Path: to, Mode: 0o644, Change: func(before []byte) ([]byte, error) {
		if text == "" {
			return b.Remove(before)
		}
		return b.Put(before, text)
	}}
	if project.IsWithin(to, w.At.Project) {
		e.Project = w.At.Project
	}
	if err := e.Plan(); err != nil {
		return err
	}
	f := exportedFile{Path: to, Status: "written", Text: string(e.After)}
	said := w.ShowPath(to) + " is as it was\n"
	switch {
	case !e.IsChange() && e.After == nil: // there is no block, and was none
		return w.printResult(res, func() {}, "text")
	case !e.IsChange():
		f.Status = "unchanged"
	case w.DryRun:
		f.Status, said = "planned", guard.Scrub(string(e.Diff()))
	default:
		if e.After == nil {
			f.Status = "removed"
		}
		if err := e.Write(w.env.Files); err != nil {
			return err
		}
		said = fmt.Sprintf("%-7s %s\n", f.Status, w.ShowPath(to))
	}
	res.Files = []exportedFile{f}
	return w.printResult(res, func() { w.env.Printf("%s", said) }, "text")
}

// exportRecords prints one JSON object a line.
func (w *work) exportRecords(m *repo.Memory) error {
	list, unread := inspect.ListRecords(m)
	for _, file := range unread {
		w.env.Note("skipped: %s cannot be read", guard.Line(file))
	}
	for _, r := range list {
		if err := printAs(w.env, r, render.JSON{Prose: []string{"text"}, OneLine: true}); err != nil {
			return err
		}
	}
	return nil
}

func newMonth(env Env, g *globals) *cobra.Command {
	c := newCommand("month", atMost(1), g.inRoot(env, runMonth))
	g.addOracleFlag(c)
	return g.addChangeFlags(c, "print the summary and write nothing")
}

// monthResult is the JSON of mem month.
type monthResult struct {
	workspace.Changed        // "written", "unchanged", "planned", or "nothing" without a journal
	Month             string `json:"month"`
	reflect.Rollup
	File string `json:"file"`
}

func runMonth(ctx context.Context, w *work, args []string) (err error) {
	month := w.Now
	if name := firstOf(args); name != "" {
		if month, err = time.Parse("2006-01", name); err != nil {
			return fault.Usagef("%q is not a month such as 2026-02", name)
		}
	}
	if !w.DryRun {
		if err := w.DrainQueue(ctx); err != nil {
			return err
		}
	}
	r, err := w.newReflector()
	if err != nil {
		return err
	}
	m, err := w.root.View(w.Now)
	if err != nil {
		return err
	}
	rollup, reason, err := r.SummariseMonth(ctx, m, month)
	if err != nil {
		return err
	}
	res := monthResult{Month: month.Format("2006-01")}
	if reason == "" {
		res.Rollup, res.File = *rollup, render.JournalPath(res.Month)
	}
	switch {
	case reason != "":
		res.Changed = workspace.Unchanged(workspace.Nothing, string(reason))
	case w.DryRun: // the summary is the plan, also of a memory that is only read
		res.Changed = workspace.Unchanged(workspace.Planned, "")
	default:
		if res.Changed, err = w.Change(ctx, false, rollup.Apply); err != nil {
			return fmt.Errorf("month %s: %w", res.Month, err)
		}
		if res.Call("written"); res.Status == workspace.Nothing {
			res.Status = "unchanged"
		}
	}
	return w.printResult(res, func() { printMonth(w, res) }, "text")
}

func printMonth(w *work, res monthResult) {
	env, entries := w.env, render.Count(res.Entries, "reflection", "reflections")
	if res.Cut > 0 {
		entries += fmt.Sprintf(" (%d in part or not at all)", res.Cut)
	}
	switch res.Status {
	case workspace.Nothing:
		env.Printf("nothing in the journal of %s\n", res.Month)
	case workspace.Planned:
		env.Printf("%s\n", strings.TrimSpace(res.Text))
	case "unchanged":
		env.Printf("summary of %s is as it was, from %s\n", res.Month, entries)
	default:
		by := res.By
		if by == "digest" {
			by = "the built-in digest"
		}
		env.Printf("summary of %s from %s, by %s\n", res.Month, entries, by)
		env.Printf("in     %s\ncommit %.12s\n", w.ShowPath(w.At.Root+"/"+res.File), res.Commit)
	}
}
