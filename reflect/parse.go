package reflect

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
	"mem/trace"
	"mem/words"
)

// An answer is what an oracle proposed.
type answer struct {
	Fixes    []trace.Lesson
	Mistakes []trace.Lesson
	model    string // who answered
}

// parseAnswer reads the lessons out of an answer: a JSON object, bare, in a
// code fence, or the first balanced one in prose. ok is false when there is
// no such object, or when it names neither mistakes nor fixes. An object that
// names them and lists nothing is a good answer: nothing was learned.
func parseAnswer(text string) (a answer, ok bool) {
	object, found := firstObject(unfence(text))
	if !found {
		return answer{}, false
	}
	var sides map[string]jsontext.Value
	if err := json.Unmarshal(object, &sides, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return answer{}, false
	}
	a.Mistakes = side(sides, "mistakes", "antiPatterns")
	a.Fixes = side(sides, "fixes", "learnings")
	return a, len(a.Mistakes)+len(a.Fixes) > 0 || saysNothing(sides)
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

// side reads one list under its name, or under its old name when that gives
// nothing. A lesson is a string, or an object that says where it belongs as
// well. What is neither, or is blank, is left out.
func side(sides map[string]jsontext.Value, names ...string) []trace.Lesson {
	for _, name := range names {
		var list []jsontext.Value
		if json.Unmarshal(sides[name], &list, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
			continue
		}
		var lessons []trace.Lesson
		for _, v := range list {
			var l trace.Lesson
			if json.Unmarshal(v, &l, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) == nil && words.FoldSpace(l.Text) != "" {
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

// limit returns at most n lessons that are different, in order.
func limit(lessons []Lesson, n int) []Lesson {
	var out []Lesson
	seen := map[string]bool{}
	for _, l := range lessons {
		key := index.Key(index.StripAvoid(l.Text))
		if key == "" || seen[key] || len(out) == n {
			continue
		}
		seen[key] = true
		out = append(out, l)
	}
	return slices.Clip(out)
}
