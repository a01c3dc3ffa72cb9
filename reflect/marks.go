package reflect

import (
	"cmp"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"mem/repo"
)

// A session without a lesson makes no commit, and so nothing in the history
// tells how far it was read. This clone notes it, so that nobody is asked
// about the same events at every turn of a session. Losing the note costs a
// question.

// readMarks returns how far this clone has read sessions. A note that cannot
// be read is none.
func readMarks(root *repo.Root) map[string]Mark {
	data, err := root.Kept(repo.NoteMarks)
	if err != nil {
		return nil
	}
	return decodeMarks(data)
}

func decodeMarks(note []byte) map[string]Mark {
	var marks map[string]Mark
	if json.Unmarshal(note, &marks) != nil {
		return nil
	}
	return marks
}

// keepMark notes how far a session was read.
func keepMark(root *repo.Root, id string, m Mark) error {
	return root.Amend(repo.NoteMarks, func(old []byte) []byte {
		marks := decodeMarks(old)
		if marks == nil {
			marks = map[string]Mark{}
		}
		marks[id] = m
		forget(marks)
		data, err := json.Marshal(marks, json.Deterministic(true))
		if err != nil {
			return old // an id or a time that JSON cannot say costs a question
		}
		return data
	})
}

// forget drops the marks that are more than maxMarks, oldest first.
func forget(marks map[string]Mark) {
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
