// Package answer makes lessons of what a model answered.
//
// Parse finds them in the text. Bind brings them into form and finds the events
// whose words are behind each, which sets its origin. DropEchoes leaves out what
// mem told the session itself.
package answer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mem/guard"
	"mem/index"
	"mem/reflect/record"
	"mem/session"
	"mem/topic"
	"mem/trace"
	"mem/words"
)

// An Answer is what an oracle proposed.
type Answer struct {
	Fixes    []trace.Lesson
	Mistakes []trace.Lesson
}

// Parse reads the lessons out of an answer: a JSON object, bare, in a
// code fence, or the first one in prose. ok is false when there is
// no such object, or when it names neither mistakes nor fixes. An object that
// names them and lists nothing is a good answer: nothing was learned.
func Parse(text string) (a Answer, ok bool) {
	object, found := firstObject(text)
	if !found {
		return Answer{}, false
	}
	a.Mistakes, a.Fixes, ok = trace.ReadLessons(object)
	return a, ok
}

// firstObject returns the JSON object that starts at the first brace.
func firstObject(text string) ([]byte, bool) {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return nil, false
	}
	object, err := jsontext.NewDecoder(strings.NewReader(text[start:]),
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)).ReadValue()
	return object, err == nil
}

// A Lesson is one proposed mistake or fix with what supports it, and what
// was said of where it belongs: nothing if it is zero.
type Lesson struct {
	Text     string       `json:"text"`
	Origin   index.Origin `json:"origin,omitzero"`
	Span     string       `json:"span,omitzero"` // first and last supporting event
	Held     bool         `json:"held,omitzero"` // it reads like an order or repeats what was only read; a person must look at it
	Domain   string       `json:"domain,omitzero"`
	Tags     []string     `json:"tags,omitzero"`     // in their form, sorted
	Severity string       `json:"severity,omitzero"` // "high" if it matters even when it is rare, or ""
	Why      string       `json:"why,omitzero"`

	Cue    index.Literals `json:"cue,omitzero"`
	Remedy index.Literals `json:"remedy,omitzero"`
}

// maxLesson is the length of a lesson in characters.
const maxLesson = 240

// Bind makes at most n lessons of stated ones: cleaned, bounded, each different,
// and traced to the events whose words are behind it. Without events the words
// are the agent's. Mistakes are shown with "Avoid: ", and judged so. byCode says that
// code found the events which the lessons name, so that the words need no search.
func Bind(stated []trace.Lesson, mistakes bool, n int, events []session.Event, byCode bool) []Lesson {
	var lessons []Lesson
	seen := map[string]bool{}
	known := evidence{events: events}
	for _, s := range stated {
		text := cleanLine(s.Text)
		key := index.KeyOf(index.StripAvoid(text))
		if key == "" || seen[key] || len(lessons) == n {
			continue
		}
		seen[key] = true
		shown := text
		if mistakes {
			shown = index.AddAvoid(text)
		}
		l := Lesson{
			Text: text, Held: len(guard.Lint(shown)) > 0, Domain: topic.Domain(s.Domain),
			Tags: topic.Tags(slices.DeleteFunc(slices.Clone(s.Tags), isUnfit)),
		}
		if strings.EqualFold(strings.TrimSpace(s.Severity), "high") {
			l.Severity = "high"
		}
		l.Why, l.Cue, l.Remedy = cleanLine(s.Why), literalsOf(s.Cue), literalsOf(s.Remedy)
		known.bind(&l, s.Events, byCode)
		lessons = append(lessons, l)
	}
	return slices.Clip(lessons)
}

// bind sets what is behind a lesson: the events that it names, and those with its words.
func (e *evidence) bind(l *Lesson, cited []int, byCode bool) {
	origin, span := e.cite(cited)
	if l.Origin, l.Span = origin, span; span == "" || !byCode {
		var copied bool
		l.Origin, l.Span, copied = e.align(l.Text)
		l.Held = l.Held || copied
	}
	if span != "" {
		l.Origin, l.Span = lessTrusted(origin, l.Origin), span
	}
}

// cleanLine makes a line of what was stated, as a lesson is one.
func cleanLine(s string) string { return cutAtWord(words.FoldSpace(record.Scrub(s))) }

func literalsOf(l trace.Literals) index.Literals {
	return index.Literals{Tool: cleanLine(l.Tool), Command: cleanLine(l.Command), Error: cleanLine(l.Error), Path: cleanLine(l.Path)}
}

// cutAtWord cuts the text of a lesson at a word.
func cutAtWord(s string) string {
	n := 0
	for i := range s {
		if n++; n == maxLesson {
			if space := strings.LastIndexByte(s[:i], ' '); space > i/2 {
				i = space
			}
			if n < len([]rune(s)) {
				return s[:i] + "…"
			}
		}
	}
	return s
}

// isUnfit reports whether a text cannot be a tag: it is too long, or has
// something in it that no lesson may keep. Its form would hide that, so this
// comes first.
func isUnfit(tag string) bool {
	return len(tag) > topic.MaxTag || record.Scrub(tag) != tag || len(guard.Lint(tag)) > 0
}

// FileUnder returns where a lesson belongs: what was said of it, or else where
// its words put it.
func (l Lesson) FileUnder(mistake bool) (domain string, tags []string) {
	if l.Domain != "" && len(l.Tags) > 0 {
		return l.Domain, l.Tags
	}
	domain, tags = topic.File(l.Text, mistake || index.SaysAvoid(l.Text))
	if len(l.Tags) > 0 {
		tags = l.Tags
	}
	return cmp.Or(l.Domain, domain), tags
}
