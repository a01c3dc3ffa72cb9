package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mem/agent"
	"mem/config"
	"mem/curate"
	"mem/curate/evidence"
	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/repo"
)

// ReadMemories reads the person's own memory and the project's, as far as there are any. They
// come in this order, and trouble with the first is only noted. A source without a memory has nil.
func (w *Workspace) ReadMemories() ([]recall.Source, error) {
	var list []recall.Source
	at, found, own := w.FindOwn()
	if found && !own {
		list = append(list, w.readOwn(at))
	}
	s := recall.Source{Global: own, Root: w.ShowPath(w.At.Root)}
	for _, b := range evidence.ReadBlocks([]byte(readNotes(os.Lstat, w.At.Project, "LEARNINGS.md"))) {
		if b.Unfit == "" { // else it reads like an order, or holds a secret
			s.Learnings = append(s.Learnings, b.Text)
		}
	}
	text := readNotes(os.Lstat, w.At.Project, "MEMORY.md")
	root, err := w.OpenRootIfAny()
	if root != nil {
		s.Memory, err = root.View(w.Now)
	}
	switch {
	case errors.Is(err, ErrUntrusted): // the session has its own lessons all the same
		w.Note("left out: %s", AskTrust(err))
	case err != nil:
		return nil, err
	default:
		text = cmp.Or(readMemo(s.Memory, w.At.Root), text)
	}
	s.Notes, s.Unfit = guard.DropOrders(text)
	return append(list, s), nil
}

func (w *Workspace) readOwn(at string) recall.Source {
	s := recall.Source{Global: true, Root: w.HomePath(at)}
	err := w.openOwn(at)
	if err == nil && w.own != nil {
		s.Memory, err = w.own.View(w.Now)
	}
	if err != nil {
		w.Note("your own memory, %s, is left out: %s", s.Root, DescribeError(err))
	}
	if !errors.Is(err, ErrUntrusted) {
		s.Notes, s.Unfit = guard.DropOrders(readMemo(s.Memory, at))
	}
	return s
}

// openOwn opens the person's own memory beside the project's, if there is one.
func (w *Workspace) openOwn(at string) error {
	if w.own != nil {
		return nil
	}
	v, err := w.judge(at)
	switch {
	case err != nil:
		return err
	case v.doubt != nil:
		return fmt.Errorf("%w; 'mem trust --root %s' shows what it holds, and asks", ErrUntrusted, w.HomePath(at))
	}
	opts := w.rootOptions()
	opts.AnyOwner, opts.Keys, opts.Queue = w.isNamedByPath(at), w.keysFor(v.named), w.queueIn(at) // of this one, not of the project's
	named := strings.NewReplacer("'mem trust'", "'mem trust --root "+w.HomePath(at)+"'")
	opts.Warn = func(s string) { w.warnPerson(named.Replace(s)) }
	w.own, err = repo.Open(at, opts)
	if errors.Is(err, repo.ErrNoRoot) || errors.Is(err, repo.ErrNotRoot) {
		return nil
	}
	return err
}

// NewHolding is New for the memory that has these lessons: the project's, or the person's own if no memory was
// named and it has more of them. Without ids it is New.
func NewHolding(world World, opts Options, ids []string) (*Workspace, error) {
	w, err := New(world, opts)
	if err != nil || len(ids) == 0 {
		return w, err
	}
	n, err := w.countLessons(ids)
	at, found, isHere := w.FindOwn()
	if n == len(ids) || w.IsNamed || !found || isHere || err != nil && !errors.Is(err, repo.ErrNoRoot) {
		return w, err
	}
	opts.Root = at
	own, errOwn := New(world, opts)
	if errOwn != nil {
		return w, err
	}
	if more, _ := own.countLessons(ids); more > n {
		own.Note("in your own memory, %s", own.HomePath(at))
		return own, w.LeaveRoots()
	}
	return w, errors.Join(err, own.LeaveRoots())
}

func (w *Workspace) countLessons(ids []string) (n int, err error) {
	if _, err := w.OpenRoot(); err != nil {
		return 0, err
	}
	m, err := w.ViewRoot()
	for _, id := range ids {
		if err == nil {
			if _, unknown := curate.FindLessons(m.Index, []string{id}); unknown == nil {
				n++
			}
		}
	}
	return n, err
}

// ReadCues returns the tables that index.FindCues looks in, of each memory that is read.
func (w *Workspace) ReadCues() (tables [][]byte) {
	if root, _ := w.OpenRootIfAny(); root != nil {
		tables = append(tables, root.ReadCues())
	}
	if at, found, own := w.FindOwn(); found && !own && w.openOwn(at) == nil && w.own != nil {
		tables = append(tables, w.own.ReadCues())
	}
	return tables
}

// ViewForCaller is repo.Root.View for what is printed: if an agent runs the command, it is not
// handed what quarantined lessons say.
func (w *Workspace) ViewForCaller(root *repo.Root) (*repo.Memory, error) {
	m, err := root.View(w.Now)
	if err == nil {
		w.fitForCaller(m)
	}
	return m, err
}

// fitForCaller makes a memory that is only read fit to be printed, as ViewForCaller does.
func (w *Workspace) fitForCaller(m *repo.Memory) {
	if isAgent, _ := agent.FindCaller(w.Getenv); isAgent {
		m.Index = m.Index.HideHeld()
	}
}

// ReadSomeMemories is ReadMemories for a command that needs a memory; it hides quarantined lessons as
// ViewForCaller does. It wraps repo.ErrNoRoot if there is none, or not the named one.
func (w *Workspace) ReadSomeMemories() ([]recall.Source, error) {
	if _, found, _ := w.FindOwn(); w.doubt != nil && (!found || w.IsNamed) {
		return nil, w.Untrusted()
	}
	list, err := w.ReadMemories()
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		if s.Memory != nil {
			w.fitForCaller(s.Memory)
		}
	}
	if w.root == nil && (w.own == nil || w.IsNamed) {
		return nil, cmp.Or(w.doubt, fmt.Errorf("%s: %w", w.At.Root, repo.ErrNoRoot))
	}
	return list, nil
}

// ListRoots returns the project's memory and the person's own; nil for what is not open.
func (w *Workspace) ListRoots() (here, own *repo.Root) { return w.root, w.own }

// RootOf returns the memory that a label names; nil if it is not open.
func (w *Workspace) RootOf(label string) *repo.Root {
	if label == recall.Global && w.own != nil {
		return w.own
	}
	return w.root
}

// instructions are the files of a project that say how to work in it, as far as they are read.
var instructions = []string{"AGENTS.md", "CLAUDE.md", "README.md"}

const maxInstructions = 32 << 10

// FindLater returns the ids of the lessons that hooks show when their command, error or file comes up.
func (w *Workspace) FindLater() map[string]bool {
	if !w.Config.Hook.Action {
		return nil
	}
	return index.ListCueIDs(w.ReadCues())
}

// BundleContext returns the context of a session, out of the project's memory and
// the person's own. Without either it is empty. What q leaves out is as configured.
func (w *Workspace) BundleContext(q recall.Options) (c recall.Context, err error) {
	sources, err := w.ReadMemories()
	if err != nil {
		return c, err
	}
	q.Core = q.Core || w.Config.Start == config.StartCore && !q.Small
	switch {
	case q.Budget != 0:
	case q.Asked && q.For != "":
		q.Budget = w.Config.BudgetTokens
	default:
		q.Budget, q.Rules = w.Config.BudgetAtStart(), w.Config.BudgetTokens
	}
	for _, name := range instructions {
		text := readNotes(os.Stat, w.At.Project, name)
		q.Instructions = append(q.Instructions, text[:min(len(text), maxInstructions)])
	}
	q.Limit, q.Mode = w.Config.MaxCoreItems, recall.Mode(w.Config.InstructionMode)
	q.Monthly, q.Days, q.Here = w.Config.IncludeMonthly, w.Config.IncludeDaily, w.isOfProject
	exists, done := w.InProject()
	defer done()
	q.Exists, q.Project = exists, filepath.Base(w.At.Project)
	c = recall.Bundle(sources, q)
	for _, s := range c.Skipped {
		w.Note("skipped: %s", guard.Line(s))
	}
	return c, nil
}

// KeepReceipt keeps what a session was given to read, in the project's memory if
// it is open, else in the person's own.
func (w *Workspace) KeepReceipt(r recall.Receipt) {
	root := cmp.Or(w.root, w.own)
	if root == nil {
		return
	}
	if err := r.Keep(root); err != nil {
		w.Note("no receipt: %v", err) // a session is not to go without its lessons for that
	}
}

// FindOwn returns the folder of the person's own memory, whether there is one,
// and whether it is the one that the command works on.
func (w *Workspace) FindOwn() (at string, found, isHere bool) {
	own := w.Person().GlobalRoot()
	return own.Root, own.Exists, own.Exists && IsSameFolder(own.Root, w.At.Root)
}

// IsSameFolder reports whether two paths lead to one folder.
func IsSameFolder(a, b string) bool {
	x, err := os.Stat(a)
	y, errY := os.Stat(b)
	return err == nil && errY == nil && os.SameFile(x, y)
}

const maxNotes = 256 << 10

// readNotes returns the text of a file of notes. One that is not a regular file as stat sees
// it, or that is too large, counts as none, as in pi.
func readNotes(stat func(string) (os.FileInfo, error), folder, name string) string {
	path := filepath.Join(folder, name)
	if info, err := stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxNotes {
		return ""
	}
	data, _ := os.ReadFile(path)
	return strings.TrimSpace(string(data))
}

// readMemo returns the text of a memory's MEMORY.md, or of a folder's without a memory. Changes that arrived by
// git are pending, as in the rest of the memory.
func readMemo(m *repo.Memory, folder string) string {
	if m == nil {
		return readNotes(os.Lstat, folder, "MEMORY.md")
	}
	data, _ := m.ReadFile("MEMORY.md")
	if len(data) > maxNotes {
		return ""
	}
	return strings.TrimSpace(string(data))
}
