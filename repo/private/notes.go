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
func (a *Area) KeepNote(n Note, data []byte) error {
	if err := a.writeShared(n.path(), data); err != nil {
		return fmt.Errorf("keep note %s: %w", n, err)
	}
	return nil
}

// ReadNote returns what KeepNote kept last.
func (a *Area) ReadNote(n Note) ([]byte, error) { return a.d.ReadFile(n.path(), maxJob) }

// AmendNote replaces a note by what f makes of the old one, which is nil the first
// time. Processes that do so at once wait for each other, but not for long.
func (a *Area) AmendNote(n Note, f func(old []byte) []byte) error {
	lock, err := a.acquire(context.Background(), "keep note "+string(n), n.path()+".lock", time.Second)
	if err != nil {
		return err
	}
	old, err := a.ReadNote(n)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = a.KeepNote(n, f(old))
	}
	return errors.Join(err, lock.Release())
}

// ReadTable returns a note that holds values by name; nothing of one that cannot be read.
func ReadTable[V any](a *Area, n Note) map[string]V {
	data, _ := a.ReadNote(n)
	return decodeTable[V](data)
}

// AmendTable is AmendNote for such a note, which f changes.
func AmendTable[V any](a *Area, n Note, f func(table map[string]V)) error {
	return a.AmendNote(n, func(old []byte) []byte {
		table := decodeTable[V](old)
		f(table)
		data, err := json.Marshal(table, json.Deterministic(true))
		if err != nil {
			return old // a name or a time that JSON cannot say
		}
		return data
	})
}

func decodeTable[V any](data []byte) (table map[string]V) {
	if json.Unmarshal(data, &table) != nil || table == nil {
		return map[string]V{}
	}
	return table
}
