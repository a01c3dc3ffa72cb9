package lookup

import (
	"mem/curate"
	"mem/index"
	"mem/recall/search"
	"mem/repo"
)

// recordSchema is the version of the form of a Record. Members may be added to it.
const recordSchema = 1

// A Record is a line of mem export jsonl: a rule, or a lesson with what it is about. It is a
// projection for search engines, never read back.
type Record struct {
	Schema int `json:"schema"`
	Result
	Title   string          `json:"title,omitzero"`    // of a rule
	Why     string          `json:"why,omitzero"`      // of a lesson, a sentence
	Cue     *index.Literals `json:"cue,omitzero"`      // when the lesson matters
	Remedy  *index.Literals `json:"remedy,omitzero"`   // what cures the failure
	Lessons []string        `json:"lessons,omitempty"` // ids of those that became the rule
}

// ListRecords returns the rules of a memory and then its lessons, the oldest first: those that
// sessions are shown or, with all, the others as well. unread are the files of rules that
// cannot be read.
func ListRecords(m *repo.Memory, all bool) (list []Record, unread []string) {
	rules, unread := curate.ListRules(m)
	for _, d := range rules {
		r := Result{ID: d.ID, Type: search.Rule, Path: d.File, Text: d.Text, Recurred: d.Recurred}
		list = append(list, Record{Schema: recordSchema, Result: r, Title: d.Name, Lessons: d.Lessons})
	}
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		if !all && !it.IsShown() {
			continue
		}
		r := NewResult(it)
		r.Type, r.Text = search.Lesson, it.ShownText()
		list = append(list, Record{Schema: recordSchema, Result: r, Why: it.Why, Cue: it.Cue, Remedy: it.Remedy})
	}
	return list, unread
}
