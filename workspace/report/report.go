// Package report gathers what mem report shows.
package report

import (
	"context"
	"path/filepath"
	"time"

	"mem/curate"
	"mem/guard"
	"mem/index"
	"mem/index/withheld"
	"mem/recall/notes"
	"mem/recall/search"
	"mem/stats/page"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/lookup"
	"mem/workspace/measure"
	"mem/workspace/overview"
)

// maxChanges bounds the history; mem log has all of it.
const maxChanges = 200

// A Gatherer says how a page is gathered.
type Gatherer struct {
	All      bool // lessons that sessions are not shown, too
	Open     func(path string) (trace.Document, error)
	Progress func(done, all int) // may be nil
}

// RenderPage returns the page about the memory that is open and, as mem list does, the
// person's own.
func (g Gatherer) RenderPage(ctx context.Context, w *workspace.Workspace) ([]byte, error) {
	p, err := g.gather(ctx, w)
	if err != nil {
		return nil, err
	}
	return page.Render(p), nil
}

func (g Gatherer) gather(ctx context.Context, w *workspace.Workspace) (p page.Page, err error) {
	sources, err := w.ReadSomeMemories()
	if err != nil {
		return p, err
	}
	here := sources[len(sources)-1]
	p.Now = w.Now
	if !here.Global {
		p.Name = filepath.Base(w.At.Project)
	}
	p.Lessons = g.listLessons(w, sources)
	rules, unread := curate.ListRules(here.Memory)
	for _, file := range unread {
		w.Note("left out: %s cannot be read", guard.Line(file))
	}
	for _, d := range rules {
		r := page.Rule{Name: d.Name, About: d.Describe(), File: d.File, Text: d.Text}
		for _, id := range d.Lessons {
			r.Lessons = append(r.Lessons, page.Made{ID: id, Text: here.Memory.Index.Items[here.Memory.Index.ByID(id)].ShownText()})
		}
		p.Rules = append(p.Rules, r)
	}
	if err := g.addHistory(&p, w, withheld.WordsOf(here.Memory.Index)); err != nil {
		return p, err
	}
	p.Stats, err = measure.ReadReport(ctx, w, time.Time{}, g.Open, g.Progress)
	return p, err
}

// listLessons lists the lessons, best first: those that sessions are shown, by themselves or
// in a rule, or all.
func (g Gatherer) listLessons(w *workspace.Workspace, sources []notes.Source) (list []page.Lesson) {
	told := measure.CountTold(w, time.Time{}, w.Now.AddDate(100, 0, 0))
	for _, f := range search.ListAll(sources, search.Filter{Type: search.Lesson, Status: search.AnyStatus}, 0).Found {
		it := f.Item
		if !g.All && !it.IsShown() {
			continue
		}
		l := page.Lesson{
			ID: it.ID, Text: f.Text, WatchOut: it.Kind == index.AntiPattern, Status: string(it.Status), Withheld: !it.IsShown(), Own: f.Memory == "global" && len(sources) > 1,
			Pinned: it.Pinned, Proven: it.IsProven(), Hits: it.Hits, Told: told(it), First: it.FirstSeen, Last: it.LastSeen,
			Domain: it.Domain, Tags: it.Tags,
		}
		it.EachSighting(func(s index.Sighting) { l.Seen = append(l.Seen, s.At) })
		if it.Status == index.Compiled {
			l.Status = "in a rule"
		}
		list = append(list, l)
	}
	return list
}

// addHistory adds the latest commits. What a lesson that is not shown says is not in their
// subjects.
func (g Gatherer) addHistory(p *page.Page, w *workspace.Workspace, hidden *withheld.Words) error {
	list, err := lookup.ListHistory(w, "", maxChanges+1)
	if err != nil {
		return err
	}
	p.Older = len(list) > maxChanges
	for _, c := range list[:min(len(list), maxChanges)] {
		p.History = append(p.History, page.Change{Commit: c.Commit[:12], Subject: overview.HideWithheld(hidden, c.Subject), At: c.When, Items: c.Items})
	}
	return nil
}
