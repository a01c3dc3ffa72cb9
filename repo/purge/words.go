package purge

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
	"mem/index/codec"
	"mem/lazy"
	"mem/topic"
)

// Mark stands where words were taken out.
const Mark = "[purged]"

// minWords is the length of the shortest words that are searched for, in bytes, and minStart
// how much of them a shortened form has at least.
const (
	minWords = 6
	minStart = 16
)

// Words are what is taken out of a memory.
type Words struct {
	IDs   []string `json:"ids"`   // of records that go, and of what they were called
	Texts []string `json:"texts"` // what they said, or what a person named
}

// A cleaner takes words out of files. ASCII letters match in any case, as keys have small ones.
type cleaner struct {
	ids    []string
	forms  [][]byte // of the texts, in small letters: as they are, as JSON writes them, and as names of files
	broken []phrase
}

// A phrase finds words over the ends of lines.
type phrase struct {
	probe []byte // a word of it, in small letters; nil for none that tells
	re    *lazy.Regexp
}

// find returns where a phrase is; nil if it is not.
func (p phrase) find(data, lower []byte) []int {
	if !bytes.Contains(lower, p.probe) {
		return nil
	}
	return p.re.Get().FindIndex(data)
}

func (p phrase) replace(data []byte) []byte {
	if p.find(data, lowerASCII(data)) == nil {
		return data
	}
	return p.re.Get().ReplaceAllLiteral(data, []byte(Mark))
}

// newPhrase returns the phrase of a text; false for one word, which no line breaks.
func newPhrase(text string) (p phrase, ok bool) {
	fields := strings.Fields(text)
	for i, field := range fields {
		if isPlain := !strings.ContainsFunc(field, func(r rune) bool { return r >= utf8.RuneSelf }); isPlain && len(field) > len(p.probe) {
			p.probe = lowerASCII([]byte(field))
		}
		fields[i] = regexp.QuoteMeta(field)
	}
	p.re = lazy.New(`(?i)` + strings.Join(fields, `\s+(?:[>*|#-]+\s+)?`))
	return p, len(fields) > 1
}

func newCleaner(w Words) cleaner {
	c := cleaner{ids: w.IDs}
	for _, text := range w.Texts {
		c.forms = append(c.forms, formsOf(text)...)
		if p, ok := newPhrase(text); ok {
			c.broken = append(c.broken, p)
		}
	}
	// What holds another form goes first.
	slices.SortStableFunc(c.forms, func(a, b []byte) int { return len(b) - len(a) })
	return c
}

// formsOf returns how a text is written.
func formsOf(text string) (forms [][]byte) {
	quoted, _ := jsontext.AppendQuote(nil, text)
	all := []string{text, string(quoted[1 : len(quoted)-1])}
	for _, name := range []string{text, index.AddAvoid(text)} {
		all = append(all, topic.Slug(name, ""), topic.OldSlug(name, ""))
	}
	for i, form := range all {
		if len(form) >= minWords && !slices.Contains(all[:i], form) {
			forms = append(forms, lowerASCII([]byte(form)))
		}
	}
	return forms
}

// lowerASCII returns data with small letters, of the same length.
func lowerASCII(data []byte) []byte {
	lower := make([]byte, len(data))
	for i, b := range data {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		lower[i] = b
	}
	return lower
}

// finds reports whether data holds the words.
func (c cleaner) finds(data []byte) bool {
	lower := lowerASCII(data)
	return slices.ContainsFunc(c.forms, func(form []byte) bool { return bytes.Contains(lower, form) }) ||
		slices.ContainsFunc(c.broken, func(p phrase) bool { return p.find(data, lower) != nil })
}

// rename returns what a file is called without the words, which a name has as a slug.
func (c cleaner) rename(name string) string {
	return strings.ReplaceAll(string(c.replace([]byte(name))), Mark, "purged")
}

// clean takes the words out of a file. It returns the same slice where there are none.
func (c cleaner) clean(data []byte) []byte {
	if cleaned, is := c.cleanIndex(data); is {
		return cleaned
	}
	if !c.finds(data) && !c.findsStart(data) {
		return data
	}
	var out []byte
	for line := range bytes.Lines(data) {
		if len(c.ids) > 0 && isPoint(line) && (c.finds(line) || c.findsStart(line)) {
			continue // a point of a list that said it
		}
		out = append(out, c.replace(line)...)
	}
	return c.replace(out) // what goes over the end of a line
}

// isPoint reports whether a line is a point of a list.
func isPoint(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(line), []byte("- "))
}

// replace puts Mark in the place of the words.
func (c cleaner) replace(data []byte) []byte {
	for _, form := range c.forms {
		for from := 0; ; {
			i := bytes.Index(lowerASCII(data[from:]), form)
			if i < 0 {
				break
			}
			i += from
			data = slices.Concat(data[:i], []byte(Mark), data[i+len(form):])
			from = i + len(Mark)
		}
	}
	for _, p := range c.broken {
		data = p.replace(data)
	}
	if from, to := c.findStart(data); to > 0 {
		data = slices.Concat(data[:from], []byte(Mark), data[to:])
	}
	return data
}

func (c cleaner) findsStart(data []byte) bool {
	_, to := c.findStart(data)
	return to > 0
}

// findStart returns where the words stand shortened: their beginning, and three dots.
func (c cleaner) findStart(data []byte) (from, to int) {
	const dots = "…"
	lower := lowerASCII(data)
	for _, form := range c.forms {
		if len(form) <= minStart {
			continue
		}
		for at := 0; ; {
			i := bytes.Index(lower[at:], form[:minStart])
			if i < 0 {
				break
			}
			at += i
			n := 0
			for n < len(form) && at+n < len(lower) && form[n] == lower[at+n] {
				n++
			}
			if bytes.HasPrefix(lower[at+n:], []byte(dots)) {
				return at, at + n + len(dots)
			}
			at++
		}
	}
	return 0, 0
}

// cleanIndex is clean for an index, of any version: the records go, and their ids are noted.
func (c cleaner) cleanIndex(data []byte) (cleaned []byte, is bool) {
	if !bytes.HasPrefix(data, []byte("{")) || !bytes.Contains(data, []byte(`"items"`)) || !c.finds(data) && !c.names(data) {
		return nil, false
	}
	ix, _, err := codec.Load(slices.Clone(data), time.Unix(0, 0))
	if err != nil || ix.ReadOnly() {
		return nil, false
	}
	if len(c.ids) > 0 {
		ix.Items = slices.DeleteFunc(ix.Items, func(it index.Item) bool { return c.goes(&it) })
		ix.Purged = slices.Compact(slices.Sorted(slices.Values(append(ix.Purged, c.ids...))))
		if data, err = codec.Encode(ix); err != nil {
			return nil, false
		}
	}
	return c.replace(data), true
}

// names reports whether data names one of the records.
func (c cleaner) names(data []byte) bool {
	return slices.ContainsFunc(c.ids, func(id string) bool { return bytes.Contains(data, []byte(`"`+id+`"`)) })
}

// goes reports whether a record is one of those.
func (c cleaner) goes(it *index.Item) bool {
	return slices.Contains(c.ids, it.ID) || slices.Contains(c.ids, index.BaseID(it.Key))
}

// Check returns the texts that are too short to be searched for, or are not text.
func (w Words) Check() (bad []string) {
	for _, text := range w.Texts {
		if len(strings.TrimSpace(text)) < minWords || !utf8.ValidString(text) {
			bad = append(bad, text)
		}
	}
	return bad
}
