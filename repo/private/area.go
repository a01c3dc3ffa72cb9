// Package private is what a memory root keeps to itself in .git/mem, never
// committed and of one clone alone: the queue of work, notes, the name of the
// clone, and who is at work.
//
// Jobs and notes are written durably without the root's lock, by many processes at
// once. Package gitstore keeps its own files in the same folder.
package private

import (
	"context"
	"errors"
	"time"

	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
)

// QueueDir is where jobs are.
const QueueDir = dir + "/spool"

const (
	dir        = gitstore.PrivateDir
	workerPath = dir + "/worker"
	markPath   = dir + "/trust" // says that the person vouched for the root; see package trust
	maxLine    = 1 << 10
)

// An Area is the private part of one root.
type Area struct {
	d    *disk.Dir
	wait time.Duration // for another process
}

// Open returns the private part of the root d. Nothing is read or made yet. wait
// is how long LockIngest waits.
func Open(d *disk.Dir, wait time.Duration) *Area { return &Area{d: d, wait: wait} }

// writeShared writes a file that needs no lock.
func (a *Area) writeShared(name string, data []byte) error {
	if err := a.d.MkdirAll(QueueDir); err != nil {
		return err
	}
	return a.d.WriteShared(name, data, QueueDir)
}

// Sweep removes what processes left that died while they wrote here.
func (a *Area) Sweep(ctx context.Context) error { return a.d.SweepFolder(ctx, QueueDir) }

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
