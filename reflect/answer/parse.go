// Package answer makes lessons of what a model answered.
//
// Parse finds them in the text. Bind brings them into form and finds the events
// whose words are behind each, which sets its origin. DropEchoes leaves out what
// mem told the session itself.
package answer

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/trace"
	"mem/words"
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
	var sides map[string]jsontext.Value
	if json.Unmarshal(object, &sides, lenient()) != nil {
		return Answer{}, false
	}
	a.Mistakes = readSide(sides, "mistakes", "antiPatterns")
	a.Fixes = readSide(sides, "fixes", "learnings")
	return a, len(a.Mistakes)+len(a.Fixes) > 0 || saysNothing(sides)
}

// lenient are the options for what a model wrote.
func lenient() json.Options {
	return json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// saysNothing reports whether both sides are there and hold an empty list.
func saysNothing(sides map[string]jsontext.Value) bool {
	for _, name := range []string{"mistakes", "fixes"} {
		var list []jsontext.Value
		if err := json.Unmarshal(sides[name], &list); err != nil || len(list) > 0 {
			return false
		}
	}
	return true
}

// readSide reads one list under its name, or under its old name when that gives
// nothing. A lesson is a string, or an object that says where it belongs as
// well. What is neither, or is blank, is left out.
func readSide(sides map[string]jsontext.Value, names ...string) []trace.Lesson {
	for _, name := range names {
		var list []jsontext.Value
		if json.Unmarshal(sides[name], &list, lenient()) != nil {
			continue
		}
		var lessons []trace.Lesson
		for _, v := range list {
			var l trace.Lesson
			if json.Unmarshal(v, &l, lenient()) == nil && words.FoldSpace(l.Text) != "" {
				lessons = append(lessons, l)
			}
		}
		if len(lessons) > 0 {
			return lessons
		}
	}
	return nil
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
