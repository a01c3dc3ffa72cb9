// Package answer makes lessons of what a model answered.
//
// Parse finds them in the text. Bind brings them into form and finds the events
// whose words are behind each, which sets its origin. DropEchoes leaves out what
// mem told the session itself.
package answer

import (
	"strings"

	"mem/trace"
)

// An Answer is what an oracle proposed.
type Answer struct {
	Fixes    []trace.Lesson
	Mistakes []trace.Lesson
}

// Parse reads the lessons out of an answer: a JSON object, bare, in a
// code fence, or the first balanced one in prose. ok is false when there is
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

// firstObject returns the text from the first brace to the one that balances
// it, minding strings and escapes.
func firstObject(text string) ([]byte, bool) {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return nil, false
	}
	depth, inString, escaped := 0, false, false
	for i := start; i < len(text); i++ {
		c := text[i]
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped = c == '\\'
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return []byte(text[start : i+1]), true
			}
		}
	}
	return nil, false
}
