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
	"mem/trace"
	"mem/words"
)

// maxStarts bounds the places in an answer where JSON may begin.
const maxStarts = 100

// ParseAnswer reads the lessons from a model's answer: the first JSON object or array that states
// some, after any thinking. It tolerates a trailing comma. ok is false if there is no such JSON. An
// object with empty lists is a valid answer: nothing was learned. An empty array after other words is
// not, nor is any with an excuse around it or in it: these report a failure.
func ParseAnswer(text string) (a trace.Stated, ok bool) {
	text = reThought.Get().ReplaceAllString(text, "")
	marks, isEmpty, isExcuse := "{[", false, reExcuse.Matches(text)
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
			isEmpty = isEmpty || ok && !isExcuse && (value[0] == '{' || before == "")
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

// parseAbout is ParseAnswer for a request. If no lesson is about its events, they are about another session, or a failure.
func parseAbout(text string, req oracle.Request) (trace.Stated, bool) {
	a, ok := ParseAnswer(text)
	from := evidence{Events: req.Events}
	from.prepare()
	return a, ok && (len(a.Lessons) == 0 || slices.ContainsFunc(a.Lessons, from.isAbout))
}

// isAbout reports whether a lesson may be about these events, as far as its names, or words and language, show that.
func (e *evidence) isAbout(l index.Lesson) bool {
	c, _ := namesOf(l.Text)
	names, at := slices.Concat(c.literals, c.commands), e.existing(l.Events)
	switch {
	case reExcuse.Matches(l.Text), len(at) == 0 && len(l.Events) > 0:
		return false
	case len(names) > 0:
		return slices.ContainsFunc(names, e.hasName)
	case len(at) == 0:
		return e.findOne(e.claimOf(l.Text)) != nil
	}
	said := wordsOf(l.Text)
	return len(said) < fewestWords || slices.ContainsFunc(at, func(i int) bool {
		return len(wordsIn(said, e.words[i])) > 0 || isOtherLanguage(l.Text) != isOtherLanguage(e.texts[i])
	})
}

func (e *evidence) hasName(name string) bool {
	first, _, _ := strings.Cut(name, " ")
	return e.isAny(func(i int) bool {
		had := e.texts[i] + words.FoldSpace(words.Lower(e.Events[i].Outside))
		return strings.Contains(had, name) || len(first) > 2 && words.ContainsWord(had, first)
	})
}

func readValue(text string) (jsontext.Value, error) {
	return jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)).ReadValue()
}

// reThought matches what a model thought before it answered, or until it was cut off.
var reThought = lazy.New(`(?is)^.*?</think(?:ing)?>|^\s*<think(?:ing)?>.*`)

// reExcuse matches the words of a model that did not do what it was asked. What a session could not do is none.
var reExcuse = lazy.New(`(?im)\b(?:I['’]?m sorry|I apologi[sz]e|my apologies|as an AI|(?:I|we) (?:must|have to) decline` +
	`|I (?:do not|don['’]t) have (?:any )?access|please (?:provide|share|paste|send)|no (?:\w+ ){0,2}(?:record|session|transcript|conversation) (?:was|is|has been) (?:\w+ )?(?:provided|given|included|attached)` +
	`|tut mir leid|ich kann (?:\w+ ){1,3}nicht|désolé|je ne peux pas|lo siento|no puedo|mi dispiace|non posso|desculpe|não posso)|申し訳|抱歉|无法|죄송` +
	`|(?:\b(?:I|we)\b[^.\n]{0,25}?|^["\s]*)(?:can(?:no|['’])t|cannot|could(?: not|n['’]t)|unable to|(?:not|n['’]t) able to) (?:help|assist|comply|fulfil|read|access|analy[sz]e|process|see|open|evaluate|review|load)\b`)

// reSpareComma matches a string, or a comma before the end of a list.
var reSpareComma = lazy.New(`("(?:[^"\\]|\\.)*")|,\s*([\]}])`)

// What a lesson may be to a known one.
const (
	Again       = "again"      // the same in other words
	Replaces    = "replace"    // says it as it is now
	Contradicts = "contradict" // the two cannot both be true
)
