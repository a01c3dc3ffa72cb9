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
	"mem/reflect"
	"mem/repo"
	"mem/session"
	"mem/stats"
	"mem/stats/page"
	"mem/trace"
	"mem/workspace"
)

// maxChanges is how many of the latest commits may be named; mem log has all of them.
const maxChanges = 200

// PageOptions say what mem report writes.
type PageOptions struct {
	Card bool   // a picture instead of the page
	Tip  string // what a page that is served is made of; "" for a file
}

// RenderPage returns the page, or the card, about the memory that is open and, as mem list does, the person's own: the lessons
// that sessions are shown, best first.
func RenderPage(ctx context.Context, w *workspace.Workspace, opts PageOptions) ([]byte, error) {
	sources, err := w.ReadSomeMemories()
	if err != nil {
		return nil, err
	}
	here, p := sources[len(sources)-1], page.Page{Now: w.Now, Tip: opts.Tip}
	if !here.Global {
		p.Name = filepath.Base(w.At.Project)
	}
	for i, s := range slices.Backward(sources) {
		if s.Memory != nil {
			addLessons(&p, s.Memory.Index, w.Now, i < len(sources)-1)
		}
	}
	for i, all := 0, readTold(w, time.Time{}, w.Now.AddDate(100, 0, 0)); i < len(p.Lessons); i++ {
		if t := all[p.Lessons[i].ID]; t != nil {
			p.Lessons[i].Telling = *t
		}
	}
	state := Overview{}
	state.addHooks(w, w.RootOf(here.Label()))
	p.Hooked = slices.ContainsFunc(state.Hooks, func(h hook) bool { return !h.CalledAt.IsZero() })
	if opts.Card {
		return page.RenderCard(p), nil
	}
	p.Rules, p.Needs = listRules(w, here.Memory), listNeeds(w, sources, state.Hooks)
	if err := addCommits(w, &p, here.Memory); err != nil {
		return nil, err
	}
	p.Stats, err = readReport(ctx, w, sources, time.Time{}, quoteSessions(&p, sources))
	return page.Render(p), err
}

// addLessons adds the lessons of a memory that sessions are shown, in rules or by rank.
func addLessons(p *page.Page, ix *index.Index, now time.Time, own bool) {
	p.Lessons = slices.Grow(p.Lessons, len(ix.Items))
	for _, pos := range recall.RankAll(ix, now) {
		if it := &ix.Items[pos]; it.Status == index.Active || it.IsShown() {
			p.Lessons = append(p.Lessons, page.Lesson{Item: it, Own: own})
		}
	}
}

func addCommits(w *workspace.Workspace, p *page.Page, m *repo.Memory) error {
	here, _ := w.ListRoots()
	commits, err := listCommits(here, m.Withheld(), func(repo.Revision) bool { return true }, maxChanges)
	if err != nil {
		return err
	}
	named := map[string][]page.Change{}
	for _, c := range commits {
		for _, id := range c.Items {
			named[id] = append(named[id], page.Change{Commit: c.Commit[:12], Subject: hideWithheld(m.Withheld(), c.Subject), At: c.When})
		}
	}
	for i := range p.Lessons {
		if l := &p.Lessons[i]; !l.Own {
			l.Commits = named[l.ID]
		}
	}
	return nil
}

// listNeeds lists what waits for the person, without a word of it.
func listNeeds(w *workspace.Workspace, sources []recall.Source, hooks []hook) (list needs) {
	m, held, against := sources[len(sources)-1].Memory, 0, 0
	for it := range m.Index.All() {
		switch {
		case it.Status == index.Quarantined && it.Rival() != "":
			against++
		case it.Status == index.Quarantined:
			held++
		}
	}
	list.add(against, "lesson contradicts one that you have", "lessons contradict ones that you have", "mem review")
	list.add(held, "lesson is held until you look at it", "lessons are held until you look at them", "mem review")
	list.addDecisions(m)
	if at, found, _ := w.FindOwn(); found && sources[0].Memory == nil {
		list = append(list, page.Need{Text: "Your own memory waits for your trust", Command: "mem trust --root " + w.HomePath(at)})
	}
	if len(m.Index.Items) > 0 && !slices.ContainsFunc(hooks, hook.isInstalled) {
		list = append(list, page.Need{Text: "No agent is told of the lessons yet, as no hook is installed", Command: "mem help hook"})
	}
	return list
}

// What is quoted on a page.
const (
	maxTold     = 500 // lessons, the best
	maxTellings = 3   // sessions of each, the latest
)

// quoteSessions adds the latest sightings to the lessons of a page. It returns what fills in the words they rest on.
func quoteSessions(p *page.Page, sources []recall.Source) func(*session.Session) {
	type place struct{ lesson, sighting int }
	wanted, list := map[string][]place{}, p.Listed()
	for i := range list {
		latest := slices.SortedFunc(slices.Values(list[i].Sources), func(a, b index.Source) int { return b.At.Compare(a.At) })
		for n, src := range latest[:min(len(latest), maxTellings)] {
			list[i].Seen = append(list[i].Seen, page.NewSighting(src))
			if i < maxTold && src.Span != "" && list[i].IsShown() {
				wanted[src.Trace] = append(wanted[src.Trace], place{i, n})
			}
		}
	}
	hidden := map[bool]*index.Withheld{false: sources[len(sources)-1].Memory.Withheld()}
	if sources[0].Memory != nil {
		hidden[true] = sources[0].Memory.Withheld() // of the person's own, if there are two
	}
	return func(s *session.Session) {
		places := wanted[reflect.Identity(s)]
		if places == nil {
			return
		}
		events := reflect.MarkOutside(s)
		for _, at := range places {
			l := &list[at.lesson]
			s := &l.Seen[at.sighting]
			s.Words, s.Network = quoteSpan(events, s.Span, hidden[l.Own])
		}
	}
}

func listRules(w *workspace.Workspace, m *repo.Memory) (list []page.Rule) {
	rules, unread := curate.ListRules(m)
	for _, file := range unread {
		w.Note("left out: %s cannot be read", guard.Line(file))
	}
	for _, d := range rules {
		list = append(list, page.Rule{Name: d.Name, About: d.Describe(), File: d.File, Text: d.Text, Lessons: d.Lessons})
	}
	return list
}

// maxSessions bounds the sessions that are read; the newest win.
const maxSessions = 1000

// ReadReport measures whether the lessons of an open memory, and of the person's own, help. It uses the
// sessions of the memory's project; for the person's own memory, the sessions on this machine that it showed
// something.
func ReadReport(ctx context.Context, w *workspace.Workspace, since time.Time) (stats.Report, error) {
	if _, err := w.OpenRoot(); err != nil { // ReadMemories would do without it, and say so
		return stats.Report{}, err
	}
	sources, err := w.ReadMemories()
	if err != nil {
		return stats.Report{}, err
	}
	return readReport(ctx, w, sources, since, func(*session.Session) {})
}

// readReport is ReadReport, and calls look for each session.
func readReport(ctx context.Context, w *workspace.Workspace, sources []recall.Source, since time.Time, look func(*session.Session)) (stats.Report, error) {
	root, err := w.OpenRoot()
	if err != nil {
		return stats.Report{}, err
	}
	c := stats.NewCount(readReceipts(root, since), since)
	for i, s := range slices.Backward(sources) { // the project's own first
		if s.Memory != nil {
			c.AddLessons(s.Memory.Index, i == len(sources)-1)
		}
	}
	filter := w.SessionFilter()
	filter.Since = since
	_, _, own := w.FindOwn()
	if own {
		filter = trace.Filter{Since: since}
	}
	found := trace.ListSessions(trace.DefaultPlaces(w.Home(), w.Getenv), filter)
	show, clear := w.Progress("reading")
	defer clear()
	for i, l := range found {
		if err := ctx.Err(); err != nil {
			return stats.Report{}, err
		}
		show(i+1, len(found))
		if len(found)-i > maxSessions {
			c.AddSession(nil)
			continue
		}
		doc, err := w.ReadSession(l.Path)
		if err == nil && doc.Session != nil {
			look(doc.Session)
		}
		switch {
		case err != nil || doc.Session == nil:
			c.AddSession(nil)
		case own && !c.HasReceipt(doc.Session.ID): // what a project told it is noted there
		case doc.Session.Ended.IsZero() || !doc.Session.Ended.Before(since):
			c.AddSession(doc.Session)
		}
	}
	return c.Finish(), nil
}

// readTold returns which lessons sessions were shown in a period, by lesson id.
func readTold(w *workspace.Workspace, from, until time.Time) map[string]*page.Telling {
	all, counted := map[string]*page.Telling{}, map[[2]string]bool{}
	root, err := w.OpenRoot()
	if err != nil {
		return all
	}
	for _, r := range recall.ListReceipts(root, from) {
		if r.At.Before(from) || !r.At.Before(until) {
			continue
		}
		for _, id := range slices.Concat(r.Items, r.Global) {
			t := all[id]
			if t == nil {
				t = &page.Telling{Since: r.At}
				all[id] = t
			}
			if key := [2]string{id, r.Session}; !counted[key] {
				counted[key] = true
				t.Told++
			}
			if t.Until = r.At; !slices.Contains(t.Agents, r.Agent) {
				t.Agents = append(t.Agents, r.Agent)
			}
		}
	}
	return all
}

// CountTold returns how many lessons of an index sessions were shown from a time until now, and how often.
func CountTold(w *workspace.Workspace, ix *index.Index, from time.Time) (n, times int) {
	for id, t := range readTold(w, from, w.Now) {
		if ix.ByID(id) >= 0 {
			n, times = n+1, times+t.Told
		}
	}
	return n, times
}

// readReceipts returns the receipts of a root that sessions since a time may have, which is
// those of a month before it, too.
func readReceipts(root *repo.Root, since time.Time) []recall.Receipt {
	return recall.ListReceipts(root, since.AddDate(0, -1, 0))
}

// FindNeedless returns the lessons that a session was shown before a command which then worked without their
// remedy. path is the session's file, which it reads only if the session was shown any.
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
