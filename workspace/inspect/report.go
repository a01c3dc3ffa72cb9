// Package report gathers what mem stats and mem report show: what package stats counts, which
// is the receipts of what sessions were shown, the sessions of this machine, and the time
// that the worker took.
package inspect

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"mem/curate"
	"mem/guard"
	"mem/index"
	"mem/index/withheld"
	"mem/recall/notes"
	"mem/recall/search"
	"mem/recall/shown"
	"mem/reflect/queue"
	"mem/repo"
	"mem/stats"
	"mem/stats/page"
	"mem/trace"
	"mem/workspace"
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
	p.Stats, err = ReadReport(ctx, w, time.Time{}, g.Open, g.Progress)
	return p, err
}

// listLessons lists the lessons, best first: those that sessions are shown, by themselves or
// in a rule, or all.
func (g Gatherer) listLessons(w *workspace.Workspace, sources []notes.Source) (list []page.Lesson) {
	told := CountTold(w, time.Time{}, w.Now.AddDate(100, 0, 0))
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
		for _, s := range it.Sources {
			l.Seen = append(l.Seen, s.At)
		}
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
	list, err := ListHistory(w, "", maxChanges+1)
	if err != nil {
		return err
	}
	p.Older = len(list) > maxChanges
	for _, c := range list[:min(len(list), maxChanges)] {
		p.History = append(p.History, page.Change{Commit: c.Commit[:12], Subject: HideWithheld(hidden, c.Subject), At: c.When, Items: c.Items})
	}
	return nil
}

// maxSessions bounds the sessions that are read; the newest win.
const maxSessions = 1000

// ReadReport reads whether the lessons of a memory that is open, and of the person's own,
// help: by the sessions of its project, or if it is the person's own, by those of this
// machine that it told something. open reads one of them, and progress, which may be nil, is told how far it got.
func ReadReport(ctx context.Context, w *workspace.Workspace, since time.Time, open func(path string) (trace.Document, error), progress func(done, all int)) (stats.Report, error) {
	c, err := newCount(w, since)
	if err != nil {
		return stats.Report{}, err
	}
	filter := w.SessionFilter()
	filter.Since = since
	_, _, own := w.FindOwn()
	if own {
		filter = trace.Filter{Since: since}
	}
	found := trace.ListSessions(trace.DefaultPlaces(w.Home(), w.Getenv), filter)
	for i, l := range found {
		if err := ctx.Err(); err != nil {
			return stats.Report{}, err
		}
		if progress != nil {
			progress(i+1, len(found))
		}
		if len(found)-i > maxSessions {
			c.SkipSession()
			continue
		}
		doc, err := open(l.Path)
		switch {
		case err != nil || doc.Session == nil:
			c.SkipSession()
		case own && !c.HasReceipt(doc.Session.ID): // what a project told it is noted there
		case doc.Session.Ended.IsZero() || !doc.Session.Ended.Before(since):
			c.AddSession(doc.Session)
		}
	}
	return c.Finish(), nil
}

// newCount begins a count with what is noted in the memory.
func newCount(w *workspace.Workspace, since time.Time) (*stats.Count, error) {
	root, err := w.OpenRoot()
	if err != nil {
		return nil, err
	}
	sources, err := w.ReadMemories()
	if err != nil {
		return nil, err
	}
	c := stats.NewCount(readReceipts(root, since), since)
	for i, s := range slices.Backward(sources) { // the project's own first
		if s.Memory != nil {
			c.AddLessons(s.Memory.Index, i == len(sources)-1)
		}
	}
	for day, spent := range queue.ReadWork(root).Spent {
		c.AddWork(day, time.Duration(spent*float64(time.Second)))
	}
	return c, nil
}

// CountTold returns a function that says how many sessions were told a lesson from a time on,
// until another.
func CountTold(w *workspace.Workspace, from, until time.Time) func(*index.Item) int {
	told := map[string]map[string]bool{} // sessions, by lesson
	if root, err := w.OpenRoot(); err == nil {
		for _, r := range shown.ParseReceipts(root.ReadReceipts(from.UTC().Format("2006-01"))) {
			if r.At.Before(from) || !r.At.Before(until) {
				continue
			}
			for _, id := range r.Items {
				if told[id] == nil {
					told[id] = map[string]bool{}
				}
				told[id][r.Session] = true
			}
		}
	}
	return func(it *index.Item) int { return len(told[it.ID]) }
}

// readReceipts returns the receipts of a root that sessions since a time may have, which is
// those of a month before it, too.
func readReceipts(root *repo.Root, since time.Time) []shown.Receipt {
	return shown.ParseReceipts(root.ReadReceipts(since.UTC().AddDate(0, -1, 0).Format("2006-01")))
}

// FindNeedless returns the lessons that a session, which is in a file, was shown before a command which then worked
// without their remedy. Most sessions were shown none, and their files are not read.
func FindNeedless(w *workspace.Workspace, session, path string, at time.Time) []string {
	root, err := w.OpenRootIfAny()
	if err != nil || root == nil || session == "" {
		return nil
	}
	receipts := slices.DeleteFunc(readReceipts(root, at), func(r shown.Receipt) bool { return r.Session != session || r.Subagent })
	if !slices.ContainsFunc(receipts, func(r shown.Receipt) bool { return r.Kind == shown.AtAction && !r.Over }) {
		return nil
	}
	m, err := w.ViewRoot()
	doc, unread := trace.Open(path)
	if err != nil || unread != nil || doc.Session == nil {
		return nil
	}
	return stats.FindNeedless(m.Index, doc.Session, receipts)
}
