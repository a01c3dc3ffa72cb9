package index

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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
	maps.DeleteFunc(old.Item.Set, func(name string, at time.Time) bool { return isBare(name) || at.IsZero() })
	if len(old.Item.Set) == 0 {
		old.Item.Set = nil
	}
	return old, nil
}

// isBare reports whether a member had a stamp and no value.
func isBare(name string) bool { return name == "spelling" || name == "redistilled" }

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
