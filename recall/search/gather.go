package search

import (
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/recall/notes"
)

// gather returns everything that passes the filter.
func gather(sources []notes.Source, f Filter) (l Listing) {
	for i := len(sources) - 1; i >= 0; i-- {
		if s := &sources[i]; s.Memory != nil && f.wants(Lesson) {
			l.addLessons(s, &f)
		}
	}
	for i := len(sources) - 1; i >= 0; i-- {
		g := gatherer{Listing: &l, source: &sources[i], filter: &f}
		g.addRules()
		g.addLearnings()
		g.addMemos()
		g.addDated(Month, "monthly", "2006-01")
		g.addDated(Day, "daily", time.DateOnly)
	}
	return l
}

// addLessons adds the records of a memory: active ones by rank, then the others,
// the latest first.
func (l *Listing) addLessons(s *notes.Source, f *Filter) {
	ix, now := s.Memory.Index, s.Memory.Now()
	var others []int
	for pos := range ix.Items {
		if ix.Items[pos].Status != index.Active {
			others = append(others, pos)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return ix.Items[b].LastSeen.Compare(ix.Items[a].LastSeen) })
	for n, pos := range append(ix.Rank(now), others...) {
		if it := &ix.Items[pos]; f.passes(it) {
			l.Found = append(l.Found, Found{Type: Lesson, Memory: s.Label(), Item: it, Score: it.EffectiveScore(now), rank: n})
		}
	}
}

// A gatherer adds the files of one memory to a listing.
type gatherer struct {
	*Listing
	source *notes.Source
	filter *Filter
}

// noteError notes a file or folder that could not be read.
func (g gatherer) noteError(err error) {
	if err != nil {
		g.Skipped = append(g.Skipped, err.Error())
	}
}

func (g gatherer) addText(t Type, id, path, text string, isRaw bool) {
	g.Found = append(g.Found, Found{ID: id, Type: t, Memory: g.source.Label(), Path: path, text: text, isRaw: isRaw})
}

func (g gatherer) addRules() {
	if g.source.Memory == nil || !g.filter.wants(Rule) || !g.filter.Since.IsZero() {
		return
	}
	notes.EachFile(g.source.Memory, notes.RuleFolders, g.noteError, func(path string, data []byte) {
		g.addText(Rule, path, path, string(data), true)
	})
}

// addLearnings adds the files of learnings that did not become a rule. One that says a
// lesson which is not shown is added only if such lessons are asked for.
func (g gatherer) addLearnings() {
	if g.source.Memory == nil || !g.filter.wants(Learning) || !g.filter.Since.IsZero() {
		return
	}
	names, err := g.source.Memory.ListFolders("learnings")
	g.noteError(err)
	var folders []string
	for _, name := range names {
		if name != "archived" {
			folders = append(folders, "learnings/"+name)
		}
	}
	notes.EachFile(g.source.Memory, folders, g.noteError, func(path string, data []byte) {
		text := notes.CleanBody(string(data))
		if shown := g.fit(text); g.filter.Status == AnyStatus || shown == text {
			g.addText(Learning, path, path, shown, g.filter.Status != AnyStatus)
		}
	})
}

// addMemos adds MEMORY.md and what lies in memories/.
func (g gatherer) addMemos() {
	if !g.filter.wants(Memo) || !g.filter.Since.IsZero() {
		return
	}
	if strings.TrimSpace(g.source.Notes) != "" {
		g.addText(Memo, "MEMORY.md", "MEMORY.md", g.source.Notes, false)
	}
	if g.source.Memory == nil {
		return
	}
	folders := []string{"memories"}
	for _, folder := range notes.Folders {
		folders = append(folders, folder.Path)
	}
	notes.EachFile(g.source.Memory, folders, g.noteError, g.addImported)
}

// addImported adds an imported memory. It is found by all that it says; if it is not
// shown whole it is shown by what it is about.
func (g gatherer) addImported(path string, data []byte) {
	m, _, ok := notes.ReadImported(path, data)
	if !ok {
		return
	}
	g.addText(Memo, path, path, m.Summary()+"\n"+notes.CleanBody(m.Body), false)
	if !m.IsWhole() {
		g.Found[len(g.Found)-1].line = m.Summary()
	}
}

// addDated adds the files of a folder whose names are dates on or after the day,
// or in the month, that is asked for; the newest first.
func (g gatherer) addDated(t Type, folder, layout string) {
	if g.source.Memory == nil || !g.filter.wants(t) {
		return
	}
	list := g.source.Memory.ListMonths
	if t == Day {
		list = func() ([]string, error) { return g.source.Memory.ListDays("") }
	}
	names, err := list()
	g.noteError(err)
	for _, name := range slices.Backward(names) {
		if name < g.filter.Since.UTC().Format(layout) {
			continue
		}
		path := folder + "/" + name + ".md"
		data, err := g.source.Memory.ReadFile(path)
		g.noteError(err)
		if err == nil {
			g.addText(t, name, path, g.fit(string(data)), g.filter.Status != AnyStatus)
		}
	}
}

// fit returns a text without the lines that say a lesson which is withheld; a person who asks for all sees its status
// behind them.
func (g gatherer) fit(text string) string {
	if g.filter.Status == AnyStatus {
		return g.source.Memory.Withheld().Mark(text)
	}
	return g.source.Memory.Withheld().Drop(text)
}
