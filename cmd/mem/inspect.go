package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/agent/install"
	"mem/cmd/mem/console"
	"mem/fault"
	"mem/index"
	"mem/reflect/record"
	"mem/render"
	"mem/repo"
	"mem/session"
	"mem/session/show"
	"mem/stats"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/inspect"
	"mem/workspace/oracles"
)

func newStatus(env Env, g *globals) *cobra.Command {
	session := ""
	c := g.addJSONFlag(newCommand("status", atMost(0), g.inWork(env, func(_ context.Context, w *work, _ []string) error {
		s, err := w.readOverview()
		if err != nil {
			return err
		}
		s.SessionOff = s.Untrusted == "" && w.HooksOff().CoversSession(session)
		return w.printResult(s, func() { printStatus(w, s) })
	})))
	c.Flags().StringVar(&session, "session", "", "say too whether hooks are switched off for the session with this `ID`")
	return c
}

func (w *work) readOverview() (inspect.Overview, error) {
	return inspect.ReadOverview(w.Workspace, w.oracleSetup(), w.claudeOptions(usualIngest))
}

func printStatus(w *work, s inspect.Overview) {
	env := w.env
	env.Printf("memory   %s\n", w.ShowPath(s.Root))
	more := ""
	if n := len(s.Folders); n > 0 {
		more = ", with " + render.Count(n, "more folder", "more folders") + ", which 'mem doctor' names"
	}
	env.Printf("project  %s%s\n", w.HomePath(s.Project), more)
	var l inspect.Lines
	if s.Untrusted != "" {
		l.AddIf(true, "waits", "%s", s.Untrusted)
		l.AddIf(s.Queued > 0, "queued", "%s till then", render.Count(s.Queued, "entry waits", "entries wait"))
		l.Write(env.Out)
		return
	}
	more = ""
	for _, status := range []index.Status{index.Quarantined, index.Superseded, index.Retired, index.Compiled} {
		if n := s.Others[string(status)]; n > 0 {
			more += fmt.Sprintf("; %d %s", n, status)
		}
	}
	l.AddIf(true, "lessons", "%d: %s, %s%s", s.Lessons, render.Count(s.Learnings, "learning", "learnings"), render.Count(s.WatchOuts, "watch-out", "watch-outs"), more)
	l.AddIf(!s.UpdatedAt.IsZero(), "changed", "%s", inspect.FormatMinute(s.UpdatedAt))
	l.AddIf(true, "commit", "%s", cmp.Or(s.LastSubject, "none yet"))
	addAsked(&l, s.Models)
	l.AddIf(s.Spent != oracles.Spent{}, "spent", "%s", s.Spent)
	l.AddIf(!s.Enabled, "off", "hooks do nothing (enabled = false)")
	l.AddIf(s.Off, "off", "%s", switchedOff)
	l.AddIf(s.SessionOff && !s.Off, "off", "hooks are switched off for this session; 'mem toggle --session' switches them on")
	l.AddIf(s.ReadOnly, "newer", "a newer version of mem wrote this memory; this one only reads it")
	l.AddQueue(s.Queued, s.Sessions)
	l.AddIf(!s.Worked.IsZero(), "worked", "the worker last finished a session at %s", inspect.FormatMinute(s.Worked))
	l.AddIf(s.Blocked != "", "blocked", "%s", s.Blocked)
	l.AddIf(s.Unsynced.Reason != "", "unsynced", "%s (%s); 'mem sync' says more", s.Unsynced.Reason, inspect.FormatMinute(s.Unsynced.At))
	l.AddIf(!s.Sent.IsZero(), "sync", "last sent to %s on %s", s.Remote, inspect.FormatMinute(s.Sent))
	l.AddIf(s.Sent.IsZero() && s.Remote != "", "sync", "nothing was ever sent to %s", s.Remote)
	l.AddIf(s.Beside != "", "beside", "%s", s.Beside)
	edited := slices.DeleteFunc(slices.Clone(s.Edited), func(path string) bool { return slices.Contains(s.Held, path) })
	l.AddIf(len(edited) > 0, "edited", "by hand; the next command that writes commits it: %s", strings.Join(edited, ", "))
	l.AddIf(len(s.Held) > 0, "held", "by hand, with what looks like a secret, so that no command commits it: %s", strings.Join(s.Held, ", "))
	silos := uningested(s.Uningested, s.Projects)
	if s.Uningested >= manyUningested {
		silos += "; 'mem ingest claude' looks at them"
	}
	l.AddIf(s.Uningested > 0, "silos", "%s", silos)
	for _, d := range s.Due {
		l.AddIf(true, "due", "%s", d)
	}
	l.AddIf(s.Stale != "", "stale", "%s is not what the configuration asks for; the next command that writes renders it", s.Stale)
	l.AddRules(s)
	l.AddIf(s.Packed.Describe() != "", "packed", "%s", s.Packed.Describe())
	for _, h := range s.Hooks {
		l.AddIf(true, "hooks", "%s", h.Describe())
	}
	l.AddIf(s.LastAuto != "", "hook", "%s (%s)", s.LastAuto, inspect.FormatMinute(s.LastAutoAt))
	l.Write(env.Out)
}

// manyUningested is from how many memories on the line says what to do.
const manyUningested = 10

// uningested says how much there is to import.
func uningested(memories, silos int) string {
	return fmt.Sprintf("%s across %s", render.Count(memories, "un-ingested memory", "un-ingested memories"), render.Count(silos, "silo", "silos"))
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
	if fix && inspect.CanFix(list) {
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

// fix repairs what can be, once the person agrees, and examines the memory again.
func (w *work) fix(ctx context.Context, p *inspect.Patient, res *doctorResult) ([]inspect.Finding, error) {
	if !w.DryRun && !w.Yes {
		if err := w.env.Confirm(ctx, "Repair what --fix stands before?", "not repaired"); err != nil {
			return nil, err
		}
	}
	changed, err := p.Fix(ctx, w.DryRun)
	if res.Fixed = &changed; err == nil && !w.JSON {
		w.env.Printf("\n")
		err = w.printChange(res, changed, func() {
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
	var since string
	c := newCommand("stats", atMost(0), g.inRoot(env, func(ctx context.Context, w *work, _ []string) error {
		from, err := trace.ParseSince(since, w.Now)
		if err != nil {
			return err
		}
		show, clear := env.Progress("reading")
		r, err := inspect.ReadReport(ctx, w.Workspace, from, w.openOneOfMany, show)
		clear()
		if err != nil {
			return err
		}
		return w.printResult(r, func() { stats.WriteReport(env.Out, r) }, "text")
	}))
	c.Flags().StringVar(&since, "since", "", "count from `TIME` on: a date or an age such as 30d")
	return g.addJSONFlag(c)
}

func newReport(env Env, g *globals) *cobra.Command {
	var to string
	var all bool
	c := newCommand("report", atMost(0), g.inRoot(env, func(ctx context.Context, w *work, _ []string) error {
		if to == "" && console.IsTerminal(w.env.Out) {
			return usagef("a page is not for a terminal; name a file: mem report -o report.html")
		}
		if _, err := install.CheckFile(w.AbsPath(to)); to != "" && err != nil {
			return fault.New(fault.Config, "write page: "+err.Error(), "name another file with -o")
		}
		show, clear := w.env.Progress("reading")
		data, err := inspect.RenderPage(ctx, w.Workspace, all, w.openOneOfMany, show)
		clear()
		if err != nil {
			return err
		}
		if to == "" {
			w.env.Printf("%s", data)
			return nil
		}
		if err := w.env.Files.WriteFile(w.AbsPath(to), data, 0o600); err != nil {
			return fmt.Errorf("write page: %w", err)
		}
		w.env.Printf("written %s\n", w.ShowPath(w.AbsPath(to)))
		return nil
	}))
	c.Flags().StringVarP(&to, "output", "o", "", "write the page to `FILE` instead of printing it")
	c.Flags().BoolVar(&all, "all", false, "show lessons that sessions are not shown, too, with their state")
	return c
}

func newLog(env Env, g *globals) *cobra.Command {
	limit := 20
	c := newCommand("log", func(c *cobra.Command, args []string) error {
		if limit < 0 {
			return usagef("--limit is a number of commits, 0 for all")
		}
		return atMostOne(c, args)
	}, g.inRoot(env, func(_ context.Context, w *work, args []string) error {
		list, err := inspect.ListHistory(w.Workspace, strings.TrimSpace(firstOf(args)), limit)
		if err != nil {
			return err
		}
		return w.printText(list, func(out io.Writer) { inspect.WriteAll(out, list) })
	}))
	c.Flags().IntVar(&limit, "limit", limit, "show `N` commits, 0 for all")
	return g.addJSONFlag(c)
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
		return printAs(w.env, res, render.JSON{Clean: []string{"text", "input", "reason"}})
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
