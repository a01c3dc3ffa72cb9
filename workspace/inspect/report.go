package inspect

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"mem/curate"
	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/reflect/queue"
	"mem/repo"
	"mem/stats"
	"mem/stats/page"
	"mem/trace"
	"mem/workspace"
)

// maxChanges bounds the history; mem log has all of it.
const maxChanges = 200

// RenderPage returns the page about the memory that is open and, as mem list does, the person's own: the lessons that
// sessions are shown, best first, or all. open and progress are those of ReadReport.
func RenderPage(ctx context.Context, w *workspace.Workspace, all bool, open opener, progress func(done, all int)) ([]byte, error) {
	sources, err := w.ReadSomeMemories()
	if err != nil {
		return nil, err
	}
	here, p := sources[len(sources)-1], page.Page{Now: w.Now}
	if !here.Global {
		p.Name = filepath.Base(w.At.Project)
	}
	told := CountTold(w, time.Time{}, w.Now.AddDate(100, 0, 0))
	for _, f := range recall.FindText(sources, "", recall.Filter{Type: recall.LessonType, Status: recall.AnyStatus}, 0).Found {
		if all || f.Item.IsShown() { // by itself, or in a rule
			p.Lessons = append(p.Lessons, page.Lesson{Item: f.Item, Own: f.Memory == "global" && len(sources) > 1, Told: told(f.Item)})
		}
	}
	p.Rules = listRules(w, here.Memory)
	commits, err := ListHistory(w, "", maxChanges+1)
	if err != nil {
		return nil, err
	}
	p.Older = len(commits) > maxChanges
	for _, c := range commits[:min(len(commits), maxChanges)] {
		p.History = append(p.History, page.Change{Commit: c.Commit[:12], Subject: hideWithheld(here.Memory.Withheld(), c.Subject), At: c.When, Items: c.Items})
	}
	if p.Stats, err = ReadReport(ctx, w, time.Time{}, open, progress); err != nil {
		return nil, err
	}
	return page.Render(p), nil
}

// listRules returns the rules of a memory for the page.
func listRules(w *workspace.Workspace, m *repo.Memory) (list []page.Rule) {
	rules, unread := curate.ListRules(m)
	for _, file := range unread {
		w.Note("left out: %s cannot be read", guard.Line(file))
	}
	for _, d := range rules {
		r := page.Rule{Name: d.Name, About: d.Describe(), File: d.File, Text: d.Text}
		for _, id := range d.Lessons {
			r.Lessons = append(r.Lessons, stats.Entry{ID: id, Text: m.Index.Items[m.Index.ByID(id)].ShownText()})
		}
		list = append(list, r)
	}
	return list
}

// maxSessions bounds the sessions that are read; the newest win.
const maxSessions = 1000

// ReadReport reads whether the lessons of a memory that is open, and of the person's own,
// help: by the sessions of its project, or if it is the person's own, by those of this
// machine that it told something. open reads one of them, and progress, which may be nil, is told how far it got.
func ReadReport(ctx context.Context, w *workspace.Workspace, since time.Time, open opener, progress func(done, all int)) (stats.Report, error) {
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
	told, seen := map[string]int{}, map[[2]string]bool{}
	if root, err := w.OpenRoot(); err == nil {
		for _, r := range recall.ParseReceipts(root.ReadReceipts(from.UTC().Format("2006-01"))) {
			if r.At.Before(from) || !r.At.Before(until) {
				continue
			}
			for _, id := range r.Items {
				if key := [2]string{id, r.Session}; !seen[key] {
					seen[key] = true
					told[id]++
				}
			}
		}
	}
	return func(it *index.Item) int { return told[it.ID] }
}

// readReceipts returns the receipts of a root that sessions since a time may have, which is
// those of a month before it, too.
func readReceipts(root *repo.Root, since time.Time) []recall.Receipt {
	return recall.ParseReceipts(root.ReadReceipts(since.UTC().AddDate(0, -1, 0).Format("2006-01")))
}

// FindNeedless returns the lessons that a session, which is in a file, was shown before a command which then worked
// without their remedy. Most sessions were shown none, and their files are not read.
func FindNeedless(w *workspace.Workspace, session, path string, at time.Time) []string {
	root, err := w.OpenRootIfAny()
	if err != nil || root == nil || session == "" {
		return nil
	}
	receipts := slices.DeleteFunc(readReceipts(root, at), func(r recall.Receipt) bool { return r.Session != session || r.Subagent })
	if !slices.ContainsFunc(receipts, func(r recall.Receipt) bool { return r.Kind == recall.AtAction && !r.Over }) {
		return nil
	}
	m, err := w.ViewRoot()
	doc, unread := trace.Open(path)
	if err != nil || unread != nil || doc.Session == nil {
		return nil
	}
	return stats.FindNeedless(m.Index, doc.Session, receipts)
}
