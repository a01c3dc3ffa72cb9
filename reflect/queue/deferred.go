// Package queue keeps the sessions that a hook has no time for, and works them
// off.
//
// Defer keeps what is new in a session, durably and free of secrets. A Worker
// asks about each session later, counts what was learned, and tries again what
// failed; one that fails by its own doing is set aside after a few tries.
package queue

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/reflect"
	"mem/reflect/record"
	"mem/reflect/watermark"
	"mem/repo"
	"mem/repo/private"
	"mem/session"
)

// errDamaged means that a queued session cannot be used.
var errDamaged = errors.New("it cannot be read")

// Defer keeps what is new in a session for a Worker, durably and free of
// secrets. It does not load the memory: what was learned before does not
// matter yet, and an agent waits. The reason says why there is nothing to keep.
func Defer(root *repo.Root, s *session.Session, opts reflect.Options) (reflect.Reason, error) {
	known, err := watermark.ReadFile(root.ReadTip)
	if err != nil {
		// In a merge it holds the marks of both sides, say. The worker reads it
		// again; till then all of the session is kept.
		known = watermark.Empty()
	}
	known.TakeNote(root)
	g, reason := reflect.ReadSession(known, s, opts)
	if reason != "" {
		return reason, nil
	}
	data, err := json.Marshal(g)
	if err != nil {
		return "", fmt.Errorf("queue session: %w", err)
	}
	key := watermark.HashParts(g.Trace)
	if isQueued(root, key, g, len(data), opts.Over) {
		return reflect.Waits, nil
	}
	if opts.Over {
		key += over
	}
	_, err = root.DeferJob(opts.Now, key, data)
	return "", err
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

// mostOfMark is about how much longer a job is for a mark of its own.
const mostOfMark = 64

// isQueued reports whether the latest job of a session has the same events as g, whose own
// would have so many bytes: the file of the session grew by what is no event. If the session is over, that job has to know it.
func isQueued(root *repo.Root, key string, g *reflect.Reading, size int, isThrough bool) bool {
	names, err := root.ListWaiting()
	names = slices.DeleteFunc(names, func(name string) bool { return private.JobKey(name) != key })
	if err != nil || len(names) == 0 || isThrough && !isOver(names[len(names)-1]) {
		return false
	}
	data, err := root.ReadDeferred(names[len(names)-1])
	if err != nil || len(data)+mostOfMark < size { // do not make the agent wait for the rest
		return false
	}
	var same reflect.Reading
	if err := json.Unmarshal(data, &same); err != nil {
		return false
	}
	same.Events = g.Events
	again, err := json.Marshal(same)
	return err == nil && bytes.Equal(data, again)
}

// readDeferred returns what Defer kept under a name.
func readDeferred(root *repo.Root, name string) (*reflect.Reading, error) {
	data, err := root.ReadDeferred(name)
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
	if g.Trace == "" || g.Mark == nil || len(g.Events) == 0 {
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

// joinReading puts before g, the job of that name, what only an earlier reading
// still has: of a long file only the end is read. It returns false if the two do
// not fit together, or would be too much for one job.
func joinReading(root *repo.Root, name string, g, earlier *reflect.Reading) bool {
	i := slices.IndexFunc(earlier.Events, func(e session.Event) bool { return e.ID == g.Events[0].ID })
	if i <= 0 || g.Trace != earlier.Trace {
		return false
	}
	all := *g
	all.Events = slices.Concat(earlier.Events[:i], g.Events)
	all.ID = watermark.SpanID(all.Trace, all.Events)
	for _, line := range earlier.Told {
		if !slices.Contains(all.Told, line) {
			all.Told = append(slices.Clip(all.Told), line)
		}
	}
	if !coversReading(&all, earlier) {
		return false
	}
	data, err := json.Marshal(all)
	if err == nil {
		key := private.JobKey(name)
		if isOver(name) {
			key += over
		}
		_, err = root.DeferJob(private.JobTime(name), key, data)
	}
	if err != nil {
		return false
	}
	*g = all
	return true
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

// compactQueue drops the sessions that a later job holds all of, or can take in:
// a session is queued anew at each of its turns, perhaps for as long as a model
// is away.
func compactQueue(root *repo.Root) error {
	names, err := root.ListWaiting()
	if err != nil {
		return err
	}
	later := map[string]*reflect.Reading{} // the latest one, by key
	seen := map[string]string{}
	for _, name := range slices.Backward(names) {
		key := private.JobKey(name)
		if seen[key] == "" {
			seen[key] = name
			continue
		}
		if later[key] == nil {
			if later[key], err = readDeferred(root, seen[key]); err != nil {
				continue // its own turn will tell
			}
		}
		g, err := readDeferred(root, name)
		if err != nil || !coversReading(later[key], g) && !joinReading(root, seen[key], later[key], g) {
			continue
		}
		if err := root.RemoveJob(name); err != nil {
			return err
		}
	}
	return nil
}
