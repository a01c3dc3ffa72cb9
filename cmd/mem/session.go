package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mem/guard"
	"mem/render"
	"mem/session"
)

// writeSession writes a session for people: where it comes from, one line of at
// most width characters for each event, and the signals, lines that say where the
// agent was stopped. The events are without secrets.
func writeSession(w io.Writer, s *session.Session, signals []string, width int) {
	printf := func(format string, args ...any) { fmt.Fprintf(w, format, args...) }
	for _, f := range []struct{ name, text string }{
		{"agent", strings.TrimSpace(s.Agent + " " + s.Version)},
		{"session", s.ID}, {"name", s.Name}, {"file", s.Path}, {"parent", s.Parent}, {"cwd", s.CWD}, {"model", s.Model},
		{"time", strings.Trim(writeTime(s.Started)+" to "+writeTime(s.Ended), " to")},
		{"events", countEvents(s)}, {"lost", describeLost(s)},
	} {
		if f.text != "" {
			printf("%-8s %s\n", f.name, guard.Line(f.text))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.Labels)) {
		printf("label    %s\n", guard.Line(id+": "+s.Labels[id]))
	}
	if len(s.Events) > 0 {
		printf("\n")
	}
	for _, e := range s.Events {
		printf("%s\n", fitLine(formatEvent(e, width), width))
	}
	if len(signals) > 0 {
		printf("\nsignals\n")
	}
	for _, signal := range signals {
		printf("%s\n", fitLine("  "+guard.Line(signal), width))
	}
}

// beside is how many events before and after one cutAround keeps.
const beside = 5

// cutAround keeps one event of a session and those around it, and reports whether it is there.
func cutAround(s *session.Session, id string) bool {
	at := slices.IndexFunc(s.Events, func(e session.Event) bool { return e.ID == id })
	if at < 0 {
		return false
	}
	s.Events = s.Events[max(0, at-beside):min(len(s.Events), at+beside+1)]
	return true
}

// writeEvent writes the whole text of an event of a session; nothing if it has none.
func writeEvent(w io.Writer, s *session.Session, id string) {
	for _, e := range s.Events {
		if text := guard.Scrub(cmp.Or(e.Reason, e.Text, e.Input)); e.ID == id && text != "" {
			fmt.Fprintf(w, "\n%s\n", strings.TrimRight(text, "\n"))
		}
	}
}

// fitLine shortens what is wider than the terminal.
func fitLine(line string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	return render.Shorten(line, width-1)
}

// countEvents says how many events of each kind there are.
func countEvents(s *session.Session) string {
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
	return fmt.Sprintf("%d: %d from a person, %s, %d abandoned", len(s.Events), said, render.Count(calls, "tool call", "tool calls"), left)
}

// describeLost says what of the file is not in the events.
func describeLost(s *session.Session) string {
	var parts []string
	if s.Skipped > 0 {
		parts = append(parts, render.Count(s.Skipped, "damaged line", "damaged lines"))
	}
	if s.Ignored > 0 {
		parts = append(parts, render.Count(s.Ignored, "unknown entry", "unknown entries"))
	}
	if s.Truncated {
		parts = append(parts, "what was beyond the limits of size")
	}
	return strings.Join(parts, ", ")
}

// formatEvent is one event: its span, whether it was abandoned, who and what, as far as a line
// may show it.
func formatEvent(e session.Event, width int) string {
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
	line := fmt.Sprintf("%8d+%-6d %s %-24s %s", e.Offset, e.Length, mark, guard.Line(who), guard.Line(render.Shorten(text, 8*width)))
	return strings.TrimRight(line, " ")
}

func writeTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
