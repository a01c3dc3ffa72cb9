package inspect

import (
	"cmp"
	"strings"

	"mem/agent"
	"mem/guard"
	"mem/index"
	"mem/reflect"
	"mem/session"
	"mem/workspace"
)

// A redactor knows what the memories withhold. The zero value is nothing.
type redactor struct {
	words  []*index.Withheld
	events restingEvents
}

// restingEvents are the events that quarantined and retired lessons rest on, with their status: by session and
// id of the event. What says a superseded lesson is not among them: a better one says it too.
type restingEvents map[[2]string]index.Status

// addOf adds the events of the lessons of an index, as far as it keeps their sources.
func (e restingEvents) addOf(ix *index.Index) {
	for i := range ix.Items {
		it := &ix.Items[i]
		if it.Status != index.Quarantined && it.Status != index.Retired {
			continue
		}
		for _, src := range it.Sources {
			first, last, _ := strings.Cut(src.Span, "..")
			for _, id := range []string{first, last} {
				if id != "" && src.Trace != "" {
					e[[2]string{src.Trace, id}] = it.Status
				}
			}
		}
	}
}

// readWithheld returns a redactor for the memories.
func readWithheld(w *workspace.Workspace) (h redactor, err error) {
	sources, err := w.ReadMemories()
	h.events = restingEvents{}
	for _, s := range sources {
		if s.Memory != nil {
			h.words = append(h.words, s.Memory.Withheld())
			h.events.addOf(s.Memory.Index)
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

// drop returns a text without what an agent is not handed of it.
func (h redactor) drop(text string) string {
	for _, w := range h.words {
		text = w.Drop(text)
	}
	text, _ = guard.DropOrders(text)
	return text
}

// mark returns a text with the status behind each line that says a withheld lesson.
func (h redactor) mark(text string) string {
	for _, w := range h.words {
		text = w.Mark(text)
	}
	return text
}

// FitSession makes a session fit to be shown to the caller. An agent is not handed what came from outside, what
// reads as an order, and what the memory withholds; a person sees the state of that.
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
