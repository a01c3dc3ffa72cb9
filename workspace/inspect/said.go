package inspect

import (
	"cmp"
	"strings"
	"time"

	"mem/oracle/heuristic/input"
	"mem/oracle/heuristic/shell"
	"mem/reflect/record"
	"mem/render"
	"mem/session"
	"mem/words"
)

// A line is one thing that was said, or that failed. Its text is free of secrets and of
// what mem itself showed.
type line struct {
	Event   string    `json:"event"`
	At      time.Time `json:"at,omitzero"`
	Who     string    `json:"who"`
	Text    string    `json:"text"`
	Outside bool      `json:"outside,omitzero"` // it came over the network, or was pasted
	Command bool      `json:"command,omitzero"` // it is a command that failed
}

// Bounds of what is kept of a session, in bytes but for maxFailed. The latest lines win.
const (
	maxTalk   = 256 << 10
	maxSaid   = 4 << 10 // of what a person or the agent said at once
	maxFailed = 300     // characters of a command
)

// readLines returns what was said in a session and what failed in it, in order.
func readLines(s *session.Session) (lines []line) {
	calls := map[string]session.Event{}
	for _, e := range record.MarkOutside(s) {
		if e.Kind == session.ToolCall {
			calls[e.CallID] = e
			continue
		}
		call := calls[e.CallID]
		l := line{Event: render.Shorten(e.ID, maxID), At: e.Time, Outside: e.Origin == session.External || call.Origin == session.External}
		l.Who, l.Text = describeEvent(e, call)
		l.Command = l.Who == "failed" && input.ParseArguments(call.Input).Command != ""
		if l.Text = strings.TrimSpace(l.Text); l.Text != "" {
			lines = append(lines, l)
		}
	}
	size, from := 0, len(lines)
	for from > 0 && size+len(lines[from-1].Text) <= maxTalk {
		from--
		size += len(lines[from].Text)
	}
	return lines[from:]
}

// describeEvent returns who is behind an event and what it says; "" if it is neither
// something said nor a failure.
func describeEvent(e, call session.Event) (who, text string) {
	switch {
	case e.Reason != "":
		return "person", render.Shorten(strings.TrimSpace("no "+e.Tool)+": "+e.Reason, maxSaid)
	case e.Cause == session.Failed, e.Cause == session.TimedOut:
		return "failed", describeFailure(e, call)
	case e.Kind == session.AssistantText, e.Kind == session.UserText:
		return speakerOf(e), render.Shorten(e.Text, maxSaid)
	}
	return "", ""
}

// speakerOf says whose words an event is.
func speakerOf(e session.Event) string {
	switch {
	case e.Headless:
		return "program"
	case e.Kind == session.AssistantText, e.Origin == session.Subagent:
		return "agent"
	case e.Origin == session.External:
		return "pasted"
	}
	return "person"
}

// describeFailure returns a command, or a tool and its file, and the line that says why it failed.
func describeFailure(result, call session.Event) string {
	args := input.ParseArguments(call.Input)
	what := cmp.Or(args.Command, strings.TrimSpace(result.Tool+" "+args.File))
	why := "timed out"
	if faults := (shell.Project{}).FindFaults(result.Text, true); len(faults) > 0 {
		why = faults[0].Line
	} else if result.Cause == session.Failed {
		first, _, _ := strings.Cut(strings.TrimSpace(result.Text), "\n")
		why = render.Shorten(first, maxFailed)
	}
	return render.Shorten(words.FoldSpace(what), maxFailed) + ": " + why
}
