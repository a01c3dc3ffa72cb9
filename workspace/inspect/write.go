package inspect

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"mem/agent"
	"mem/guard"
	"mem/index"
	"mem/reflect/record"
	"mem/render"
	"mem/session"
	"mem/trace"
	"mem/workspace"
)

// Write writes what was found in a session for people.
func (h Hit) Write(out io.Writer) {
	fmt.Fprintln(out, guard.Line(h.At.UTC().Format(time.DateOnly)+" "+h.Agent+" "+h.Session))
	for _, l := range [][2]string{{"   ", h.Before}, {" > ", line{Who: h.Who, Outside: h.Outside}.label() + ": " + h.Text}, {"   ", h.After}, {"   ", h.More}} {
		if l[1] != "" {
			fmt.Fprintf(out, "%s%s\n", l[0], l[1])
		}
	}
}

// CountSessions returns how many of the latest sessions talk of a text; 0 if that is not known, as it was not
// asked for.
func CountSessions(ctx context.Context, w *workspace.Workspace, s SessionSearch) int {
	f, talks, err := s.prepare(ctx, w, maxNamed)
	if err != nil {
		return 0
	}
	return f.countAbout(talks)
}

// NameSessions tells the person in a line how many sessions talk of a text that no lesson fits,
// and which command finds them.
func NameSessions(ctx context.Context, w *workspace.Workspace, s SessionSearch) {
	if n := CountSessions(ctx, w, s); n > 0 {
		w.Note("no lesson fits; of it %s: mem search --sessions %s", render.Count(n, "past session talks", "past sessions talk"), quoteWord(guard.Line(s.Text)))
	}
}

// SplitRef returns the file and the event that an argument of 'mem trace show' names: FILE, ID,
// FILE#EVENT or ID#EVENT. What names no session is returned as it is.
func SplitRef(w *workspace.Workspace, ref string) (file, event string) {
	isFile := func(path string) bool {
		info, err := os.Stat(w.AbsPath(path))
		return err == nil && info.Mode().IsRegular()
	}
	if ref == "" || ref == "-" || isFile(ref) {
		return ref, ""
	}
	for i, r := range ref {
		if r == '#' && isFile(ref[:i]) {
			return ref[:i], ref[i+1:]
		}
	}
	id, event, _ := strings.Cut(ref, "#")
	if trace.IsExported(id) {
		return "opencode:" + strings.TrimPrefix(id, "opencode:"), event
	}
	for _, agent := range trace.Agents {
		if path, err := trace.FindByID(trace.DefaultPlaces(w.Home(), w.Getenv), agent, id); err == nil && id != "" {
			return path, event
		}
	}
	return ref, ""
}

// FitSession makes a session fit to be shown to the caller. An agent is not handed what came from outside, what
// reads as an order, and what the memory withholds; a person sees the state of that.
func FitSession(w *workspace.Workspace, s *session.Session) {
	forAgent, _ := agent.FindCaller(w.Getenv)
	hidden, _ := readWithheld(w, nil) // of a memory that cannot be read nothing is shown
	names := nameSession(s)
	if forAgent {
		s.Events = record.MarkOutside(s)
	} else {
		record.RedactEvents(s.Events)
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

// quoteWord writes an argument as it is typed.
func quoteWord(s string) string {
	if isPlain.Matches(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
