package queue

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"time"

	"mem/repo"
)

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

// isEarly reports whether the next try is still to come. One that is further
// away than any pause was noted before the clock was set back.
func (t Try) isEarly(now time.Time) bool {
	rest := t.Next.Sub(now)
	return rest > 0 && rest <= longest
}

// isDue reports whether a job may be tried now.
func (t Try) isDue(job string, now time.Time) bool { return !t.isEarly(now) && t.Aside < job }

// pauseAfter is how long to wait after n tries, each time four times as long. A
// model that is down is asked for weeks, but not often.
func pauseAfter(n int) time.Duration {
	return min(firstPause<<(2*min(n-1, 10)), maxPause)
}

// ReadWork returns the state of the queue. A note that cannot be read is an
// empty one: it costs waiting times, no session. While a session is read, what is noted of its try is what will be so if
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

// TellFailed returns how many sessions could not be learned from, and why not the one that is
// tried next. What it returned it returns once, until a session is done with or the reason is another.
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
