// Package private is what belongs to a memory root and is never committed: in
// .git/mem notes, the name of the clone, and who is at work; in the person's state
// folder the queue of work.
//
// Jobs and notes are written durably without the root's lock, by many processes at
// once. Package gitstore keeps its own files in .git/mem, too.
package private

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
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

// Bounds of what readers are given beside their work.
const (
	hintsDir    = dir + "/hints"
	turnsDir    = dir + "/turns"
	failuresDir = dir + "/failures"
	maxHints    = 8  // to one reader
	maxReaders  = 64 // that are remembered
	hintNameLen = 16
	maxFailures = 64 // of one reader
)

// ClaimHint reports whether a reader, such as a session, is to be given a hint: it was not
// given this one, and did not get too many. Processes may ask at the same time, and
// where nothing can be noted there is no hint.
func (a *Area) ClaimHint(reader, hint string) bool {
	return a.note(hintsDir, reader, hint, maxHints)
}

// ClaimReminder reports whether a reader is to be reminded: it was not in the last ten prompts,
// which PassPrompt counts. Each kind of reminder counts for itself.
func (a *Area) ClaimReminder(reader, kind string) bool {
	folder, names, err := a.openReader(turnsDir, reader)
	isOpen := !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, kind+".") })
	return err == nil && isOpen && a.d.CreateFile(folder+"/"+kind+".0") == nil
}

// PassPrompt counts a prompt of a reader, if it was reminded lately.
func (a *Area) PassPrompt(reader string) {
	folder := turnsDir + "/" + hashName(reader)
	names, _ := a.d.ListFolder(folder)
	for _, name := range names {
		if kind, n, _ := strings.Cut(name, "."); n == "9" {
			_ = a.d.Remove(folder + "/" + name)
		} else {
			_ = a.d.Rename(folder+"/"+name, fmt.Sprintf("%s/%s.%c", folder, kind, n[0]+1))
		}
	}
}

// NoteFailure notes that a command failed which a reader ran.
func (a *Area) NoteFailure(reader, command string) {
	a.note(failuresDir, reader, command, maxFailures)
}

// note adds what a reader was given or did to what is noted of it, and reports whether that is new, and not too much.
func (a *Area) note(in, reader, what string, most int) bool {
	folder, names, err := a.openReader(in, reader)
	return err == nil && len(names) < most && a.d.CreateFile(folder+"/"+hashName(what)) == nil
}

// TakeFailure reports whether a command failed that works now, and forgets it.
func (a *Area) TakeFailure(reader, command string) bool {
	name := failuresDir + "/" + hashName(reader) + "/" + hashName(command)
	_, err := a.d.Lstat(name)
	return err == nil && a.d.Remove(name) == nil
}

// ForgetFailures is for a reader that changed what its commands work on.
func (a *Area) ForgetFailures(reader string) { _ = a.d.RemoveAll(failuresDir + "/" + hashName(reader)) }

// openReader makes the folder of a reader, if there is none, and returns what is in it.
func (a *Area) openReader(in, reader string) (folder string, names []string, err error) {
	folder = in + "/" + hashName(reader)
	names, err = a.d.ListFolder(folder)
	if err == nil && names == nil {
		a.forgetReaders(in)
		err = a.d.MkdirAll(folder)
	}
	return folder, names, err
}

// forgetReaders makes room for a reader: the older half goes once there are too many.
func (a *Area) forgetReaders(in string) {
	names, err := a.d.ListFolder(in)
	if err != nil || len(names) < maxReaders {
		return
	}
	age := func(name string) int64 {
		info, err := a.d.Lstat(in + "/" + name)
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Compare(age(x), age(y)) })
	for _, name := range names[:len(names)/2] {
		_ = a.d.RemoveAll(in + "/" + name) // else the next reader tries
	}
}

// hashName is a name for a file that stands for any text.
func hashName(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s)))[:hintNameLen] }

// Receipts are files of lines, one a month; older ones are dropped.
const (
	receiptsDir = dir + "/shown"
	maxMonths   = 24
	maxReceipts = 64 << 20 // bytes of a month that are read
)

// ReadReceipts returns the lines of all months from one on, "2026-01", the oldest first.
// A month that cannot be read is left out.
func (a *Area) ReadReceipts(from string) (lines []byte) {
	months, _ := a.d.ListFolder(receiptsDir) // none is kept before the first receipt
	for _, name := range months {
		if name >= from && path.Ext(name) == ".jsonl" {
			month, _ := a.d.ReadFile(receiptsDir+"/"+name, maxReceipts)
			lines = append(lines, month...)
		}
	}
	return lines
}

// AddReceipt adds a line to the receipts of a month, "2026-01". It may be lost in a power
// cut: who waits for it is an agent.
func (a *Area) AddReceipt(month string, line []byte) error {
	name := receiptsDir + "/" + month + ".jsonl"
	if !a.d.Exists(name) {
		if err := a.makeRoom(); err != nil {
			return err
		}
	}
	return a.d.AppendLoose(name, append(line, '\n'))
}

// makeRoom prepares for another month. Receipts of earlier versions, in one file, go.
func (a *Area) makeRoom() error {
	if info, err := a.d.Lstat(receiptsDir); err == nil && !info.IsDir() {
		return a.d.Remove(receiptsDir)
	}
	months, err := a.d.ListFolder(receiptsDir)
	for len(months) >= maxMonths && err == nil {
		err = a.d.Remove(receiptsDir + "/" + months[0])
		months = months[1:]
	}
	return err
}
