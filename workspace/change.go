package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"mem/agent"
	"mem/curate"
	"mem/guard"
	"mem/index"
	"mem/reflect"
	"mem/reflect/queue"
	"mem/render"
	"mem/repo"
)

// Status is the outcome of a change.
type Status string

// The statuses that Change gives. A command may say Done in a word of its own,
// such as "approved".
const (
	Done    Status = "done"
	Planned Status = "planned" // a dry run; nothing was written
	Queued  Status = "queued"  // the memory cannot be changed now; a later command does it
	Nothing Status = "nothing" // there was nothing to change
)

// Changed is the result of a change. As JSON it is the same for every command
// that writes.
type Changed struct {
	Status  Status   `json:"status"`
	Reason  string   `json:"reason"`  // why it is queued, or why there was nothing to change
	Commit  string   `json:"commit"`  // full hash; "" without a commit
	Subject string   `json:"subject"` // of the commit, or of the one planned
	Files   []string `json:"files"`   // that the commit changes, sorted

	diff   func() (string, error)
	hidden *index.Withheld // of quarantined lessons, for an agent; nil if nothing is hidden
}

// Diff returns the changes of a plan to its files. It must be called before
// the workspace is left; a change that is not planned has no diff.
func (c *Changed) Diff() (string, error) {
	if c.diff == nil {
		return "", nil
	}
	text, err := c.diff()
	return c.hidden.Hide(text), err
}

// HideHeld removes from lists of lessons the words of quarantined ones that an agent must not see.
func (c *Changed) HideHeld(lists ...[]index.Item) {
	for _, list := range lists {
		for i := range list {
			list[i].Text = c.hidden.Hide(list[i].Text)
		}
	}
}

// Call replaces Done by the command's own word for it.
func (c *Changed) Call(done Status) {
	if c.Status == Done {
		c.Status = done
	}
}

// CommitLine is the commit as people are shown it: the short hash and the subject.
func (c *Changed) CommitLine() string {
	return guard.Line(fmt.Sprintf("%.12s %s", c.Commit, c.Subject))
}

// DescribeError is the text of an error, on one line. Of joined errors one is not told again that another wraps.
func DescribeError(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	said := ""
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSuffix(line, "\n"); said == "" {
			said = line
		} else if !strings.Contains(said, line) {
			said += "; " + line
		}
	}
	return guard.Line(said)
}

// Unchanged is the outcome when nothing was written, for a reason.
func Unchanged(s Status, reason string) Changed {
	return Changed{Status: s, Reason: reason, Files: []string{}}
}

// Change changes the memory by f, in one commit, after it has committed the queued jobs. It makes the memory if
// there is none. With dryRun nothing is written, and the result describes the plan.
//
// f is as for repo.Root.Settle: it may be called more than once, and a message without a subject means that
// there is nothing to change. The status is then Nothing, and the commit, if any, holds only hand edits. If
// IsPostponed reports true for the error, the same call can succeed later.
//
// If an agent runs the command, the result does not contain the words of quarantined lessons.
func (w *Workspace) Change(ctx context.Context, dryRun bool, f func(*repo.Memory) (repo.Message, error)) (c Changed, err error) {
	hidden := new(index.Withheld)
	isAgent, _ := agent.FindCaller(w.Getenv)
	noted := func(m *repo.Memory) (repo.Message, error) {
		if isAgent {
			hidden = m.Index.HideHeld().Withheld()
		}
		return f(m)
	}
	if dryRun {
		c, err = w.plan(noted)
	} else {
		c, err = w.settle(ctx, noted)
	}
	c.hidden, c.Subject = hidden, hidden.Hide(c.Subject)
	return c, err
}

// settle is Change that is no dry run.
func (w *Workspace) settle(ctx context.Context, f func(*repo.Memory) (repo.Message, error)) (Changed, error) {
	root, err := w.CreateRoot(ctx)
	if err != nil {
		return Changed{}, err
	}
	if err := w.DrainQueue(ctx); err != nil {
		return Changed{}, err
	}
	changes := false
	commit, err := root.Settle(ctx, w.Now, func(m *repo.Memory) (repo.Message, error) {
		msg, err := f(m)
		changes = msg.Subject != ""
		return msg, err
	})
	if err != nil {
		return Changed{}, err
	}
	w.RememberFolders()
	return describe(Done, changes, commit), nil
}

// plan is Change for a dry run.
func (w *Workspace) plan(f func(*repo.Memory) (repo.Message, error)) (Changed, error) {
	after, err := w.ViewRoot()
	if err != nil {
		return Changed{}, err
	}
	commit, err := after.Preview(f)
	if err != nil {
		return Changed{}, err
	}
	c := describe(Planned, commit.Subject != "", commit)
	c.diff = func() (string, error) { return w.compareFiles(after, c.Files) }
	return c, nil
}

func describe(s Status, changes bool, commit repo.Commit) Changed {
	if !changes {
		s = Nothing
	}
	return Changed{Status: s, Commit: commit.ID, Subject: commit.Subject, Files: append([]string{}, commit.Files...)}
}

// AllowAutoApply lets the detector write rules without asking, if the configuration allows it. It writes no
// rule twice: a person who reverts such a rule with git has said no.
func (w *Workspace) AllowAutoApply() {
	if !w.Config.AutoApply {
		return
	}
	w.Detector.AutoApply = func(key string) bool {
		before := false
		root, err := w.OpenRootIfAny()
		if root != nil {
			err = root.WalkHistory(func(rev repo.Revision) bool {
				before = slices.Contains(rev.Trailers()[curate.AutoTrailer], key)
				return !before
			})
		}
		return err == nil && !before
	}
}

// LookAtGit takes git's changes into a memory, so that reading commands show them.
func (w *Workspace) LookAtGit(ctx context.Context, root *repo.Root) error {
	_, err := root.Settle(ctx, w.Now, func(*repo.Memory) (repo.Message, error) { return repo.Message{}, nil })
	if reflect.IsPostponed(err) || errors.Is(err, index.ErrNewerVersion) { // which is only read
		return nil
	}
	return err
}

// DrainQueue commits the queued jobs of the memory, once per workspace; it does nothing while the memory is not
// open. An error says why the memory cannot be changed now; other problems are noted and do not keep the
// command from its own work.
func (w *Workspace) DrainQueue(ctx context.Context) error {
	if w.root == nil || w.drained {
		return nil
	}
	if err := w.TakeOver(w.root); err != nil {
		w.Note("what waits elsewhere could not be taken over: %v", err)
	}
	apply := w.Detector.AutoApply
	w.Detector.AutoApply = nil // the person who runs this command knows nothing of what waited
	err := w.drain(ctx, w.root)
	w.Detector.AutoApply = apply
	w.drained = err == nil
	return err
}

func (w *Workspace) drain(ctx context.Context, root *repo.Root) error {
	for _, k := range []struct {
		kind      string
		read      func(repo.Job) (repo.Task, bool)
		one, many string
	}{
		{curate.CaptureKind, curate.ReadJob, "learning was kept", "learnings were kept"},
		{reflect.JobKind, reflect.ReadJob, "reflection was counted", "reflections were counted"},
	} {
		n, err := root.Drain(ctx, k.kind, k.read, w.warnPerson)
		if n > 0 {
			w.Note("%d queued %s", n, render.Plural(n, k.one, k.many))
		}
		if reflect.IsPostponed(err) {
			return err
		}
		if err != nil {
			w.Note("the queue could not be emptied: %v", err)
		}
	}
	if err := w.StartWorker(); err != nil {
		w.Note("sessions wait in the queue: %v", err)
	}
	return nil
}

// StartWorker starts a worker in the background if sessions are due and no
// worker is running.
func (w *Workspace) StartWorker() error {
	if w.root == nil || !w.mayDetach() {
		return nil
	}
	due, err := queue.IsDue(w.root, w.Now)
	if err != nil || !due || w.root.IsWorking() {
		return err
	}
	return w.startDetached(w.root)
}

// compareFiles returns the diff of the memory's files to a planned memory: first the files that sessions read
// and people decide on, such as rules, last the views.
func (w *Workspace) compareFiles(after *repo.Memory, paths []string) (string, error) {
	before, err := w.ViewRoot()
	if err != nil {
		return "", err
	}
	hidden, kept := before.Withheld(), strings.Builder{}
	for _, path := range slices.SortedStableFunc(slices.Values(paths), func(a, b string) int { return cmp.Compare(rank(a), rank(b)) }) {
		var texts [2][]byte
		names := [2]string{"a/" + path, "b/" + path}
		for i, m := range []*repo.Memory{before, after} {
			if texts[i], err = m.ReadFile(path); errors.Is(err, fs.ErrNotExist) {
				names[i] = "/dev/null" // as git apply wants it
			} else if err != nil {
				return "", err
			}
		}
		for line := range strings.Lines(string(diff.Diff(names[0], texts[0], names[1], texts[1]))) {
			if line[0] != ' ' || hidden.StatusOf(line) == index.Active { // what is around a change was not asked for
				kept.WriteString(line)
			}
		}
	}
	return kept.String(), nil
}

// rank says how early a file is shown.
func rank(path string) int {
	top, _, _ := strings.Cut(path, "/")
	switch {
	case slices.Contains([]string{"rules", "context", "memories"}, top):
		return 0
	case path == repo.IndexPath:
		return 2
	case path == render.CorePath || path == render.LongTermPath || path == "patterns/index.md":
		return 3
	}
	return 1
}
