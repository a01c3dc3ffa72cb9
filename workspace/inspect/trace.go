package inspect

import (
	"fmt"
	"io"

	"mem/reflect/record"
	"mem/session"
	"mem/session/show"
	"mem/trace"
	"mem/workspace"
)

// A Trace is a session as mem reads it.
type Trace struct {
	session.Session
	Signals []string `json:"signals"` // where the agent was stopped

	event string // that it is cut around; "" for a whole session
}

// FitTrace returns the session of a file as the caller may see it: all of it, or one event with those around it.
func FitTrace(w *workspace.Workspace, doc trace.Document, file, event string) (t Trace, err error) {
	if doc.Session == nil {
		return t, fmt.Errorf("this is a finished reflection, not a session: %w", trace.ErrUnknownFormat)
	}
	FitSession(w, doc.Session)
	if event != "" && !show.CutAround(doc.Session, event) {
		return t, fmt.Errorf("%s has no event %s: %w", w.ShowPath(file), event, trace.ErrNoSession)
	}
	return Trace{*doc.Session, record.FindSignals(doc.Session.Events), event}, nil
}

// Write writes it for people, in lines of at most width characters.
func (t Trace) Write(out io.Writer, showPath func(string) string, width int) {
	t.Path = showPath(t.Path)
	show.WriteSession(out, &t.Session, t.Signals, width)
	show.WriteEvent(out, &t.Session, t.event)
}
