package watermark

import (
	"cmp"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"mem/repo"
	"mem/repo/private"
)

// A session without a lesson makes no commit, and so nothing in the history
// tells how far it was read. This clone notes it, so that no model is asked
// about the same events at every turn of a session. Losing the note costs a
// question.

// TakeNote takes the marks of this clone's note that are further than those of
// f. A note that cannot be read is empty.
func (f *File) TakeNote(root *repo.Root) {
	if note, err := root.ReadNote(private.NoteMarks); err == nil {
		f.takeFurther(decodeNote(note))
	}
}

func decodeNote(note []byte) map[string]Mark {
	var marks map[string]Mark
	if json.Unmarshal(note, &marks) != nil {
		return nil
	}
	return marks
}

// NoteMark notes how far a session was read.
func NoteMark(root *repo.Root, identity string, m Mark) error {
	return root.AmendNote(private.NoteMarks, func(old []byte) []byte {
		marks := decodeNote(old)
		if marks == nil {
			marks = map[string]Mark{}
		}
		marks[identity] = m
		dropOldest(marks)
		data, err := json.Marshal(marks, json.Deterministic(true))
		if err != nil {
			return old // an id or a time that JSON cannot say costs a question
		}
		return data
	})
}

// dropOldest drops the marks that are more than maxMarks, oldest first.
func dropOldest(marks map[string]Mark) {
	over := len(marks) - maxMarks
	if over <= 0 {
		return
	}
	oldest := slices.SortedFunc(maps.Keys(marks), func(a, b string) int {
		return cmp.Or(marks[a].Read.Compare(marks[b].Read), cmp.Compare(a, b))
	})
	for _, id := range oldest[:over] {
		delete(marks, id)
	}
}
