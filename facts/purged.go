package facts

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
)

// Purged returns the names that the log records as purged, and whether the log still has some of their lines.
func (l *Log) Purged() (names []string, isBack bool) { return l.purged, l.isBack }

// Drop removes the lines about these lessons, and reports whether there were any.
func (f *Fact) Drop(ids []string) bool {
	if len(ids) == 0 {
		return false
	}
	list := f.lines(f.ID)
	left := slices.DeleteFunc(slices.Clone(list), func(l line) bool { return l.isOf(ids) })
	if len(left) == len(list) {
		return false
	}
	f.setLines(left)
	return true
}

// Wordings returns the texts of lessons with these ids, as the fact words them.
func (f *Fact) Wordings(ids []string) (texts []string) {
	for _, l := range f.lines(f.ID) {
		if !l.isOf(ids) {
			continue
		}
		switch {
		case l.Fix != nil:
			texts = append(texts, l.Fix.Text)
		case l.Mistake != nil:
			texts = append(texts, l.Mistake.Text)
		case l.Old != nil:
			texts = append(texts, l.Old.Item.Text)
		default:
			var text string
			if json.Unmarshal(index.ListMembers(l.Change.Set)["text"], &text) == nil {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

func (l *line) names() []string {
	idOf := func(text string, isMistake bool) string {
		text, _ = index.TextOf(text, isMistake)
		return index.BaseID(index.KeyOf(text))
	}
	switch {
	case l.Fix != nil:
		return []string{idOf(l.Fix.Text, false)}
	case l.Mistake != nil:
		return []string{idOf(l.Mistake.Text, true)}
	case l.Old != nil:
		return []string{l.Old.Item.ID, index.BaseID(l.Old.Item.Key)}
	case l.Change != nil:
		return []string{l.Change.Of}
	}
	return nil
}

func (l *line) isOf(ids []string) bool {
	return slices.ContainsFunc(l.names(), func(id string) bool { return slices.Contains(ids, id) })
}

// Sightings returns the sightings of a fact, taken back once, as Taken has them.
func (f *Fact) Sightings() map[string]int {
	taken := map[string]int{}
	for _, l := range f.lines(f.ID) {
		if l.Fix != nil || l.Mistake != nil {
			taken[f.ID+" "+l.names()[0]] = 2
		}
	}
	return taken
}

// unite adds the lines of o that f lacks. Both have the same id and order.
func (f *Fact) unite(o Fact) {
	known, list := map[string]bool{}, f.lines(f.ID)
	said := func(l line) string { data, _ := json.Marshal(l, index.Options()); return string(data) }
	for _, l := range list {
		known[said(l)] = true
	}
	for _, l := range o.lines(f.ID) {
		if !known[said(l)] {
			list = append(list, l)
		}
	}
	f.setLines(list)
	f.Purged = union(f.Purged, o.Purged)
}

func (f *Fact) setLines(list []line) {
	f.Fixes, f.Mistakes, f.Candidates, f.Changes, f.Old, f.Notes = nil, nil, nil, nil, nil, nil
	for _, l := range list {
		_ = f.add(l) // one of this fact
	}
}

// Clean scrubs the texts of a fact, except its decisions about other facts. It drops a tag with a secret. It
// does not change data that the fact shares with others.
func (f *Fact) Clean(scrub func(string) string) {
	for _, side := range []*[]index.Lesson{&f.Fixes, &f.Mistakes} {
		*side = slices.Clone(*side)
		for i, l := range *side {
			(*side)[i].Tags = slices.DeleteFunc(slices.Clone(l.Tags), func(tag string) bool { return scrub(tag) != tag })
		}
		*side = scrubbed(*side, scrub)
	}
	f.Outcome = scrub(f.Outcome)
	f.Mark, f.Old = scrubbed(f.Mark, scrub), scrubbed(f.Old, scrub)
	for i := range f.Old {
		f.Old[i].Item.Key = index.KeyOf(f.Old[i].Item.Text)
	}
	f.Candidates = slices.Clone(f.Candidates)
	for i, raw := range f.Candidates {
		if f.Candidates[i] = jsontext.Value(scrub(string(raw))); !f.Candidates[i].IsValid() {
			f.Candidates[i] = jsontext.Value("{}")
		}
	}
}

// scrubbed returns a copy of fact data with all texts scrubbed. Names of sessions and their events stay: the
// trace chose them.
func scrubbed[T any](said T, scrub func(string) string) (clean T) {
	others, _ := json.GetOption(index.Options(), json.WithMarshalers)
	texts := json.MarshalToFunc(func(e *jsontext.Encoder, s string) error { return e.WriteToken(jsontext.String(scrub(s))) })
	data, err := json.Marshal(said, index.Options(), json.WithMarshalers(json.JoinMarshalers(texts, others)))
	if err == nil {
		err = json.Unmarshal(data, &clean, index.Options())
	}
	if err != nil {
		return said // which no fact can say, so that it is kept nowhere
	}
	return clean
}
