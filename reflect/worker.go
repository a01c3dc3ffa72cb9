package reflect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mem/repo"
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
	Reflector Reflector
	Now       func() time.Time
	Quiet     time.Duration // how long a session waits before it is asked about; what follows soon joins it
	Sleep     func(context.Context, time.Duration) error
}

// Run works until nothing is due. The error wraps repo.ErrLocked if another
// worker does.
func (w Worker) Run(ctx context.Context, root *repo.Root) error {
	for {
		lock, err := root.Work(ctx)
		if err != nil {
			return err
		}
		if err := errors.Join(w.work(ctx, root), lock.Release()); err != nil {
			return err
		}
		// Who queued a session and saw the lock relies on its holder, even if
		// that was about to leave.
		name, wait, err := w.next(root)
		if err != nil || name == "" && wait == 0 {
			return err
		}
	}
}

func (w Worker) work(ctx context.Context, root *repo.Root) error {
	for {
		// What cannot be counted now waits; that is no reason not to ask.
		if _, err := root.DrainQueue(ctx, JobKind, ReadJob, w.Reflector.warnf); err != nil && !Postponed(err) {
			w.Reflector.warn("%v", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := compact(root); err != nil {
			return err
		}
		name, wait, err := w.next(root)
		switch {
		case err != nil:
			return err
		case name == "" && wait > 0:
			if err := w.Sleep(ctx, wait); err != nil {
				return err
			}
		case name == "":
			return nil
		default:
			if err := w.try(ctx, root, name); err != nil {
				return err
			}
		}
	}
}

// next returns the session that is due and waits longest. If none is, wait
// says after how long one will be that only rests; zero if there is none.
func (w Worker) next(root *repo.Root) (name string, wait time.Duration, err error) {
	names, err := root.Waiting()
	if err != nil {
		return "", 0, err
	}
	now, tries := w.Now(), ReadWork(root).Tries
	latest := map[string]time.Time{} // by key
	for _, name := range names {
		latest[repo.JobKey(name)] = repo.JobTime(name)
	}
	for _, name := range names {
		key := repo.JobKey(name)
		if tries[key].waits(now) {
			continue
		}
		// A clock that was set back must not make a session wait for years.
		rest := latest[key].Add(w.Quiet).Sub(now)
		if rest <= 0 || rest > w.Quiet+time.Minute {
			return name, 0, nil
		}
		if wait == 0 || rest < wait {
			wait = rest
		}
	}
	return "", wait, nil
}

// try asks about one session and notes what came of it. The try is noted
// before it is made, so that a process that dies of it is seen.
func (w Worker) try(ctx context.Context, root *repo.Root, name string) error {
	key := repo.JobKey(name)
	before := ReadWork(root).Tries[key]
	if before.Bad >= maxBad && before.Why == died {
		return setAside(root, name) // nobody lived to do it
	}
	now := Try{N: before.N + 1, Bad: before.Bad + 1, Why: died, Next: w.Now().Add(pause(before.N + 1))}
	note := func(t Try) error {
		work := ReadWork(root) // a person may have said to try all again meanwhile
		work.Tries[key] = t
		return work.keep(root)
	}
	if err := note(now); err != nil {
		return err
	}
	f := w.do(ctx, root, name)
	switch {
	case ctx.Err() != nil: // nobody's doing
		return errors.Join(ctx.Err(), note(before))
	case f == nil:
		work := ReadWork(root)
		delete(work.Tries, key)
		work.Done = w.Now()
		return errors.Join(w.tidyAside(root, key), work.keep(root))
	}
	now.Why = f.why
	if !f.own {
		now.Bad--
	}
	if !f.next.IsZero() {
		now.N, now.Next = before.N, f.next
	}
	if f.hopeless || now.Bad >= maxBad {
		if err := setAside(root, name); err != nil {
			return err
		}
	}
	return note(now)
}

func setAside(root *repo.Root, name string) error {
	if err := root.SetAside(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// A failure is why a session stays in the queue.
type failure struct {
	why      string
	own      bool      // it may be the session that makes it fail
	hopeless bool      // it can never succeed
	next     time.Time // when it can succeed; zero if nobody knows
}

// do does one session: nil means that it has left the queue.
func (w Worker) do(ctx context.Context, root *repo.Root, name string) (f *failure) {
	defer func() {
		if p := recover(); p != nil {
			f = &failure{why: scrub(fmt.Sprintf("a defect in mem: %v", p)), own: true}
		}
	}()
	g, err := w.load(root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && g == nil:
		return w.finish(root, name, nil)
	case errors.Is(err, errReading):
		return &failure{why: err.Error(), own: true, hopeless: true}
	case err != nil:
		return &failure{why: scrub(err.Error())}
	}
	var said []string
	asked := w.Reflector
	asked.Wait, asked.Warn = true, func(s string) { said = append(said, s) }
	p, reason, err := asked.Ask(ctx, g)
	switch {
	case err != nil:
		return &failure{why: scrub(err.Error())}
	case reason == Spent:
		return &failure{why: string(reason), next: w.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)}
	case p == nil && reason != NothingToSay:
		why := string(reason)
		if len(said) > 0 {
			why += " (" + strings.Join(said, "; ") + ")"
		}
		return &failure{why: why, own: reason == BadAnswer}
	case p != nil:
		if err := w.count(ctx, root, p); err != nil {
			return &failure{why: scrub(err.Error())}
		}
	}
	return w.finish(root, name, g)
}

// load returns what there is to ask about in a queued session, as its file
// has it now if that goes further: agents write their files a little late.
// Nil means that somebody else was faster.
func (w Worker) load(root *repo.Root, name string) (*Reading, error) {
	g, err := deferred(root, name)
	if err != nil {
		return nil, err
	}
	known, err := readTraces(root.File)
	if err != nil {
		return nil, err
	}
	known.further(readMarks(root))
	if !g.rest(known) {
		return nil, nil
	}
	if g.Path == "" {
		return g, nil
	}
	doc, err := trace.OpenPlain(g.Path)
	if err != nil || doc.Session == nil || Identity(doc.Session) != g.Trace {
		return g, nil
	}
	now, reason, err := read(root.File, doc.Session, readMarks(root), Options{Now: g.At, Label: g.Label})
	if err != nil || reason != "" || !now.covers(g) {
		return g, nil
	}
	return now, nil
}

// compact drops the sessions that a later job holds all of, or can take in: a
// session is queued anew at each of its turns, perhaps for as long as a model
// is away.
func compact(root *repo.Root) error {
	names, err := root.Waiting()
	if err != nil {
		return err
	}
	later := map[string]*Reading{} // the latest one, by key
	seen := map[string]string{}
	for _, name := range slices.Backward(names) {
		key := repo.JobKey(name)
		if seen[key] == "" {
			seen[key] = name
			continue
		}
		if later[key] == nil {
			if later[key], err = deferred(root, seen[key]); err != nil {
				continue // its own turn will tell
			}
		}
		g, err := deferred(root, name)
		if err != nil || !later[key].covers(g) && !later[key].join(root, seen[key], g) {
			continue
		}
		if err := root.Finish(name); err != nil {
			return err
		}
	}
	return nil
}

// count counts a reflection, or queues it: the answer may have cost money.
func (w Worker) count(ctx context.Context, root *repo.Root, p *Pending) error {
	_, err := Apply(ctx, root, p)
	if err == nil {
		return nil
	}
	if _, late := Postpone(root, p, err); late != nil {
		return cmp.Or(err, late)
	}
	return nil
}

// finish takes a session out of the queue. With a reading it notes first how
// far that went: a crash between the two costs a question at most.
func (w Worker) finish(root *repo.Root, name string, g *Reading) *failure {
	if g != nil {
		if err := keepMark(root, g.Trace, *g.Mark); err != nil {
			return &failure{why: err.Error()}
		}
	}
	if err := root.Finish(name); err != nil {
		return &failure{why: err.Error()}
	}
	return nil
}

// tidyAside drops what was set aside of a session that went well after all.
func (w Worker) tidyAside(root *repo.Root, key string) error {
	aside, err := root.Aside()
	if err != nil {
		return err
	}
	known, err := readTraces(root.File)
	if err != nil {
		return nil // what is set aside may stay
	}
	known.further(readMarks(root))
	for _, name := range aside {
		if repo.JobKey(name) != key {
			continue
		}
		if g, err := deferred(root, name); err == nil && !g.rest(known) {
			if err := root.Finish(name); err != nil {
				return err
			}
		}
	}
	return nil
}
