package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"mem/reflect/record"
	"mem/render/safejson"
	"mem/session"
	"mem/session/show"
	"mem/trace"
	"mem/workspace/inspect"
)

func newTrace(env Env, g *globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "trace",
		Short: "Look at what mem reads",
		Long:  "Look at the sessions that mem reads, as mem sees them.",
		Args:  noCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTraceShow(env, g))
	return c
}

func newTraceShow(env Env, g *globals) *cobra.Command {
	return g.addJSONFlag(&cobra.Command{
		Use:   "show [FILE|ID|-]",
		Short: "Print a session as mem sees it",
		Long: `Print what mem sees in a session: where it comes from, one line per event, and
where the agent was stopped. It changes nothing.

FILE is a session of Claude Code, pi, Codex, Gemini CLI or GitHub Copilot CLI, what
'opencode export' printed, or a trace as in docs/trace-format.md. Without it the newest session of this project
is shown, and with ID#EVENT, as 'mem search --sessions' prints it, one event of a
session and those around it. Each line starts with where the entry is in the file, as offset and
length in bytes; "~" marks what is on a branch that the session left. Secrets
and invisible characters are removed. An agent is not shown what came from outside,
nor what a quarantined or retired lesson rests on; a person sees the state of that.`,
		Example: `  mem trace show
  mem trace show --json ~/.codex/sessions/2026/03/01/rollout-1.jsonl`,
		Args: atMost(1),
		RunE: g.inWork(env, runTraceShow),
	})
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
