package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/cmd/mem/console"
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

// A livePage is the page of bare mem together with its memory. Each look and each change opens the memory as a
// command does, and closes it again.
type livePage struct {
	ctx   context.Context
	env   Env // prints nowhere
	g     *globals
	notes *console.Notes
	page  console.Page

	sources []recall.Source   // the memory as it was last read
	waits   []curate.Proposal // of it
	folded  string            // what is said of proposals that are not listed
	tip     repo.Blob         // the commit that was read
	watch   *work             // keeps the memory at hand, without a lock
	query   string            // what is searched for
	told    string            // what sessions of the last week were told
	usage   chan string       // from the background, which finds that out
}

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
		go h.countHelp(ctx, h.sources[0].Memory.Index)
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
	ask, before := env.NewAsker(), console.Page{}
	h.page.Width = env.LineWidth()
	for {
		env.Printf("%s", h.page.Plain(before))
		line, err := ask(ctx, "Type a key and enter > ")
		before = h.page
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil || h.press(strings.TrimSuffix(line, "\n")+"\n", func(f func()) { f() }) {
			return nil
		}
	}
}

// press does what a key asks for, and reports whether it ends the page.
func (h *livePage) press(key string, lend func(func())) bool {
	h.tick()
	var wish console.Wish
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
	_ = h.look() // else the next key tries again
	h.page, *h.notes = h.page.Take(nil, h.notes.AddTo(guard.Line(said))), nil
	return false
}

// grant carries out a wish like the command of the same name, and returns that command's message.
func (h *livePage) grant(wish console.Wish, lend func(func())) (said string, err error) {
	var out bytes.Buffer
	env, back := h.env, "; u takes it back"
	env.Out = &out
	switch wish.Do {
	case "show":
		err = withWork(env, h.g, func(w *work) error { return w.show([]string{wish.What}, false) })
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
	return render.CutText(guard.Line(first), max(h.page.Width-len(back), 12)) + back, err
}

// tick takes in commits by other programs, and the background's findings.
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

func (h *livePage) look() error {
	return withRoot(h.env, h.g, func(w *work) (err error) {
		_, h.tip, _ = w.root.FindHome() // first: a commit that comes meanwhile is looked at later
		m, err := w.ViewForCaller(w.root)
		if err != nil {
			return err
		}
		h.sources = []recall.Source{{Memory: m}}
		h.waits, _, err = workspace.Queues.ListPending(m)
		h.waits, h.folded = curate.FoldOld(h.waits, m.Now())
		h.show()
		return err
	})
}

func (h *livePage) show() {
	now, fresh, again := h.watch.env.Clock(), 0, 0
	lessons := recall.Filter{Type: recall.LessonType, Status: recall.AnyStatus, Since: now.AddDate(0, 0, -7)}
	for _, f := range recall.FindText(h.sources, "", lessons, 0).Found {
		switch {
		case !f.Item.IsShown():
		case f.Item.FirstSeen.After(lessons.Since):
			fresh++
		default:
			again++
		}
	}
	week := "This week: " + render.Count(fresh, "lesson", "lessons") + " learned" + map[bool]string{true: fmt.Sprintf(", %d came up again", again)}[again > 0] + "."
	d := console.PageData{Name: guard.Line(filepath.Base(h.watch.At.Project)), Week: []string{week}, Folded: h.folded}
	for _, line := range []string{h.told, h.env.FindNewer()} {
		if line != "" {
			d.Week = append(d.Week, line)
		}
	}
	lessons.Since, lessons.Status = time.Time{}, index.Active
	found := recall.FindText(h.sources, h.query, lessons, 500) // to clean thousands would take a while
	d.More = found.More
	for _, r := range inspect.ListFound(found.Found) {
		d.Lessons = append(d.Lessons, r.Row(now))
	}
	for _, p := range h.waits {
		d.Waits = append(d.Waits, render.Row{ID: guard.Line(p.ID), Kind: string(p.Kind), Text: guard.Line(p.Title)})
	}
	h.page = h.page.Take(&d, "")
}

// countHelp finds out, in the background, what sessions of the last week were shown, and whether it helped.
func (h *livePage) countHelp(ctx context.Context, ix *index.Index) {
	env, _ := h.env.CollectNotes()
	_ = withRoot(env, h.g, func(w *work) error { // without an answer there is a line less
		week := w.Now.AddDate(0, 0, -7)
		n, times := inspect.CountTold(w.Workspace, ix, week)
		if n == 0 {
			return nil
		}
		line := fmt.Sprintf("Shown to sessions: %s, %d×.", render.Count(n, "lesson", "lessons"), times)
		if r, err := inspect.ReadReport(ctx, w.Workspace, week); err == nil && r.Told.Of > 0 {
			line += fmt.Sprintf(" They mattered %d×; the mistake was made %d× all the same.", r.Told.Of, r.Told.Hits)
		}
		h.usage <- line
		return nil
	})
}
