package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/fault"
	"mem/render"
	"mem/repo"
	"mem/stats"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/inspect"
)

func newStatus(env Env, g *globals) *cobra.Command {
	session, line := "", false
	c := g.addJSONFlag(newCommand("status", atMost(0), func(c *cobra.Command, _ []string) error {
		if line {
			printStatusLine(env, g)
			return nil
		}
		return withWork(env, g, func(w *work) error {
			s, err := w.readOverview()
			s.SessionOff = err == nil && s.Untrusted == "" && w.HooksOff().CoversSession(session)
			return w.printText(s, err, func(out io.Writer) { s.Write(out, w.Workspace) })
		})
	}))
	c.Flags().StringVar(&session, "session", "", "say too whether hooks are switched off for the session with this `ID`")
	c.Flags().BoolVar(&line, "line", false, "print one short line, for a status line; nothing where there is no memory")
	exclude(c, "line", "json", "session")
	return c
}

// printStatusLine prints the state in one line, but no errors: its caller, such as a prompt, shows all output all the time.
func printStatusLine(env Env, g *globals) {
	env.Err = io.Discard
	_ = withRoot(env, g, func(w *work) error {
		text, err := inspect.SumUp(w.Workspace, w.root)
		if err == nil {
			env.Printf("mem %s\n", text)
		}
		return err
	})
}

func (w *work) readOverview() (inspect.Overview, error) {
	return inspect.ReadOverview(w.Workspace, w.oracleSetup(), w.claudeOptions(usualIngest))
}

func newDoctor(env Env, g *globals) *cobra.Command {
	var fix, deep bool
	c := newCommand("doctor", atMost(0), g.inWork(env, func(ctx context.Context, w *work, _ []string) error { return w.runDoctor(ctx, fix, deep) }))
	c.Flags().BoolVar(&fix, "fix", false, "repair what is derived")
	c.Flags().BoolVar(&deep, "deep", false, "read every object, and look for secrets in what sessions read")
	g.addYesFlag(c, "repair without asking")
	return g.addChangeFlags(c, "with --fix: print what would change and change nothing")
}

// doctorResult is the JSON of mem doctor.
type doctorResult struct {
	Root     string             `json:"root"`
	Findings []inspect.Finding  `json:"findings"`
	Fixed    *workspace.Changed `json:"fixed,omitzero"`
}

func (w *work) runDoctor(ctx context.Context, fix, deep bool) error {
	p := inspect.Patient{Workspace: w.Workspace, Overview: w.readOverview, Deep: deep}
	list, err := p.Examine(ctx)
	if err != nil {
		return err
	}
	res := doctorResult{Root: w.At.Root, Findings: list}
	if !w.JSON {
		inspect.WriteAll(w.env.Out, list)
		if !inspect.IsIll(list) {
			w.env.Printf("%s%s is well (%s)\n", strings.Repeat("\n", min(len(list), 1)), w.ShowPath(w.At.Root), render.Count(len(list), "note", "notes"))
		}
	}
	if fix && slices.ContainsFunc(list, func(f inspect.Finding) bool { return f.Fix != "" }) {
		if list, err = w.fix(ctx, &p, &res); err != nil {
			return err
		}
	} else if fix && !w.JSON {
		w.env.Printf("\nthere is nothing that --fix repairs\n")
	}
	if w.JSON {
		err = printJSON(w.env, res)
	}
	if err == nil && inspect.IsIll(list) {
		err = fault.New(fault.Ill, "the memory is not as it should be", "")
	}
	return err
}

// fix repairs what it can, once the person agrees, and examines the memory again.
func (w *work) fix(ctx context.Context, p *inspect.Patient, res *doctorResult) ([]inspect.Finding, error) {
	if !w.DryRun && !w.Yes {
		if err := w.env.Confirm(ctx, "Repair what --fix stands before?", "not repaired"); err != nil {
			return nil, err
		}
	}
	changed, err := p.Fix(ctx, w.DryRun)
	if res.Fixed = &changed; err == nil && !w.JSON {
		w.env.Printf("\n")
		err = w.printChange(res, changed, nil, func() {
			if changed.Commit != "" { // not only git's lists were removed
				w.env.Printf("commit %s\n", changed.CommitLine())
			}
		})
	}
	if err != nil || w.DryRun {
		return res.Findings, err
	}
	return p.Examine(ctx)
}

func newStats(env Env, g *globals) *cobra.Command {
	var since, runs string
	c := newCommand("stats", atMost(0), g.inWork(env, func(ctx context.Context, w *work, _ []string) error {
		if runs != "" {
			return w.compareRuns(runs)
		}
		from, err := trace.ParseSince(since, w.Now)
		if err != nil {
			return err
		}
		r, err := inspect.ReadReport(ctx, w.Workspace, from)
		return w.printText(r, err, r.Write, "text")
	}))
	c.Flags().StringVar(&since, "since", "", "count from `TIME` on: a date or an age such as 30d")
	c.Flags().StringVar(&runs, "runs", "", "compare the runs of tasks in `FILE`, which 'make ab' wrote; - is standard input")
	exclude(c, "runs", "since")
	return g.addJSONFlag(c)
}

// compareRuns prints what agents made of tasks with and without a memory. It needs none itself.
func (w *work) compareRuns(file string) error {
	in := w.env.In
	if file != "-" {
		f, err := os.Open(w.AbsPath(file))
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	t, err := stats.CompareRuns(in)
	return w.printText(t, err, t.Write)
}

func newLog(env Env, g *globals) *cobra.Command {
	limit := uint(20)
	c := newCommand("log", atMostOne, g.inRoot(env, func(_ context.Context, w *work, args []string) error {
		list, err := inspect.ListHistory(w.Workspace, strings.TrimSpace(firstOf(args)), int(limit))
		return w.printText(list, err, func(out io.Writer) { inspect.WriteAll(out, list) })
	}))
	c.Flags().UintVar(&limit, "limit", limit, "show `N` commits, 0 for all")
	return g.addJSONFlag(c)
}

func newDaily(env Env, g *globals) *cobra.Command {
	return g.addJSONFlag(newCommand("daily", atMost(1), g.inMemory(env, runDaily)))
}

// runDaily shows a day or, without one, the latest that has a journal.
func runDaily(_ context.Context, w *work, m *repo.Memory, args []string) error {
	day := firstOf(args)
	if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
		return fault.Usagef("%q is not a day such as 2026-02-03", day)
	}
	days, err := m.ListDates("daily", "")
	switch {
	case err != nil:
		return err
	case len(days) == 0:
		return errors.New("no journal yet") // exit code 1, as a list has that finds nothing
	case day == "":
		day = days[len(days)-1]
	case !slices.Contains(days, day):
		return errors.New("no journal for " + day)
	}
	return w.show([]string{day}, false)
}

func newTrace(env Env, g *globals) *cobra.Command {
	c := newCommand("trace", noCommand, func(c *cobra.Command, _ []string) error { return c.Help() })
	c.AddCommand(g.addJSONFlag(newCommand("trace show", atMost(1), g.inWork(env, runTraceShow))))
	return c
}

func runTraceShow(ctx context.Context, w *work, args []string) error {
	file, event := inspect.SplitRef(w.Workspace, firstOf(args))
	doc, err := w.readInput(ctx, file)
	if err != nil {
		return err
	}
	res, err := inspect.FitTrace(w.Workspace, doc, file, event)
	if err != nil {
		return err
	}
	if w.JSON {
		return printAs(w.env, res, render.JSON{Clean: []string{"text", "input", "reason"}})
	}
	res.Write(w.env.Out, w.ShowPath, w.env.LineWidth())
	return nil
}
