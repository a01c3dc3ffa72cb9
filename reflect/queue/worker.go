package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"mem/oracle"
	"mem/reflect"
	"mem/repo"
	"mem/session"
	"mem/trace"
)

// A Worker does what a hook has no time for: it asks about the sessions that
// wait in a root's queue and counts what was learned. A root has one at a
// time.
//
// A session leaves the queue when its lessons are committed or queued as a
// reflection, or when there are none. Whatever goes wrong before leaves it
// there, to be tried again later and later; one that does harm itself is set
// aside after a few tries.
type Worker struct {
	Reflector reflect.Reflector
	Now       func() time.Time
	Places    trace.Places  // where the file of a session is when it is no longer where it was
	Quiet     time.Duration // how long a session that did not end waits before it is asked about; what follows joins it
	Sleep     func(context.Context, time.Duration) error

	// Oracles returns whom to ask about a session of pi that has this model, or of another
	// agent; nil asks those of the Reflector.
	Oracles func(sessionModel string) ([]oracle.Oracle, error)
}

// Run works until nothing is due. The error wraps repo.ErrLocked if another
// worker does.
func (w Worker) Run(ctx context.Context, root *repo.Root) error {
	for {
		lock, err := root.LockWork(ctx)
		if err != nil {
			return err
		}
		err = w.workOff(ctx, root)
		if err == nil {
			err = root.Pack(ctx, w.Now())
		}
		if err := errors.Join(err, lock.Release()); err != nil {
			return err
		}
		// A process that queued a session and saw the lock relies on its holder,
		// even if that was about to leave.
		name, wait, err := w.findNext(root)
		if err != nil || name == "" && wait == 0 {
			return err
		}
	}
}

func (w Worker) workOff(ctx context.Context, root *repo.Root) error {
	for {
		// What cannot be counted now waits; the models are asked all the same.
		if _, err := root.Drain(ctx, reflect.JobKind, reflect.ReadJob, w.warn); err != nil && !reflect.IsPostponed(err) {
			w.warn(err.Error())
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		name, wait, err := w.findNext(root)
		switch {
		case err != nil || name == "" && wait == 0:
			return err
		case name == "":
			err = w.rest(ctx, root, wait)
		default:
			err = w.tryJob(ctx, root, name)
		}
		if err != nil {
			return err
		}
	}
}

// blink is after how long a resting worker looks whether the session ended.
const blink = 2 * time.Second

// rest waits for so long, or until the queue is another one or something in it is due.
func (w Worker) rest(ctx context.Context, root *repo.Root, wait time.Duration) error {
	before, err := root.ListWaiting()
	for ; wait > 0 && err == nil; wait -= blink {
		if err := w.Sleep(ctx, min(wait, blink)); err != nil {
			return err
		}
		now, _ := root.ListWaiting()
		if name, _, err := w.findNext(root); name != "" || err != nil || !slices.Equal(before, now) {
			return err
		}
	}
	return err
}

func (w Worker) warn(s string) {
	if w.Reflector.Warn != nil {
		w.Reflector.Warn(s)
	}
}

// findNext returns the session that is due and waits longest. If none is, wait
// says after how long one will be that only rests; zero if there is none.
func (w Worker) findNext(root *repo.Root) (name string, wait time.Duration, err error) {
	names, err := root.ListWaiting()
	if err != nil {
		return "", 0, err
	}
	now, tries := w.Now(), ReadWork(root).Tries
	latest := map[string]string{} // by key
	for _, name := range names {
		latest[repo.JobKey(name)] = name
	}
	for _, name := range names {
		key := repo.JobKey(name)
		if !tries[key].isDue(name, now) {
			continue
		}
		// A clock that was set back must not make a session wait for years.
		rest := repo.JobTime(latest[key]).Add(w.Quiet).Sub(now)
		if rest <= 0 || rest > w.Quiet+time.Minute || isOver(latest[key]) {
			return name, 0, nil
		}
		if wait == 0 || rest < wait {
			wait = rest
		}
	}
	return "", wait, nil
}

// tryJob asks about one session and notes what came of it. The try is noted
// before it is made, so that a process that dies of it is seen.
func (w Worker) tryJob(ctx context.Context, root *repo.Root, name string) error {
	key := repo.JobKey(name)
	state := ReadWork(root)
	before := state.Tries[key]
	now := Try{N: before.N + 1, Bad: before.Bad + 1, Why: died, Next: w.Now().Add(pauseAfter(before.N + 1)), Answered: state.Answered}
	note := func(change func(work *Work)) error {
		work := ReadWork(root) // a person may have said to try all again meanwhile
		work.Reading = ""
		change(&work)
		return work.writeTo(root)
	}
	if before.Bad >= maxBad && before.Why == died { // no process lived to set it aside
		before.Aside = name
		return note(func(work *Work) { work.Tries[key] = before })
	}
	if err := note(func(work *Work) { work.Tries[key], work.Reading = now, key }); err != nil {
		return err
	}
	f := w.do(ctx, root, name)
	switch {
	case ctx.Err() != nil: // the session is not to blame
		return errors.Join(ctx.Err(), note(func(work *Work) { work.Tries[key] = before }))
	case f == nil:
		return note(func(work *Work) {
			delete(work.Tries, key) // what was set aside of the session is looked at again, too
			work.Done, work.Answered = w.Now(), work.Answered+1
		})
	}
	// If a model answers no session, for example because it is not logged in, the session is not to blame.
	if now.Why = f.why; !f.own || f.unless && (before.N == 0 || before.Answered == now.Answered) {
		now.Bad--
	}
	if !f.next.IsZero() {
		now.N, now.Next = before.N, f.next
	}
	if f.hopeless || now.Bad >= maxBad {
		now.Aside = name
	}
	return note(func(work *Work) { work.Tries[key] = now })
}

type failure struct {
	why      string
	own      bool      // it may be the session that makes it fail
	unless   bool      // it is only if others were answered since the last try
	hopeless bool      // it can never succeed
	next     time.Time // when it can succeed; zero if that is unknown
}

func failedFor(err error) *failure { return &failure{why: reflect.Scrub(err.Error())} }

// do does one session: nil means that it has left the queue.
func (w Worker) do(ctx context.Context, root *repo.Root, name string) (f *failure) {
	defer func() {
		if p := recover(); p != nil {
			f = failedFor(fmt.Errorf("a defect in mem: %v", p))
			f.own = true
		}
	}()
	g, err := w.loadReading(root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && g == nil:
		return finishJob(root, name, nil)
	case err != nil:
		f = failedFor(err)
		f.hopeless = errors.Is(err, errDamaged)
		f.own = f.hopeless || errors.Is(err, errGone)
		return f
	}
	p, f := w.ask(ctx, g)
	if f != nil {
		return f
	}
	if p != nil {
		_, err = reflect.CommitPending(ctx, root, p)
		if err != nil && reflect.QueuePending(root.Queue, p) != nil { // it is queued then, since the answer may have cost money
			return failedFor(err)
		}
	}
	return finishJob(root, name, g)
}

// ask asks about a reading. Without a failure, nil means that there is nothing
// to learn.
func (w Worker) ask(ctx context.Context, g *reflect.Reading) (p *reflect.Pending, f *failure) {
	r := w.Reflector
	r.Warn = nil
	said := r.KeepWarnings()
	var err error
	if w.Oracles != nil {
		r.Oracles, err = w.Oracles(g.SessionModel)
	}
	var reason reflect.Reason
	if err == nil {
		p, reason, err = r.AskAbout(ctx, g)
	}
	switch {
	case err != nil:
		return nil, failedFor(err)
	case reason == reflect.Spent:
		return nil, &failure{why: string(reason), next: w.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)}
	case reason.MayPass():
		return nil, &failure{why: reflect.DescribeFailure(reason, *said), own: reason == reflect.BadAnswer, unless: true}
	}
	return p, nil
}

// errGone means that the file of a queued session is not found, or is another one's.
var errGone = errors.New("its file is gone")

// loadReading returns the reading of a queued session, as its file
// has it now. Of what the queue has itself that is only so if the file goes further: agents write
// their files a little late. What waited for a day is kept in the queue from then on. Nil means that another process
// was faster.
func (w Worker) loadReading(root *repo.Root, name string) (*reflect.Reading, error) {
	g, err := readDeferred(root.Queue, name)
	if err != nil {
		return nil, err
	}
	known, err := reflect.TracesOf(root)
	isCopy := g.isCopy()
	if err != nil || isCopy && !g.DropRead(known) {
		return nil, err
	}
	now, err := w.readAgain(known, g.Reading)
	switch isThere := err == nil && now != nil; {
	case isCopy && !(isThere && coversReading(now, g.Reading)):
		return g.Reading, nil
	case !isCopy && isThere && w.Now().Sub(repo.JobTime(name)) >= oneDay:
		if _, err := write(root.Queue, *now, reflect.Options{Now: repo.JobTime(name), Over: isOver(name)}, true); err != nil {
			w.warn(fmt.Sprintf("session %s could not be copied: %v", now.Session, err))
		}
	}
	return now, err
}

// readAgain reads the session of g from its file; nil if there is nothing new in it.
func (w Worker) readAgain(known reflect.Traces, g *reflect.Reading) (*reflect.Reading, error) {
	s, err := openAs(g.Path, g.Trace)
	if err != nil {
		if path, errFind := trace.FindByID(w.Places, g.Agent, g.Session); errFind == nil {
			s, err = openAs(path, g.Trace)
		}
	}
	if err != nil {
		return nil, err
	}
	if isTrusted(g) {
		s.TrustHeadless()
	}
	now, reason := reflect.ReadSession(known, s, reflect.Options{Now: g.At, Label: g.Label, SessionModel: g.SessionModel})
	if reason != "" {
		return nil, nil
	}
	now.Headless = g.Headless
	return now, nil
}

func openAs(path, identity string) (*session.Session, error) {
	doc, err := trace.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errGone, err) // the job is there
	}
	if doc.Session == nil || reflect.Identity(doc.Session) != identity {
		return nil, fmt.Errorf("%w: %s is another session", errGone, path)
	}
	return doc.Session, nil
}

// finishJob takes a session out of the queue. With a reading it notes first how
// far that went: a crash between the two costs a question at most.
func finishJob(root *repo.Root, name string, g *reflect.Reading) *failure {
	var err error
	if g != nil {
		err = reflect.NoteRead(root, g.Head)
	}
	if err == nil {
		err = root.RemoveJob(name)
	}
	if err != nil {
		return failedFor(err)
	}
	return nil
}
