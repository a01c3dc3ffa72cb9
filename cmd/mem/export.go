package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/curate/export"
	"mem/guard"
	"mem/render/safejson"
	"mem/repo"
	"mem/workspace/lookup"
	"mem/workspace/views"
)

type exportOptions struct {
	To  string
	All bool
}

// jsonl is the form that is not a view of rules and pinned lessons, but of all that sessions are shown.
const jsonl = "jsonl"

func newExport(env Env, g *globals) *cobra.Command {
	var opts exportOptions
	c := &cobra.Command{
		Use:   "export agents-md|claude-rules|skill|jsonl",
		Short: "Write rules and pinned lessons for other tools",
		Long: `Print your rules (the files in rules and context) and the pinned lessons in a form that
other tools read. With --to, write it where they read it. It is a
view: edits in it are lost, so change the memory and export again. mem never changes
what it did not write, and it removes what it wrote once there is no rule or pin left.

  agents-md     a block between two marks; --to AGENTS.md or CLAUDE.md puts it
                into the file, whose other lines stay as they are
  claude-rules  a file for each kind of rule, mem-coding.md and so on;
                --to .claude/rules
  skill         a skill called learned, with the lessons that are proven as well;
                --to .claude/skills or .agents/skills
  jsonl         for a search engine: a JSON object a line, the rules and then all
                lessons that sessions are shown; with --all the others too, which
                "status" tells apart`,
		Example: `  mem export agents-md
  mem export agents-md --to AGENTS.md --dry-run
  mem export claude-rules --to .claude/rules
  mem export jsonl > lessons.jsonl`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) != 1 || args[0] != jsonl && !slices.Contains(export.Forms[:], export.Form(args[0])):
				return usagef("%s takes one of %s, %s", c.CommandPath(), joinValues(export.Forms[:]), jsonl)
			case args[0] == jsonl && opts.To != "":
				return usagef("%s jsonl prints; send it to a file with > FILE", c.CommandPath())
			case args[0] != jsonl && opts.All:
				return usagef("--all is for %s", jsonl)
			}
			return nil
		},
		ValidArgs: append(strings.Split(joinValues(export.Forms[:]), ", "), jsonl),
		RunE:      g.inMemory(env, opts.runExport),
	}
	c.Flags().StringVar(&opts.To, "to", "", "write it to `PATH`, a file for agents-md and else a folder, instead of printing it")
	c.Flags().BoolVar(&opts.All, "all", false, "with jsonl: lessons that sessions are not shown, too")
	return g.addChangeFlags(c, "with --to: print what would change and change nothing")
}

// exportResult is the JSON of mem export.
type exportResult struct {
	Form    export.Form  `json:"form"`
	Files   []views.File `json:"files"`
	LeftOut []string     `json:"leftOut"`
}

func (o *exportOptions) runExport(_ context.Context, w *work, m *repo.Memory, args []string) error {
	if args[0] == jsonl {
		return w.exportRecords(m, o.All)
	}
	form := export.Form(args[0])
	view, err := views.MakeView(w.Workspace, m, form)
	if err != nil {
		return err
	}
	for _, s := range view.LeftOut {
		w.env.Note("left out: %s", guard.Line(s))
	}
	if len(view.Files) == 0 {
		w.env.Note("nothing to export: there are no rules, and no lesson is pinned")
		w.env.Hint("'mem pin' pins a lesson; a rule is what you write into a file in rules, or agree to in a review")
	}
	res := exportResult{Form: form, LeftOut: view.LeftOut}
	if o.To == "" {
		for _, f := range view.Files {
			res.Files = append(res.Files, views.File{Path: f.Path, Status: "printed", Text: f.Text})
		}
	} else {
		edits, err := views.PlanEdits(w.Workspace, form, view, w.AbsPath(o.To))
		if err != nil {
			return err
		}
		if res.Files, err = views.WriteEdits(w.env.Files, edits, w.DryRun); err != nil {
			return err
		}
	}
	return w.printResult(res, func() { w.printExport(res.Files) }, "text")
}

// exportRecords prints one JSON object a line.
func (w *work) exportRecords(m *repo.Memory, all bool) error {
	list, unread := lookup.ListRecords(m, all)
	for _, file := range unread {
		w.env.Note("skipped: %s cannot be read", guard.Line(file))
	}
	for _, r := range list {
		if err := printAs(w.env, r, safejson.Options{Prose: []string{"text"}, OneLine: true}); err != nil {
			return err
		}
	}
	return nil
}

// printExport prints the files or, with --to, what became of them.
func (w *work) printExport(files []views.File) {
	for i, f := range files {
		switch f.Status {
		case "printed":
			if len(files) > 1 {
				w.env.Printf("%s==> %s <==\n", strings.Repeat("\n", min(i, 1)), f.Path)
			}
			w.env.Printf("%s\n", strings.TrimSuffix(f.Text, "\n"))
		case "unchanged":
			w.env.Printf("%s is as it was\n", w.ShowPath(f.Path))
		case "written", "removed":
			w.env.Printf("%-7s %s\n", f.Status, w.ShowPath(f.Path))
		case "planned":
			w.env.Printf("%s", guard.Scrub(string(f.Diff)))
		}
	}
}
