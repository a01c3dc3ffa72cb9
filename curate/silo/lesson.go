package silo

import (
	"fmt"
	"strings"

	"mem/guard"
	"mem/index"
	"mem/topic"
	"mem/words"
)

// maxLesson is how long a lesson may be, in characters.
const maxLesson = 240

// lesson is what an entry that a person agreed to says in one sentence, so
// that it can form patterns with others. It has the origin of the person, who
// said it to the agent and said yes to how the agent put it.
func lesson(c *copied) index.Reflection {
	fit := func(s string) bool { // one that ends in a colon only announces something
		return s != "" && len([]rune(s)) <= maxLesson && !strings.HasSuffix(s, ":")
	}
	text, no := opening(c.file.Body())
	if !fit(text) {
		if text, no = opening(line(c.file, "description")); !fit(text) {
			return index.Reflection{}
		}
	}
	l := index.Lesson{
		Text: text, Origin: index.OriginUser,
		Domain: topic.Domain(first(c.file, "domain")), Tags: topic.Tags(c.file.List("tags")),
		Source: index.Source{Trace: "memory:" + c.path, Session: either(c.file, "originSessionId"), Span: first(c.file, fieldPath)},
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

// opening returns the first sentence of a text without marks of emphasis, and
// whether it opens with a negation, which is taken off.
func opening(text string) (sentence string, no bool) {
	text, _ = guard.Clean(text)
	var para []string
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		switch {
		case l == "" && len(para) > 0:
			return negated(sentenceOf(strings.Join(para, " ")))
		case l == "", strings.HasPrefix(l, "#"), strings.Trim(l, "-=_* ") == "":
		default:
			para = append(para, l)
		}
	}
	return negated(sentenceOf(strings.Join(para, " ")))
}

// sentenceOf returns the first sentence of a paragraph. A stop within a word or
// in code ends none.
func sentenceOf(para string) string {
	para = words.FoldSpace(strings.NewReplacer("**", "", "__", "").Replace(para))
	para = strings.TrimLeft(para, "-*+> ")
	code := false
	for i, r := range para {
		switch {
		case r == '`':
			code = !code
		case code:
		case r == '。' || r == '！' || r == '？':
			return para[:i] // and without the stop
		case (r == '.' || r == '!' || r == '?') && (i+1 == len(para) || para[i+1] == ' ') && !short(para[:i]):
			return para[:i]
		}
	}
	return para
}

// short reports whether a stop follows an abbreviation, such as "e.g".
func short(before string) bool {
	word := strings.ToLower(before[strings.LastIndexByte(before, ' ')+1:])
	switch strings.TrimLeft(word, "(\"'") {
	case "e.g", "i.e", "etc", "vs", "cf", "approx", "no", "nr", "z.b":
		return true
	}
	return false
}

// negated takes a negation off the beginning of a sentence.
func negated(s string) (string, bool) {
	for _, word := range []string{"never", "do not", "don't", "don’t", "avoid", "stop", "must not", "no longer"} {
		if len(s) > len(word) && strings.EqualFold(s[:len(word)], word) && strings.IndexByte(" :", s[len(word)]) >= 0 {
			return strings.TrimLeft(s[len(word):], ": "), true
		}
	}
	return s, false
}

// maxDiff is how many lines of a difference are shown.
const maxDiff = 40

// diff shows what a text says that the other did not, and the other way round,
// line by line: those that begin and end both are left out.
func diff(from, to string) (list []string) {
	a, b := strings.Split(strings.TrimSpace(from), "\n"), strings.Split(strings.TrimSpace(to), "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	for _, l := range a {
		list = append(list, "- "+strings.TrimRight(l, "\r"))
	}
	for _, l := range b {
		list = append(list, "+ "+strings.TrimRight(l, "\r"))
	}
	if more := len(list) - maxDiff; more > 0 {
		list = append(list[:maxDiff], fmt.Sprintf("and %d more lines", more))
	}
	return list
}
