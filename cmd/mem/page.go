package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/cmd/mem/console"
	"mem/cmd/mem/page"
	"mem/curate"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/render"
	"mem/repo"
	"mem/workspace"
	"mem/workspace/inspect"
)

// A livePage is the page of bare mem with the memory behind it. Each look and each change opens the memory as a command
// does, and leaves it.
type livePage struct {
	ctx   context.Context
	env   Env // prints nowhere
	g     *globals
	notes *console.Notes
	page  page.Page

	sources []recall.Source   // as they were last read
	waits   []curate.Proposal // of them
	folded  string            // what is said of proposals that are not listed
	tip     repo.Blob         // the commit that was read
	watch   *work             // keeps the memory at hand, without a lock
	query   string            // what is searched for
	told    string            // what sessions of the last week were told
	usage   chan string       // from the background, which finds that out
}

// mostOnPage is how many lessons can be moved through: more are searched, and to clean them takes a while.
const mostOnPage = 500

// runPage shows the page on a terminal. Where there is no memory to show it prints the help, and says what to run.
func runPage(ctx context.Context, env Env, g *globals, help func() error) error {
	h, isShown := &livePage{ctx: ctx, g: g, usage: make(chan string, 1)}, false
	h.env, h.notes = env.CollectNotes()
	err := withRoot(h.env, g, func(w *work) error {
		h.watch = w
		if err := h.look(); err != nil {
			return err
		}
		isShown = true
		console.CollectAsUsual() // what is read once needs it less than a page that stays
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		go h.countHelp(ctx, h.sources)
		screen, _ := env.Screen()
		if h.page.Colour = screen.Colour; !screen.Colour {
			return h.runLines(ctx, env)
		}
		return env.RunScreen(ctx, func(width, height int) string {
			h.page.Width, h.page.Height = width, height
			return h.page.View()
		}, h.press, h.tick)
	})
	if err == nil || isShown {
		return err
	}
	failed := help()
	env.Note("%s", workspace.DescribeError(err))
	env.Hint("%s", fault.Hint(err))
	return failed
}

// runLines is the page where no cursor can be moved: a screen reader reads what each typed line brings.
func (h *livePage) runLines(ctx context.Context, env Env) error {
	ask, before := env.NewAsker(), page.Page{}
	h.page.Width = env.LineWidth()
	for {
		env.Printf("%s", h.page.Plain(before))
		line, err := ask(ctx, "Type a key and enter > ")
		before = h.page
		if errors.Is(err, io.EOF) || err == nil && h.press(strings.TrimSuffix(line, "\n")+"\n", func(f func()) { f() }) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// press does what a key asks for, and reports whether it ends the page.
func (h *livePage) press(key string, lend func(func())) bool {
	h.tick()
	var wish page.Wish
	h.page, wish = h.page.Press(key)
	switch wish.Do {
	case "quit":
		return true
	case "":
		return false
	case "search":
		h.query = wish.What
		h.show()
		return false
	}
	said, err := h.grant(wish, lend)
	switch {
	case err != nil:
		said = strings.TrimRight("nothing was done: "+workspace.DescribeError(err)+"; "+fault.Hint(err), "; ")
	case wish.Do == "show":
		h.page = h.page.Open(guard.Scrub(said))
		return false
	}
	if err := h.look(); err != nil {
		said = cmp.Or(said, workspace.DescribeError(err))
	}
	h.page, *h.notes = h.page.Take(nil, h.notes.AddTo(guard.Line(said))), nil
	return false
}

// grant does what is wished, as the command of that name does, and returns what that says.
func (h *livePage) grant(wish page.Wish, lend func(func())) (said string, err error) {
	var out bytes.Buffer
	env, back := h.env, "; u takes it back"
	env.Out = &out
	switch wish.Do {
	case "show":
		err = runShow(env, h.g, []string{wish.What}, false)
		return out.String(), err
	case "undo":
		back = "; 'mem redo' brings it again"
		err = withRoot(env, h.g, func(w *work) error { return runUndo(h.ctx, w, "", false) })
	case "pin", "unpin", "retire":
		err = runChange(h.ctx, env, h.g, curate.LessonChange{Verb: curate.Verb(wish.Do), IDs: []string{wish.What}})
	case "edit":
		lend(func() { err = decide(h.ctx, env, h.g, curate.Decision{ID: wish.What, Verb: curate.Edit}) })
	case "reject":
		err = decide(h.ctx, env, h.g, curate.Decision{ID: wish.What, Verb: curate.Reject})
	case "approve":
		at := slices.IndexFunc(h.waits, func(p curate.Proposal) bool { return p.ID == wish.What })
		err = decide(h.ctx, env, h.g, curate.Decision{ID: wish.What, Verb: curate.Approve, Seen: &h.waits[at]})
	}
	if !strings.Contains(out.String(), "\ncommit ") {
		back = ""
	}
	first, _, _ := strings.Cut(out.String(), "\n")
	return render.CutText(guard.Line(first), max(h.page.Width-len(back), len(back))) + back, err
}

// tick takes over what another program committed, and what the background found out.
func (h *livePage) tick() {
	select {
	case h.told = <-h.usage:
		h.show()
	default:
	}
	if _, tip, err := h.watch.root.FindHome(); err == nil && tip != h.tip {
		_ = h.look() // else the next change says why not
	}
}

// look reads what there is to see.
func (h *livePage) look() error {
	return withWork(h.env, h.g, func(w *work) (err error) {
		if h.sources, err = w.ReadSomeMemories(); err != nil {
			return err
		}
		if here := h.sources[len(h.sources)-1].Memory; here != nil {
			_, h.tip, _ = h.watch.root.FindHome()
			h.waits, _, err = workspace.Queues.ListPending(here)
			h.waits, h.folded = curate.FoldOld(h.waits, here.Now())
		}
		h.show()
		return err
	})
}

// show puts what was read on the page.
func (h *livePage) show() {
	now := h.watch.env.Clock()
	d := page.Data{Name: guard.Line(filepath.Base(h.watch.At.Project)), Week: []string{describeWeek(h.sources, now)}, Folded: h.folded}
	if h.told != "" {
		d.Week = append(d.Week, h.told)
	}
	found := recall.FindText(h.sources, h.query, recall.Filter{Type: recall.LessonType}, mostOnPage)
	d.More = found.More
	for _, f := range found.Found {
		row := render.Row{ID: f.ID, Kind: "lesson", Seen: fmt.Sprintf("×%d", f.Item.Hits), Age: render.ShowAge(f.Item.LastSeen, now), Text: f.Text}
		if f.Item.Kind == index.AntiPattern {
			row.Kind = "watch-out"
		}
		if f.Item.Pinned {
			row.Marks = "pinned"
		}
		d.Lessons = append(d.Lessons, row)
	}
	for _, p := range h.waits {
		d.Waits = append(d.Waits, render.Row{ID: guard.Line(p.ID), Kind: string(p.Kind), Text: guard.Line(p.Title)})
	}
	h.page = h.page.Take(&d, "")
}

// describeWeek says what the last seven days brought.
func describeWeek(sources []recall.Source, now time.Time) string {
	fresh, again, text, week := 0, 0, "", now.AddDate(0, 0, -7)
	for _, s := range sources {
		if s.Memory == nil {
			continue
		}
		for i := range s.Memory.Index.Items {
			switch it := &s.Memory.Index.Items[i]; {
			case !it.IsShown() || !it.LastSeen.After(week):
			case it.FirstSeen.After(week):
				fresh++
			default:
				again++
			}
		}
		if n := s.Memory.CountWaiting(); n > 0 {
			text += " " + render.Count(n, "lesson or file that git brought waits", "lessons or files that git brought wait") + ": 'mem trust'."
		}
	}
	return fmt.Sprintf("This week: %s learned, %d came up again.%s", render.Count(fresh, "lesson", "lessons"), again, text)
}

// countHelp finds out, in the background, what sessions of the last week were told, and whether it helped.
func (h *livePage) countHelp(ctx context.Context, list []recall.Source) {
	env, _ := h.env.CollectNotes()
	_ = withRoot(env, h.g, func(w *work) error { // without an answer there is a line less
		n, times, week := 0, 0, w.Now.AddDate(0, 0, -7)
		told := inspect.CountTold(w.Workspace, week, w.Now)
		for i := range list[len(list)-1].Memory.Index.Items {
			if k := told(&list[len(list)-1].Memory.Index.Items[i]); k > 0 {
				n, times = n+1, times+k
			}
		}
		if n == 0 {
			return nil
		}
		line := fmt.Sprintf("Told: %s, %d×.", render.Count(n, "lesson", "lessons"), times)
		if r, err := inspect.ReadReport(ctx, w.Workspace, week, w.openOneOfMany, nil); err == nil && r.Told.Of > 0 {
			line += fmt.Sprintf(" It mattered %d×, and %d× the mistake was not made.", r.Told.Of, r.Told.Of-r.Told.Hits)
		}
		h.usage <- line
		return nil
	})
}
