package private

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/go-json-experiment/json"
)

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
