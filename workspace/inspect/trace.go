package inspect

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"mem/agent"
	"mem/guard"
	"mem/index"
	"mem/reflect"
	"mem/render"
	"mem/session"
	"mem/trace"
	"mem/workspace"
)

// A tracedSession is a session as mem reads it.
type tracedSession struct {
	session.Session
	Signals []string `json:"signals"` // where the agent was stopped

	event string // that it is cut around; "" for a whole session
}

// around is how many events before and after one are shown with it.
const around = 5

// FitTrace returns the session of a file as the caller may see it: all of it, or one event with those around it.
func FitTrace(w *workspace.Workspace, doc trace.Document, file, event string) (t tracedSession, err error) {
	s := doc.Session
	if s == nil {
		return t, fmt.Errorf("this is a finished reflection, not a session: %w", trace.ErrUnknownFormat)
	}
	FitSession(w, s)
	if event != "" {
		at := slices.IndexFunc(s.Events, func(e session.Event) bool { return e.ID == event })
		if at < 0 {
			return t, fmt.Errorf("%s has no event %s: %w", w.ShowPath(file), event, trace.ErrNoSession)
		}
		s.Events = s.Events[max(0, at-around):min(len(s.Events), at+around+1)]
	}
	return tracedSession{*s, reflect.FindSignals(s.Events), event}, nil
}

// Write writes it for people: where it comes from, a line of at most width characters for each event, which are without
// secrets, the signals, and the whole text of the event that it is about.
func (t tracedSession) Write(out io.Writer, showPath func(string) string, width int) {
	printf := func(format string, args ...any) { fmt.Fprintf(out, format, args...) }
	for _, f := range []struct{ name, text string }{
		{"agent", strings.TrimSpace(t.Agent + " " + t.Version)},
		{"session", t.ID}, {"name", t.Name}, {"file", showPath(t.Path)}, {"parent", t.Parent}, {"cwd", t.CWD}, {"model", t.Model},
		{"time", strings.Trim(writeTime(t.Started)+" to "+writeTime(t.Ended), " to")},
		{"events", countEvents(&t.Session)}, {"lost", describeLost(&t.Session)},
	} {
		if f.text != "" {
			printf("%-8s %s\n", f.name, guard.Line(f.text))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(t.Labels)) {
		printf("label    %s\n", guard.Line(id+": "+t.Labels[id]))
	}
	if len(t.Events) > 0 {
		printf("\n")
	}
	for _, e := range t.Events {
		printf("%s\n", render.CutText(formatEvent(e, width), width))
	}
	if len(t.Signals) > 0 {
		printf("\nsignals\n")
	}
	for _, signal := range t.Signals {
		printf("%s\n", render.CutText("  "+guard.Line(signal), width))
	}
	for _, e := range t.Events {
		if text := guard.Scrub(cmp.Or(e.Reason, e.Text, e.Input)); e.ID == t.event && text != "" {
			printf("\n%s\n", strings.TrimRight(text, "\n"))
		}
	}
}

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
	if e.Headless {
		who = string(e.Kind) + " program"
	}
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

// A redactor knows what the memories withhold. The zero value is nothing.
type redactor struct {
	words []*index.Withheld

	// The events that quarantined and retired lessons rest on, with their status: by session and id of the
	// event. What says a superseded lesson is not among them: a better one says it too.
	events map[[2]string]index.Status
}

// addEvents adds the events of the lessons of an index, as far as it keeps their sources.
func (h redactor) addEvents(ix *index.Index) {
	for it := range ix.All() {
		if it.Status != index.Quarantined && it.Status != index.Retired {
			continue
		}
		for _, src := range it.Sources {
			first, last, _ := strings.Cut(src.Span, "..")
			for _, id := range []string{first, last} {
				if id != "" && src.Trace != "" {
					h.events[[2]string{src.Trace, id}] = it.Status
				}
			}
		}
	}
}

func readWithheld(w *workspace.Workspace) (h redactor, err error) {
	sources, err := w.ReadMemories()
	h.events = map[[2]string]index.Status{}
	for _, s := range sources {
		if s.Memory != nil {
			h.words = append(h.words, s.Memory.Withheld())
			h.addEvents(s.Memory.Index)
		}
	}
	return h, err
}

// nameSession returns the names of a session in sightings, and of the one whose events it goes on from.
func nameSession(s *session.Session) []string {
	return []string{reflect.Identity(s), s.Agent + ":" + reflect.PlainID(s.Parent)}
}

// findStates returns the status of each of n events of a session that a withheld lesson rests
// on, or that repeat one, by their places; at returns the id and the text of one.
func (h redactor) findStates(names []string, n int, at func(i int) (id, text string)) map[int]index.Status {
	states, copies := map[int]index.Status{}, map[index.Status]reflect.Copies{}
	for i := range n {
		id, text := at(i)
		var status index.Status
		for _, name := range names {
			status = cmp.Or(status, h.events[[2]string{name, id}])
		}
		if status == index.Active {
			continue
		}
		if states[i] = status; copies[status] == nil {
			copies[status] = reflect.Copies{}
		}
		copies[status].Add(text)
	}
	for status, said := range copies {
		for i := range n {
			if _, text := at(i); states[i] == index.Active && said.Repeats(text) {
				states[i] = status
			}
		}
	}
	return states
}

// drop returns a text without the parts that an agent must not see.
func (h redactor) drop(text string) string {
	for _, w := range h.words {
		text = w.Drop(text)
	}
	text, _ = guard.DropOrders(text)
	return text
}

// FitSession prepares a session to be shown to the caller. It removes, for an agent, content from outside,
// texts that read as an order, and words that the memory withholds; a person sees the status of the latter.
func FitSession(w *workspace.Workspace, s *session.Session) {
	forAgent, _ := agent.FindCaller(w.Getenv)
	hidden, _ := readWithheld(w) // of a memory that cannot be read nothing is shown
	names := nameSession(s)
	if forAgent {
		s.Events = reflect.MarkOutside(s)
	} else {
		reflect.RedactEvents(s.Events)
	}
	states := hidden.findStates(names, len(s.Events), func(i int) (id, text string) {
		return s.Events[i].ID, s.Events[i].Text + " " + s.Events[i].Reason
	})
	for i := range s.Events {
		e, status := &s.Events[i], states[i]
		for _, text := range []*string{&e.Text, &e.Input, &e.Reason} {
			switch {
			case *text == "":
			case forAgent && e.Origin == session.External:
				*text = "[from outside: not shown to an agent]"
			case forAgent && status != index.Active:
				*text = "[" + string(status) + ": not shown to an agent]"
			case status != index.Active:
				*text = "(" + string(status) + ") " + *text
			}
		}
		if forAgent {
			e.Text = hidden.drop(e.Text)
		}
	}
}
