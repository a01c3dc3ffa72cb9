package inspect

import (
	"path/filepath"
	"strings"

	"mem/guard"
	"mem/index/withheld"
	"mem/reflect/record"
	"mem/reflect/watermark"
	"mem/render"
	"mem/session"
	"mem/trace"
	"mem/workspace"
)

// Bounds of what is quoted.
const (
	maxQuoted = 5   // sessions that are read for one lesson
	maxWords  = 200 // characters of an event
)

// A library opens the sessions of this machine by their identity.
type library struct {
	w      *workspace.Workspace
	open   func(path string) (trace.Document, error)
	listed map[string][]trace.Listing // by agent
	opened map[string][]session.Event
}

// listEvents returns the events of a session of this project, "claude:ID", as they may be shown;
// none if it is gone.
func (l *library) listEvents(identity string) []session.Event {
	if events, ok := l.opened[identity]; ok || len(l.opened) >= maxQuoted {
		return events
	}
	l.opened[identity] = nil
	agent, id, _ := strings.Cut(identity, ":")
	if _, ok := l.listed[agent]; !ok {
		filter := l.w.SessionFilter()
		filter.Agents = []string{agent}
		l.listed[agent] = trace.ListSessions(trace.DefaultPlaces(l.w.Home(), l.w.Getenv), filter)
	}
	for _, file := range l.listed[agent] {
		if id == "" || !strings.Contains(filepath.Base(file.Path), id) {
			continue
		}
		if doc, err := l.open(file.Path); err == nil && doc.Session != nil && watermark.Identity(doc.Session) == identity {
			l.opened[identity] = record.MarkOutside(doc.Session)
		}
	}
	return l.opened[identity]
}

// addWords quotes the events that each sighting rests on. What came from outside is
// not repeated: an agent may read this.
func (s *Story) addWords(l *library, hidden *withheld.Words) {
	for i, src := range s.item.Sources {
		if src.Span == "" {
			continue
		}
		first, last, _ := strings.Cut(src.Span, "..")
		for _, e := range l.listEvents(src.Trace) {
			switch {
			case e.ID != first && e.ID != last:
			case e.Origin == session.External:
				s.Sightings[i].Network = true
			default:
				if said := quoteEvent(e, hidden); said != "" {
					s.Sightings[i].Words = append(s.Sightings[i].Words, said)
				}
			}
		}
	}
}

// quoteEvent returns who said what: of a refusal the person's words. It is empty if
// nothing may be shown.
func quoteEvent(e session.Event, hidden *withheld.Words) string {
	who, text := e.Origin, e.Text+" "+e.Input
	if e.Reason != "" {
		who, text = session.Human, e.Reason
	}
	said, _ := guard.DropOrders(hidden.Drop(guard.Scrub(text)))
	if said = guard.Line(said); said == "" {
		return ""
	}
	return string(who) + ": " + render.Shorten(said, maxWords)
}
