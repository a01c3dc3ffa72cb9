package queue

import (
	"context"
	"errors"
	"time"

	"mem/reflect"
	"mem/repo"
	"mem/repo/private"
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
	Quiet     time.Duration // how long a session waits before it is asked about; what follows soon joins it
	Sleep     func(context.Context, time.Duration) error
}

// Run works until nothing is due. The error wraps repo.ErrLocked if another
// worker does.
func (w Worker) Run(ctx context.Context, root *repo.Root) error {
	for {
		lock, err := root.LockWork(ctx)
		if err != nil {
			return err
		}
		if err := errors.Join(w.workOff(ctx, root), lock.Release()); err != nil {
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

// workOff works until nothing is due, under the lock.
func (w Worker) workOff(ctx context.Context, root *repo.Root) error {
	for {
		// What cannot be counted now waits; that is no reason not to ask.
		if _, err := root.DrainQueue(ctx, reflect.JobKind, reflect.ReadJob, w.warn); err != nil && !reflect.IsPostponed(err) {
			w.warn(err.Error())
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := compactQueue(root); err != nil {
			return err
		}
		name, wait, err := w.findNext(root)
		switch {
		case err != nil || name == "" && wait == 0:
			return err
		case name == "":
			err = w.Sleep(ctx, wait)
		default:
			err = w.tryJob(ctx, root, name)
		}
		if err != nil {
			return err
		}
	}
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
	latest := map[string]time.Time{} // by key
	for _, name := range names {
		latest[private.JobKey(name)] = private.JobTime(name)
	}
	for _, name := range names {
		key := private.JobKey(name)
		if tries[key].isEarly(now) {
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

// tryJob asks about one session and notes what came of it. The try is noted
// before it is made, so that a process that dies of it is seen.
func (w Worker) tryJob(ctx context.Context, root *repo.Root, name string) error {
	key := private.JobKey(name)
	before := ReadWork(root).Tries[key]
	if before.Bad >= maxBad && before.Why == died {
		return setAside(root, name) // no process lived to do it
	}
	now := Try{N: before.N + 1, Bad: before.Bad + 1, Why: died, Next: w.Now().Add(pauseAfter(before.N + 1))}
	note := func(t Try) error {
		work := ReadWork(root) // a person may have said to try all again meanwhile
		work.Tries[key] = t
		return work.writeTo(root)
	}
	if err := note(now); err != nil {
		return err
	}
	f := w.do(ctx, root, name)
	switch {
	case ctx.Err() != nil: // the session is not to blame
		return errors.Join(ctx.Err(), note(before))
	case f == nil:
		work := ReadWork(root)
		delete(work.Tries, key)
		work.Done = w.Now()
		return errors.Join(tidyAside(root, key), work.writeTo(root))
	}
	now = f.describe(before, now)
	if f.hopeless || now.Bad >= maxBad {
		if err := setAside(root, name); err != nil {
			return err
		}
	}
	return note(now)
}

// describe returns how now, a try that was noted before it was made, went.
func (f *failure) describe(before, now Try) Try {
	now.Why = f.why
	if !f.own {
		now.Bad--
	}
	if !f.next.IsZero() {
		now.N, now.Next = before.N, f.next
	}
	return now
}

// count counts a reflection, or queues it: the answer may have cost money.
func (w Worker) count(ctx context.Context, root *repo.Root, p *reflect.Pending) error {
	_, err := reflect.CommitPending(ctx, root, p)
	if err == nil {
		return nil
	}
	if _, late := reflect.QueuePending(root, p, err); late != nil {
		return err
	}
	return nil
}
