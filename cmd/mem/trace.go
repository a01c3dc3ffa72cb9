package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mem/reflect/record"
	"mem/session"
	"mem/session/show"
	"mem/trace"
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
		Use:   "show [FILE|-]",
		Short: "Print a session as mem sees it",
		Long: `Print what mem sees in a session: where it comes from, one line per event, and
where the agent was stopped. It changes nothing.

FILE is a session of Claude Code, pi or Codex, or a trace in the format that
docs/trace-format.md describes. Without it the newest session of this project
is shown. Each line starts with where the entry is in the file, as offset and
length in bytes; "~" marks what is on a branch that the session left. Secrets
and invisible characters are removed.`,
		Example: `  mem trace show
  mem trace show --json ~/.codex/sessions/2026/03/01/rollout-1.jsonl`,
		Args: atMost(1),
		RunE: g.inWork(env, runTraceShow),
	})
}

func runTraceShow(ctx context.Context, w *work, args []string) error {
	doc, err := w.readInput(ctx, firstOf(args))
	if err != nil {
		return err
	}
	if doc.Session == nil {
		return fmt.Errorf("this is a finished reflection, not a session: %w", trace.ErrUnknownFormat)
	}
	res := traceResult{*doc.Session, record.FindSignals(doc.Session.Events)}
	return w.printResult(res, func() {
		res.Path = w.ShowPath(res.Path)
		show.WriteSession(w.env.Out, &res.Session, res.Signals, w.env.lineWidth())
	}, "text", "input", "reason")
}

// traceResult is the JSON of mem trace show.
type traceResult struct {
	session.Session
	Signals []string `json:"signals"`
}

// plainWidth is the width of lines when the output is not a terminal.
const plainWidth = 120

// lineWidth returns how many characters a line of the result may have.
func (e Env) lineWidth() int {
	f := terminalOf(e.Out)
	if f == nil {
		return plainWidth
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 40 {
		return plainWidth
	}
	return width
}
