package workspace

import (
	"context"
	"errors"
	"os"
	"strings"

	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/reflect"
	"mem/reflect/queue"
	"mem/render"
	"mem/repo"
	"mem/trace"
	"mem/words"
)

// A Reflection is one attempt to learn: the source, the options and the outcome. It asks for the lessons of a
// session, or takes finished ones, commits them, and queues what cannot be committed or asked about now. Status
// is "learned" if something was learned, and Nothing, with a reason, if there is nothing to learn.
type Reflection struct {
	Changed
	Doc     trace.Document
	About   reflect.Options
	DryRun  bool
	Pending *reflect.Pending
	Outcome reflect.Outcome
	w       *Workspace
	said    *[]string // error texts of oracles that did not answer
}

// LearnIn learns in a workspace. The memory is made for the first lesson.
func (res *Reflection) LearnIn(ctx context.Context, w *Workspace, r reflect.Reflector) error {
	res.w = w
	if _, err := w.OpenRootIfAny(); err != nil {
		if errors.Is(err, ErrUntrusted) && !res.DryRun {
			return res.waitForTrust(ctx, r, err)
		}
		return err
	}
	var blocked error
	if !res.DryRun {
		blocked = w.DrainQueue(ctx)
	}
	res.said = r.KeepWarnings()
	reason, err := res.askAbout(ctx, r)
	if err != nil {
		return err
	}
	if res.Pending == nil {
		res.Changed = Unchanged(Nothing, string(reason))
		return nil
	}
	return res.commitLessons(ctx, blocked)
}

// askAbout asks for the lessons of a session, or takes those of a finished
// reflection. Without any there is a reason why.
func (res *Reflection) askAbout(ctx context.Context, r reflect.Reflector) (reason reflect.Reason, err error) {
	w, s := res.w, res.Doc.Session
	if s == nil { // what is known is looked up under the lock
		res.Pending, reason = r.TakeFinished(res.Doc.Finished, res.About)
		return reason, nil
	}
	m, err := w.ViewRoot()
	if err == nil && w.Budget.HasLimit() && !res.DryRun { // it is kept in the memory, whatever the answer
		_, err = w.CreateRoot(ctx)
	}
	if err != nil {
		return "", err
	}
	res.Pending, reason, err = r.ReflectOn(ctx, m, s, res.About)
	return reason, err
}

// commitLessons commits the lessons. It queues them when the memory cannot be changed
// now, and at once when it was blocked already: waiting for it again would only
// hold up the agent.
func (res *Reflection) commitLessons(ctx context.Context, blocked error) (err error) {
	if blocked == nil {
		res.Changed, blocked = res.w.Change(ctx, res.DryRun, func(m *repo.Memory) (msg repo.Message, err error) {
			res.Outcome, msg, err = res.Pending.CountInto(m)
			return msg, err
		})
		switch {
		case blocked == nil:
			res.Call("learned")
			res.Reason = string(res.Outcome.Reason)
			return nil
		case res.DryRun, !reflect.IsPostponed(blocked):
			return blocked
		}
	}
	root, err := res.w.CreateRoot(ctx)
	if err == nil {
		err = res.queue(root.Queue)
	}
	res.Changed = Unchanged(Queued, DescribeError(blocked))
	return err
}

func (res *Reflection) queue(q repo.Queue) error {
	res.Outcome = reflect.Outcome{ID: res.Pending.ID}
	return reflect.QueuePending(q, res.Pending)
}

// waitForTrust queues what was handed in until the person vouches for the memory.
// No model is asked before.
func (res *Reflection) waitForTrust(ctx context.Context, r reflect.Reflector, why error) error {
	waiting, err := res.w.Queue(ctx)
	if err != nil {
		return err
	}
	var reason reflect.Reason
	if s := res.Doc.Session; s != nil {
		reason, err = queue.Defer(waiting, nil, s, res.About)
	} else if res.Pending, reason = r.TakeFinished(res.Doc.Finished, res.About); res.Pending != nil {
		err = res.queue(waiting)
	}
	res.Changed = Unchanged(Queued, AskTrust(why))
	if reason != "" {
		res.Changed = Unchanged(Nothing, string(reason))
	}
	return err
}

// QueueSession queues a session that no oracle could be asked about now. If it cannot, the next command that reads the
// session asks again.
func (res *Reflection) QueueSession(ctx context.Context) {
	if root, err := res.w.CreateRoot(ctx); err == nil {
		_, _ = queue.DeferFailed(root, res.Doc.Session, res.About, reflect.DescribeFailure(reflect.Reason(res.Reason), *res.said), res.w.Now)
	}
}

// FindDoubt returns why a lesson that an agent notes in its own session is held, such as that nothing in the
// session says it; "" if nothing contradicts it, or the session is not found.
func (w *Workspace) FindDoubt(session, text string) string {
	places := trace.DefaultPlaces(w.Home(), w.Getenv)
	for _, agent := range []string{"claude", "codex"} { // those that tell a command their session
		path, err := trace.FindByID(places, agent, session)
		if err != nil {
			continue
		}
		if doc, err := trace.Open(path); err == nil && doc.Session != nil {
			return reflect.DoubtNote(doc.Session, text)
		}
	}
	return ""
}

// The most that a model is told beside a session.
const (
	maxKnown  = 20
	maxHeld   = 5 // of the known, those that are held, and as many candidates
	maxGuides = 30
)

// LookAround returns the context that a model gets with a session. known are the lessons closest to what was
// said, run and failed in it, including held ones, so that another session can confirm them. guides are the
// project's own instructions on the same subject. Texts that read as an order, or cannot be read, are left out.
func (w *Workspace) LookAround(said string) (known []reflect.Known, guides []string) {
	if m, err := w.ViewRoot(); err == nil {
		known = w.findKnown(m, said)
	}
	about := words.AlignWords(said)
	for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
		for line := range strings.Lines(readNotes(os.Stat, w.At.Project, name)) {
			line = guard.Line(strings.Trim(line, " \t\r\n#>*-"))
			shared := 0
			for word := range words.AlignWords(line) {
				if about[word] && !words.IsCommon(word) {
					shared++
				}
			}
			if shared > 1 && len(guides) < maxGuides {
				guides = append(guides, render.Shorten(line, 200))
			}
		}
	}
	return known, guides
}

// findKnown returns the lessons nearest to a text: held ones that do not read as an order, candidates, and then
// those that sessions are shown.
func (w *Workspace) findKnown(m *repo.Memory, said string) (known []reflect.Known) {
	nearest := func(items []index.Item, most int) []int {
		return recall.FindNearest(&index.Index{Items: items}, said, w.Now, most)
	}
	var held, near []index.Item
	for _, it := range m.Index.Items {
		if it.Status == index.Quarantined && len(guard.Lint(it.ShownText())) == 0 {
			it.Status = index.Active // to be ranked
			held = append(held, it)
		}
	}
	for _, pos := range nearest(held, maxHeld) {
		known = append(known, reflect.Known{ID: held[pos].ID, Text: guard.Scrub(held[pos].ShownText()), Held: true})
	}
	list, _ := reflect.ListCandidates(m) // without them less is known
	for _, c := range list {
		near = append(near, index.Item{Text: c.Text, Cue: &c.Cue, Remedy: &c.Remedy, Hits: 1, Score: 1, LastSeen: w.Now})
	}
	for _, pos := range nearest(near, maxHeld) {
		if text := guard.Scrub(list[pos].Text); len(guard.Lint(text)) == 0 {
			known = append(known, reflect.Known{Text: text, Candidate: &list[pos].Lesson})
		}
	}
	for _, pos := range nearest(m.Index.Items, maxKnown-len(known)) {
		known = append(known, reflect.Known{ID: m.Index.Items[pos].ID, Text: guard.Scrub(m.Index.Items[pos].ShownText())})
	}
	return known
}
