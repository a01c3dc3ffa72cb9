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

// A Finished reflection is lessons that were already extracted, such as by the agent itself.
type Finished struct {
	ID string // the writer's own id of the reflection; "" if it gave none
	Stated
	Session string // session that it is about; "" if not said
	Model   string // model that extracted the lessons; "" if not said
}

const maxLessons = 2000

// A side is the lessons of an array that have a text, or the only one.
type side struct {
	set, empty bool
	lessons    []index.Lesson
}

func (s *side) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	s.set = true
	if dec.PeekKind() == '"' {
		return s.add(dec)
	}
	s.empty = dec.PeekKind() == '['
	return jsonl.ReadList(dec, func() error { return s.add(dec) })
}

func (s *side) add(dec *jsontext.Decoder) error {
	s.empty = false
	one, err := readLesson(dec)
	if err == nil && strings.Trim(words.FoldSpace(one.Text), " .…") != "" && len(s.lessons) < maxLessons {
		s.lessons = append(s.lessons, one)
	}
	return err
}

// Stated are lessons as they were stated: as mistakes and fixes, or in one list, the best first.
type Stated struct {
	Mistakes []index.Lesson
	Fixes    []index.Lesson
	Lessons  []index.Lesson // each says which it is

	Strategies []index.Lesson // what worked and is worth doing again
	Outcome    string         // how the task ended; "" if not said
}

// A twoSided object has lessons under their names, and their old names.
type twoSided struct {
	Mistakes     side `json:"mistakes,case:strict"`
	Fixes        side `json:"fixes,case:strict"`
	AntiPatterns side `json:"antiPatterns,case:strict"`
	Learnings    side `json:"learnings,case:strict"`
	Lessons      side `json:"lessons,case:strict"`
	Strategies   side `json:"strategies,case:strict"`

	Outcome jsontext.Value `json:"outcome,case:strict"`
	Error   jsontext.Value `json:"error,case:strict"` // which some programs answer, with empty lists
}

// stated returns the lessons. The old name of a side counts if its name gives nothing.
func (t *twoSided) stated() Stated {
	s := Stated{Mistakes: t.Mistakes.lessons, Fixes: t.Fixes.lessons, Lessons: t.Lessons.lessons, Strategies: t.Strategies.lessons}
	_ = jsonl.Unmarshal(t.Outcome, &s.Outcome) // what is not a text says nothing
	for i := range s.Strategies {
		s.Strategies[i].Strategy = true
	}
	if len(s.Mistakes) == 0 {
		s.Mistakes = t.AntiPatterns.lessons
	}
	if len(s.Fixes) == 0 {
		s.Fixes = t.Learnings.lessons
	}
	for i := range s.Mistakes {
		first, rest, _ := strings.Cut(s.Mistakes[i].Text, " ")
		s.Mistakes[i].Text = cmp.Or(doing[strings.ToLower(first)], first) + strings.TrimSuffix(" "+rest, " ")
	}
	return s
}

// doing are verbs as they stand behind "Avoid:", of those with which people tell what went wrong.
var doing = map[string]string{"forgot": "forgetting", "ran": "running", "used": "using", "skipped": "skipping", "pushed": "pushing", "committed": "committing", "called": "calling", "edited": "editing", "ignored": "ignoring", "assumed": "assuming", "missed": "missing", "made": "making", "wrote": "writing", "deleted": "deleting", "left": "leaving", "broke": "breaking"}

// IsEmpty reports whether there are none.
func (s Stated) IsEmpty() bool {
	return len(s.Mistakes)+len(s.Fixes)+len(s.Lessons)+len(s.Strategies) == 0
}

// ReadLessons reads a JSON object that states lessons, or an array of them, such as an oracle's answer. ok is false if
// it holds no lesson, unless its lists are there and empty: that is an answer too.
func ReadLessons(value []byte) (s Stated, ok bool) {
	var t twoSided
	if value[0] == '[' {
		ok = jsonl.Unmarshal(value, &t.Lessons)
	} else {
		ok = jsonl.Unmarshal(value, &t)
	}
	s = t.stated()
	isFailure := len(t.Error) > 2 && string(t.Error) != "null" && string(t.Error) != "false"
	return s, ok && (!s.IsEmpty() || !isFailure && (t.Mistakes.empty && t.Fixes.empty || t.Lessons.empty))
}

// readFinished returns the reflection in src, or nil if src is something else.
func readFinished(src *jsonl.Source) (*Finished, error) {
	doc, ok := src.AsDocument()
	if !ok {
		return nil, nil
	}
	var r struct {
		ID, Session, Model string
		twoSided
	}
	if !jsonl.Unmarshal(doc, &r) || !r.Mistakes.set && !r.Fixes.set && !r.AntiPatterns.set && !r.Learnings.set && !r.Lessons.set && !r.Strategies.set {
		return nil, nil
	}
	f := &Finished{ID: r.ID, Session: r.Session, Model: r.Model, Stated: r.stated()}
	if f.IsEmpty() {
		return nil, fmt.Errorf("no text under mistakes, fixes or lessons: %w", ErrNoLessons)
	}
	return f, nil
}

// Limits for reading tags, well above the limits for storing them.
const (
	maxTags = 32
	maxTag  = 256
)

// readLesson reads a lesson as it was stated. It is a string, or
// an object with its text under one of the names in use; of several names the
// first in the order below counts. Anything else is a lesson without text. Only the length of the text is checked.
func readLesson(dec *jsontext.Decoder) (l index.Lesson, err error) {
	var o struct {
		Text, Lesson, Insight, Content, Learning, Rule, Description string
		Domain, Category, Severity, Why, Next, Kind, Op, Of         string

		Tags        tags
		Events      []*float64
		Cue, Remedy index.Literals
	}
	if dec.PeekKind() == '"' {
		err = json.UnmarshalDecode(dec, &o.Text)
	} else {
		err = json.UnmarshalDecode(dec, &o)
	}
	if err != nil {
		return l, err
	}
	for _, text := range []string{o.Text, o.Lesson, o.Insight, o.Content, o.Learning, o.Rule, o.Description} {
		if strings.TrimSpace(text) != "" {
			l.Text = jsonl.Clip(text, session.MaxText)
			break
		}
	}
	for _, n := range o.Events {
		if n != nil && *n == float64(int(*n)) && len(l.Events) < maxTags {
			l.Events = append(l.Events, int(*n))
		}
	}
	l.Domain, l.Tags, l.Severity = cmp.Or(o.Domain, o.Category), o.Tags, o.Severity
	l.Why, l.Cue, l.Remedy, l.Next = o.Why, o.Cue, o.Remedy, o.Next
	l.Cue.Unknown, l.Remedy.Unknown = nil, nil
	l.Mistake, l.Strategy, l.Op, l.Of = o.Kind == "mistake" || o.Kind == "antiPattern", o.Kind == "strategy", o.Op, o.Of
	return l, nil
}

// A tags list is the strings of an array, or one string with commas between. What is too long for a tag is left out.
type tags []string

func (l *tags) UnmarshalJSONFrom(dec *jsontext.Decoder) (err error) {
	var said []string
	if dec.PeekKind() == '"' {
		var list string
		err = json.UnmarshalDecode(dec, &list)
		said = strings.Split(list, ",")
	} else {
		err = json.UnmarshalDecode(dec, &said)
	}
	*l = nil
	for _, tag := range said {
		if tag = strings.TrimSpace(tag); tag != "" && len(tag) <= maxTag && len(*l) < maxTags {
			*l = append(*l, tag)
		}
	}
	return err
}
