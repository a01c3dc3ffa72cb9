package imported

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mem/curate/learning"
	"mem/guard"
	"mem/index"
	"mem/topic"
	"mem/words"
)

// maxLesson is how long a lesson may be, in characters.
const maxLesson = 240

// lessonOf returns what an approved entry says in one sentence, so that it can
// form patterns with other lessons. Its origin is the person, who said it to the
// agent and approved how the agent put it.
func lessonOf(e *entry) index.Reflection {
	text, no := openingOf(e.file.Body())
	if !fitsLesson(text) {
		text, no = openingOf(descriptionOf(e.file))
	}
	if !fitsLesson(text) {
		return index.Reflection{}
	}
	l := index.Lesson{
		Text: text, Origin: index.OriginUser,
		Domain: topic.Domain(e.file.Value("domain")), Tags: topic.Tags(e.file.List("tags")),
		Source: index.Source{Trace: "memory:" + e.path, Session: fieldOf(e.file, "originSessionId"), Span: e.file.Value(pathField)},
	}
	if domain, tags := topic.File(text, no); l.Domain == "" {
		l.Domain = domain
		if len(l.Tags) == 0 {
			l.Tags = tags
		}
	}
	if no {
		return index.Reflection{Mistakes: []index.Lesson{l}}
	}
	return index.Reflection{Fixes: []index.Lesson{l}}
}

// fitsLesson reports whether a sentence may be a lesson. One that ends in a colon
// only announces others.
func fitsLesson(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxLesson && !strings.HasSuffix(s, ":")
}

// openingOf returns the first sentence of a text without marks of emphasis, and
// whether it opens with a negation, which is taken off.
func openingOf(text string) (sentence string, no bool) {
	text = guard.Scrub(text)
	var paragraph []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" && len(paragraph) > 0 {
			break
		}
		if line != "" && !strings.HasPrefix(line, "#") && strings.Trim(line, "-=_* ") != "" {
			paragraph = append(paragraph, line)
		}
	}
	return cutNegation(sentenceOf(strings.Join(paragraph, " ")))
}

// sentenceOf returns the first sentence of a paragraph, without the point.
func sentenceOf(paragraph string) string {
	text := words.FoldSpace(strings.NewReplacer("**", "", "__", "").Replace(paragraph))
	return strings.TrimRight(learning.FirstSentence(strings.TrimLeft(text, "-*+> ")), ".!?。！？")
}

// cutNegation takes a negation off the beginning of a sentence.
func cutNegation(s string) (string, bool) {
	for _, word := range []string{"never", "do not", "don't", "don’t", "avoid", "stop", "must not", "no longer"} {
		if len(s) > len(word) && strings.EqualFold(s[:len(word)], word) && strings.IndexByte(" :", s[len(word)]) >= 0 {
			return strings.TrimLeft(s[len(word):], ": "), true
		}
	}
	return s, false
}

// maxDiff is how many lines of a difference are shown.
const maxDiff = 40

// diffLines shows line by line what a new text changes: first the lines that go,
// then those that come. The lines that both texts begin and end with are left
// out.
func diffLines(from, to string) (list []string) {
	a, b := strings.Split(strings.TrimSpace(from), "\n"), strings.Split(strings.TrimSpace(to), "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	for _, line := range a {
		list = append(list, "- "+strings.TrimRight(line, "\r"))
	}
	for _, line := range b {
		list = append(list, "+ "+strings.TrimRight(line, "\r"))
	}
	if more := len(list) - maxDiff; more > 0 {
		list = append(list[:maxDiff], fmt.Sprintf("and %d more lines", more))
	}
	return list
}
