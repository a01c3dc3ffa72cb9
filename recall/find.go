package recall

import (
	"slices"
	"strings"
	"time"
)

func gather(sources []Source, f Filter) (l Listing) {
	for i := len(sources) - 1; i >= 0; i-- {
		if s := &sources[i]; s.Memory != nil && f.wants(LessonType) {
			l.addLessons(s, &f)
		}
	}
	for i := len(sources) - 1; i >= 0; i-- {
		g := gatherer{Listing: &l, source: &sources[i], filter: &f}
		g.addRules()
		g.addLearnings()
		g.addMemos()
		g.addDated(MonthType, "monthly", "2006-01")
		g.addDated(DayType, "daily", time.DateOnly)
	}
	return l
}

func (l *Listing) addLessons(s *Source, f *Filter) {
	ix, now := s.Memory.Index, s.Memory.Now()
	l.Found = slices.Grow(l.Found, len(ix.Items))
	for n, pos := range RankAll(ix, now) {
		if it := &ix.Items[pos]; f.passes(it) {
			l.Found = append(l.Found, Found{Type: LessonType, Memory: s.Label(), Item: it, Score: it.EffectiveScore(now), rank: n})
		}
	}
}

// A gatherer adds the files of one memory to a listing.
type gatherer struct {
	*Listing
	source *Source
	filter *Filter
}

func (g gatherer) noteError(err error) {
	if err != nil {
		g.Skipped = append(g.Skipped, err.Error())
	}
}

func (g gatherer) addText(t Type, id, path, text string, isRaw bool) {
	g.Found = append(g.Found, Found{ID: id, Type: t, Memory: g.source.Label(), Path: path, text: text, isRaw: isRaw})
}

func (g gatherer) addRules() {
	if !g.filter.wants(RuleType) || !g.filter.Since.IsZero() {
		return
	}
	EachFile(g.source.Memory, RuleFolders, g.noteError, func(path string, data []byte) {
		g.addText(RuleType, path, path, string(data), true)
	})
}

// addLearnings adds the files of learnings that did not become a rule. A learning whose lesson is not
// shown is added only if the filter includes such lessons.
func (g gatherer) addLearnings() {
	if g.source.Memory == nil || !g.filter.wants(LearningType) || !g.filter.Since.IsZero() {
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
	EachFile(g.source.Memory, folders, g.noteError, func(path string, data []byte) {
		text := CleanBody(string(data))
		if shown := g.fit(text); g.filter.Status == AnyStatus || shown == text {
			g.addText(LearningType, path, path, shown, g.filter.Status != AnyStatus)
		}
	})
}

func (g gatherer) addMemos() {
	if !g.filter.wants(MemoType) || !g.filter.Since.IsZero() {
		return
	}
	if strings.TrimSpace(g.source.Notes) != "" {
		g.addText(MemoType, "MEMORY.md", "MEMORY.md", g.source.Notes, false)
	}
	folders := []string{"memories"}
	for _, folder := range memoryFolders {
		folders = append(folders, folder.Path)
	}
	EachFile(g.source.Memory, folders, g.noteError, g.addImported)
}

// addImported adds an imported memory. It is found by all that it says; if it is not
// shown whole it is shown by what it is about.
func (g gatherer) addImported(path string, data []byte) {
	m, _, ok := ReadImported(path, data)
	if !ok {
		return
	}
	g.addText(MemoType, path, path, m.Summary()+"\n"+CleanBody(m.Body), false)
	if !m.isWhole() {
		g.Found[len(g.Found)-1].line = m.Summary()
	}
}

// addDated adds the files of a folder whose names are dates on or after the day,
// or in the month, that is asked for; the newest first.
func (g gatherer) addDated(t Type, folder, layout string) {
	if g.source.Memory == nil || !g.filter.wants(t) {
		return
	}
	for _, name := range listDated(g.source.Memory, folder, g.noteError) {
		if name < g.filter.Since.UTC().Format(layout) {
			continue
		}
		path := folder + "/" + name + ".md"
		data, err := g.source.Memory.ReadFile(path)
		if err != nil {
			g.noteError(err)
			continue
		}
		g.addText(t, name, path, g.fit(string(data)), g.filter.Status != AnyStatus)
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
