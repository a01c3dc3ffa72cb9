package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"mem/fault"
	"mem/guard"
	"mem/repo/disk"
	"mem/repo/gitstore"
)

// A Commit is what Settle made.
type Commit struct {
	ID      string // full hash; "" when nothing had to be committed
	Subject string
	Files   []string // that it changed, sorted
}

// A commit loses a race to whatever commits, or writes to a tracked file, meanwhile.
const (
	maxTries = 20              // attempts at a commit that loses, within about a second
	gitWait  = 3 * time.Second // for git to give its index back
)

// Settle changes the root: the only way in.
//
// It locks the root, finishes what a crash left, commits hand edits on their own, calls f with the current
// memory, renders the views and makes one commit with the message that f returned. Without a subject nothing is
// committed. If another program commits at the same moment f is called again, so it must be a quick and pure
// function of the memory.
//
// When Settle returns without an error the commit survives a power cut. When it returns one, nothing was
// committed; if the error wraps ErrLocked, ErrBusy or ErrLost the same call can succeed later.
func (r *Root) Settle(ctx context.Context, now time.Time, f func(*Memory) (Message, error)) (Commit, error) {
	commit, err := r.change(ctx, now, func(c *chain) error { return c.build(f) })
	if err == nil && r.store.IsRepackDue(2) { // no worker came to it
		_ = r.Pack(ctx, now) // objects that stay loose take room, and no more
	}
	return commit, err
}

func (r *Root) change(ctx context.Context, now time.Time, build func(*chain) error) (commit Commit, err error) {
	err = r.exclude(ctx, func(lock *disk.Lock) error {
		r.store.IsCrowded = lock.Waited
		if err := r.recover(ctx); err != nil {
			return err
		}
		gitstore.InstallDrivers(r.d, drivers, r.opts.Warn)
		for try := 1; ; try++ {
			if commit, err = r.try(ctx, now, build); !errors.Is(err, ErrLost) || try == maxTries {
				return err
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(rand.N(time.Duration(try) * 10 * time.Millisecond)):
			}
		}
	})
	return commit, err
}

// recover finishes the work of a process that died, and removes its leftovers.
func (r *Root) recover(ctx context.Context) error {
	if err := r.store.Recover(ctx, gitWait); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	err := r.in(func(d *disk.Dir) error { return d.SweepFolder(ctx, ".") }) // of jobs
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(r.d.SweepFolder(ctx, SharedDir), err)
}

func (r *Root) try(ctx context.Context, now time.Time, build func(*chain) error) (Commit, error) {
	tx, err := r.begin(ctx)
	if err != nil {
		return Commit{}, err
	}
	abort := func(err error) (Commit, error) { return Commit{}, errors.Join(err, tx.Abort()) }
	m := r.newMemory(tx, now)
	c := r.newChain(m, tx)
	defer c.asked.Wait() // a program that is just starting still holds the lock
	err = disk.InOrder(
		tx.CheckBusy,
		m.lookForEdits,
		func() error {
			_, _ = m.lookAt(IndexPath, false) // so that it is among the edits if it is one; an error comes back where it is read
			return c.commitEdits()
		},
		func() error { return c.settle(ctx) },
		func() error { return build(c) },
		func() error { return tx.Err },
	)
	if err != nil {
		return abort(err)
	}
	if c.tip == tx.Head.Tip {
		c.notePair()
		r.updateCues(c.shown)
		return abort(r.writeKnown(c.known))
	}
	notes, err := r.noteKnown(c.known)
	if err = errors.Join(err, r.store.SetHome(tx.Head.Ref)); err != nil {
		return abort(err)
	}
	var puts []gitstore.Put // that bring the work tree and git's index to the end of the chain
	for _, path := range slices.Sorted(maps.Keys(c.touched)) {
		f := m.files[path]
		puts = append(puts, gitstore.Put{Path: path, Data: f.Data, Blob: f.committed, Before: f.Blob})
	}
	err = tx.Publish(ctx, gitstore.Publication{
		Tip: c.tip, Puts: puts, Notes: notes, Subject: c.subject, Who: c.who(), When: now.UTC(),
	})
	if err != nil {
		return Commit{}, err
	}
	if c.note != "" {
		r.opts.Warn(c.note)
	}
	c.notePair()
	r.updateCues(c.shown)
	tip := c.tip
	if c.shown != c.m { // as readers find it
		tip = c.known.Commit
	}
	return Commit{ID: tip.String(), Subject: c.subject, Files: c.changed}, nil
}

// View returns the memory as the last commit holds it, for reading.
func (r *Root) View(now time.Time) (*Memory, error) {
	m, err := r.peekMemory(now)
	if err == nil {
		err = r.loadIndex(m)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// IsUnseen reports whether git changed something that mem has not taken in yet. Writing commands and the worker do so.
func (r *Root) IsUnseen() bool { return r.unseen }

// A Task is the change that a queued job asks for: one commit, dated At.
type Task struct {
	At     time.Time
	Change func(*Memory) (Message, error) // as for Settle
}

// Drain commits the queued jobs of a kind, oldest first, each in a commit of its own, and returns how many it
// did. read turns a job into a task. A job that it cannot read stays in the queue and is reported to warn.
// Drain stops at the first task that fails.
func (r *Root) Drain(ctx context.Context, kind string, read func(Job) (Task, bool), warn func(string)) (done int, err error) {
	jobs, err := r.ListJobs()
	if err != nil {
		return 0, err
	}
	for _, j := range jobs {
		if j.Kind() != kind {
			continue
		}
		task, ok := read(j)
		if !ok {
			warn(fmt.Sprintf("queued job %s cannot be read and is left in place", j.Name))
			continue
		}
		_, err := r.Settle(ctx, task.At, task.Change)
		if err != nil && !errors.Is(err, ErrBusy) && !errors.Is(err, ErrUnsigned) { // a busy root blocks the following jobs too
			err = fmt.Errorf("queued jobs: %w", err)
		}
		if err == nil {
			err = r.RemoveJob(j.Name)
		}
		if err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// A Message is the message of a commit.
type Message struct {
	Subject  string
	Body     []string  // lines
	Trailers []Trailer // in order
	Always   bool      // make the commit also if it changes no file
}

// A Trailer is a "Key: value" line at the end of a message.
type Trailer struct{ Key, Value string }

const versionTrailer = "Mem-Version"

// String returns the message as committed: scrubbed, one part per line. Only trailers look like trailers in its
// last paragraph.
func (m Message) String() string {
	var b strings.Builder
	b.WriteString(guard.Line(m.Subject) + "\n")
	if len(m.Body) > 0 {
		b.WriteString("\n")
	}
	for _, l := range m.Body {
		b.WriteString(guard.Line(l) + "\n")
	}
	if len(m.Trailers) > 0 {
		b.WriteString("\n")
	}
	for _, t := range m.Trailers {
		b.WriteString(t.Key + ": " + guard.Line(t.Value) + "\n")
	}
	return b.String()
}

// Unreadable returns an error that a fact, or an index without facts, cannot be read. It names the last good
// commit, unless lastGood is "". Nothing was changed.
func Unreadable(lastGood string, err error) error {
	where, hint := "no commit holds a readable one", "repair the file by hand"
	if lastGood != "" {
		where = fmt.Sprintf("the last good commit is %.12s", lastGood)
		hint = fmt.Sprintf("'git diff %.12s -- core' in the memory shows what changed since; repair the file and commit it with git", lastGood)
	}
	return fmt.Errorf("%w; %s: %w", fault.New(fault.Unreadable, "the memory cannot be read and was left as it is", hint), where, err)
}
