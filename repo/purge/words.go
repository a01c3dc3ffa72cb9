package purge

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"mem/facts"
	"mem/index"
	"mem/lazy"
	"mem/topic"
)

// Mark stands where words were taken out.
const Mark = index.Gap

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

	Names []string `json:"names,omitzero"` // what the index calls them, with the commits that first had them
}

// A cleaner takes words out of files.
type cleaner struct {
	ids    []string
	words  []finder // as they are, as JSON writes them, as names of files, and over the ends of lines
	starts []finder // shortened: their beginning, and three dots
}

// A finder returns where words, in one form, are first in a folded text; nil for nowhere.
type finder func(text []byte) []int

func newCleaner(w Words) cleaner {
	c := cleaner{ids: w.IDs}
	for _, text := range w.Texts {
		for _, form := range formsOf(text) {
			c.words = append(c.words, newFinder(string(form)))
			if len(form) > minStart {
				c.starts = append(c.starts, newStartFinder(form))
			}
		}
	}
	return c
}

func newFinder(form string) finder {
	fields := strings.Fields(form)
	probe := []byte(slices.MaxFunc(fields, func(a, b string) int { return len(a) - len(b) }))
	for i, field := range fields {
		fields[i] = regexp.QuoteMeta(field)
	}
	re := lazy.New(strings.Join(fields, `[\s\v\x{85}\pZ]+(?:[>*|#-]+\s+)?`))
	return func(text []byte) []int {
		if !bytes.Contains(text, probe) {
			return nil
		}
		return re.Get().FindIndex(text)
	}
}

func newStartFinder(form []byte) finder {
	dots, least := []byte("…"), minStart
	for least < len(form) && len(norm.NFC.Bytes(form[:least])) < minStart { // as people count letters
		least++
	}
	return func(text []byte) []int {
		if !bytes.Contains(text, form[:least]) {
			return nil
		}
		for at := 0; ; at += len(dots) {
			i := bytes.Index(text[at:], dots)
			if i < 0 {
				return nil
			}
			at += i
			for n := len(form) - 1; n >= least; n-- {
				if bytes.HasSuffix(text[:at], form[:n]) {
					return []int{at - n, at + len(dots)}
				}
			}
		}
	}
}

// formsOf returns how a text is written.
func formsOf(text string) (forms [][]byte) {
	quoted, _ := jsontext.AppendQuote(nil, text)
	all := []string{text, string(quoted[1 : len(quoted)-1])}
	for _, name := range []string{text, index.AddAvoid(text)} {
		all = append(all, topic.Slug(name, ""), topic.OldSlug(norm.NFC.String(name), ""), topic.OldSlug(norm.NFD.String(name), ""))
	}
	for i, form := range all {
		if len(strings.TrimSpace(form)) >= minWords && !slices.Contains(all[:i], form) {
			forms = append(forms, fold([]byte(form)).text)
		}
	}
	return forms
}

// finds reports whether data holds the words, or holds them shortened.
func (c cleaner) finds(data []byte, orShort bool) bool {
	return len(c.locate(data, orShort)) > 0
}

// locate returns where the words are, in order.
func (c cleaner) locate(data []byte, orShort bool) (list []place) {
	text := fold(data)
	for i, find := range slices.Concat(c.words, c.starts) {
		if i < len(c.words) || orShort {
			list = append(list, text.locate(find)...)
		}
	}
	slices.SortFunc(list, func(a, b place) int { return a.from - b.from })
	return list
}

// rename returns what a file is called without the words, which a name has as a slug.
func (c cleaner) rename(name string) string {
	return strings.ReplaceAll(string(c.replace([]byte(name))), Mark, "purged")
}

// cleanFact is clean for a fact, which has another path then: the lines that are of the lessons go. It returns the same
// slice, and no path, where there are none, or for what is not a fact. One that says something else without the words, as where its
// members are called so, wraps ErrRefused.
func (c cleaner) cleanFact(data []byte) (path string, cleaned []byte, err error) {
	isOf := slices.ContainsFunc(c.ids, func(id string) bool { return bytes.Contains(data, []byte(`"`+id+`"`)) })
	if !bytes.HasPrefix(data, []byte("{")) || !isOf && !c.finds(data, true) {
		return "", data, nil
	}
	f, err := facts.Parse(data)
	if err != nil {
		return "", data, nil
	}
	f.Drop(c.ids)
	for i := range f.Notes {
		f.Notes[i].Text = string(c.clean([]byte(f.Notes[i].Text)))
	}
	_, cleaned, err = f.Encode()
	if cleaned = c.replace(cleaned); err != nil || bytes.Equal(cleaned, data) {
		return "", data, err
	}
	f, err = facts.Parse(cleaned)
	if _, again, err2 := f.Encode(); errors.Join(err, err2) != nil || !bytes.Equal(again, cleaned) {
		return "", data, fmt.Errorf("%w: what mem itself writes has such a word, and could not be read without it", ErrRefused)
	}
	return facts.PathOf(f.N, cleaned), cleaned, nil
}

// drops reports whether a file that held the words goes: a learning is about its lesson alone.
func (c cleaner) drops(name string) bool {
	return len(c.ids) > 0 && strings.HasPrefix(name, "learnings/")
}

// findRecord returns where the record of a lesson is in an index, as mem writes one.
func findRecord(data []byte, id string) (from, to int) {
	const end = "\n    }"
	at := max(0, bytes.Index(data, []byte("\n      \"id\": \""+id+`"`)))
	from = bytes.LastIndex(data[:at], []byte("\n    {"))
	if to = bytes.Index(data[at:], []byte(end)); from < 0 || to < 0 {
		return 0, 0
	}
	return from, at + to + len(end)
}

// clean takes the words out of a file, and the records and points of a list that are about the lesson. It returns the same slice where
// there are none.
func (c cleaner) clean(data []byte) []byte {
	for _, id := range c.ids {
		if from, to := findRecord(data, id); to > 0 {
			head, rest := data[:from], data[to:]
			if bytes.HasPrefix(rest, []byte(",")) {
				rest = rest[1:]
			} else {
				head = bytes.TrimSuffix(head, []byte(","))
			}
			data = slices.Concat(head, rest)
		}
	}
	if !c.finds(data, true) {
		return data
	}
	var out []byte
	for line := range bytes.Lines(data) {
		if len(c.ids) == 0 || !bytes.HasPrefix(bytes.TrimSpace(line), []byte("- ")) || !c.finds(line, true) {
			out = append(out, line...)
		}
	}
	return c.replace(out)
}

// replace puts Mark in the place of the words. It returns the same slice where there are none.
func (c cleaner) replace(data []byte) (out []byte) {
	end := 0
	for _, p := range c.locate(data, true) {
		if p.from >= end { // else it has letters in common with the one before
			out = append(append(out, data[end:p.from]...), Mark...)
		}
		end = max(end, p.to)
	}
	if end == 0 {
		return data
	}
	return append(out, data[end:]...)
}

// Check returns the texts that are too short to be searched for, or are not text.
func (w Words) Check() []string {
	return slices.DeleteFunc(slices.Clone(w.Texts), func(text string) bool {
		return len(strings.TrimSpace(text)) >= minWords && utf8.ValidString(text)
	})
}
