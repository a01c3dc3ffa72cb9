package workspace

import (
	"os"
	"path/filepath"
	"strings"

	"mem/guard"
	"mem/recall"
	"mem/reflect"
)

// The most of what a model is told beside a session.
const (
	maxKnown    = 20
	maxHeadings = 40
	maxGuide    = 256 << 10 // bytes of an instruction file that are read
)

// LookAround returns what a model is told beside a session: the lessons that have most
// in common with these words, and the headings of the project's own instructions. Only
// lessons that sessions are shown are among them. What cannot be read is left out.
func (w *Workspace) LookAround(said string) (known []reflect.Known, headings []string) {
	if m, err := w.ViewRoot(); err == nil {
		for _, pos := range recall.FindNearest(m.Index, said, w.Now, maxKnown) {
			it := &m.Index.Items[pos]
			known = append(known, reflect.Known{ID: it.ID, Text: guard.Scrub(it.ShownText())})
		}
	}
	for _, name := range []string{"CLAUDE.md", "AGENTS.md"} {
		data, err := os.ReadFile(filepath.Join(w.At.Project, name))
		if err != nil || len(data) > maxGuide {
			continue
		}
		for line := range strings.Lines(string(data)) {
			title := strings.TrimLeft(line, "#")
			if title = guard.Line(strings.TrimSpace(title)); len(line)-len(strings.TrimLeft(line, "#")) > 0 && title != "" && len(headings) < maxHeadings {
				headings = append(headings, title)
			}
		}
	}
	return known, headings
}
