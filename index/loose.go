package index

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"mem/words"
)

// A loader reads an index that another program or a person wrote.
type loader struct {
	now     time.Time
	options json.Options
	report  Report
	version int // of the document; 0 until it was read
}

func (l *loader) readTime(d *jsontext.Decoder, t *time.Time) error {
	v, err := d.ReadValue()
	if err == nil {
		*t = l.timeOrNow(v)
	}
	return err
}

func (l *loader) timeOrNow(v jsontext.Value) time.Time {
	if v == nil {
		return l.now // there is none
	}
	if v.Kind() == '"' {
		if t, ok := parseTime(string(v[1 : len(v)-1])); ok {
			return t
		}
	}
	l.report.BadDates++
	return l.now
}

// A loose record has the members that other programs write as they stand there.
type loose struct {
	Key       jsontext.Value `json:"key"`
	Text      jsontext.Value `json:"text"`
	Kind      jsontext.Value `json:"kind"`
	Hits      jsontext.Value `json:"hits"`
	Score     jsontext.Value `json:"score"`
	FirstSeen jsontext.Value `json:"firstSeen"`
	LastSeen  jsontext.Value `json:"lastSeen"`

	Rest jsontext.Value `json:",embed"`
}

// readLoose reads an index leniently where pi-self-learning does. Only mem writes the other
// members: a wrong type there is an error.
func (l *loader) readLoose(data []byte) (*Index, error) {
	var doc struct {
		Version   jsontext.Value `json:"version"`
		UpdatedAt jsontext.Value `json:"updatedAt"`
		Items     jsontext.Value `json:"items"`
		Undone    jsontext.Value `json:"undone"`
		Replica   jsontext.Value `json:"replica"` // version 2 named the clone that counted
		Rest      jsontext.Value `json:",embed"`
	}
	if err := json.Unmarshal(data, &doc, options); err != nil {
		return nil, err
	}
	ix := &Index{}
	if len(doc.Rest) > 0 {
		if err := json.Unmarshal(doc.Rest, ix, l.options); err != nil {
			return nil, err
		}
	}
	if ix.Version = 1; doc.Version != nil {
		if err := json.Unmarshal(doc.Version, &ix.Version); err != nil || ix.Version < 1 {
			return nil, fmt.Errorf("version %s is not one", doc.Version)
		}
	}
	l.version, ix.UpdatedAt = ix.Version, l.timeOrNow(doc.UpdatedAt)
	if err := l.readItems(ix, doc.Items); err != nil {
		return nil, err
	}
	if doc.Undone == nil || ix.Version < Version { // no record has what versions 2 and 3 took back
		return ix, nil
	}
	return ix, json.Unmarshal(doc.Undone, &ix.Undone)
}

func (l *loader) readItems(ix *Index, list jsontext.Value) error {
	var items []jsontext.Value
	if list == nil || list.Kind() == 'n' {
		return errors.New("no items in it")
	} else if err := json.Unmarshal(list, &items, options); err != nil {
		return fmt.Errorf("items: %w", err)
	}
	for _, raw := range items {
		if err := l.readRecord(ix, raw); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) readRecord(ix *Index, raw jsontext.Value) error {
	var rec loose
	if raw.Kind() != '{' {
		l.report.Dropped++
		return nil
	}
	if err := json.Unmarshal(raw, &rec, options); err != nil {
		return err
	}
	it := Item{
		Key: norm.NFC.String(stringOrEmpty(rec.Key)), Text: stringOrEmpty(rec.Text), Kind: Learning, // older versions left the key as it was said
		Hits: int(min(max(1, numberOr1(rec.Hits)), math.MaxInt32)), Score: numberOr1(rec.Score),
	}
	if it.Key == "" || it.Text == "" {
		l.report.Dropped++
		return nil
	}
	if kind := Kind(stringOrEmpty(rec.Kind)); kind == AntiPattern || kind == Strategy {
		it.Kind = kind
	}
	it.FirstSeen, it.LastSeen = l.timeOrNow(rec.FirstSeen), l.timeOrNow(rec.LastSeen)
	old, err := Old{}, error(nil)
	switch {
	case ix.Version < Version:
		old, err = l.readOld(it, rec.Rest)
		it = old.whole()
		ix.Old = append(ix.Old, old)
	case len(rec.Rest) > 0:
		err = json.Unmarshal(rec.Rest, &it, l.options)
	}
	ix.Items = append(ix.Items, it)
	return err
}

func stringOrEmpty(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	b, _ := jsontext.AppendUnquote(nil, v)
	return string(b)
}

// numberOr1 reads a number or a string that holds one. Anything else counts as
// absent, which is 1 for both hits and score.
func numberOr1(v jsontext.Value) float64 {
	text := string(v)
	if v.Kind() == '"' {
		text = words.FoldSpace(stringOrEmpty(v))
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 1
	}
	return n
}

// oldRest is what a record of versions 2 and 3 has besides the members of version 1.
type oldRest struct {
	Item    // whose members had the same names, but for those below
	Sources []struct {
		Source
		N    int    `json:"n"`    // place in the reflection
		Home string `json:"home"` // of the record that became part of this one
	} `json:"sources"`
	Seen   []string       `json:"seen"`   // the sightings between the sources, a line each: time, id, home
	Before jsontext.Value `json:"before"` // what was counted before there were sightings, which the totals hold
	N      int            `json:"n"`
}

// readOld reads the rest of a record of a version before 4.
func (l *loader) readOld(it Item, rest jsontext.Value) (Old, error) {
	r := oldRest{}
	if len(rest) > 0 {
		if err := json.Unmarshal(rest, &r, l.options); err != nil {
			return Old{Item: it}, err
		}
	}
	r.Item.Key, r.Item.Text, r.Item.Kind, r.Item.Hits, r.Item.Score = it.Key, it.Text, it.Kind, it.Hits, it.Score
	r.Item.FirstSeen, r.Item.LastSeen, r.Item.Sources = it.FirstSeen, it.LastSeen, nil
	old := Old{Item: r.Item}
	for _, s := range r.Sources {
		if s.Source.ID != "" {
			old.Seen = append(old.Seen, s.Source)
		} else {
			old.Item.Sources = append(old.Item.Sources, s.Source)
		}
	}
	for _, line := range r.Seen {
		parts := strings.Split(line, " ")
		at, ok := parseTime(parts[0])
		if !ok || len(parts) < 2 {
			return old, fmt.Errorf("seen has %q, which is no time and reflection", line)
		}
		old.Seen = append(old.Seen, Source{ID: parts[1], At: at})
	}
	slices.SortFunc(old.Seen, func(a, b Source) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })
	old.Seen = slices.CompactFunc(old.Seen, func(a, b Source) bool { return a.ID == b.ID })
	maps.DeleteFunc(old.Item.Set, func(name string, at time.Time) bool {
		return name == "spelling" || name == "redistilled" || at.IsZero() // these two had a stamp and no value
	})
	if len(old.Item.Set) == 0 {
		old.Item.Set = nil
	}
	return old, nil
}

// whole returns the record with its sightings, as version 4 has it.
func (o *Old) whole() Item {
	it := o.Item
	for _, s := range o.Seen {
		it.AddSource(s)
	}
	it.Sessions = countSessions(append(slices.Clip(o.Seen), o.Item.Sources...))
	return it
}

func countSessions(list []Source) int {
	sessions := map[string]bool{}
	for _, s := range list {
		sessions[cmp.Or(s.Session, s.Trace, s.ID)] = true
	}
	return max(1, len(sessions))
}
