package purge

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
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

	Names   []string `json:"names,omitzero"`   // that the index is to have of them before anything else is done
	Awaited bool     `json:"awaited,omitzero"` // it gets them last: what git brought comes first
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
// slice, and no path, where there are none, or for what is not a fact.
func (c cleaner) cleanFact(data []byte) (path string, cleaned []byte) {
	if !bytes.HasPrefix(data, []byte("{")) || !c.finds(data, true) && !c.names(data) {
		return "", data
	}
	f, err := facts.Parse(data)
	if err != nil {
		return "", data
	}
	f.Drop(c.ids)
	for i := range f.Notes {
		f.Notes[i].Text = string(c.clean([]byte(f.Notes[i].Text)))
	}
	_, cleaned, err = f.Encode()
	if cleaned = c.replace(cleaned); err != nil || bytes.Equal(cleaned, data) {
		return "", data
	}
	return facts.PathOf(f.N, cleaned), cleaned
}

// breaks reports whether a fact says something else without the words, as where its members are called so.
func (c cleaner) breaks(data []byte) bool {
	path, cleaned := c.cleanFact(data)
	if path == "" {
		return false
	}
	f, err := facts.Parse(cleaned)
	_, again, err2 := f.Encode()
	return errors.Join(err, err2) != nil || !bytes.Equal(again, cleaned)
}

// clean takes the words out of a file. It returns the same slice where there are none.
func (c cleaner) clean(data []byte) []byte {
	if cleaned, is := c.cleanIndex(data); is {
		return cleaned
	}
	if !c.finds(data, true) {
		return data
	}
	var out []byte
	for line := range bytes.Lines(data) {
		if len(c.ids) > 0 && bytes.HasPrefix(bytes.TrimSpace(line), []byte("- ")) && c.finds(line, true) {
			continue // a point of a list that said it
		}
		out = append(out, line...)
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

// cleanIndex is clean for an index, of any version: the records go, and their ids are noted.
func (c cleaner) cleanIndex(data []byte) (cleaned []byte, is bool) {
	isObject := bytes.HasPrefix(data, []byte("{")) && bytes.Contains(data, []byte(`"items"`))
	if !isObject || !c.finds(data, false) && !c.names(data) {
		return nil, false
	}
	var doc struct {
		Version   jsontext.Value   `json:"version,omitzero"`
		UpdatedAt jsontext.Value   `json:"updatedAt,omitzero"`
		Items     []jsontext.Value `json:"items"`
		Rest      jsontext.Value   `json:",embed"`
	}
	if ix, _, err := index.Load(data, time.Unix(0, 0)); err != nil || ix.ReadOnly() || json.Unmarshal(data, &doc, index.Options()) != nil {
		return nil, false
	}
	if len(c.ids) > 0 {
		doc.Items = slices.DeleteFunc(doc.Items, c.isOf)
		purged := append([]string{}, c.ids...)
		_ = json.Unmarshal(index.ListUnknown(doc.Rest)["purged"], &purged) // none were purged before
		ids, _ := json.Marshal(slices.Compact(slices.Sorted(slices.Values(append(purged, c.ids...)))))
		ix := index.Index{Unknown: doc.Rest}
		ix.SetUnknown("purged", ids)
		doc.Rest = ix.Unknown
		text, err := json.Marshal(doc, index.Options(), jsontext.WithIndent("  "))
		if err != nil {
			return nil, false
		}
		data = append(text, '\n')
	}
	return c.replace(data), true
}

// isOf reports whether what an index lists is one of the records.
func (c cleaner) isOf(raw jsontext.Value) bool {
	var it struct{ ID, Key string }
	_ = json.Unmarshal(raw, &it, index.Options(), json.MatchCaseInsensitiveNames(true)) // one that is not a record stays
	return slices.Contains(c.ids, it.ID) || slices.Contains(c.ids, index.BaseID(it.Key))
}

// names reports whether data names one of the records.
func (c cleaner) names(data []byte) bool {
	return slices.ContainsFunc(c.ids, func(id string) bool { return bytes.Contains(data, []byte(`"`+id+`"`)) })
}

// Check returns the texts that are too short to be searched for, or are not text.
func (w Words) Check() []string {
	return slices.DeleteFunc(slices.Clone(w.Texts), func(text string) bool {
		return len(strings.TrimSpace(text)) >= minWords && utf8.ValidString(text)
	})
}
