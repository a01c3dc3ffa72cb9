package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mem/curate/evidence"
	"mem/guard"
	"mem/recall"
	"mem/repo"
)

// A want is what somebody wants to read, and for what. The zero value is what
// the configuration says.
type want struct {
	Budget  int    // tokens; 0 means as the configuration says
	For     string // the task; "" if it is not known
	Agent   string // who asks, for the receipt
	Session string // for which session; without one no receipt is kept
	Small   bool   // rules and lessons only, in a quarter of the configured budget
	Format  recall.Format

	Known []string // ids of lessons that were told already
	Only  bool     // only lessons that fit the task
}

// bundle returns what a session should read, out of the project's memory and
// the person's own. Without either it is empty.
func (w *workspace) bundle(q want) (c recall.Context, err error) {
	mems, err := w.memories((*repo.Root).Skim)
	if err != nil {
		return c, err
	}
	defer func() {
		for _, r := range mems.roots {
			err = errors.Join(err, w.leave(r))
		}
	}()
	budget := q.Budget
	if budget == 0 {
		budget = w.cfg.BudgetTokens
		if q.Small {
			budget /= 4
		}
	}
	exists, done := w.inProject()
	defer done()
	c, err = recall.Bundle(mems.sources, recall.Options{
		Budget: budget, Limit: w.cfg.MaxCoreItems, Mode: recall.Mode(w.cfg.InstructionMode),
		Format: q.Format, For: q.For, Small: q.Small,
		Monthly: w.cfg.IncludeMonthly, Days: w.cfg.IncludeDaily, Exists: exists,
		Known: q.Known, Only: q.Only, Here: w.ofProject,
	})
	if err != nil {
		return c, err
	}
	for _, s := range c.Skipped {
		w.env.Note("passed over: %s", guard.Line(s))
	}
	if q.Session != "" && c.Text != "" && len(mems.roots) > 0 {
		w.receipt(mems.roots[len(mems.roots)-1], c, q.Agent, q.Session) // the project's, if there is one
	}
	return c, nil
}

// receipt keeps what a session was given to read.
func (w *workspace) receipt(root *repo.Root, c recall.Context, agent, session string) {
	r := recall.NewReceipt(c, agent, session, w.now)
	if err := root.Amend(repo.NoteShown, func(old []byte) []byte { return recall.AddReceipt(old, r) }); err != nil {
		w.env.Note("no receipt: %v", err) // a session is not to go without its lessons for that
	}
}

// memories are the memories that a command reads, the person's own first.
type memories struct {
	sources []recall.Source
	roots   []*repo.Root
}

func (m *memories) close() error {
	var errs []error
	for _, r := range m.roots {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// memories opens the person's own memory and the project's, as far as there
// are any, and reads them with view. Trouble with the former keeps nobody from
// the latter.
func (w *workspace) memories(view func(*repo.Root, time.Time) (*repo.Memory, error)) (*memories, error) {
	m := &memories{}
	at, found, own := w.global()
	if found && !own {
		s := recall.Source{Global: true, Root: w.atHome(at), Notes: notes(at)}
		root, err := repo.Open(at, w.options())
		if err == nil {
			m.roots = append(m.roots, root)
			s.Memory, err = view(root, w.now)
		}
		if err != nil && !errors.Is(err, repo.ErrNoRoot) && !errors.Is(err, repo.ErrNotRoot) {
			w.env.Note("your own memory, %s, is left out: %s", w.atHome(at), errorText(err))
		}
		m.sources = append(m.sources, s)
	}
	s := recall.Source{Global: own, Root: w.show(w.at.Root), Notes: cmp.Or(notes(w.at.Root), notes(w.at.Project)), Learnings: learnings(w.at.Project)}
	root, err := w.open()
	switch {
	case errors.Is(err, repo.ErrNoRoot):
	case err != nil:
		return nil, errors.Join(err, m.close())
	default:
		m.roots = append(m.roots, root)
		if s.Memory, err = view(root, w.now); err != nil {
			return nil, errors.Join(err, m.close())
		}
	}
	m.sources = append(m.sources, s)
	return m, nil
}

// global is the person's own memory, if there is one, and whether it is the one
// that the command works on.
func (w *workspace) global() (at string, found, own bool) {
	home := w.env.Home()
	if home == "" {
		return "", false, false
	}
	l := repo.Global(home)
	info, err := os.Stat(l.Root)
	if err != nil {
		return "", false, false
	}
	here, err := os.Stat(w.at.Root)
	return l.Root, true, err == nil && os.SameFile(info, here)
}

// atHome shortens a path in a person's home, for people and agents alike.
func (w *workspace) atHome(path string) string {
	if rel, err := filepath.Rel(w.env.Home(), path); err == nil && filepath.IsLocal(rel) {
		return "~/" + filepath.ToSlash(rel)
	}
	return path
}

// maxNotes bounds a file of notes that is read.
const maxNotes = 256 << 10

// notes is what the MEMORY.md of a folder says.
func notes(folder string) string { return small(folder, "MEMORY.md") }

// small is what a file of notes says. One that is no plain file, or that is too
// large, is not read; errors are as if there were none, as in pi.
func small(folder, name string) string {
	path := filepath.Join(folder, name)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxNotes {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// learnings is what agents noted in the LEARNINGS.md of a folder and may be
// shown: what reads like an order, or holds a secret, may not.
func learnings(folder string) (texts []string) {
	for _, b := range evidence.Blocks([]byte(small(folder, "LEARNINGS.md"))) {
		if b.Unfit == "" {
			texts = append(texts, b.Text)
		}
	}
	return texts
}

// inProject returns what tells whether a path is in the project, or in the
// work tree that the command runs in, which may be another one. Nothing
// outside is looked at.
func (w *workspace) inProject() (exists func(path string) bool, done func()) {
	var roots []*os.Root
	for _, dir := range []string{w.at.Project, w.env.Dir} {
		if root, err := os.OpenRoot(dir); err == nil {
			roots = append(roots, root)
		}
	}
	exists = func(path string) bool {
		for _, root := range roots {
			if _, err := root.Lstat(filepath.FromSlash(path)); !errors.Is(err, fs.ErrNotExist) {
				return true // or cannot be told
			}
		}
		return len(roots) == 0
	}
	return exists, func() {
		for _, root := range roots {
			_ = root.Close() // only read
		}
	}
}
