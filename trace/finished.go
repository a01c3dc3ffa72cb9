package trace

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mem/trace/jsonl"
)

// A Finished reflection is lessons that were already extracted, such as by the
// agent itself.
type Finished struct {
	ID       string // the writer's own id of the reflection; "" if it gave none
	Mistakes []Lesson
	Fixes    []Lesson
	Session  string // session that it is about; "" if not said
	Model    string // model that extracted the lessons; "" if not said
}

// maxLessons bounds the lessons of each side of a reflection.
const maxLessons = 2000

// A lessons list is the lessons of an array that have a text.
type lessons []Lesson

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (l *lessons) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '[' {
		return dec.SkipValue()
	}
	return jsonl.ReadList(dec, func() error {
		var one Lesson
		if err := one.UnmarshalJSONFrom(dec); err != nil {
			return err
		}
		if strings.TrimSpace(one.Text) != "" && len(*l) < maxLessons {
			*l = append(*l, one)
		}
		return nil
	})
}

// A side is the lessons under one name, and whether there is such a member.
type side struct {
	set     bool
	lessons lessons
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (s *side) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	s.set = true
	return s.lessons.UnmarshalJSONFrom(dec)
}

// readFinished returns the reflection in src, or nil if src is something else.
func readFinished(src *jsonl.Source) (*Finished, error) {
	doc, ok := src.AsDocument()
	if !ok {
		return nil, nil
	}
	var r struct {
		Type         jsonl.Text `json:"type"`
		ID           jsonl.Text `json:"id"`
		Session      jsonl.Text `json:"session"`
		Model        jsonl.Text `json:"model"`
		Mistakes     side       `json:"mistakes"`
		Fixes        side       `json:"fixes"`
		AntiPatterns side       `json:"antiPatterns"`
		Learnings    side       `json:"learnings"`
	}
	if !jsonl.Unmarshal(doc, &r) {
		return nil, nil
	}
	if !r.Mistakes.set && !r.Fixes.set && !r.AntiPatterns.set && !r.Learnings.set {
		return nil, nil
	}
	f := &Finished{ID: string(r.ID), Session: string(r.Session), Model: string(r.Model)}
	f.Mistakes = oldName(r.Mistakes, r.AntiPatterns)
	f.Fixes = oldName(r.Fixes, r.Learnings)
	if len(f.Mistakes) == 0 && len(f.Fixes) == 0 {
		return nil, fmt.Errorf("no text under mistakes or fixes: %w", ErrNoLessons)
	}
	return f, nil
}

// oldName falls back to the older name of a side that is empty.
func oldName(now, old side) []Lesson {
	if len(now.lessons) > 0 {
		return now.lessons
	}
	return old.lessons
}
