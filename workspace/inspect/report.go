package inspect

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"mem/curate"
	"mem/curate/ingest"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/reflect/queue"
	"mem/render"
	"mem/repo"
	"mem/stats"
	"mem/stats/page"
	"mem/trace"
	"mem/workspace"
)

// maxChanges bounds the history; mem log has all of it.
const maxChanges = 200

// ErrNoPart means that the list of lessons has no such part.
var ErrNoPart = fault.New(fault.Usage, "there is no such page of lessons", "without --page it is the first")

// PageOptions say what mem report writes.
type PageOptions struct {
	All  bool   // lessons that sessions are not shown, too
	Part int    // which part of a long list, from 0 on
	Card bool   // a picture instead of the page
	Tip  string // what a page that is served is made of; "" for a file
}

// RenderPage returns the page, or the card, about the memory that is open and, as mem list does, the person's own: the lessons
// that sessions are shown, best first. open and progress are those of ReadReport.
func RenderPage(ctx context.Context, w *workspace.Workspace, opts PageOptions, open opener, progress func(done, all int)) ([]byte, error) {
	sources, err := w.ReadSomeMemories()
	if err != nil {
		return nil, err
	}
	here, p := sources[len(sources)-1], page.Page{Now: w.Now, Part: opts.Part, Tip: opts.Tip}
	if !here.Global {
		p.Name = filepath.Base(w.At.Project)
	}
	for i, s := range slices.Backward(sources) {
		if s.Memory != nil {
			addLessons(&p, s.Memory, opts.All, i < len(sources)-1)
		}
	}
	if p.Part > 0 && len(p.Listed()) == 0 {
		return nil, ErrNoPart
	}
	state := Overview{}
	state.addHooks(w, w.RootOf(here.Label()))
	p.Hooked = slices.ContainsFunc(state.Hooks, func(h hook) bool { return !h.CalledAt.IsZero() })
	addTold(w, &p)
	if opts.Card {
		return page.RenderCard(p), nil
	}
	p.Rules, p.Needs = listRules(w, here.Memory), listNeeds(w, sources, state.Hooks)
	if err := addHistory(w, &p, here.Memory); err != nil {
		return nil, err
	}
	words := newPageWords(&p, sources)
	p.Stats, err = readReport(ctx, w, sources, time.Time{}, words.wrap(open), progress)
	return page.Render(p), err
}

// addLessons adds the lessons of a memory: those by rank, then what is in rules and the others, the latest first.
func addLessons(p *page.Page, m *repo.Memory, all, own bool) {
	ix, ranked := m.Index, m.Index.Rank(m.Now())
	var others []int
	for pos := range ix.Items {
		if it := &ix.Items[pos]; it.Status != index.Active && (all || it.IsShown()) {
			others = append(others, pos)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return ix.Items[b].LastSeen.Compare(ix.Items[a].LastSeen) })
	p.Lessons = slices.Grow(p.Lessons, len(ranked)+len(others))
	for _, pos := range slices.Concat(ranked, others) {
		p.Lessons = append(p.Lessons, page.Lesson{Item: &ix.Items[pos], Own: own})
	}
}

// addTold adds how many sessions were shown each lesson, and when.
func addTold(w *workspace.Workspace, p *page.Page) {
	type told struct {
		sessions     map[string]bool
		since, until time.Time
		agents       []string
	}
	all := map[string]*told{}
	root, _ := w.ListRoots()
	for _, r := range recall.ParseReceipts(root.ReadReceipts("")) {
		for _, id := range slices.Concat(r.Items, r.Global) {
			t := all[id]
			if t == nil {
				t = &told{sessions: map[string]bool{}, since: r.At}
				all[id] = t
			}
			t.sessions[r.Session] = true
			if t.until = r.At; r.At.Before(t.since) {
				t.since = r.At
			}
			if r.Agent != "" && !slices.Contains(t.agents, r.Agent) {
				t.agents = append(t.agents, r.Agent)
			}
		}
	}
	for i := range p.Lessons {
		l := &p.Lessons[i]
		if t := all[l.ID]; t != nil {
			l.Told, l.Since, l.Until, l.Agents = len(t.sessions), t.since, t.until, t.agents
		}
	}
}

// addHistory adds the latest commits, to the lessons that they name as well.
func addHistory(w *workspace.Workspace, p *page.Page, m *repo.Memory) error {
	here, _ := w.ListRoots()
	commits, err := listKnown(here, m.Withheld(), func(repo.Revision) bool { return true }, maxChanges+1)
	if err != nil {
		return err
	}
	named := map[string][]page.Change{}
	p.Older = len(commits) > maxChanges
	for _, c := range commits[:min(len(commits), maxChanges)] {
		change := page.Change{Commit: c.Commit[:12], Subject: hideWithheld(m.Withheld(), c.Subject), At: c.When, Items: c.Items}
		p.History = append(p.History, change)
		for _, id := range c.Items {
			named[id] = append(named[id], change)
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
func listNeeds(w *workspace.Workspace, sources []recall.Source, hooks []hook) (list []page.Need) {
	add := func(n int, one, many, command string) {
		if n > 0 {
			list = append(list, page.Need{Text: render.Count(n, one, many), Command: command})
		}
	}
	m := sources[len(sources)-1].Memory
	held, against := 0, 0
	for i := range m.Index.Items {
		if it := &m.Index.Items[i]; it.Status != index.Quarantined {
			continue
		} else if held++; it.Rival() != "" {
			held, against = held-1, against+1
		}
	}
	memories, _, _ := ingest.Queue{}.ListPending(m)
	add(against, "lesson contradicts one that you have", "lessons contradict ones that you have", "mem review")
	add(held, "lesson is held until you look at it", "lessons are held until you look at them", "mem review")
	add(curate.SummarizeRules(m).Pending, "rule is proposed", "rules are proposed", "mem review")
	add(len(memories), "memory of another tool waits for your yes", "memories of other tools wait for your yes", "mem review")
	add(m.CountWaiting(), "lesson or file that git brought waits for your trust", "lessons and files that git brought wait for your trust", "mem trust")
	if at, found, own := w.FindOwn(); found && !own && sources[0].Memory == nil {
		list = append(list, page.Need{Text: "Your own memory waits for your trust", Command: "mem trust --root " + w.HomePath(at)})
	}
	if len(m.Index.Items) > 0 && !slices.ContainsFunc(hooks, func(h hook) bool { return h.Here || h.Global }) {
		list = append(list, page.Need{Text: "No agent is told of the lessons yet, as no hook is installed", Command: "mem help hook"})
	}
	return list
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
	sources, err := w.ReadMemories()
	if err != nil {
		return stats.Report{}, err
	}
	return readReport(ctx, w, sources, since, open, progress)
}

func readReport(ctx context.Context, w *workspace.Workspace, sources []recall.Source, since time.Time, open opener, progress func(done, all int)) (stats.Report, error) {
	c, err := newCount(w, sources, since)
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
func newCount(w *workspace.Workspace, sources []recall.Source, since time.Time) (*stats.Count, error) {
	root, err := w.OpenRoot()
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
