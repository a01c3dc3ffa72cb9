// Package answer makes lessons of what a model answered.
//
// Parse finds them in the text. Bind brings them into form and finds the events
// whose words are behind each, which sets its origin. DropEchoes leaves out what
// mem told the session itself.
package answer

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mem/trace"
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
	object, found := firstObject(unfence(text))
	if !found {
		return Answer{}, false
	}
	a.Mistakes, a.Fixes, ok = trace.ReadLessons(object)
	return a, ok
}

// unfence returns what stands in the code fence that the text is, if it is
// one.
func unfence(text string) string {
	text = strings.TrimSpace(text)
	body, fenced := strings.CutPrefix(text, "```")
	if !fenced {
		return text
	}
	_, body, ok := strings.Cut(body, "\n")
	if !ok { // all on one line
		return text
	}
	body, _, _ = strings.Cut(body, "\n```")
	return body
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
