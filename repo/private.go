package repo

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
)

// What belongs to a memory root and is never committed: in .git/mem notes, the name of the
// clone, and who is at work; in the person's state folder the queue of work. Jobs and notes are
// written durably without the root's lock, by many processes at once.

// SharedDir is where notes are written before they have their name. Jobs are there, too, if
// there is no state folder.
const SharedDir = gitstore.PrivateDir + "/spool"

const (
	workerPath = gitstore.PrivateDir + "/worker"
	markPath   = gitstore.PrivateDir + "/trust" // says that the person vouched for the root; see Keyring
	maxLine    = 1 << 10
)

// ownQueue is the queue in the root itself.
func (r *Root) ownQueue() Queue {
	return Queue{filepath.Join(r.path, filepath.FromSlash(SharedDir)), disk.Files{Fault: r.opts.Fault}}
}

// TakeOld takes over what waits in the root itself, where there was no state folder.
func (r *Root) TakeOld() error {
	if names, err := r.d.ListFolder(SharedDir); err != nil || len(names) == 0 {
		return err // such as that it is a link, to a folder that is not of the root
	}
	return r.ownQueue().MoveTo(r.Queue)
}

// sweep removes what processes left that died while they wrote here.
func (r *Root) sweep(ctx context.Context) error {
	err := r.in(func(d *disk.Dir) error { return d.SweepFolder(ctx, ".") })
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(r.d.SweepFolder(ctx, SharedDir), err)
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

// LockIngest makes this process the one that imports the files of other tools,
// until the lock is released. The error wraps disk.ErrLocked if there is another
// one.
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

// ReadMark returns the mark of trust of the root in a folder.
func ReadMark(d *disk.Dir) ([]byte, error) { return d.ReadFile(markPath, maxLine) }

// WriteMark replaces the mark of trust, and removes what another account made to
// speed up reading: it is not what the person looked at. The branch that mem commits to is
// written down: later another one may be checked out.
func (r *Root) WriteMark(mark []byte) error {
	branch, _, err := r.FindHome()
	if err = cmp.Or(err, r.store.SetHome(branch)); err != nil {
		return err
	}
	for _, n := range []Note{NoteCache, NoteSeen} {
		if err := r.d.Remove(n.path()); err != nil {
			return err
		}
	}
	return r.d.WriteFile(markPath, mark, SharedDir)
}

// A Note is a small file of this clone that is never committed. Losing it
// costs a convenience, never a lesson.
type Note string

// The notes.
const (
	NoteLast  Note = "last"  // outcome of what ran in the background
	NoteCount Note = "count" // what was asked of models today
	NoteMarks Note = "marks" // how far sessions without a lesson were read
	NoteSeen  Note = "seen"  // files of sessions that hold nothing new, as they were
	NoteWork  Note = "work"  // outcomes of queued jobs
	NoteTold  Note = "told"  // which sessions were shown what
	NoteOff   Note = "off"   // for whom hooks do nothing
	NoteNews  Note = "news"  // which lessons a person was told of, or knew before

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

// AmendValue is AmendNote for a value; one that JSON cannot say changes nothing.
func AmendValue[V any](r *Root, n Note, f func(V) V) error {
	return r.AmendNote(n, func(old []byte) []byte {
		data, err := json.Marshal(f(decode[V](old)), json.Deterministic(true))
		if err != nil {
			return old
		}
		return data
	})
}

// Bounds of what readers are given beside their work.
const (
	hintsDir    = gitstore.PrivateDir + "/hints"
	turnsDir    = gitstore.PrivateDir + "/turns"
	failuresDir = gitstore.PrivateDir + "/failures"
	maxHints    = 8  // to one reader
	maxReaders  = 64 // that are remembered
	hintNameLen = 16
	maxFailures = 64 // of one reader
)

// ClaimHint reports whether a reader, such as a session, is to be given a hint: it was not
// given this one, and did not get too many. Processes may ask at the same time, and
// where nothing can be noted there is no hint.
func (r *Root) ClaimHint(reader, hint string) bool {
	return r.note(hintsDir, reader, hint, maxHints)
}

// ClaimReminder reports whether a reader is to be reminded: it was not in the last ten prompts,
// which PassPrompt counts. Each kind of reminder counts for itself.
func (r *Root) ClaimReminder(reader, kind string) bool {
	folder, names, err := r.openReader(turnsDir, reader)
	isOpen := !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, kind+".") })
	return err == nil && isOpen && r.d.CreateFile(folder+"/"+kind+".0") == nil
}

// PassPrompt counts a prompt of a reader, if it was reminded lately.
func (r *Root) PassPrompt(reader string) {
	folder := turnsDir + "/" + hashName(reader)
	names, _ := r.d.ListFolder(folder)
	for _, name := range names {
		if kind, n, _ := strings.Cut(name, "."); n == "9" {
			_ = r.d.Remove(folder + "/" + name)
		} else {
			_ = r.d.Rename(folder+"/"+name, fmt.Sprintf("%s/%s.%c", folder, kind, n[0]+1))
		}
	}
}

// NoteFailure notes that a command failed which a reader ran.
func (r *Root) NoteFailure(reader, command string) {
	r.note(failuresDir, reader, command, maxFailures)
}

// note adds what a reader was given or did to what is noted of it, and reports whether that is new, and not too much.
func (r *Root) note(in, reader, what string, most int) bool {
	folder, names, err := r.openReader(in, reader)
	return err == nil && len(names) < most && r.d.CreateFile(folder+"/"+hashName(what)) == nil
}

// TakeFailure reports whether a command failed that works now, and forgets it.
func (r *Root) TakeFailure(reader, command string) bool {
	name := failuresDir + "/" + hashName(reader) + "/" + hashName(command)
	_, err := r.d.Lstat(name)
	return err == nil && r.d.Remove(name) == nil
}

// ForgetFailures is for a reader that changed what its commands work on.
func (r *Root) ForgetFailures(reader string) { _ = r.d.RemoveAll(failuresDir + "/" + hashName(reader)) }

// openReader makes the folder of a reader, if there is none, and returns what is in it.
func (r *Root) openReader(in, reader string) (folder string, names []string, err error) {
	folder = in + "/" + hashName(reader)
	names, err = r.d.ListFolder(folder)
	if err == nil && names == nil {
		r.forgetReaders(in)
		err = r.d.MkdirAll(folder)
	}
	return folder, names, err
}

// forgetReaders makes room for a reader: the older half goes once there are too many.
func (r *Root) forgetReaders(in string) {
	names, err := r.d.ListFolder(in)
	if err != nil || len(names) < maxReaders {
		return
	}
	age := func(name string) int64 {
		info, err := r.d.Lstat(in + "/" + name)
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Compare(age(x), age(y)) })
	for _, name := range names[:len(names)/2] {
		_ = r.d.RemoveAll(in + "/" + name) // else the next reader tries
	}
}

// hashName is a name for a file that stands for any text.
func hashName(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s)))[:hintNameLen] }

// Receipts are files of lines, one a month; older ones are dropped.
const (
	receiptsDir = gitstore.PrivateDir + "/shown"
	maxMonths   = 24
	maxReceipts = 64 << 20 // bytes of a month that are read
)

// ReadReceipts returns the lines of all months from one on, "2026-01", the oldest first.
// A month that cannot be read is left out.
func (r *Root) ReadReceipts(from string) (lines []byte) {
	months, _ := r.d.ListFolder(receiptsDir) // none is kept before the first receipt
	for _, name := range months {
		if name >= from && path.Ext(name) == ".jsonl" {
			month, _ := r.d.ReadFile(receiptsDir+"/"+name, maxReceipts)
			lines = append(lines, month...)
		}
	}
	return lines
}

// AddReceipt adds a line to the receipts of a month, "2026-01". It may be lost in a power
// cut: who waits for it is an agent.
func (r *Root) AddReceipt(month string, line []byte) error {
	name := receiptsDir + "/" + month + ".jsonl"
	if !r.d.Exists(name) {
		if err := r.makeRoom(); err != nil {
			return err
		}
	}
	return r.d.AppendLoose(name, append(line, '\n'))
}

// makeRoom prepares for another month.
func (r *Root) makeRoom() error {
	months, err := r.d.ListFolder(receiptsDir)
	for len(months) >= maxMonths && err == nil {
		err = r.d.Remove(receiptsDir + "/" + months[0])
		months = months[1:]
	}
	return err
}
