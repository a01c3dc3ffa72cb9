package trace

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
	"mem/session"
	"mem/trace/jsonl"
	"mem/words"
)

// A Finished reflection is lessons that were already extracted, such as by the
// agent itself.
type Finished struct {
	ID string // the writer's own id of the reflection; "" if it gave none
	Stated
	Session string // session that it is about; "" if not said
	Model   string // model that extracted the lessons; "" if not said
}

// maxLessons bounds the lessons of each side of a reflection.
const maxLessons = 2000

// A side is the lessons of an array that have a text, or the only one.
type side struct {
	set, empty bool
	lessons    []index.Lesson
}

func (s *side) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	s.set = true
	switch dec.PeekKind() {
	case '"':
		return s.add(dec)
	case '[':
		s.empty = true
		return jsonl.ReadList(dec, func() error { return s.add(dec) })
	}
	return dec.SkipValue()
}

func (s *side) add(dec *jsontext.Decoder) error {
	s.empty = false
	one, err := readLesson(dec)
	if err == nil && words.FoldSpace(one.Text) != "" && len(s.lessons) < maxLessons {
		s.lessons = append(s.lessons, one)
	}
	return err
}

// Stated are lessons as they were stated: as mistakes and fixes, or in one list, the
// best first.
type Stated struct {
	Mistakes []index.Lesson
	Fixes    []index.Lesson
	Lessons  []index.Lesson // each says which it is
}

// A twoSided object has lessons under their names, and their old names.
type twoSided struct {
	Mistakes     side `json:"mistakes"`
	Fixes        side `json:"fixes"`
	AntiPatterns side `json:"antiPatterns"`
	Learnings    side `json:"learnings"`
	Lessons      side `json:"lessons"`
}

// stated returns the lessons. The old name of a side counts if its name gives nothing.
func (t *twoSided) stated() Stated {
	s := Stated{t.Mistakes.lessons, t.Fixes.lessons, t.Lessons.lessons}
	if len(s.Mistakes) == 0 {
		s.Mistakes = t.AntiPatterns.lessons
	}
	if len(s.Fixes) == 0 {
		s.Fixes = t.Learnings.lessons
	}
	return s
}

// isEmpty reports whether there are none.
func (s Stated) isEmpty() bool { return len(s.Mistakes)+len(s.Fixes)+len(s.Lessons) == 0 }

// ReadLessons reads a JSON object that states lessons, or an array of them, such as an
// oracle's answer. ok is false if it holds no lesson, unless its lists are there and
// empty: that is an answer too.
func ReadLessons(value []byte) (s Stated, ok bool) {
	var t twoSided
	if value[0] == '[' {
		ok = jsonl.Unmarshal(value, &t.Lessons)
	} else {
		ok = jsonl.Unmarshal(value, &t)
	}
	s = t.stated()
	return s, ok && (!s.isEmpty() || t.Mistakes.empty && t.Fixes.empty || t.Lessons.empty)
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
	if !jsonl.Unmarshal(doc, &r) || !r.Mistakes.set && !r.Fixes.set && !r.AntiPatterns.set && !r.Learnings.set && !r.Lessons.set {
		return nil, nil
	}
	f := &Finished{ID: string(r.ID), Session: string(r.Session), Model: string(r.Model)}
	f.Stated = r.stated()
	if f.isEmpty() {
		return nil, fmt.Errorf("no text under mistakes, fixes or lessons: %w", ErrNoLessons)
	}
	return f, nil
}

// literals are index.Literals as they were stated.
type literals struct {
	Tool    jsonl.Text `json:"tool"`
	Command jsonl.Text `json:"command"`
	Error   jsonl.Text `json:"error"`
	Path    jsonl.Text `json:"path"`
}

func (l literals) words() index.Literals {
	return index.Literals{Tool: string(l.Tool), Command: string(l.Command), Error: string(l.Error), Path: string(l.Path)}
}

// A numbers list is the whole numbers of an array.
type numbers []int

func (l *numbers) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '[' {
		return dec.SkipValue()
	}
	return jsonl.ReadList(dec, func() error {
		var n jsonl.Number
		err := n.UnmarshalJSONFrom(dec)
		if n.Set && n.V == float64(int(n.V)) && len(*l) < maxTags {
			*l = append(*l, int(n.V))
		}
		return err
	})
}

// The limits of tags as they are read, well above what is kept.
const (
	maxTags = 32
	maxTag  = 256
)

// readLesson reads a lesson as it was stated. It is a string, or
// an object with its text under one of the names in use; of several names the
// first in the order below counts. Anything else is a lesson without text. Only the length of the text is checked.
func readLesson(dec *jsontext.Decoder) (l index.Lesson, err error) {
	var o struct {
		Text        jsonl.Text `json:"text"`
		Lesson      jsonl.Text `json:"lesson"`
		Insight     jsonl.Text `json:"insight"`
		Content     jsonl.Text `json:"content"`
		Learning    jsonl.Text `json:"learning"`
		Rule        jsonl.Text `json:"rule"`
		Description jsonl.Text `json:"description"`

		Domain   jsonl.Text `json:"domain"`
		Category jsonl.Text `json:"category"`
		Tags     tags       `json:"tags"`
		Severity jsonl.Text `json:"severity"`
		Why      jsonl.Text `json:"why"`
		Events   numbers    `json:"events"`
		Next     jsonl.Text `json:"next"`
		Kind     jsonl.Text `json:"kind"`
		Op       jsonl.Text `json:"op"`
		Of       jsonl.Text `json:"of"`

		Cue    jsonl.Object[literals] `json:"cue"`
		Remedy jsonl.Object[literals] `json:"remedy"`
	}
	switch dec.PeekKind() {
	case '"':
		err = o.Text.UnmarshalJSONFrom(dec)
	case '{':
		err = json.UnmarshalDecode(dec, &o)
	default:
		err = dec.SkipValue()
	}
	if err != nil {
		return l, err
	}
	for _, text := range []jsonl.Text{o.Text, o.Lesson, o.Insight, o.Content, o.Learning, o.Rule, o.Description} {
		if strings.TrimSpace(string(text)) != "" {
			l.Text = jsonl.Clip(string(text), session.MaxText)
			break
		}
	}
	l.Domain, l.Tags, l.Severity = string(cmp.Or(o.Domain, o.Category)), o.Tags, string(o.Severity)
	l.Why, l.Cue, l.Remedy, l.Events, l.Next = string(o.Why), o.Cue.V.words(), o.Remedy.V.words(), o.Events, string(o.Next)
	l.Mistake, l.Op, l.Of = o.Kind == "mistake" || o.Kind == "antiPattern", string(o.Op), string(o.Of)
	return l, nil
}

// A tags list is the strings of an array, or one string with commas between.
// What is too long for a tag is left out.
type tags []string

func (l *tags) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var said []jsonl.Text
	switch dec.PeekKind() {
	case '"':
		var list string
		if err := json.UnmarshalDecode(dec, &list); err != nil {
			return err
		}
		for tag := range strings.SplitSeq(list, ",") {
			said = append(said, jsonl.Text(tag))
		}
	case '[':
		if err := json.UnmarshalDecode(dec, &said); err != nil {
			return err
		}
	default:
		return dec.SkipValue()
	}
	*l = nil
	for _, text := range said {
		if tag := strings.TrimSpace(string(text)); tag != "" && len(tag) <= maxTag && len(*l) < maxTags {
			*l = append(*l, tag)
		}
	}
	return nil
}
