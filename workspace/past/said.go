package past

import (
	"cmp"
	"hash/maphash"
	"slices"
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
}

// Bounds of what is kept of a session, in bytes but for maxFailed. The latest lines win.
const (
	maxTalk   = 256 << 10
	maxSaid   = 4 << 10 // of what a person or the agent said at once
	maxFailed = 300     // characters of a command
)

// readLines returns what was said in a session and what failed in it, in order.
func readLines(s *session.Session) (lines []line) {
	marked := *record.MarkFetched(s)
	marked.Events = slices.DeleteFunc(marked.Events, func(e session.Event) bool {
		return e.Kind == session.Thinking || e.Kind == session.ToolResult && e.Cause == session.OK && e.Origin == session.Tool
	})
	calls := map[string]session.Event{}
	for _, e := range listEvents(&marked) {
		if e.Kind == session.ToolCall {
			calls[e.CallID] = e
			continue
		}
		call := calls[e.CallID]
		l := line{Event: render.Shorten(e.ID, maxID), At: e.Time, Outside: e.Origin == session.External || call.Origin == session.External}
		l.Who, l.Text = describeEvent(e, call)
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

// listEvents returns the events of a session that may be shown. External are what came over the
// network, what was pasted, the prompts of programs, and what the agent, a command or an error
// repeats of any of them.
func listEvents(s *session.Session) []session.Event {
	events := record.Prepare(s.Events)
	outside := copies{seed: maphash.MakeSeed(), runs: map[uint64]bool{}}
	for i := range events {
		switch e := &events[i]; {
		case e.Origin == session.External || e.Headless:
			e.Origin = session.External
			outside.add(e.Text)
		case e.Origin != session.Human && outside.repeats(e.Text+" "+strings.ReplaceAll(e.Input, `\n`, " ")):
			e.Origin = session.External
		}
	}
	return events
}

// runLength is how many words that follow each other make a copy.
const runLength = 8

// copies know which words followed each other in texts.
type copies struct {
	seed maphash.Seed
	runs map[uint64]bool
}

func (c *copies) add(text string) {
	c.eachRun(text, func(run uint64) bool {
		c.runs[run] = true
		return true
	})
}

// repeats reports whether a text has as many words in a row from one of the texts.
func (c *copies) repeats(text string) (found bool) {
	if len(c.runs) > 0 {
		c.eachRun(text, func(run uint64) bool {
			found = c.runs[run]
			return !found
		})
	}
	return found
}

// eachRun calls f with a number for each runLength words of a text that follow each other, until
// f returns false. A text of fewer words has none.
func (c *copies) eachRun(text string, f func(run uint64) bool) {
	var list []string
	words.EachWord(text, func(word string, part bool) {
		if !part {
			list = append(list, strings.ToLower(word))
		}
	})
	for i := range max(0, len(list)-runLength+1) {
		if !f(maphash.String(c.seed, strings.Join(list[i:i+runLength], " "))) {
			return
		}
	}
}
