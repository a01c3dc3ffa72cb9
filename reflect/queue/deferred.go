// Package queue keeps the sessions that a hook has no time for, and works them
// off.
//
// Defer notes which session has something new, durably. A Worker reads and asks
// about each later, counts what was learned, and tries again what failed; one that
// fails by its own doing is set aside after a few tries.
//
// Of what is in the session's own file there is no second copy. What would be gone when a
// worker comes to it is kept in the queue, free of secrets: see lasts.
package queue

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/project"
	"mem/reflect"
	"mem/reflect/record"
	"mem/reflect/watermark"
	"mem/repo"
	"mem/repo/private"
	"mem/session"
)

// errDamaged means that a queued session cannot be used.
var errDamaged = errors.New("it cannot be read")

// Defer keeps for a Worker that there is something new in a session, durably. It does not load the
// memory: what was learned before does not matter yet, and an agent waits. The reason
// says why there is nothing to keep.
func Defer(root *repo.Root, s *session.Session, opts reflect.Options) (reflect.Reason, error) {
	known, err := watermark.ReadFile(root.ReadFile)
	if err != nil {
		// In a merge it holds the marks of both sides, say. The worker reads it
		// again; till then all of the session counts as new.
		known = watermark.Empty()
	}
	known.TakeNote(root)
	return deferIn(root.Queue, known, s, opts, !lasts(s))
}

// DeferUnopened is Defer for a memory that waits for the person. It may be long until that is
// opened, so that all of the session is kept.
func DeferUnopened(q *private.Queue, s *session.Session, opts reflect.Options) (reflect.Reason, error) {
	return deferIn(q, watermark.Empty(), s, opts, true)
}

// oneDay is after what time a session that still waits is copied: agents remove old ones.
const oneDay = 24 * time.Hour

// lasts reports whether a session can be expected to be whole when a worker comes to it: it lies in a
// file that is not for the moment, and was read from its beginning. Of a very long one
// the middle is not read, which is another one later.
func lasts(s *session.Session) bool {
	return filepath.IsAbs(s.Path) && !s.Truncated && !project.IsWithin(project.Resolve(s.Path), project.Resolve(os.TempDir()))
}

func deferIn(q *private.Queue, known watermark.File, s *session.Session, opts reflect.Options, isCopy bool) (reflect.Reason, error) {
	g, reason := reflect.ReadSession(known, s, opts)
	if reason != "" {
		return reason, nil
	}
	key := watermark.HashParts(g.Trace)
	names, earlier, err := readEarlier(q, key)
	if err != nil {
		return "", err
	}
	for _, e := range earlier { // of a file that was cut or rewritten, what only a copy has stays there, and what follows is new
		if isKept := len(e.Events) > 0 && !known.Covers(e.ID, e.Trace, e.Mark); isKept && !coversReading(g, e) {
			known.Marks[e.Trace] = *e.Mark
			if g, reason = reflect.ReadSession(known, s, opts); reason != "" {
				return reflect.Waits, nil
			}
		}
	}
	if last := len(names) - 1; last >= 0 && (isOver(names[last]) || !opts.Over) && saysSame(earlier[last], g, isCopy) {
		return reflect.Waits, nil
	}
	whole := *g
	g.Headless = slices.ContainsFunc(g.Events, func(e session.Event) bool { return e.Headless && e.Origin == session.Human })
	if !isCopy {
		g.Events, g.Before, g.Told = nil, nil, nil
	}
	if opts.Over {
		key += over
	}
	data, err := json.Marshal(g)
	if err != nil {
		return "", fmt.Errorf("queue session: %w", err)
	}
	name, err := q.DeferJob(opts.Now, key, data)
	if err != nil {
		return "", err
	}
	for i, e := range earlier {
		if names[i] < name && coversReading(&whole, e) && (len(e.Events) > 0 || !isCopy) {
			_ = q.RemoveJob(names[i]) // else it is found to be known
		}
	}
	return "", nil
}

// readEarlier returns what waits of a session, oldest first, but for what cannot be read.
func readEarlier(q *private.Queue, key string) (names []string, list []*reflect.Reading, err error) {
	all, err := q.ListWaiting()
	for _, name := range all {
		if private.JobKey(name) != key {
			continue
		}
		if g, err := readDeferred(q, name); err == nil {
			names, list = append(names, name), append(list, g)
		}
	}
	return names, list, err
}

// saysSame reports whether an earlier job says of its session what g does: the file of the session grew by
// what is no event.
func saysSame(earlier, g *reflect.Reading, isCopy bool) bool {
	if isCopy {
		was, err := json.Marshal(earlier.Events)
		now, err2 := json.Marshal(g.Events)
		return err == nil && err2 == nil && bytes.Equal(was, now)
	}
	return len(earlier.Events) == 0 && earlier.Mark.Last == g.Mark.Last && earlier.Mark.Events == g.Mark.Events
}

// NoteFailed notes of a session in the queue that it was asked about in vain, and why: a Worker
// tries it after a pause.
func NoteFailed(root *repo.Root, s *session.Session, why string, now time.Time) error {
	w, key := ReadWork(root), watermark.HashParts(watermark.Identity(s))
	try := w.Tries[key]
	try.N, try.Why, try.Answered = try.N+1, record.Scrub(why), w.Answered
	try.Next = now.Add(pauseAfter(try.N))
	w.Tries[key] = try
	return w.writeTo(root)
}

// over is what the names of jobs have behind their key if the session is not waited for. Of two
// of one moment it is the later one.
const over = ".through"

// isOver reports whether the session of a job is not waited for.
func isOver(name string) bool { return strings.Contains(name, over+".") }

// readDeferred returns what Defer kept under a name.
func readDeferred(q *private.Queue, name string) (*reflect.Reading, error) {
	data, err := q.ReadDeferred(name)
	if errors.Is(err, private.ErrNoJob) {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	var g reflect.Reading
	if err := json.Unmarshal(data, &g); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if g.Trace == "" || g.Mark == nil || len(g.Events) == 0 && g.Path == "" {
		return nil, errDamaged
	}
	return &g, nil
}

// coversReading reports whether g holds all that an earlier reading of the same
// session does.
func coversReading(g, earlier *reflect.Reading) bool {
	if g.Trace != earlier.Trace {
		return false
	}
	has := map[string]bool{}
	for _, e := range g.Events {
		has[e.ID] = true
	}
	return !slices.ContainsFunc(earlier.Events, func(e session.Event) bool { return !has[e.ID] })
}

// dropRead drops from g what was read since by another process. It returns false
// if that is all of it.
func dropRead(g *reflect.Reading, known watermark.File) bool {
	if known.Covers(g.ID, g.Trace, g.Mark) {
		return false
	}
	mark, ok := known.Marks[g.Trace]
	if !ok {
		return true
	}
	fresh := watermark.EventsAfter(g.Events, mark)
	if len(fresh) < len(g.Events) && len(fresh) > 0 {
		g.ID = watermark.SpanID(g.Trace, fresh)
	}
	g.Pass(len(g.Events) - len(fresh))
	return record.HasConversation(fresh)
}
