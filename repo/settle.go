package repo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"mem/guard"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/reflog"
	"mem/repo/message"
	"mem/repo/private"
	"mem/repo/union"
	"mem/repo/walk"
)

// A Message is what a commit says; a Trailer is a line at its end.
type (
	Message = message.Message
	Trailer = message.Trailer
)

// A Commit is what Settle made.
type Commit struct {
	ID      string // full hash; "" when nothing had to be committed
	Subject string
	Files   []string // that it changed, sorted
	Edits   []string // of a person, that got a commit of their own before it
}

// A commit loses a race to whatever commits, or writes to a tracked file, meanwhile.
const (
	maxTries = 20              // of a commit that loses, within about a second
	gitWait  = 3 * time.Second // for git to give its index back
)

// Settle changes the root: the only way in.
//
// It locks the root, finishes what a crash left, takes in what a person
// changed by hand as a commit of its own, calls f with the memory as it
// stands, renders the views and makes one commit with the message that f
// returned. A message without a subject means that there is nothing to
// commit. f may be called again when another program commits at the same
// moment, so it must be a quick and pure function of the memory.
//
// When Settle returns without an error the commit survives a power cut. When
// it returns one, nothing was committed; if the error wraps ErrLocked,
// ErrBusy or ErrLost the same call can succeed later.
func (r *Root) Settle(ctx context.Context, now time.Time, f func(*Memory) (Message, error)) (commit Commit, err error) {
	if !reflog.HasOwn(r.d, r.OwnBranch()) { // the first commit here
		defer announceLeaks(r.store, r.opts.Warn)()
	}
	// A clone of a root has none of mem's own files yet.
	if err := errors.Join(r.d.ReleaseFolders(), gitstore.CleanUp(ctx, r.d), r.d.MkdirAll(gitstore.PrivateDir)); err != nil {
		return Commit{}, err
	}
	lock, err := r.d.AcquireLock(ctx, gitstore.LockPath, r.opts.LockWait)
	if err != nil {
		return Commit{}, fmt.Errorf("lock memory: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if err := r.store.Recover(ctx, r.OwnBranch(), gitWait); err != nil {
		return Commit{}, fmt.Errorf("recover: %w", err)
	}
	if err := r.Sweep(ctx); err != nil {
		return Commit{}, err
	}
	gitconfig.InstallDriver(ctx, r.d, r.opts.Binary, union.Patterns, r.warnOnce)
	for try := 1; ; try++ {
		commit, err = r.trySettle(ctx, now, f)
		if !errors.Is(err, gitstore.ErrLost) || try == maxTries {
			return commit, err
		}
		select {
		case <-ctx.Done():
			return Commit{}, ctx.Err()
		case <-time.After(rand.N(time.Duration(try) * 10 * time.Millisecond)):
		}
	}
}

// trySettle is one attempt.
func (r *Root) trySettle(ctx context.Context, now time.Time, f func(*Memory) (Message, error)) (Commit, error) {
	tx, err := r.begin(ctx)
	if err != nil {
		return Commit{}, err
	}
	abort := func(err error) (Commit, error) { return Commit{}, errors.Join(err, tx.Abort()) }
	if err := tx.CheckBusy(r.OwnBranch()); err != nil {
		return abort(err)
	}
	m := r.newMemory(tx, now)
	if err := errors.Join(r.loadMemory(m), r.loadLeftOut(m)); err != nil {
		return abort(err)
	}
	c := r.newChain(m, tx)
	c.w.Expect(m.files[IndexPath].blob, m.files[IndexPath].was)
	abort = func(err error) (Commit, error) { return Commit{}, errors.Join(err, c.w.Discard(), tx.Abort()) }
	if err := c.build(ctx, f); err != nil {
		return abort(err)
	}
	for _, path := range m.ListHeld() {
		r.warnOnce(guard.Line(path) + heldOut)
	}
	if c.tip == tx.Head.Tip {
		return abort(errors.Join(walk.NoteSeen(r.d, tx.Head, c.who, m.now), m.held.Write()))
	}
	if err := r.RememberBranch(tx.Head.Ref); err != nil {
		return abort(err)
	}
	commit := Commit{ID: c.tip.String(), Subject: c.subject, Files: c.changed, Edits: c.edited}
	err = tx.Publish(ctx, c.w, gitstore.Publication{
		Tip: c.tip, Puts: c.puts(), Subject: c.subject, Who: c.who(), When: now.UTC(),
	})
	if err != nil {
		return commit, err
	}
	if c.note != "" {
		r.opts.Warn(c.note)
	}
	if err := m.held.Write(); err != nil {
		r.opts.Warn(err.Error() + "; you will be asked again")
	}
	r.updateCues(m)
	return commit, nil
}

// View returns the memory as it stands, for reading.
func (r *Root) View(now time.Time) (*Memory, error) { return r.readMemory(now, r.loadMemory) }

// Skim is a View that notices hand edits only in the index and in files that are read.
func (r *Root) Skim(now time.Time) (*Memory, error) { return r.readMemory(now, r.loadIndex) }

func (r *Root) readMemory(now time.Time, load func(*Memory) error) (*Memory, error) {
	m, err := r.peekMemory(now)
	if err != nil {
		return nil, err
	}
	if err := load(m); err != nil {
		return nil, err
	}
	r.follow(m)
	return m, nil
}

// IsUnseen reports whether git did something that the commands before only hid: a command
// that writes, or the worker, looks at it.
func (r *Root) IsUnseen() bool { return r.unseen }

// follow hides from a memory that is read what git brought and was not accepted, and brings
// it in line with what a person edited.
func (r *Root) follow(m *Memory) {
	_, _ = r.opts.Rules(m)                          // Settle reports an error
	if !m.held.CoverAll(m.Index, m.ReadCommitted) { // a rule that waits was not taken out
		_, _, _ = r.opts.Follow(m)
	}
}

// A Task is what a queued job asks for: one commit, as if made at a time.
type Task struct {
	At     time.Time
	Change func(*Memory) (Message, error) // as for Settle
}

// Drain does the jobs of a kind that wait in the queue, oldest first, each in a commit of its
// own, and says how many it did. read makes a task of a job; one that it cannot read stays in
// the queue, and warn says so. It ends with the first task that fails.
func (r *Root) Drain(ctx context.Context, kind string, read func(private.Job) (Task, bool), warn func(string)) (done int, err error) {
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
		if err != nil && !errors.Is(err, ErrBusy) { // a busy root is so for what was to come after it, too
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

// begin begins a commit, and settles the files of a memory in which git left a conflict, where
// it stopped in a merge, a rebase, a revert, a cherry-pick or a stash.
//
// git's index has the versions of both sides and the one that they come from. They are
// merged as the driver would have done that git did not ask: it is not there, or one
// side removed a file. What lies in the work tree is not read, with marks or without.
// What mem cannot merge is the person's.
func (r *Root) begin(ctx context.Context) (*gitstore.Tx, error) {
	t, err := r.store.Begin(ctx, gitWait)
	if err != nil || t.Staged() == nil {
		return t, err
	}
	w := r.store.NewWriter()
	puts, said := r.settleFiles(t, w)
	if len(puts) == 0 {
		return t, nil
	}
	if err := t.Resolve(w, puts); err != nil {
		return nil, fmt.Errorf("settle a conflict: %w", err)
	}
	r.warnOnce(said)
	return r.store.Begin(ctx, gitWait)
}

// settleFiles prepares the files of mem with a conflict, and says which.
func (r *Root) settleFiles(t *gitstore.Tx, w *gitstore.Writer) (puts []gitstore.Put, said string) {
	conflicts := t.Staged().ListConflicts()
	for _, name := range slices.Sorted(maps.Keys(conflicts)) {
		if !slices.ContainsFunc(union.Patterns, func(p string) bool { is, _ := path.Match(p, name); return is }) {
			continue
		}
		put, err := settleFile(t, name, conflicts[name])
		if err != nil {
			r.warnOnce(fmt.Sprintf("the conflict in %s is left to you: %s", guard.Line(name), guard.Line(err.Error())))
			continue
		}
		if !put.Blob.IsZero() {
			w.Keep(put.Blob, put.Data)
		}
		puts, said = append(puts, put), said+", "+guard.Line(name)
	}
	said = "settled the conflicts in " + strings.TrimPrefix(said, ", ")
	if len(puts) == len(conflicts) {
		said += "; none is left"
	}
	return puts, said
}

// settleFile merges the versions of a file. What the work tree has and no version is
// kept aside.
func settleFile(t *gitstore.Tx, name string, versions [3]object.Hash) (put gitstore.Put, err error) {
	var data [3][]byte
	for i, blob := range versions {
		if err == nil && !blob.IsZero() {
			data[i], err = t.Store.ReadBlob(blob)
		}
	}
	if err != nil {
		return put, err
	}
	put.Path = name
	if put.Data, err = union.MergeFile(name, data[0], data[1], data[2]); err != nil {
		return put, err
	}
	if !union.IsBlank(put.Data) { // all that it had was taken back
		put.Blob = object.HashOf(object.KindBlob, put.Data)
	}
	f, err := t.Look(name, object.Hash{}, true)
	if put.Before = f.Blob; err == nil && f.Exists && !slices.Contains(versions[:], f.Blob) {
		_, err = t.Store.Rescue(name, f.Data)
	}
	return put, err
}
