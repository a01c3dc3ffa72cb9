package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mem/repo/disk"
	"mem/repo/gitstore"
)

// A Note is a small file of this clone that is never committed. Losing it
// costs a convenience, never a lesson.
type Note string

// The notes.
const (
	NoteLast  Note = "last"  // outcome of what ran unwatched
	NoteCount Note = "count" // what was asked of models today
	NoteMarks Note = "marks" // how far sessions without a lesson were read
	NoteWork  Note = "work"  // what became of the jobs that wait
	NoteTold  Note = "told"  // which sessions were shown what
	NoteOff   Note = "off"   // for whom hooks do nothing
	NoteShown Note = "shown" // receipts of what sessions were given to read
)

// KeepNote replaces a note.
func (r *Root) KeepNote(n Note, data []byte) error {
	if err := r.writeShared(gitstore.PrivateDir+"/"+string(n), data); err != nil {
		return fmt.Errorf("keep note %s: %w", n, err)
	}
	return nil
}

// ReadNote returns what Keep kept last.
func (r *Root) ReadNote(n Note) ([]byte, error) {
	return r.d.ReadFile(gitstore.PrivateDir+"/"+string(n), maxJob)
}

// AmendNote replaces a note by what f makes of it, which is nothing the first time.
// Processes that do so at once wait for each other, but not for long.
func (r *Root) AmendNote(n Note, f func(old []byte) []byte) error {
	if err := r.d.MkdirAll(gitstore.PrivateDir); err != nil {
		return err
	}
	lock, err := r.d.AcquireLock(context.Background(), gitstore.PrivateDir+"/"+string(n)+".lock", time.Second)
	if err != nil {
		return fmt.Errorf("keep note %s: %w", n, err)
	}
	old, err := r.ReadNote(n)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = r.KeepNote(n, f(old))
	}
	return errors.Join(err, lock.Release())
}

// ReadFile returns a file of the root as it lies there, without the index being
// loaded or anything being locked.
func (r *Root) ReadFile(path string) ([]byte, error) { return r.d.ReadFile(path, maxJob) }

// LockIngest makes this process the one that takes over the files of other tools,
// until the lock is released. The error wraps ErrLocked if there is another one.
func (r *Root) LockIngest(ctx context.Context) (*disk.Lock, error) {
	if err := r.d.MkdirAll(gitstore.PrivateDir); err != nil {
		return nil, err
	}
	lock, err := r.d.AcquireLock(ctx, gitstore.PrivateDir+"/ingest", r.opts.LockWait)
	if err != nil {
		return nil, fmt.Errorf("take over files: %w", err)
	}
	return lock, nil
}

// IsWorking reports whether some process works on the queue.
func (r *Root) IsWorking() bool {
	lock, err := r.d.HoldFile(context.Background(), gitstore.WorkerPath, 0)
	if err != nil {
		return errors.Is(err, ErrLocked)
	}
	return lock.Release() != nil
}

// moment is how long a lock that was released may seem to be held: a child
// that its holder had just started has a hold on it until it runs.
const moment = 50 * time.Millisecond

// LockWork makes this process the one that works on the queue, until the lock is
// released. The error wraps ErrLocked if there is another one.
func (r *Root) LockWork(ctx context.Context) (*disk.Lock, error) {
	if err := r.d.MkdirAll(gitstore.PrivateDir); err != nil {
		return nil, err
	}
	lock, err := r.d.AcquireLock(ctx, gitstore.WorkerPath, moment)
	if err != nil {
		return nil, fmt.Errorf("work on the queue: %w", err)
	}
	return lock, nil
}
