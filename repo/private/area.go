// Package private is what belongs to a memory root and is never committed: in
// .git/mem notes, the name of the clone, and who is at work; in the person's state
// folder the queue of work.
//
// Jobs and notes are written durably without the root's lock, by many processes at
// once. Package gitstore keeps its own files in .git/mem, too.
package private

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
)

// SharedDir is where notes are written before they have their name. Jobs are there, too, if
// there is no state folder, and those of versions that knew of none.
const SharedDir = dir + "/spool"

const (
	dir        = gitstore.PrivateDir
	workerPath = dir + "/worker"
	markPath   = dir + "/trust" // says that the person vouched for the root; see package trust
	maxLine    = 1 << 10
)

// An Area is the private part of one root.
type Area struct {
	Queue
	d    *disk.Dir
	own  Queue         // in the root itself
	wait time.Duration // for another process
}

// Open returns the private part of the root d, whose queue is in the root itself if q names no folder.
// Nothing is read or made yet. wait is how long LockIngest waits.
func Open(d *disk.Dir, q Queue, wait time.Duration) *Area {
	a := &Area{Queue: q, d: d, own: Queue{filepath.Join(d.Path(), filepath.FromSlash(SharedDir)), q.Files}, wait: wait}
	if q.Folder == "" {
		a.Queue = a.own
	}
	return a
}

// TakeOld takes over what waits in the root itself: an earlier version, or one without a state
// folder, left it there.
func (a *Area) TakeOld() error {
	if names, err := a.d.ListFolder(SharedDir); err != nil || len(names) == 0 {
		return err // such as that it is a link, to a folder that is not of the root
	}
	return a.own.MoveTo(a.Queue)
}

// writeShared writes a file that needs no lock.
func (a *Area) writeShared(name string, data []byte) error {
	if err := a.d.MkdirAll(SharedDir); err != nil {
		return err
	}
	return a.d.WriteShared(name, data, SharedDir)
}

// Sweep removes what processes left that died while they wrote here.
func (a *Area) Sweep(ctx context.Context) error {
	err := a.in(func(d *disk.Dir) error { return d.SweepFolder(ctx, ".") })
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(a.d.SweepFolder(ctx, SharedDir), err)
}

// acquire takes a lock, in a folder that may not be there yet.
func (a *Area) acquire(ctx context.Context, path string, wait time.Duration) (*disk.Lock, error) {
	if err := a.d.MkdirAll(dir); err != nil {
		return nil, err
	}
	return a.d.AcquireLock(ctx, path, wait)
}

// LockIngest makes this process the one that imports the files of other tools,
// until the lock is released. The error wraps disk.ErrLocked if there is another
// one.
func (a *Area) LockIngest(ctx context.Context) (*disk.Lock, error) {
	return a.acquire(ctx, dir+"/ingest", a.wait)
}

// LockWork makes this process the one that works on the queue, until the lock is
// released. The error wraps disk.ErrLocked if there is another one.
func (a *Area) LockWork(ctx context.Context) (*disk.Lock, error) {
	return a.acquire(ctx, workerPath, disk.Moment)
}

// IsWorking reports whether some process works on the queue.
func (a *Area) IsWorking() bool {
	lock, err := a.d.HoldFile(context.Background(), workerPath, 0)
	if err != nil {
		return errors.Is(err, disk.ErrLocked)
	}
	return lock.Release() != nil
}

// RememberBranch writes down the branch that mem commits to, if it is new. The caller
// holds the root's lock.
func (a *Area) RememberBranch(branch string) error {
	if a.OwnBranch() != "" {
		return nil
	}
	return a.d.WriteFile(gitconfig.BranchPath, []byte(branch+"\n"), gitstore.TempDir)
}

// OwnBranch returns the branch that mem commits to; "" if there is none yet.
func (a *Area) OwnBranch() string { return gitconfig.ReadBranch(a.d) }

// ReadMark returns the mark of trust of the root.
func (a *Area) ReadMark() ([]byte, error) { return a.d.ReadFile(markPath, maxLine) }

// WriteMark replaces the mark of trust, and removes what another account made to
// speed up reading: it is not what the person looked at. The digest is one of an older mem.
func (a *Area) WriteMark(mark []byte) error {
	err := errors.Join(a.d.Remove(dir+"/digest"), a.d.Remove(NoteCache.path()))
	if err != nil {
		return err
	}
	return a.writeShared(markPath, mark)
}

// A Note is a small file of this clone that is never committed. Losing it
// costs a convenience, never a lesson.
type Note string

// The notes.
const (
	NoteLast  Note = "last"  // outcome of what ran in the background
	NoteCount Note = "count" // what was asked of models today
	NoteMarks Note = "marks" // how far sessions without a lesson were read
	NoteWork  Note = "work"  // outcomes of queued jobs
	NoteTold  Note = "told"  // which sessions were shown what
	NoteOff   Note = "off"   // for whom hooks do nothing

	NoteRedistilled Note = "redistilled" // when the lessons were last redistilled
	NoteCache       Note = "cache"       // what was said in past sessions, to be searched
	NoteAnswer      Note = "answer"      // the last one of an oracle that could not be used
	NotePacked      Note = "packed"      // what git's last packing did
	NoteFailing     Note = "failing"     // which failure a session was told of
	NoteFolders     Note = "folders"     // that the project was worked on in
	NotePlace       Note = "place"       // of the root, after which its queue is named
	NoteSync        Note = "sync"        // with whom it syncs, when something was last sent, and why the worker's last sync failed
)

// MaxNote is how long a note may be, in bytes.
const MaxNote = maxJob

func (n Note) path() string { return dir + "/" + string(n) }

// KeepNote replaces a note.
func (a *Area) KeepNote(n Note, data []byte) error { return a.writeShared(n.path(), data) }

// ReadNote returns what KeepNote kept last.
func (a *Area) ReadNote(n Note) ([]byte, error) { return a.d.ReadFile(n.path(), maxJob) }

// AmendNote replaces a note by what f makes of the old one, which is nil the first
// time. Processes that do so at once wait for each other, but not for long.
func (a *Area) AmendNote(n Note, f func(old []byte) []byte) error {
	lock, err := a.acquire(context.Background(), n.path()+".lock", time.Second)
	if err != nil {
		return err
	}
	old, err := a.ReadNote(n)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = a.KeepNote(n, f(old))
	}
	return errors.Join(err, lock.Release())
}

// ReadValue returns what KeepValue kept last; zero of what cannot be read.
func ReadValue[V any](a *Area, n Note) V {
	data, _ := a.ReadNote(n)
	return decode[V](data)
}

func decode[V any](data []byte) (v V) {
	if json.Unmarshal(data, &v) != nil {
		return *new(V)
	}
	return v
}

// KeepValue replaces a note by a value.
func (a *Area) KeepValue(n Note, v any) error {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("keep note %s: %w", n, err)
	}
	return a.KeepNote(n, data)
}

// AmendValue is AmendNote for a value; one that JSON cannot say changes nothing.
func AmendValue[V any](a *Area, n Note, f func(V) V) error {
	return a.AmendNote(n, func(old []byte) []byte {
		data, err := json.Marshal(f(decode[V](old)), json.Deterministic(true))
		if err != nil {
			return old
		}
		return data
	})
}
