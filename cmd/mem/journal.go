package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/reflect/record"
	"mem/render"
	"mem/render/safejson"
	"mem/repo"
	"mem/session"
	"mem/session/show"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/inspect"
)

func newMonth(env Env, g *globals) *cobra.Command {
	c := newCommand("month", atMost(1), g.inRoot(env, runMonth))
	g.addOracleFlag(c)
	return g.addChangeFlags(c, "print the summary and write nothing")
}

// monthResult is the JSON of mem month.
type monthResult struct {
	workspace.Changed        // "written", "unchanged", "planned", or "nothing" without a journal
	Month             string `json:"month"`
	Entries           int    `json:"entries"`
	By                string `json:"by"`
	Text              string `json:"text"`
	File              string `json:"file"`
}

func runMonth(ctx context.Context, w *work, args []string) (err error) {
	month := w.Now
	if name := firstOf(args); name != "" {
		if month, err = time.Parse("2006-01", name); err != nil {
			return usagef("%q is not a month such as 2026-02", name)
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
		res.Entries, res.By, res.Text, res.File = rollup.Entries, rollup.By, rollup.Text, render.MonthlyPath(rollup.Month)
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

func newDaily(env Env, g *globals) *cobra.Command {
	return g.addJSONFlag(newCommand("daily", atMost(1), g.inMemory(env, runDaily)))
}

func runDaily(_ context.Context, w *work, m *repo.Memory, args []string) error {
	day := firstOf(args)
	if day == "" {
		days, err := m.ListDays("")
		if err != nil {
			return err
		}
		day = firstOf(days[max(0, len(days)-1):])
	}
	var res inspect.Day
	if day != "" {
		date, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return usagef("%q is not a day such as 2026-02-03", day)
		}
		if res, err = inspect.ReadDay(m, date); err != nil {
			return err
		}
	}
	switch {
	case w.JSON:
	case day == "":
		w.env.Note("no journal yet")
	case res.IsEmpty():
		w.env.Note("no journal for %s", day)
	}
	return w.printText(res, res.Write)
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
	if doc.Session == nil {
		return fmt.Errorf("this is a finished reflection, not a session: %w", trace.ErrUnknownFormat)
	}
	inspect.FitSession(w.Workspace, doc.Session)
	if event != "" && !show.CutAround(doc.Session, event) {
		return fmt.Errorf("%s has no event %s: %w", w.ShowPath(file), event, trace.ErrNoSession)
	}
	res := traceResult{*doc.Session, record.FindSignals(doc.Session.Events)}
	if w.JSON {
		return printAs(w.env, res, safejson.Options{Clean: []string{"text", "input", "reason"}})
	}
	res.Path = w.ShowPath(res.Path)
	show.WriteSession(w.env.Out, &res.Session, res.Signals, w.env.LineWidth())
	show.WriteEvent(w.env.Out, &res.Session, event)
	return nil
}

// traceResult is the JSON of mem trace show.
type traceResult struct {
	session.Session
	Signals []string `json:"signals"`
}
