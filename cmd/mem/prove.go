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
	"mem/curate/evidence/search"
	"mem/guard"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

type proveOptions struct {
	Codebase  string
	Learnings string
	Include   []string
	DryRun    bool
	JSON      bool
}

// errLearnings is wrapped when the LEARNINGS.md that was named is no plain file.
var errLearnings = errors.New("not a file that mem changes")

func newProve(env Env, g *globals) *cobra.Command {
	var opts proveOptions
	c := &cobra.Command{
		Use:   "prove",
		Short: "Look for the lessons in the code they are about",
		Long: `Look in the code for what each lesson names, and note in how many files it is
found: 5 and more give high confidence, 3 and 4 medium. Fewer prove nothing, and
a lesson that was proven before is demoted. What a lesson says to avoid is no
evidence; the files where it still stands are counted apart. Every run counts
everything anew; one that changes nothing commits nothing.

Looked for are code in backticks, quotations and identifiers or, if there are
none, all other words together. YAML, Markdown, what git ignores, lock files
and node_modules do not count.

Agents may note lessons in LEARNINGS.md as they work, in blocks between lines
of ---. The proven ones become lessons of the memory and, once they are
committed, go from the file; the rest of it stays as it is. The proven lessons
are listed in core/expertise.yaml too.`,
		Example: `  mem prove --dry-run
  mem prove --include '*.yml'       # for lessons about configuration`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return runProve(c.Context(), env, g, opts) },
	}
	c.Flags().StringVar(&opts.Codebase, "codebase", "", "look at the code in `DIR` instead of the project's")
	c.Flags().StringVar(&opts.Learnings, "learnings", "", "read blocks from `FILE` instead of LEARNINGS.md at the top of the code")
	c.Flags().StringArrayVar(&opts.Include, "include", nil, "count YAML and Markdown files that match `GLOB` too; may be repeated")
	c.Flags().BoolVarP(&opts.DryRun, "dry-run", "n", false, "print what would change and change nothing")
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	return c
}

func runProve(ctx context.Context, env Env, g *globals, opts proveOptions) (err error) {
	for _, pattern := range opts.Include {
		if _, err := path.Match(pattern, ""); err != nil {
			return usagef("--include %q is no pattern such as '*.yml'", pattern)
		}
	}
	w, root, err := g.open(env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	at, err := w.codebase(opts)
	if err != nil {
		return err
	}
	if !opts.DryRun {
		if err := w.DrainQueue(ctx); err != nil {
			return err
		}
	}
	if err := w.learnings(&at, opts); err != nil {
		return err
	}
	if at.file != nil {
		defer func() { err = errors.Join(err, at.file.Close()) }()
	}
	done, files, err := w.prove(ctx, root, at, opts)
	if err != nil {
		return err
	}
	res := proofJSON(done, opts.DryRun)
	res.Codebase, res.Files = at.dir, files
	if opts.JSON {
		return printJSON(env, res)
	}
	w.printProof(res, done.Commit.Subject, filepath.Base(at.learnings))
	return nil
}

// prove looks for the lessons, and then carries out what that proves or, in
// a dry run, only works it out. It returns how many files were looked at.
func (w *work) prove(ctx context.Context, root *repo.Root, at proving, opts proveOptions) (d evidence.Done, files int, err error) {
	m, err := root.View(w.Now)
	if err != nil {
		return d, 0, err
	}
	code, err := at.code(ctx, opts)
	if err != nil {
		return d, 0, err
	}
	survey, err := search.InCode(ctx, code, evidence.LessonsToProve(m.Index, at.blocks))
	if err != nil {
		return d, 0, err
	}
	p := &evidence.Proof{Survey: survey, Blocks: at.blocks, File: func(text string) (string, []string) { return topic.File(text, false) }}
	if !opts.DryRun {
		d, err = p.CommitAndCut(ctx, root, w.Now, at.file)
		return d, survey.Files, err
	}
	_, err = m.Preview(func(m *repo.Memory) (msg repo.Message, err error) {
		d.Report, msg, err = p.Apply(m)
		d.Proven = msg.Subject != ""
		return msg, err
	})
	return d, survey.Files, err
}

// A proving is what one run works on.
type proving struct {
	dir       string // of the code, without links
	name      string // what its paths begin with in the memory
	memory    string // relative to dir; "" if it is elsewhere
	learnings string // path of the LEARNINGS.md

	file   *repo.SharedFile // nil if there is none
	blocks []evidence.Block
}

// codebase finds the code and what belongs to it.
func (w *work) codebase(opts proveOptions) (p proving, err error) {
	dir := w.At.Project
	_, _, own := w.FindOwn()
	if opts.Codebase != "" {
		dir = w.AbsPath(opts.Codebase)
	} else if own || dir == w.env.Home() { // whatever project it is named from
		return p, usagef("your own memory is about no code; name some with --codebase")
	}
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return p, usagef("there is no folder %s", w.ShowPath(dir))
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return p, fmt.Errorf("find the code: %w", err)
	}
	p = proving{dir: dir, memory: below(dir, w.At.Root), learnings: filepath.Join(dir, "LEARNINGS.md")}
	if opts.Learnings != "" {
		p.learnings = w.AbsPath(opts.Learnings)
	}
	// Paths in the memory begin at the project, so that other commands find
	// them; those of other code must not be taken for the project's.
	switch rel := below(w.At.Project, dir); rel {
	case ".":
	case "":
		p.name = filepath.Base(dir) + ":"
	default:
		p.name = rel + "/"
	}
	return p, nil
}

// below returns the path of something in a folder, with slashes; "" if it is
// not in it.
func below(folder, path string) string {
	for _, p := range []*string{&folder, &path} {
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
	}
	rel, err := filepath.Rel(folder, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// code lists the files.
func (p *proving) code(ctx context.Context, opts proveOptions) (search.Code, error) {
	files, err := repo.CodeFiles(ctx, p.dir)
	if err != nil {
		return search.Code{}, err
	}
	code := search.Code{Dir: p.dir, Files: files, Commit: repo.CodeCommit(ctx, p.dir), Name: p.name, Include: opts.Include}
	for _, skip := range []string{p.memory, below(p.dir, p.learnings)} {
		if skip != "" && skip != "." {
			code.Skip = append(code.Skip, skip)
		}
	}
	return code, nil
}

// learnings reads the blocks of the LEARNINGS.md. One that is not fit to be
// changed is as good as none, unless somebody named it.
func (w *work) learnings(p *proving, opts proveOptions) error {
	named, shown := opts.Learnings != "", w.ShowPath(p.learnings)
	file, err := repo.OpenShared(p.learnings, w.env.Files.Fault)
	var data []byte
	if err == nil {
		if data, err = file.Read(); err != nil {
			err = errors.Join(err, file.Close())
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && named:
		return usagef("there is no file %s", shown)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && named:
		return fmt.Errorf("%w: %w", errLearnings, err)
	case err != nil:
		w.env.Note("%s is left alone: %s", shown, errorText(err))
		return nil
	}
	p.file, p.blocks = file, evidence.ReadBlocks(data)
	if !evidence.HasMarks(data) && len(data) > 0 {
		w.env.Note("%s has no block to read; blocks stand between lines of ---", shown)
	}
	return nil
}

// proveResult is the JSON of mem prove.
type proveResult struct {
	Status   string `json:"status"` // "proved", "nothing", "planned"
	Codebase string `json:"codebase"`
	Files    int    `json:"files"` // looked at
	evidence.Report
	Commit string `json:"commit"`
}

func proofJSON(d evidence.Done, dryRun bool) *proveResult {
	res := &proveResult{Status: "nothing", Report: d.Report, Commit: d.Commit.ID}
	switch {
	case dryRun && (d.Proven || len(d.Removed) > 0):
		res.Status = "planned"
	case d.Proven || d.Cut > 0: // a commit else is of a person's edits
		res.Status = "proved"
	}
	return res
}

// foundIn says in which files something was found, for people.
func foundIn(v evidence.Verdict) string {
	text := render.Count(v.Files, "file", "files")
	if len(v.Paths) > 0 {
		text += " (" + strings.Join(v.Paths, ", ") + ")"
	}
	return guard.Line(text)
}

// mostKept is how many lessons that stay proven people are shown.
const mostKept = 10

// printProof tells a person what a proof did, or would do.
func (w *work) printProof(res *proveResult, subject, learnings string) {
	env := w.env
	text := func(v evidence.Verdict) string { return guard.Line(v.Text) }
	for _, v := range res.Promoted {
		env.Printf("+ %s\n    %s: found in %s\n", text(v), v.Confidence, foundIn(v))
	}
	for i, v := range res.Kept {
		if i == mostKept {
			env.Printf("= and %d more\n", len(res.Kept)-i)
			break
		}
		env.Printf("= %s\n    %s: found in %s\n", text(v), guard.Line(v.Confidence), foundIn(v))
	}
	for _, v := range res.Demoted {
		env.Printf("- %s\n    no longer proven: found in %s\n", text(v), foundIn(v))
	}
	for _, v := range res.Present {
		env.Printf("! %s\n    still present in %s\n", text(v), foundIn(v))
	}
	for _, v := range res.Left {
		env.Note("%s keeps %q: %s", learnings, render.Shorten(text(v), 59), v.Why)
	}
	looked := len(res.Promoted) + len(res.Kept) + len(res.Demoted) + len(res.Unproven)
	env.Printf("%d %s looked for in %d %s: %d promoted, %d kept, %d demoted, %d not proven\n", looked, render.Plural(looked, "lesson", "lessons"),
		res.Files, render.Plural(res.Files, "file", "files"), len(res.Promoted), len(res.Kept), len(res.Demoted), len(res.Unproven))
	if n := len(res.Removed); n > 0 {
		what := render.Plural(n, "block goes from", "blocks go from")
		if res.Status == "proved" {
			what = render.Plural(n, "block", "blocks") + " taken out of"
		}
		env.Printf("%d %s %s\n", n, what, learnings)
	}
	switch {
	case res.Status == "nothing":
		env.Printf("nothing to change\n")
	case res.Commit != "":
		env.Printf("commit %s %s\n", short(res.Commit), subject)
	}
}
