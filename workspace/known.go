package workspace

import (
	"os"
	"strings"

	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/reflect"
	"mem/render"
	"mem/repo"
	"mem/words"
)

// The most of what a model is told beside a session.
const (
	maxKnown  = 20
	maxHeld   = 5 // of the known, those that are held, and as many candidates
	maxGuides = 30
)

// LookAround returns what a model is told beside a session: the lessons that have most
// in common with what was said, run and failed in it, held ones among them, so that another session
// can confirm them; and what the project's own instructions say of the same. What reads as an
// order, and what cannot be read, is left out.
func (w *Workspace) LookAround(said string) (known []reflect.Known, guides []string) {
	if m, err := w.ViewRoot(); err == nil {
		known = append(w.findHeld(m, said), w.findCandidates(m, said)...)
		for _, pos := range recall.FindNearest(m.Index, said, w.Now, maxKnown-len(known)) {
			it := &m.Index.Items[pos]
			known = append(known, reflect.Known{ID: it.ID, Text: guard.Scrub(it.ShownText())})
		}
	}
	about := words.AlignWords(said)
	for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
		for line := range strings.Lines(readNotes(os.Stat, w.At.Project, name)) {
			line = guard.Line(strings.Trim(line, " \t\r\n#>*-"))
			shared := 0
			for word := range words.AlignWords(line) {
				if about[word] && !words.IsCommon(word) {
					shared++
				}
			}
			if shared > 1 && len(guides) < maxGuides {
				guides = append(guides, render.Shorten(line, 200))
			}
		}
	}
	return known, guides
}

// findHeld returns the held lessons that are nearest to a text, but none that git brought.
func (w *Workspace) findHeld(m *repo.Memory, said string) (known []reflect.Known) {
	var held index.Index
	for _, it := range m.Index.Items {
		if it.Status == index.Quarantined && len(guard.Lint(it.ShownText())) == 0 {
			it.Status = index.Active // to be ranked
			held.Items = append(held.Items, it)
		}
	}
	for _, pos := range recall.FindNearest(&held, said, w.Now, maxHeld) {
		known = append(known, reflect.Known{ID: held.Items[pos].ID, Text: guard.Scrub(held.Items[pos].ShownText()), Held: true})
	}
	return known
}

// findCandidates returns the candidates that are nearest to a text.
func (w *Workspace) findCandidates(m *repo.Memory, said string) (known []reflect.Known) {
	var near index.Index
	list, _ := reflect.ListCandidates(m) // without them less is known
	for _, c := range list {
		near.Items = append(near.Items, index.Item{Text: c.Text, Cue: &c.Cue, Remedy: &c.Remedy, Hits: 1, Score: 1, LastSeen: w.Now})
	}
	for _, pos := range recall.FindNearest(&near, said, w.Now, maxHeld) {
		if text := guard.Scrub(list[pos].Text); len(guard.Lint(text)) == 0 {
			known = append(known, reflect.Known{Text: text, Candidate: &list[pos].Lesson})
		}
	}
	return known
}
