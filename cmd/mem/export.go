package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mem/agent/install"
	"mem/curate/export"
	"mem/guard"
	"mem/render/safejson"
	"mem/repo"
	"mem/workspace/inspect"
)

// The forms: what was agreed, and all that sessions are shown.
const (
	agentsMD = "agents-md"
	jsonl    = "jsonl"
)

var errExportPlace = errors.New("the view cannot go there")

func newExport(env Env, g *globals) *cobra.Command {
	var to string
	var all bool
	c := &cobra.Command{
		Use:   "export agents-md|jsonl",
		Short: "Write rules and pinned lessons for other tools",
		Long: `Print your rules (the files in rules and context) and the pinned lessons in a form that
other tools read. With --to, write it where they read it. It is a
view: edits in it are lost, so change the memory and export again. mem never changes
what it did not write, and it removes what it wrote once there is no rule or pin left.

  agents-md     a block between two marks; --to AGENTS.md or CLAUDE.md puts it
                into the file, whose other lines stay as they are
  jsonl         for a search engine: a JSON object a line, the rules and then all
                lessons that sessions are shown; with --all the others too, which
                "status" tells apart`,
		Example: `  mem export agents-md
  mem export agents-md --to AGENTS.md --dry-run
  mem export jsonl > lessons.jsonl`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) != 1 || args[0] != jsonl && args[0] != agentsMD:
				return usagef("%s takes one of %s, %s", c.CommandPath(), agentsMD, jsonl)
			case args[0] == jsonl && to != "":
				return usagef("%s jsonl prints; send it to a file with > FILE", c.CommandPath())
			case args[0] != jsonl && all:
				return usagef("--all is for %s", jsonl)
			}
			return nil
		},
		ValidArgs: []string{agentsMD, jsonl},
		RunE: g.inMemory(env, func(_ context.Context, w *work, m *repo.Memory, args []string) error {
			if args[0] == jsonl {
				return w.exportRecords(m, all)
			}
			return w.exportBlock(m, to)
		}),
	}
	c.Flags().StringVar(&to, "to", "", "write it to `FILE` instead of printing it")
	c.Flags().BoolVar(&all, "all", false, "with jsonl: lessons that sessions are not shown, too")
	return g.addChangeFlags(c, "with --to: print what would change and change nothing")
}

// exportResult is the JSON of mem export.
type exportResult struct {
	Form    string         `json:"form"`
	Files   []exportedFile `json:"files"`
	LeftOut []string       `json:"leftOut"`
}

// An exportedFile is a file with the block, and what became of it.
type exportedFile struct {
	Path   string `json:"path"`   // "" for a block that was not written
	Status string `json:"status"` // "printed", "written", "removed", "unchanged", "planned"
	Text   string `json:"text"`   // "" for one that is removed
}

func (w *work) exportBlock(m *repo.Memory, to string) error {
	block, leftOut := export.MakeView(m, w.StablePath(w.At.Root))
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
		for _, f := range res.Files {
			w.env.Printf("%s\n", f.Text)
		}
	}, "text")
}

// exportTo puts the block into a file, or takes it out if nothing is agreed, and says so.
func (w *work) exportTo(to, text string, res exportResult) error {
	isBelow := func(folder string) bool {
		rel, err := filepath.Rel(folder, to)
		return err == nil && filepath.IsLocal(rel)
	}
	if isBelow(w.At.Root) {
		return fmt.Errorf("%w: %s is in the memory, which only holds what mem puts there", errExportPlace, w.ShowPath(to))
	}
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		return fmt.Errorf("%w: %s is a folder, and %s goes into a file", errExportPlace, w.ShowPath(to), agentsMD)
	}
	b := install.Block{Begin: export.Begin, End: export.End}
	e := install.Edit{Path: to, Mode: 0o644, Change: func(before []byte) ([]byte, error) {
		if text == "" {
			return b.Remove(before)
		}
		return b.Put(before, text)
	}}
	if isBelow(w.At.Project) {
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
func (w *work) exportRecords(m *repo.Memory, all bool) error {
	list, unread := inspect.ListRecords(m, all)
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
