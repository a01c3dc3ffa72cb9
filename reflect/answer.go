package reflect

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
	"mem/lazy"
	"mem/oracle"
	"mem/session"
	"mem/trace"
	"mem/words"
)

// maxStarts bounds the places in an answer where JSON may begin.
const maxStarts = 100

// ParseAnswer reads the lessons from a model's answer: the first JSON object or array that states
// some, after any thinking. It tolerates a trailing comma. ok is false if there is no such JSON. An
// object with empty lists is a valid answer: nothing was learned. An empty array after other words is
// not, as these may report a failure.
func ParseAnswer(text string) (a trace.Stated, ok bool) {
	text = reThought.Get().ReplaceAllString(text, "")
	marks, isEmpty := "{[", false
	for range maxStarts {
		start := strings.IndexAny(text, marks)
		if start < 0 {
			break
		}
		before := strings.Trim(text[:start], " \n\r\t`json")
		text, marks = text[start:], "{" // what stands in an object is no answer by itself
		value, err := readValue(text)
		if err != nil {
			value, err = readValue(reSpareComma.Get().ReplaceAllString(text, "$1$2"))
		}
		if err == nil {
			a, ok = trace.ReadLessons(value)
			isEmpty = isEmpty || ok && (value[0] == '{' || before == "")
		}
		if !a.IsEmpty() {
			return a, true
		}
		text = text[max(1, min(len(value), len(text))):]
	}
	return trace.Stated{}, isEmpty
}

// isCutOff reports whether an answer is blank or its JSON has no end: what is missing cannot be mended.
func isCutOff(text string) bool {
	text = reThought.Get().ReplaceAllString(text, "")
	_, err := readValue(text[max(0, strings.IndexAny(text, "{[")):])
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// parseAbout is ParseAnswer for a request. Lessons that rest on events alone which it does not have, or of whose names it
// has none, are of another session; those that rest on nothing, and that no event says, are the words of a failure.
func parseAbout(text string, req oracle.Request) (trace.Stated, bool) {
	a, ok := ParseAnswer(text)
	from := evidence{Events: req.Events}
	isOwn := func(l index.Lesson) bool {
		c, _ := namesOf(l.Text)
		names := slices.Concat(c.literals, c.commands)
		if len(names)+len(l.Events) == 0 {
			from.prepare()
			return from.findOne(from.claimOf(l.Text)) != nil
		}
		return (len(l.Events) == 0 || slices.Min(l.Events) <= len(req.Events)) && (len(names) == 0 || slices.ContainsFunc(req.Events, func(ev session.Event) bool {
			had := words.FoldSpace(words.Lower(ev.Text + " " + ev.Input + " " + ev.Outside))
			return slices.ContainsFunc(names, func(name string) bool {
				first, _, _ := strings.Cut(name, " ") // the program
				return strings.Contains(had, name) || len(first) > 2 && words.ContainsWord(had, first)
			})
		}))
	}
	return a, ok && (len(a.Lessons) == 0 || slices.ContainsFunc(a.Lessons, isOwn))
}

func readValue(text string) (jsontext.Value, error) {
	return jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)).ReadValue()
}

// reThought matches what a model thought before it answered, or until it was cut off.
var reThought = lazy.New(`(?is)^.*?</think(?:ing)?>|^\s*<think(?:ing)?>.*`)

// reSpareComma matches a string, or a comma before the end of a list.
var reSpareComma = lazy.New(`("(?:[^"\\]|\\.)*")|,\s*([\]}])`)

// What a lesson may be to a known one.
const (
	Again       = "again"      // the same in other words
	Replaces    = "replace"    // says it as it is now
	Contradicts = "contradict" // the two cannot both be true
)
