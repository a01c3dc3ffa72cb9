package inspect

import (
	"cmp"

	"mem/guard"
	"mem/index"
	"mem/index/withheld"
	"mem/recall/notes"
	"mem/reflect/record"
	"mem/reflect/watermark"
	"mem/session"
	"mem/workspace"
)

// A redactor knows what the memories withhold. The zero value is nothing.
type redactor struct {
	words  []*withheld.Words
	events withheld.Events
}

// readWithheld returns what the memories withhold. Without any it reads them.
func readWithheld(w *workspace.Workspace, sources []notes.Source) (h redactor, err error) {
	if sources == nil {
		sources, err = w.ReadMemories()
	}
	h.events = withheld.Events{}
	for _, s := range sources {
		if s.Memory != nil {
			h.words = append(h.words, withheld.WordsOf(s.Memory.Index))
			h.events.AddOf(s.Memory.Index)
		}
	}
	return h, err
}

// nameSession returns what sightings call a session, and the one whose events it goes on from.
func nameSession(s *session.Session) []string {
	return []string{watermark.Identity(s), s.Agent + ":" + watermark.PlainID(s.Parent)}
}

// findStates returns the status of each of n events of a session that a withheld lesson rests
// on, or that repeat one, by their places; at returns the id and the text of one.
func (h redactor) findStates(names []string, n int, at func(i int) (id, text string)) map[int]index.Status {
	var states map[int]index.Status
	copies := map[index.Status]*record.Copies{}
	for i := range n {
		id, text := at(i)
		var status index.Status
		for _, name := range names {
			status = cmp.Or(status, h.events[[2]string{name, id}])
		}
		if status == index.Active {
			continue
		}
		if states == nil {
			states = map[int]index.Status{}
		}
		if copies[status] == nil {
			copies[status] = record.NewCopies()
		}
		states[i] = status
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
