package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mem/guard"
	"mem/reflect/record"
	"mem/render"
	"mem/session"
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

type traceShowOptions struct {
	File string // "" for piped input, else the newest session; "-" for standard input
	JSON bool
}

func newTraceShow(env Env, g *globals) *cobra.Command {
	var opts traceShowOptions
	c := &cobra.Command{
		Use:   "show [FILE|-]",
		Short: "Print a session as mem sees it",
		Long: `Print what mem sees in a session: where it comes from, one line per event, and
where the agent was stopped. It changes nothing.

FILE is a session of Claude Code, pi or Codex, or a trace in the format that
docs/trace-format.md describes. Without it the newest session of this project
is shown. Each line starts with where the entry is in the file, as offset and
length in bytes; "~" marks what is on a branch that the session left. Secrets
and invisible characters are taken out.`,
		Example: `  mem trace show
  mem trace show --json ~/.codex/sessions/2026/03/01/rollout-1.jsonl`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.File = args[0]
			}
			return runTraceShow(c.Context(), env, g, opts)
		},
	}
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	return c
}

func runTraceShow(ctx context.Context, env Env, g *globals, opts traceShowOptions) error {
	w, err := g.newWork(env, nil)
	if err != nil {
		return err
	}
	doc, err := w.input(ctx, opts.File)
	if err != nil {
		return err
	}
	if doc.Session == nil {
		return fmt.Errorf("this is a finished reflection, not a session: %w", trace.ErrUnknownFormat)
	}
	if opts.JSON {
		return printJSON(env, traceJSON(doc.Session), "text", "input", "reason")
	}
	printTrace(w, doc.Session)
	return nil
}

// traceResult is the JSON of mem trace show.
type traceResult struct {
	Agent     string          `json:"agent"`
	Session   string          `json:"session"`
	Path      string          `json:"path"`
	CWD       string          `json:"cwd"`
	Model     string          `json:"model"`
	Parent    string          `json:"parent"`
	Version   string          `json:"agentVersion"`
	Started   time.Time       `json:"started,omitzero"`
	Ended     time.Time       `json:"ended,omitzero"`
	Size      int64           `json:"size"`
	Skipped   int             `json:"skippedLines"`
	Ignored   int             `json:"ignoredEntries"`
	Truncated bool            `json:"truncated"`
	Events    []session.Event `json:"events"`
	Signals   []string        `json:"signals"`
}

func traceJSON(s *session.Session) traceResult {
	return traceResult{
		Agent: s.Agent, Session: s.ID, Path: s.Path, CWD: s.CWD, Model: s.Model, Parent: s.Parent, Version: s.Version,
		Started: s.Started, Ended: s.Ended, Size: s.Size, Skipped: s.Skipped, Ignored: s.Ignored, Truncated: s.Truncated,
		Events: s.Events, Signals: record.FindSignals(s.Events),
	}
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func printTrace(w *work, s *session.Session) {
	env := w.env
	for _, f := range []struct{ name, text string }{
		{"agent", strings.TrimSpace(s.Agent + " " + s.Version)},
		{"session", s.ID}, {"file", w.ShowPath(s.Path)}, {"parent", s.Parent}, {"cwd", s.CWD}, {"model", s.Model},
		{"time", strings.Trim(moment(s.Started)+" to "+moment(s.Ended), " to")},
		{"events", counted(s)}, {"lost", lost(s)},
	} {
		if f.text != "" {
			env.Printf("%-8s %s\n", f.name, guard.Line(f.text))
		}
	}
	if len(s.Events) > 0 {
		env.Printf("\n")
	}
	width := env.Width()
	for _, e := range s.Events {
		env.Printf("%s\n", render.Shorten(eventLine(e), width-1))
	}
	signals := record.FindSignals(s.Events)
	if len(signals) > 0 {
		env.Printf("\nsignals\n")
	}
	for _, signal := range signals {
		env.Printf("%s\n", render.Shorten("  "+guard.Line(signal), width-1))
	}
}

// counted says how many events of each kind there are.
func counted(s *session.Session) string {
	var calls, said, left int
	for _, e := range s.Events {
		switch {
		case e.Kind == session.ToolCall:
			calls++
		case e.Kind == session.UserText && e.Origin == session.Human:
			said++
		}
		if e.Abandoned {
			left++
		}
	}
	return fmt.Sprintf("%d: %d from a person, %d tool %s, %d abandoned", len(s.Events), said, calls, render.Plural(calls, "call", "calls"), left)
}

// lost says what of the file is not in the events.
func lost(s *session.Session) string {
	var parts []string
	if s.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d damaged %s", s.Skipped, render.Plural(s.Skipped, "line", "lines")))
	}
	if s.Ignored > 0 {
		parts = append(parts, fmt.Sprintf("%d unknown %s", s.Ignored, render.Plural(s.Ignored, "entry", "entries")))
	}
	if s.Truncated {
		parts = append(parts, "what was beyond the limits of size")
	}
	return strings.Join(parts, ", ")
}

// eventLine is one event: its span, whether it was abandoned, who and what.
func eventLine(e session.Event) string {
	who, text := string(e.Kind)+" "+string(e.Origin), e.Text
	switch e.Kind {
	case session.ToolCall:
		who, text = "call "+e.Tool, e.Input
		if e.Origin != session.Agent {
			who += " " + string(e.Origin)
		}
	case session.ToolResult:
		who = "result " + e.Tool + " " + cmp.Or(string(e.Cause), "ok")
		if e.Origin != session.Tool {
			who += " " + string(e.Origin)
		}
		if e.Reason != "" {
			text = "the user said: " + e.Reason
		}
	}
	if e.Edited {
		who += " edited"
	}
	mark := " "
	if e.Abandoned {
		mark = "~"
	}
	line := fmt.Sprintf("%8d+%-6d %s %-24s %s", e.Offset, e.Length, mark, guard.Line(who), guard.Line(text))
	return strings.TrimRight(line, " ")
}

// plainWidth is the width of lines that do not go to a terminal.
const plainWidth = 120

// Width is how many characters a line of the result may have.
func (e Env) Width() int {
	f, ok := e.Out.(*os.File)
	if !ok {
		return plainWidth
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 40 {
		return plainWidth
	}
	return width
}
