package main

import (
	"cmp"
	"math"
	"time"

	"mem/index"
	"mem/recall/search"
	"mem/render/safejson"
	"mem/workspace/story"
)

// printJSON prints v as the result. All strings are scrubbed, and put on one line
// unless prose names their member.
func printJSON(env Env, v any, prose ...string) error {
	data, err := safejson.Options{Prose: prose}.Encode(v)
	if err == nil {
		env.Printf("%s\n", data)
	}
	return err
}

// printResult prints a result: as JSON, for which prose is as for printJSON, or as a
// person is shown it.
func (w *work) printResult(v any, forPerson func(), prose ...string) error {
	if w.JSON {
		return printJSON(w.env, v, prose...)
	}
	forPerson()
	return nil
}

// lessonResult is the JSON of a lesson, or of something else that a search found.
// Empty members are left out, as in core/index.json.
type lessonResult struct {
	ID           string       `json:"id"`
	Type         search.Type  `json:"type,omitzero"`
	Memory       string       `json:"memory,omitzero"` // "global" or "project"
	Path         string       `json:"path,omitzero"`
	Text         string       `json:"text"`
	Kind         index.Kind   `json:"kind,omitzero"`
	Status       string       `json:"status,omitzero"` // of lessons
	Hits         int          `json:"hits,omitzero"`
	Score        float64      `json:"score,omitzero"` // effective
	FirstSeen    time.Time    `json:"firstSeen,omitzero"`
	LastSeen     time.Time    `json:"lastSeen,omitzero"`
	Pinned       bool         `json:"pinned,omitzero"`
	Severity     string       `json:"severity,omitzero"`
	Confidence   string       `json:"confidence,omitzero"`
	Origin       index.Origin `json:"origin,omitzero"`
	Domain       string       `json:"domain,omitzero"`
	Tags         []string     `json:"tags,omitzero"`
	SupersededBy string       `json:"supersededBy,omitzero"`
	Recurred     int          `json:"recurred,omitzero"` // since it became a rule
	Days         []string     `json:"days,omitzero"`     // of the journal, that record it and were found too
}

// storyResult is the JSON of a lesson with all that is known of it.
type storyResult struct {
	lessonResult
	story.Story
}

// lessonJSON returns the JSON of a lesson, without the sessions that it came from.
func lessonJSON(it *index.Item) lessonResult {
	return lessonResult{
		ID: it.ID, Text: it.Text, Kind: it.Kind, Status: cmp.Or(string(it.Status), "active"), Hits: it.Hits,
		FirstSeen: it.FirstSeen, LastSeen: it.LastSeen, Pinned: it.Pinned, Severity: it.Severity,
		Confidence: it.Confidence, Origin: it.Origin, Domain: it.Domain, Tags: append([]string{}, it.Tags...),
		SupersededBy: it.SupersededBy, Recurred: it.Recurred,
	}
}

// lessonsJSON returns the JSON of lessons.
func lessonsJSON(items []index.Item) (list []lessonResult) {
	for i := range items {
		list = append(list, lessonJSON(&items[i]))
	}
	return list
}

// foundJSON returns the JSON of what was found.
func foundJSON(found []search.Found) (list []lessonResult) {
	for _, f := range found {
		var r lessonResult
		if f.Item != nil {
			r = lessonJSON(f.Item)
			r.Score = math.Round(f.Score*1e4) / 1e4
		}
		r.ID, r.Type, r.Memory, r.Path, r.Text, r.Days = f.ID, f.Type, f.Memory, f.Path, f.Text, f.Days
		list = append(list, r)
	}
	return list
}
