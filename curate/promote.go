package curate

import (
	"fmt"
	"slices"
	"strings"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
)

// A Promoted is a lesson that was to be copied, and whether it was.
type Promoted struct {
	ID     string `json:"id"` // there
	Text   string `json:"text"`
	Status string `json:"status"` // "copied" or "known"
}

// Promote returns what copies lessons that sessions are shown to another memory, as the word of its person: a callback for
// Settle there. from names the memory that they are of.
func Promote(ix *index.Index, ids []string, from string) (func(own *repo.Memory) ([]Promoted, repo.Message, error), error) {
	places, err := FindLessons(ix, ids)
	if err != nil {
		return nil, err
	}
	for _, pos := range places {
		if it := &ix.Items[pos]; !it.IsShown() {
			return nil, fmt.Errorf("%s is %s: %w", it.ID, it.Status, ErrRefused)
		}
	}
	return func(own *repo.Memory) (list []Promoted, msg repo.Message, _ error) {
		for _, pos := range places {
			it := &ix.Items[pos]
			l := Promoted{ID: it.ID, Text: it.ShownText(), Status: "known"}
			if !slices.ContainsFunc(own.Index.Items, func(o index.Item) bool { return o.Key == it.Key }) {
				for _, c := range own.Learn(facts.Fact{Fixes: []index.Lesson{copyOf(it, from)}}) { // none if it was purged there
					l.ID, l.Status = own.Index.Items[c.Pos].ID, "copied"
					msg.Body = append(msg.Body, guard.Line(l.ID+" "+l.Text))
					msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: l.ID})
				}
			}
			list = append(list, l)
		}
		if n := len(msg.Body); n > 0 {
			msg.Subject = fmt.Sprintf("promote: %s from %s", render.Count(n, "lesson", "lessons"), guard.Line(from))
		}
		return list, msg, nil
	}, nil
}

func copyOf(it *index.Item, from string) index.Lesson {
	one := index.Lesson{
		Text: it.ShownText(), Origin: index.OriginUser, Domain: it.Domain, Tags: it.Tags, Severity: it.Severity,
		Why: strings.TrimSuffix("promoted from "+from+": "+it.Why, ": "),
	}
	if it.Cue != nil {
		one.Cue = *it.Cue
	}
	if it.Remedy != nil {
		one.Remedy = *it.Remedy
	}
	return one
}
