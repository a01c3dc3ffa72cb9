package overview

import (
	"bytes"
	"slices"
	"time"

	"mem/index"
	"mem/reflect"
	"mem/render"
	"mem/repo"
	"mem/repo/private"
)

// manyNew is from how many new lessons on a redistill is due.
const manyNew = 30

// addDue adds the commands that are due: a summary of each month that is over and has
// none, or one of another journal; and a redistill, once manyNew lessons are new since the
// last one in this clone.
func (s *Overview) addDue(root *repo.Root, m *repo.Memory) error {
	months, err := reflect.DueMonths(m)
	for _, month := range months {
		s.Due = append(s.Due, "mem month "+month)
	}
	note, _ := root.ReadNote(private.NoteRedistilled)
	last, _ := time.Parse(time.RFC3339, string(note))
	news := 0
	for i := range m.Index.Items {
		if it := &m.Index.Items[i]; it.Status == index.Active && it.FirstSeen.After(last) {
			news++
		}
	}
	if news >= manyNew {
		s.Due = append(s.Due, "mem redistill")
	}
	return err
}

// NoteRedistilled notes that a memory was redistilled, whatever came of it.
func NoteRedistilled(root *repo.Root, now time.Time) error {
	return root.AmendNote(private.NoteRedistilled, func([]byte) []byte { return now.AppendFormat(nil, time.RFC3339) })
}

// addStale notes that CORE.md is not what its lessons and the configuration make of it,
// such as after another max_core_items. What git brought is in the file, and not in m.
func (s *Overview) addStale(m *repo.Memory, most int) {
	core, err := m.ReadFile(render.CorePath)
	if err != nil || s.Lessons == 0 || slices.Contains(s.Edited, render.CorePath) || m.Foreign().CountWaiting() > 0 {
		return
	}
	if !bytes.Equal(core, render.Core(m.Index, m.Index.Rank(m.Index.UpdatedAt), most)) {
		s.Stale = render.CorePath
	}
}
