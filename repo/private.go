package repo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo/disk"
	"mem/repo/gitstore"
)

// Some state belongs to a memory root and is never committed. Notes, the clone's name and the worker's lock are
// in .git/mem; the queue of work is in the person's state folder. Many processes write jobs and notes at once,
// durably and without the root's lock.

// PrivateDir holds all of this except the queue. In SharedDir notes are written before they get their name; it
// also holds the jobs if there is no state folder.
const (
	PrivateDir = gitstore.PrivateDir
	SharedDir  = PrivateDir + "/spool"
)

const (
	workerPath = gitstore.PrivateDir + "/worker"
	markPath   = gitstore.PrivateDir + "/trust" // says that the person vouched for the root
	maxLine    = 1 << 10
)

func (r *Root) ownQueue() Queue {
	return Queue{filepath.Join(r.Path(), filepath.FromSlash(SharedDir)), disk.Files{Fault: r.opts.Fault}}
}

// TakeOld moves jobs out of the root itself, where they are kept without a state folder, into the queue.
func (r *Root) TakeOld() error {
	if names, err := r.d.ListFolder(SharedDir); err != nil || len(names) == 0 {
		return err // such as for a link to a folder outside the root
	}
	return r.ownQueue().MoveTo(r.Queue)
}

// acquire takes a lock, in a folder that may not be there yet: a clone of a root has none of mem's own files.
func (r *Root) acquire(ctx context.Context, path string, wait time.Duration) (*disk.Lock, error) {
	if err := r.d.MkdirAll(gitstore.PrivateDir); err != nil {
		return nil, err
	}
	return r.d.AcquireLock(ctx, path, wait)
}

// exclude calls f while no other process writes to the root.
func (r *Root) exclude(ctx context.Context, f func(*disk.Lock) error) error {
	lock, err := r.acquire(ctx, gitstore.LockPath, r.opts.LockWait)
	if err != nil {
		return fmt.Errorf("lock memory: %w", err)
	}
	return errors.Join(f(lock), lock.Release())
}

// LockIngest makes this process the one that imports the files of other tools, until the lock is released. The error
// wraps disk.ErrLocked if there is another one.
func (r *Root) LockIngest(ctx context.Context) (*disk.Lock, error) {
	return r.acquire(ctx, gitstore.PrivateDir+"/ingest", r.opts.LockWait)
}

// LockWork makes this process the one that works on the queue, until the lock is
// released. The error wraps disk.ErrLocked if there is another one.
func (r *Root) LockWork(ctx context.Context) (*disk.Lock, error) {
	return r.acquire(ctx, workerPath, disk.Moment)
}

// IsWorking reports whether some process works on the queue.
func (r *Root) IsWorking() bool {
	lock, err := r.d.HoldFile(context.Background(), workerPath, 0)
	if err != nil {
		return errors.Is(err, disk.ErrLocked)
	}
	return lock.Release() != nil
}

// Dir is the folder of the root, for what rooms above keep in PrivateDir without a lock, and can do without.
func (r *Root) Dir() *disk.Dir { return r.d }

// ReadMark returns the mark of trust of the root in a folder.
func ReadMark(d *disk.Dir) ([]byte, error) { return d.ReadFile(markPath, maxLine) }

// WriteMark replaces the mark of trust. It removes caches that another account may have made, because the person did
// not review them, and records the branch that mem commits to, in case another one is checked out later.
func (r *Root) WriteMark(mark []byte) error {
	branch, _, err := r.FindHome()
	if err = cmp.Or(err, r.store.SetHome(branch)); err != nil {
		return err
	}
	for _, n := range []Note{NoteCache, NoteSeen, NoteShown} {
		if err := r.d.Remove(n.path()); err != nil {
			return err
		}
	}
	return r.d.WriteFile(markPath, mark, SharedDir)
}

// A Note is a small file of this clone that is never committed. Losing it costs a convenience, never a lesson.
type Note string

// The notes.
const (
	NoteLast  Note = "last"  // outcome of what ran in the background
	NoteCount Note = "count" // today's requests to models
	NoteMarks Note = "marks" // how far sessions without a lesson were read
	NoteSeen  Note = "seen"  // session files without anything new, by their state
	NoteWork  Note = "work"  // outcomes of queued jobs
	NoteTold  Note = "told"  // which sessions were shown what
	NoteOff   Note = "off"   // where hooks are switched off
	NoteNews  Note = "news"  // lessons that a person was shown or knew before

	NoteRedistilled Note = "redistilled" // when the lessons were last redistilled
	NoteCache       Note = "cache"       // what was said in past sessions, to be searched
	NoteShown       Note = "candidates"  // what sessions showed, as of a log
	NotePacked      Note = "packed"      // what git's last packing did
	NoteFailing     Note = "failing"     // the failure that a session was last shown
	NoteFolders     Note = "folders"     // that the project was worked on in
	NotePlace       Note = "place"       // of the root, after which its queue is named
	NoteSync        Note = "sync"        // with whom it syncs, when something was last sent, and why the worker's last sync failed
)

// MaxNote is how long a note may be, in bytes.
const MaxNote = 8 << 20

func (n Note) path() string { return gitstore.PrivateDir + "/" + string(n) }

// KeepNote replaces a note.
func (r *Root) KeepNote(n Note, data []byte) error { return r.d.WriteFile(n.path(), data, SharedDir) }

// ReadNote returns what KeepNote kept last.
func (r *Root) ReadNote(n Note) ([]byte, error) { return r.d.ReadFile(n.path(), MaxNote) }

// AmendNote replaces a note by what f makes of the old one, which is nil the first
// time. Processes that do so at once wait for each other, but not for long.
func (r *Root) AmendNote(n Note, f func(old []byte) []byte) error {
	lock, err := r.acquire(context.Background(), n.path()+".lock", time.Second)
	if err != nil {
		return err
	}
	old, err := r.ReadNote(n)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = r.KeepNote(n, f(old))
	}
	return errors.Join(err, lock.Release())
}

// ReadValue returns what KeepValue kept last; zero of what cannot be read.
func ReadValue[V any](r *Root, n Note) V {
	data, _ := r.ReadNote(n)
	return decode[V](data)
}

func decode[V any](data []byte) (v V) {
	if json.Unmarshal(data, &v) != nil {
		return *new(V)
	}
	return v
}

// KeepValue replaces a note by a value.
func (r *Root) KeepValue(n Note, v any) error {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("keep note %s: %w", n, err)
	}
	return r.KeepNote(n, data)
}

// AmendValue is AmendNote for a value. It changes nothing if the new value has no JSON form.
func AmendValue[V any](r *Root, n Note, f func(V) V) error {
	return r.AmendNote(n, func(old []byte) []byte {
		data, err := json.Marshal(f(decode[V](old)), json.Deterministic(true))
		if err != nil {
			return old
		}
		return data
	})
}
