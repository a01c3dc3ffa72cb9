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
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/project"
	"mem/reflect"
	"mem/repo"
	"mem/session"
)

var errDamaged = errors.New("it cannot be read")

// Defer keeps for a Worker that there is something new in a session, durably, in the queue of root; that is nil
// while the memory waits for the person, and all of the session is kept. The memory is not loaded:
// what was learned before does not matter yet, and an agent waits. The reason says
// why there is nothing to keep.
func Defer(q repo.Queue, root *repo.Root, s *session.Session, opts reflect.Options) (reflect.Reason, error) {
	// What cannot be read, as in a merge it holds the marks of both sides, the worker reads again; till then all of a
	// session counts as new.
	known, _ := reflect.TracesOf(root)
	isCopy := root == nil || !lasts(s)
	g, reason := reflect.ReadSession(known, s, opts)
	if reason != "" {
		return reason, nil
	}
	earlier, err := readEarlier(q, reflect.HashParts(g.Trace))
	if err != nil {
		return "", err
	}
	for _, e := range earlier { // of a file that was cut or rewritten, what only a copy has stays there, and what follows is new
		if e.isCopy() && !known.Covers(e.ID, e.Trace, e.Mark) && !coversReading(g, e.Reading) {
			known.Marks[e.Trace] = *e.Mark
			if g, reason = reflect.ReadSession(known, s, opts); reason != "" {
				return reflect.Waits, nil
			}
		}
	}
	if n := len(earlier); n > 0 && earlier[n-1].saysSame(g, opts.Over, isCopy) {
		return reflect.Waits, nil // the file of the session grew by what is no event
	}
	name, err := write(q, *g, opts, isCopy)
	for _, e := range earlier {
		if err == nil && e.name < name && coversReading(g, e.Reading) && (e.isCopy() || !isCopy) {
			_ = q.RemoveJob(e.name) // else it is found to be known
		}
	}
	return "", err
}

// DeferFailed is Defer for a session that was asked about in vain, and why: a Worker tries it after a pause.
func DeferFailed(root *repo.Root, s *session.Session, opts reflect.Options, why string, now time.Time) (reflect.Reason, error) {
	reason, err := Defer(root.Queue, root, s, opts)
	if err != nil || reason != "" && reason != reflect.Waits {
		return reason, err
	}
	w, key := ReadWork(root), reflect.HashParts(reflect.Identity(s))
	try := w.Tries[key]
	try.N, try.Why, try.Answered = try.N+1, reflect.Scrub(why), w.Answered
	try.Next = now.Add(pauseAfter(try.N))
	w.Tries[key] = try
	return reason, w.writeTo(root)
}

func write(q repo.Queue, g reflect.Reading, opts reflect.Options, isCopy bool) (string, error) {
	g.Headless = isTrusted(&g)
	if !isCopy {
		g.Events, g.Before, g.Told = nil, nil, nil
	}
	key := reflect.HashParts(g.Trace)
	if opts.Over {
		key += over
	}
	data, err := json.Marshal(g)
	if err != nil {
		return "", fmt.Errorf("queue session: %w", err)
	}
	return q.DeferJob(opts.Now, key, data)
}

// isTrusted reports whether prompts of a session that ran without a person are a person's: the configuration said so.
func isTrusted(g *reflect.Reading) bool {
	return g.Headless || slices.ContainsFunc(g.Events, func(e session.Event) bool { return e.Headless && e.Origin == session.Human })
}

// oneDay is after what time a session that still waits is copied: agents remove old ones.
const oneDay = 24 * time.Hour

// lasts reports whether a session can be expected to be whole when a worker comes to it: it lies in a
// file that is not for the moment, and was read from its beginning. Of a very long one
// the middle is not read, which is another one later.
func lasts(s *session.Session) bool {
	return filepath.IsAbs(s.Path) && !s.Truncated && !project.IsWithin(project.Resolve(s.Path), project.Resolve(os.TempDir()))
}

type job struct {
	name string
	*reflect.Reading
}

// readEarlier returns the queued parts of a session, oldest first, but for those that cannot be read.
func readEarlier(q repo.Queue, key string) (list []job, err error) {
	names, err := q.ListWaiting()
	for _, name := range names {
		if repo.JobKey(name) != key {
			continue
		}
		if j, err := readDeferred(q, name); err == nil {
			list = append(list, j)
		}
	}
	return list, err
}

// isCopy reports whether a job has what was said itself.
func (j job) isCopy() bool { return len(j.Events) > 0 }

// saysSame reports whether a job says of its session what g does, also that it is over.
func (j job) saysSame(g *reflect.Reading, isThrough, isCopy bool) bool {
	return j.isCopy() == isCopy && j.Mark.Last == g.Mark.Last && j.Mark.Events == g.Mark.Events && (isOver(j.name) || !isThrough)
}

// over is what the names of jobs have behind their key if the session is not waited for. Of two
// of one moment it is the later one.
const over = ".through"

// isOver reports whether the session of a job is not waited for.
func isOver(name string) bool { return strings.Contains(name, over+".") }

func readDeferred(q repo.Queue, name string) (job, error) {
	data, err := q.ReadJob(name)
	if err != nil && !errors.Is(err, repo.ErrNoJob) {
		return job{}, err
	}
	j := job{name, new(reflect.Reading)}
	if err == nil {
		err = json.Unmarshal(data, j.Reading)
	}
	if err != nil {
		return j, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if j.Trace == "" || j.Mark == nil || !j.isCopy() && j.Path == "" {
		return j, errDamaged
	}
	return j, nil
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

// Work holds the outcomes of the sessions in a queue, for people and for
// the next Worker.
type Work struct {
	Done     time.Time `json:"done,omitzero"`     // when one was last done with
	Answered int       `json:"answered,omitzero"` // how many were, in all
	Reading  string    `json:"reading,omitzero"`  // key of the one that a worker reads

	Tries map[string]Try `json:"tries,omitzero"` // of those that are not, by job key
}

// A Try records the attempts at a session that could not be finished. Zero means
// that there was no try.
type Try struct {
	N    int       `json:"n"`            // how often it was tried
	Bad  int       `json:"bad,omitzero"` // how often that was its own doing
	Why  string    `json:"why"`
	Next time.Time `json:"next"` // not before

	Answered int    `json:"answered,omitzero"` // that of Work then
	Aside    string `json:"aside,omitzero"`    // the job that was set aside: a person must say so, or the session go on, for another try
}

const (
	// maxBad is how often a session may fail by its own doing: an answer that cannot be
	// used while others get one that can, a process that dies of it.
	maxBad = 5

	// died is what a try is noted with before it is made.
	died = "the process that read it died"

	firstPause = time.Minute
	maxPause   = 6 * time.Hour
	longest    = 24 * time.Hour // a spent budget makes a session wait for the next day
)

// isDue reports whether a job may be tried. A next try that is further away than any pause was noted before the clock
// was set back.
func (t Try) isDue(job string, now time.Time) bool {
	rest := t.Next.Sub(now)
	return (rest <= 0 || rest > longest) && t.Aside < job
}

// pauseAfter is how long to wait after n tries, each time four times as long. A
// model that is down is asked for weeks, but not often.
func pauseAfter(n int) time.Duration {
	return min(firstPause<<(2*min(n-1, 10)), maxPause)
}

// ReadWork returns the state of the queue. An unreadable note counts as empty: that loses waiting
// times, not sessions. While a session is read, its noted try already holds the result that applies if
// the worker dies.
func ReadWork(root *repo.Root) Work {
	w := repo.ReadValue[Work](root, repo.NoteWork)
	if w.Reading != "" && !root.IsWorking() {
		w.Reading = ""
	}
	if w.Tries == nil {
		w.Tries = map[string]Try{}
	}
	return w
}

// writeTo notes the state, without the sessions that are gone.
func (w Work) writeTo(root *repo.Root) error {
	names, err := root.ListWaiting()
	if err != nil {
		return err
	}
	maps.DeleteFunc(w.Tries, func(key string, _ Try) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return repo.JobKey(name) == key })
	})
	return root.KeepValue(repo.NoteWork, w)
}

// RetryAll forgets all failures, so that the next Worker tries everything at once. It returns how many
// sessions had been set aside.
func RetryAll(root *repo.Root) (n int, err error) {
	list, err := ListWaiting(root)
	if err != nil {
		return 0, err
	}
	for _, w := range list {
		if w.Aside {
			n++
		}
	}
	w := ReadWork(root)
	clear(w.Tries)
	return n, w.writeTo(root)
}

// IsDue reports whether a worker has something to do: a session waits that may be tried
// now, or git is to pack.
func IsDue(root *repo.Root, now time.Time) (bool, error) {
	names, err := root.ListWaiting()
	if err != nil || root.IsPackDue() || root.AreCuesOld() {
		return err == nil, err
	}
	tries := ReadWork(root).Tries
	return slices.ContainsFunc(names, func(name string) bool { return tries[repo.JobKey(name)].isDue(name, now) }), nil
}

// TellFailed returns how many sessions failed, and the reason of the one to be tried next. It returns
// a failure only once, until a session is done or the reason changes.
func TellFailed(root *repo.Root) (n int, why string) {
	work := ReadWork(root)
	next := time.Time{}
	for key, try := range work.Tries {
		if try.Why == "" || key == work.Reading {
			continue
		}
		if n++; n == 1 || try.Next.Before(next) {
			why, next = try.Why, try.Next
		}
	}
	said := fmt.Appendf(nil, "%x", sha256.Sum256([]byte(work.Done.String()+why))) // no words: they may be purged
	if told, _ := root.ReadNote(repo.NoteFailing); n == 0 || bytes.Equal(told, said) {
		return 0, ""
	}
	_ = root.KeepNote(repo.NoteFailing, said) // else it is named twice
	return n, why
}

// A Waiting session is one in the queue.
type Waiting struct {
	Job     string    `json:"job"`   // name of the job
	Agent   string    `json:"agent"` // "" if the job cannot be read
	Session string    `json:"session"`
	Since   time.Time `json:"since"`
	Aside   bool      `json:"setAside"`
	Reading bool      `json:"reading,omitzero"` // by a worker, just now
	Tries   int       `json:"tries"`
	Failure string    `json:"failure"`          // of the last try; "" if there was none
	Retry   time.Time `json:"retryAt,omitzero"` // not before; zero for one that was set aside
}

// ListWaiting returns the sessions in a root's queue, those that were set aside
// last.
func ListWaiting(root *repo.Root) ([]Waiting, error) {
	names, err := root.ListWaiting()
	if err != nil {
		return nil, err
	}
	var list, aside []Waiting
	work := ReadWork(root)
	for _, name := range names {
		try := work.Tries[repo.JobKey(name)]
		w := Waiting{Job: name, Since: repo.JobTime(name), Aside: try.Aside >= name, Tries: try.N, Failure: try.Why}
		if g, err := readDeferred(root.Queue, name); err == nil {
			w.Agent, w.Session = g.Agent, g.Session
		}
		if w.Aside {
			aside = append(aside, w)
			continue
		}
		if w.Retry = try.Next; repo.JobKey(name) == work.Reading {
			w.Reading, w.Failure = true, ""
		}
		list = append(list, w)
	}
	return append(list, aside...), nil
}
