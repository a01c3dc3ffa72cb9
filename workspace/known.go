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

// The most that a model is told beside a session.
const (
	maxKnown  = 20
	maxHeld   = 5 // of the known, those that are held, and as many candidates
	maxGuides = 30
)

// LookAround returns the surroundings that a model is told of: the lessons that have most
// in common with what was said, run and failed in it, held ones among them, so that another session
// can confirm them; and what the project's own instructions say of the same. What reads as an
// order, and what cannot be read, is left out.
func (w *Workspace) LookAround(said string) (known []reflect.Known, guides []string) {
	if m, err := w.ViewRoot(); err == nil {
		known = w.findKnown(m, said)
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

// findKnown returns the lessons nearest to a text: of those that are held, but none that git brought, of the candidates,
// and of those that sessions are shown.
func (w *Workspace) findKnown(m *repo.Memory, said string) (known []reflect.Known) {
	nearest := func(items []index.Item, most int) []int {
		return recall.FindNearest(&index.Index{Items: items}, said, w.Now, most)
	}
	var held, near []index.Item
	for _, it := range m.Index.Items {
		if it.Status == index.Quarantined && len(guard.Lint(it.ShownText())) == 0 {
			it.Status = index.Active // to be ranked
			held = append(held, it)
		}
	}
	for _, pos := range nearest(held, maxHeld) {
		known = append(known, reflect.Known{ID: held[pos].ID, Text: guard.Scrub(held[pos].ShownText()), Held: true})
	}
	list, _ := reflect.ListCandidates(m) // without them less is known
	for _, c := range list {
		near = append(near, index.Item{Text: c.Text, Cue: &c.Cue, Remedy: &c.Remedy, Hits: 1, Score: 1, LastSeen: w.Now})
	}
	for _, pos := range nearest(near, maxHeld) {
		if text := guard.Scrub(list[pos].Text); len(guard.Lint(text)) == 0 {
			known = append(known, reflect.Known{Text: text, Candidate: &list[pos].Lesson})
		}
	}
	for _, pos := range nearest(m.Index.Items, maxKnown-len(known)) {
		known = append(known, reflect.Known{ID: m.Index.Items[pos].ID, Text: guard.Scrub(m.Index.Items[pos].ShownText())})
	}
	return known
}
