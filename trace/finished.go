package trace

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"mem/trace/jsonl"
	"mem/words"
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

// A side is the lessons of an array that have a text.
type side struct {
	set, empty bool
	lessons    []Lesson
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (s *side) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	s.set = true
	if dec.PeekKind() != '[' {
		return dec.SkipValue()
	}
	s.empty = true
	return jsonl.ReadList(dec, func() error {
		s.empty = false
		var one Lesson
		if err := one.UnmarshalJSONFrom(dec); err != nil {
			return err
		}
		if words.FoldSpace(one.Text) != "" && len(s.lessons) < maxLessons {
			s.lessons = append(s.lessons, one)
		}
		return nil
	})
}

// A twoSided object has lessons under their names, and their old names.
type twoSided struct {
	Mistakes     side `json:"mistakes"`
	Fixes        side `json:"fixes"`
	AntiPatterns side `json:"antiPatterns"`
	Learnings    side `json:"learnings"`
}

// lessons returns both sides. The old name of a side counts if its name gives
// nothing.
func (t *twoSided) lessons() (mistakes, fixes []Lesson) {
	mistakes, fixes = t.Mistakes.lessons, t.Fixes.lessons
	if len(mistakes) == 0 {
		mistakes = t.AntiPatterns.lessons
	}
	if len(fixes) == 0 {
		fixes = t.Learnings.lessons
	}
	return mistakes, fixes
}

// ReadLessons reads a JSON object that states mistakes and fixes, such as an
// oracle's answer. ok is false if it holds no lesson, unless both lists are there
// and empty: that is an answer too.
func ReadLessons(object []byte) (mistakes, fixes []Lesson, ok bool) {
	var t twoSided
	if !jsonl.Unmarshal(object, &t) {
		return nil, nil, false
	}
	mistakes, fixes = t.lessons()
	return mistakes, fixes, len(mistakes)+len(fixes) > 0 || t.Mistakes.empty && t.Fixes.empty
}

// readFinished returns the reflection in src, or nil if src is something else.
func readFinished(src *jsonl.Source) (*Finished, error) {
	doc, ok := src.AsDocument()
	if !ok {
		return nil, nil
	}
	var r struct {
		ID      jsonl.Text `json:"id"`
		Session jsonl.Text `json:"session"`
		Model   jsonl.Text `json:"model"`
		twoSided
	}
	if !jsonl.Unmarshal(doc, &r) || !r.Mistakes.set && !r.Fixes.set && !r.AntiPatterns.set && !r.Learnings.set {
		return nil, nil
	}
	f := &Finished{ID: string(r.ID), Session: string(r.Session), Model: string(r.Model)}
	f.Mistakes, f.Fixes = r.lessons()
	if len(f.Mistakes) == 0 && len(f.Fixes) == 0 {
		return nil, fmt.Errorf("no text under mistakes or fixes: %w", ErrNoLessons)
	}
	return f, nil
}
