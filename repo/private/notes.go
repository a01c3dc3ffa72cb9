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
func ReadValue[V any](a *Area, n Note) (v V) {
	if data, err := a.ReadNote(n); err != nil || json.Unmarshal(data, &v) != nil {
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

// AmendTable is AmendNote for values by name, which f changes.
func AmendTable[V any](a *Area, n Note, f func(table map[string]V)) error {
	return a.AmendNote(n, func(old []byte) []byte {
		var table map[string]V
		if json.Unmarshal(old, &table) != nil || table == nil {
			table = map[string]V{}
		}
		f(table)
		data, err := json.Marshal(table, json.Deterministic(true))
		if err != nil {
			return old // a name or a time that JSON cannot say
		}
		return data
	})
}
