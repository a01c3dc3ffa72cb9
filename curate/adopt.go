package curate

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"mem/curate/learning"
	"mem/curate/pattern"
	"mem/curate/rule"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

// adoptPattern makes a rule of a pattern: it writes the rule, archives the learnings,
// notes it in the changelog and in the pattern, and lets the lessons rest. The
// view of the patterns is left to the caller.
func adoptPattern(m *repo.Memory, c *catalogue, p *pattern.Pattern, auto bool) (repo.Message, rule.Written, error) {
	if err := pattern.CheckRule(p.Title, p.Text); err != nil {
		return repo.Message{}, rule.Written{}, err
	}
	r := rule.Rule{Name: p.Title, Text: p.Text, Domain: p.Domain, Learnings: p.Times, Day: today(m), Amends: p.Amends}
	w, err := rule.WriteRule(m, r)
	if err != nil {
		return repo.Message{}, rule.Written{}, err
	}
	lines, items, err := compile(m, p, w)
	if err != nil {
		return repo.Message{}, rule.Written{}, err
	}
	if err := rule.NoteChange(m, rule.Entry{Rule: r, Written: w, Pattern: p.ID, Auto: auto}); err != nil {
		return repo.Message{}, rule.Written{}, err
	}
	p.Status, p.Decided, p.Rule, p.Auto = pattern.Approved, r.Day, w.Where, auto
	if _, err := c.writePattern(m, p); err != nil {
		return repo.Message{}, rule.Written{}, err
	}
	msg := decisionMessage(p, w.Verb())
	msg.Body = append([]string{fmt.Sprintf("Compiled from %s:", render.Count(p.Times, "learning", "learnings"))}, lines...)
	if auto {
		msg.Trailers = append(msg.Trailers, repo.Trailer{Key: AutoTrailer, Value: p.Key})
	}
	for _, id := range items {
		msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: id})
	}
	return msg, w, nil
}

// AutoTrailer names, in a commit, the key of a rule that was written without
// asking.
const AutoTrailer = "Mem-Auto-Applied"

// decisionMessage is what the commit of a decision says first.
func decisionMessage(p *pattern.Pattern, verb string) repo.Message {
	return repo.Message{
		Subject:  fmt.Sprintf("rule(%s): %s %s", p.Domain, verb, topic.Slug(p.Title, p.ID)),
		Trailers: []repo.Trailer{{Key: "Mem-Pattern", Value: p.ID}},
	}
}

// compile archives the learnings that a rule was made of, and marks its
// lessons. It returns what they say, a line for each, and the ids of the
// lessons.
func compile(m *repo.Memory, p *pattern.Pattern, w rule.Written) (lines, items []string, err error) {
	there, archived := learningFiles(m)
	rest := map[string]bool{}
	for _, id := range slices.Concat(p.Sources, p.Items) {
		rest[id] = true
	}
	said := map[string]string{}
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		if !rest[it.ID] {
			continue
		}
		said[it.ID] = it.Text
		if n := timesLearned(it); n > 1 && slices.Contains(p.Sources, it.ID) {
			said[it.ID] += fmt.Sprintf(" (×%d)", n)
		}
		if it.Status == index.Active {
			it.Status = index.Compiled
			m.Index.Touch(m.Now())
			items = append(items, it.ID)
		}
	}
	for _, id := range p.Sources {
		switch {
		case there[id]:
			data, err := m.Read(id)
			if err != nil {
				return nil, nil, err
			}
			said[id] = statementIn(id, data)
			if err := m.Move(id, free(archived, path.Base(id)), learning.ArchiveFile(data, w.Where, today(m))); err != nil {
				return nil, nil, err
			}
		case said[id] == "":
			said[id] = id + " is gone"
		}
		lines = append(lines, "- "+said[id])
	}
	return lines, items, nil
}

// learningFiles returns the paths of the files of learnings, and of those that
// are archived. A folder that cannot be read has none.
func learningFiles(m *repo.Memory) (active, archived map[string]bool) {
	active, archived = map[string]bool{}, map[string]bool{}
	folders, err := m.Folders(learning.Folder)
	if err != nil {
		return active, archived
	}
	for _, folder := range folders {
		folder = learning.Folder + "/" + folder
		names, err := m.Texts(folder)
		if err != nil {
			continue
		}
		list := active
		if folder == learning.Archived {
			list = archived
		}
		for _, name := range names {
			list[folder+"/"+name] = true
		}
	}
	return active, archived
}

// free returns a path for a file that is archived, which is taken from then on.
func free(archived map[string]bool, base string) string {
	stem := learning.Archived + "/" + base[:len(base)-len(".md")]
	name := stem + ".md"
	for n := 2; archived[name]; n++ {
		name = fmt.Sprintf("%s-%d.md", stem, n)
	}
	archived[name] = true
	return name
}

// A Summary is what a memory's rules and patterns come to.
type Summary struct {
	Pending  int         // patterns that wait for a person
	Rules    int         // that sessions read
	Recurred []Recurring // rules that were not kept, the worst first
}

// A Recurring rule is one whose lesson came up again since it was written.
type Recurring struct {
	Rule  string
	Where string
	Times int
}

// ManyRules is from how many rules on it is time to make fewer of them.
const ManyRules = 20

// SummarizeRules reads what there is to say about a memory's rules.
func SummarizeRules(m *repo.Memory) (Summary, error) {
	var s Summary
	c := readPatterns(m)
	recurred := map[string]int{}
	for i := range m.Index.Items {
		if it := &m.Index.Items[i]; it.Status == index.Compiled && it.Recurred > 0 {
			recurred[it.ID] = it.Recurred
		}
	}
	sum := map[string]*Recurring{}
	for _, p := range c.list {
		if p.Status == pattern.Pending {
			s.Pending++
		}
		if p.Status != pattern.Approved || len(recurred) == 0 {
			continue
		}
		for _, id := range distinct(p.Sources, p.Items) {
			if n := recurred[id]; n > 0 {
				if sum[p.Rule] == nil {
					sum[p.Rule] = &Recurring{Where: p.Rule}
				}
				sum[p.Rule].Rule = p.Title // the latest pattern about it names it
				sum[p.Rule].Times += n
				delete(recurred, id)
			}
		}
	}
	for _, where := range slices.Sorted(maps.Keys(sum)) {
		s.Recurred = append(s.Recurred, *sum[where])
	}
	slices.SortStableFunc(s.Recurred, func(a, b Recurring) int { return b.Times - a.Times })
	var err error
	s.Rules, err = countRules(m)
	return s, err
}

func distinct(lists ...[]string) []string {
	all := slices.Sorted(slices.Values(slices.Concat(lists...)))
	return slices.Compact(all)
}

// countRules counts the rules that sessions read.
func countRules(m *repo.Memory) (n int, err error) {
	for _, folder := range []string{"rules", "context/strategies", "context/voice", "context/preferences"} {
		names, err := m.Texts(folder)
		if err != nil {
			continue // a link, or a file; nothing there is read as a rule
		}
		for _, name := range names {
			if place, err := rule.PlaceAt(folder + "/" + name); err == nil {
				if data, err := place.Read(m); err == nil {
					n += rule.CountRules(data)
				}
			}
		}
	}
	return n, nil
}
