package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mem/curate/evidence"
	"mem/guard"
	"mem/render"
	"mem/workspace"
)

type proveOptions struct {
	Codebase, Learnings string
	Include             []string
}

// errLearnings is wrapped when --learnings names a file that mem does not change.
var errLearnings = errors.New("not a file that mem changes")

func newProve(env Env, g *globals) *cobra.Command {
	var opts proveOptions
	c := &cobra.Command{
		Use:   "prove",
		Short: "Look for the lessons in the code they are about",
		Long: `Search the code for what each lesson names, and note in how many files it is
found: 5 and more give high confidence, 3 and 4 medium. Fewer prove nothing, and
a lesson that was proven before is demoted. A lesson that begins with "Avoid:" is
never proven; the files that still have what it names are counted.

mem searches for code in backticks, quotations and identifiers or, if there are
none, for all other words together; not for what follows "never", "don't" and the
like. YAML, Markdown, lock files and what git ignores do not count.

Proven blocks between lines of --- in LEARNINGS.md become lessons of the memory
and, once they are committed, are removed from the file.`,
		Example: `  mem prove --dry-run
  mem prove --include '*.yml'       # for lessons about configuration`,
		Args: func(c *cobra.Command, args []string) error {
			for _, pattern := range opts.Include {
				if _, err := path.Match(pattern, ""); err != nil {
					return usagef("--include %q is not a pattern such as '*.yml'", pattern)
				}
			}
			return atMost(0)(c, args)
		},
		RunE: g.inRoot(env, opts.runProve),
	}
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
	done, err := run.Prove(ctx, w.root, w.Now)
	if err != nil {
		return err
	}
	res := &proveResult{done, done.Commit.ID}
	return w.printResult(res, func() { w.printProof(res, filepath.Base(path)) })
}

// newRun finds the code, and the path of the LEARNINGS.md that belongs to it.
func (w *work) newRun(opts proveOptions) (run evidence.Run, learnings string, err error) {
	dir := w.At.Project
	_, _, own := w.FindOwn()
	if opts.Codebase != "" {
		dir = w.AbsPath(opts.Codebase)
	} else if own || dir == w.env.Home() { // even when --root names it from a project
		return run, "", usagef("your own memory is not about one code base; name one with --codebase")
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return run, "", usagef("there is no folder %s", w.ShowPath(dir))
	}
	run.DryRun = w.DryRun
	run.Code, err = evidence.NewCode(dir, w.At.Project, w.At.Root)
	run.Code.Include, run.Code.NoTests = opts.Include, !w.Config.ProveTests
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
		return l, usagef("there is no file %s", shown)
	case errors.Is(err, fs.ErrNotExist):
		return l, nil
	case err != nil && named:
		return l, fmt.Errorf("%w: %w", errLearnings, err)
	case err != nil:
		w.env.Note("%s is left alone: %s", shown, workspace.DescribeError(err))
	case l.Empty:
		w.env.Note("%s has no blocks; they stand between lines of ---", shown)
	}
	return l, nil
}

// proveResult is the JSON of mem prove.
type proveResult struct {
	evidence.Done
	Commit string `json:"commit"`
}

// mostKept is how many lessons that stay proven are printed.
const mostKept = 10

// printProof prints what a proof did, or would do.
func (w *work) printProof(res *proveResult, learnings string) {
	env := w.env
	for _, part := range []struct {
		mark  string
		list  []evidence.Verdict
		found string
	}{{"+", res.Promoted, "found"}, {"=", res.Kept, "found"}, {"-", res.Demoted, "no longer proven: found"}, {"!", res.Present, "still present"}} {
		for i, v := range part.list {
			if part.mark == "=" && i == mostKept {
				env.Printf("= and %d more\n", len(res.Kept)-i)
				break
			}
			found := part.found
			if found == "found" {
				found = v.Confidence + ": found"
			}
			if found += " in " + render.Count(v.Files, "file", "files"); len(v.Paths) > 0 {
				found += " (" + strings.Join(v.Paths, ", ") + ")"
			}
			env.Printf("%s %s\n    %s\n", part.mark, guard.Line(v.Text), guard.Line(found))
		}
	}
	for _, v := range res.Left {
		env.Note("%s keeps %q: %s", learnings, render.Shorten(guard.Line(v.Text), 59), v.Why)
	}
	looked := len(res.Promoted) + len(res.Kept) + len(res.Demoted) + len(res.Unproven)
	env.Printf("%s searched for in %s: %d promoted, %d kept, %d demoted, %d not proven\n", render.Count(looked, "lesson", "lessons"),
		render.Count(res.Files, "file", "files"), len(res.Promoted), len(res.Kept), len(res.Demoted), len(res.Unproven))
	if n := len(res.Removed); n > 0 {
		would := "would be "
		if res.Status == "proved" {
			would = ""
		}
		env.Printf("%s %sremoved from %s\n", render.Count(n, "block", "blocks"), would, learnings)
	}
	switch {
	case res.Status == "nothing":
		env.Printf("nothing to change\n")
	case res.Commit != "":
		env.Printf("commit %.12s %s\n", res.Commit, res.Done.Commit.Subject)
	}
}
