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

	"github.com/spf13/cobra"

	"mem/agent/install"
	"mem/curate/export"
	"mem/guard"
)

// errForeign is wrapped when a file that mem did not write is in the way.
var errForeign = errors.New("mem did not write it")

type exportOptions struct {
	Form   export.Form
	To     string
	DryRun bool
	JSON   bool
}

func newExport(env Env, g *globals) *cobra.Command {
	var opts exportOptions
	c := &cobra.Command{
		Use:   "export agents-md|claude-rules|skill",
		Short: "Show what was agreed to tools that do not ask mem",
		Long: `Print what was agreed, the files in rules and context and the lessons that are
pinned, in a form that other tools read; or with --to put it where they do. It is
a view: what you change in it is lost, change the memory and export again. What mem
did not write is not changed, and when nothing is agreed any more, what it wrote
goes away.

  agents-md     a block between two marks; --to AGENTS.md or CLAUDE.md puts it
                into the file, whose other lines stay as they are
  claude-rules  a file for each kind of rule, mem-coding.md and so on;
                --to .claude/rules
  skill         a skill called learned, with the lessons that are proven as well;
                --to .claude/skills or .agents/skills`,
		Example: `  mem export agents-md
  mem export agents-md --to AGENTS.md --dry-run
  mem export claude-rules --to .claude/rules`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(export.Forms[:], export.Form(args[0])) {
				return usagef("%s takes one of %s", c.CommandPath(), joinValues(export.Forms[:]))
			}
			return nil
		},
		ValidArgs: strings.Split(joinValues(export.Forms[:]), ", "),
		RunE: func(c *cobra.Command, args []string) error {
			opts.Form = export.Form(args[0])
			return runExport(c.Context(), env, g, opts)
		},
	}
	c.Flags().StringVar(&opts.To, "to", "", "write it to `PATH`, a file for agents-md and else a folder, instead of printing it")
	c.Flags().BoolVarP(&opts.DryRun, "dry-run", "n", false, "with --to: print what would change and change nothing")
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	return c
}

// exportResult is the JSON of mem export.
type exportResult struct {
	Form    export.Form    `json:"form"`
	Files   []exportedFile `json:"files"`
	LeftOut []string       `json:"leftOut"`
}

type exportedFile struct {
	Path   string `json:"path"`   // "" for a block that was not written
	Status string `json:"status"` // "printed", "written", "removed", "unchanged", "planned"
	Text   string `json:"text"`   // "" for one that is removed
}

func runExport(_ context.Context, env Env, g *globals, opts exportOptions) error {
	w, err := g.newWork(env, nil)
	if err != nil {
		return err
	}
	view, err := w.exported(opts.Form)
	if err != nil {
		return err
	}
	for _, s := range view.LeftOut {
		env.Note("left out: %s", guard.Line(s))
	}
	if len(view.Files) == 0 {
		env.Note("nothing was agreed yet: there are no rules, and no lesson is pinned")
		env.Hint("'mem pin' pins a lesson; a rule is what you write into a file in rules, or agree to in a review")
	}
	res := exportResult{Form: opts.Form, LeftOut: view.LeftOut}
	if opts.To == "" {
		for _, f := range view.Files {
			res.Files = append(res.Files, exportedFile{Path: f.Path, Status: "printed", Text: f.Text})
		}
		if opts.JSON {
			return printJSON(env, res, "text")
		}
		printView(env, view)
		return nil
	}
	edits, err := w.exportEdits(opts, view)
	if err != nil {
		return err
	}
	if res.Files, err = w.carryOut(opts, edits); err != nil {
		return err
	}
	if opts.JSON {
		return printJSON(env, res, "text")
	}
	for _, f := range res.Files {
		switch f.Status {
		case "unchanged":
			env.Printf("%s is as it was\n", w.ShowPath(f.Path))
		case "written", "removed":
			env.Printf("%-7s %s\n", f.Status, w.ShowPath(f.Path))
		}
	}
	return nil
}

// exported makes the view of the memory.
func (w *work) exported(form export.Form) (v export.View, err error) {
	root, err := w.OpenRoot()
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	m, err := root.View(w.Now)
	if err != nil {
		return v, err
	}
	// The same for everybody who works on the project, wherever it lies.
	from := filepath.Base(w.At.Root)
	if rel, err := filepath.Rel(w.At.Project, w.At.Root); err == nil && filepath.IsLocal(rel) {
		from = filepath.ToSlash(rel)
	} else if w.env.Home() != "" && strings.HasPrefix(w.HomePath(w.At.Root), "~/") {
		from = w.HomePath(w.At.Root)
	}
	if v, err = export.MakeView(m, form, from); err != nil {
		return v, fmt.Errorf("export: %w", err)
	}
	return v, nil
}

// printView prints a view, of several files each under its name.
func printView(env Env, v export.View) {
	for i, f := range v.Files {
		if len(v.Files) > 1 {
			if i > 0 {
				env.Printf("\n")
			}
			env.Printf("==> %s <==\n", f.Path)
		}
		env.Printf("%s\n", strings.TrimSuffix(f.Text, "\n"))
	}
}

// exportEdits says which files have to change so that they show the view, and
// which stay. A file in the way that is not mem's is refused.
func (w *work) exportEdits(opts exportOptions, v export.View) ([]install.Edit, error) {
	to := w.AbsPath(opts.To)
	if rel, err := filepath.Rel(w.At.Root, to); err == nil && filepath.IsLocal(rel) {
		return nil, usagef("%s is in the memory, which only holds what mem puts there", w.ShowPath(to))
	}
	switch info, err := os.Stat(to); {
	case err != nil: // there is nothing in the way
	case opts.Form == export.AgentsMD && info.IsDir():
		return nil, usagef("%s is a folder; --to names a file for agents-md", w.ShowPath(to))
	case opts.Form != export.AgentsMD && !info.IsDir():
		return nil, usagef("%s is a file; --to names a folder for %s", w.ShowPath(to), opts.Form)
	}
	var edits []install.Edit
	if opts.Form == export.AgentsMD {
		edits = []install.Edit{blockEdit(to, v)}
	} else {
		for _, f := range v.Files {
			edits = append(edits, viewEdit(opts.Form, filepath.Join(to, filepath.FromSlash(f.Path)), []byte(f.Text)))
		}
		for _, path := range oldViews(opts.Form, to) {
			if !slices.ContainsFunc(edits, func(e install.Edit) bool { return e.Path == path }) {
				edits = append(edits, viewEdit(opts.Form, path, nil))
			}
		}
	}
	for i := range edits {
		e := &edits[i]
		if rel, err := filepath.Rel(w.At.Project, e.Path); err == nil && filepath.IsLocal(rel) {
			e.Project = w.At.Project
		}
		if err := e.Plan(); err != nil {
			return nil, err
		}
	}
	return edits, nil
}

// blockEdit puts the block of a view into a file, or takes it out.
func blockEdit(path string, v export.View) install.Edit {
	b := install.Block{Begin: export.Begin, End: export.End}
	return install.Edit{Path: path, Mode: 0o644, Change: func(before []byte) ([]byte, error) {
		if len(v.Files) == 0 {
			return b.Remove(before)
		}
		return b.Put(before, v.Files[0].Text)
	}}
}

// viewEdit makes a file that is all mem's, or, if text is nil, removes it.
func viewEdit(form export.Form, path string, text []byte) install.Edit {
	return install.Edit{Path: path, Mode: 0o644, Change: func(before []byte) ([]byte, error) {
		if before != nil && !export.IsOurs(before, form) {
			return nil, errForeign
		}
		return text, nil
	}}
}

// oldViews lists the files of an earlier view in a folder.
func oldViews(form export.Form, dir string) (paths []string) {
	names := []string{filepath.Join("learned", "SKILL.md")}
	if form == export.ClaudeRules {
		names = nil
		entries, _ := os.ReadDir(dir) // one that cannot be read has none
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), export.Prefix) && strings.HasSuffix(e.Name(), ".md") {
				names = append(names, e.Name())
			}
		}
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeType != 0 {
			continue
		}
		if data, err := install.ReadFile(path); err == nil && export.IsOurs(data, form) {
			paths = append(paths, path)
		}
	}
	return paths
}

// carryOut changes the files, or shows what would change.
func (w *work) carryOut(opts exportOptions, edits []install.Edit) ([]exportedFile, error) {
	list := []exportedFile{}
	var changes []install.Edit
	for _, e := range edits {
		if !opts.DryRun {
			w.env.Files.SweepFile(e.Path)
		}
		f := exportedFile{Path: e.Path, Status: "written", Text: string(e.After)}
		switch {
		case !e.IsChange():
			if f.Status = "unchanged"; e.After == nil {
				continue // nothing is there, and nothing belongs there
			}
		case opts.DryRun:
			f.Status = "planned"
			changes = append(changes, e)
		default:
			if e.After == nil {
				f.Status = "removed"
			}
			if err := e.Write(w.env.Files); err != nil {
				return nil, err
			}
		}
		list = append(list, f)
	}
	if opts.DryRun && !opts.JSON {
		w.env.Printf("%s", diffEdits(changes))
	}
	return list, nil
}
