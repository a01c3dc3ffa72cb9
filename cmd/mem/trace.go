package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mem/guard"
	"mem/reflect"
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
	res := traceJSON(doc.Session)
	if opts.JSON {
		return printJSON(env, res)
	}
	printTrace(w, res)
	return nil
}

// traceResult is the JSON of mem trace show. Its strings are safe to print.
type traceResult struct {
	Agent     string        `json:"agent"`
	Session   string        `json:"session"`
	Path      string        `json:"path"`
	CWD       string        `json:"cwd"`
	Model     string        `json:"model"`
	Parent    string        `json:"parent"`
	Version   string        `json:"agent_version"`
	Started   string        `json:"started"`
	Ended     string        `json:"ended"`
	Size      int64         `json:"size"`
	Skipped   int           `json:"skipped_lines"`
	Ignored   int           `json:"ignored_entries"`
	Truncated bool          `json:"truncated"`
	Events    []eventResult `json:"events"`
	Signals   []string      `json:"signals"`
}

type eventResult struct {
	ID        string `json:"id"`
	Parent    string `json:"parent"`
	Time      string `json:"time"`
	Kind      string `json:"kind"`
	Origin    string `json:"origin"`
	Tool      string `json:"tool"`
	CallID    string `json:"call_id"`
	Input     string `json:"input"`
	Text      string `json:"text"`
	Cause     string `json:"cause"` // of a result; "ok" if it went well
	Reason    string `json:"reason"`
	Edited    bool   `json:"edited"`
	Abandoned bool   `json:"abandoned"`
	Offset    int64  `json:"offset"`
	Length    int64  `json:"length"`
}

func traceJSON(s *session.Session) traceResult {
	res := traceResult{
		Agent: guard.Scrub(s.Agent), Session: guard.Scrub(s.ID), Path: guard.Scrub(s.Path), CWD: guard.Scrub(s.CWD), Model: guard.Scrub(s.Model),
		Parent: guard.Scrub(s.Parent), Version: guard.Scrub(s.Version), Started: moment(s.Started), Ended: moment(s.Ended),
		Size: s.Size, Skipped: s.Skipped, Ignored: s.Ignored, Truncated: s.Truncated,
		Events: []eventResult{}, Signals: []string{},
	}
	for _, e := range s.Events {
		cause := guard.Scrub(string(e.Cause))
		if e.Kind == session.ToolResult && e.Cause == session.OK {
			cause = "ok"
		}
		res.Events = append(res.Events, eventResult{
			ID: guard.Scrub(e.ID), Parent: guard.Scrub(e.Parent), Time: moment(e.Time), Kind: string(e.Kind), Origin: string(e.Origin),
			Tool: guard.Scrub(e.Tool), CallID: guard.Scrub(e.CallID), Input: guard.Scrub(e.Input), Text: guard.Scrub(e.Text), Cause: cause,
			Reason: guard.Scrub(e.Reason), Edited: e.Edited, Abandoned: e.Abandoned, Offset: e.Offset, Length: e.Length,
		})
	}
	for _, signal := range reflect.Signals(s.Events) {
		res.Signals = append(res.Signals, guard.Scrub(signal))
	}
	return res
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func printTrace(w *work, res traceResult) {
	env := w.env
	for _, f := range []struct{ name, text string }{
		{"agent", strings.TrimSpace(res.Agent + " " + res.Version)},
		{"session", res.Session}, {"file", w.ShowPath(res.Path)}, {"parent", res.Parent}, {"cwd", res.CWD}, {"model", res.Model},
		{"time", strings.Trim(res.Started+" to "+res.Ended, " to")},
		{"events", counted(res)}, {"lost", lost(res)},
	} {
		if f.text != "" {
			env.Printf("%-8s %s\n", f.name, oneLine(f.text))
		}
	}
	if len(res.Events) > 0 {
		env.Printf("\n")
	}
	width := env.Width()
	for _, e := range res.Events {
		env.Printf("%s\n", render.Shorten(eventLine(e), width-1))
	}
	if len(res.Signals) > 0 {
		env.Printf("\nsignals\n")
	}
	for _, s := range res.Signals {
		env.Printf("%s\n", render.Shorten("  "+oneLine(s), width-1))
	}
}

// counted says how many events of each kind there are.
func counted(res traceResult) string {
	var calls, said, left int
	for _, e := range res.Events {
		switch {
		case e.Kind == string(session.ToolCall):
			calls++
		case e.Kind == string(session.UserText) && e.Origin == string(session.Human):
			said++
		}
		if e.Abandoned {
			left++
		}
	}
	return fmt.Sprintf("%d: %d from a person, %d tool %s, %d abandoned", len(res.Events), said, calls, render.Plural(calls, "call", "calls"), left)
}

// lost says what of the file is not in the events.
func lost(res traceResult) string {
	var parts []string
	if res.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d damaged %s", res.Skipped, render.Plural(res.Skipped, "line", "lines")))
	}
	if res.Ignored > 0 {
		parts = append(parts, fmt.Sprintf("%d unknown %s", res.Ignored, render.Plural(res.Ignored, "entry", "entries")))
	}
	if res.Truncated {
		parts = append(parts, "what was beyond the limits of size")
	}
	return strings.Join(parts, ", ")
}

// eventLine is one event: its span, whether it was abandoned, who and what.
func eventLine(e eventResult) string {
	who, text := e.Kind+" "+e.Origin, e.Text
	switch session.Kind(e.Kind) {
	case session.ToolCall:
		who, text = "call "+e.Tool, e.Input
		if e.Origin != string(session.Agent) {
			who += " " + e.Origin
		}
	case session.ToolResult:
		who = "result " + e.Tool + " " + e.Cause
		if e.Origin != string(session.Tool) {
			who += " " + e.Origin
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
	return strings.TrimRight(fmt.Sprintf("%8d+%-6d %s %-24s %s", e.Offset, e.Length, mark, oneLine(who), oneLine(text)), " ")
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
