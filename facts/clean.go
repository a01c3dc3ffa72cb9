package facts

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
)

// Clean lets scrub take secrets out of what a fact says, apart from what it decides about others. A tag with one is
// left out. What the fact shares with others is not changed.
func (f *Fact) Clean(scrub func(string) string) {
	f.Fixes, f.Mistakes, f.Old = cleanLessons(f.Fixes, scrub), cleanLessons(f.Mistakes, scrub), cleanRecords(f.Old, scrub)
	f.Candidates = slices.Clone(f.Candidates)
	for i, raw := range f.Candidates {
		if f.Candidates[i] = jsontext.Value(scrub(string(raw))); !f.Candidates[i].IsValid() {
			f.Candidates[i] = jsontext.Value("{}")
		}
	}
	if f.Mark != nil {
		mark := *f.Mark
		mark.Last = scrub(mark.Last)
		f.Mark = &mark
	}
}

func cleanLessons(lessons []index.Lesson, scrub func(string) string) []index.Lesson {
	lessons = slices.Clone(lessons)
	for i := range lessons {
		l := &lessons[i]
		for _, text := range []*string{&l.Text, &l.Why, &l.Cue.Tool, &l.Cue.Command, &l.Cue.Error, &l.Cue.Path, &l.Remedy.Tool, &l.Remedy.Command, &l.Remedy.Error, &l.Remedy.Path} {
			*text = scrub(*text)
		}
		l.Tags = slices.DeleteFunc(slices.Clone(l.Tags), func(tag string) bool { return scrub(tag) != tag })
		cleanSource(&l.Source, scrub)
		l.Also = slices.Clone(l.Also)
		for j := range l.Also {
			cleanSource(&l.Also[j], scrub)
		}
	}
	return lessons
}

func cleanRecords(records []index.Old, scrub func(string) string) []index.Old {
	records = slices.Clone(records)
	for i := range records {
		it := &records[i].Item
		if text := scrub(it.Text); text != it.Text {
			it.Text, it.Key = text, index.KeyOf(text)
		}
		it.Sources = slices.Clone(it.Sources)
		for j := range it.Sources {
			cleanSource(&it.Sources[j], scrub)
		}
	}
	return records
}

// cleanSource takes secrets out of a source, too: the names of sessions and of what is in them are the trace's own.
func cleanSource(s *index.Source, scrub func(string) string) {
	for _, text := range []*string{&s.Trace, &s.Session, &s.Span, &s.Model} {
		*text = scrub(*text)
	}
}
