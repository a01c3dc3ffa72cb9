package curate

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"mem/curate/learning"
	"mem/curate/pattern"
	"mem/curate/rule"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

// AutoTrailer names, in a commit, the key of a rule that was written without
// asking.
const AutoTrailer = "Mem-Auto-Applied"

// adoptPattern makes a rule of a pattern: it writes the rule, archives the
// learnings, notes the rule in the changelog and in the pattern, and marks the
// lessons. The view of the patterns is left to the caller.
func adoptPattern(m *repo.Memory, c *catalogue, p *pattern.Pattern, auto bool) (repo.Message, error) {
	if err := pattern.CheckRule(p.Title, p.Text); err != nil {
		return repo.Message{}, err
	}
	r := rule.Rule{
		Name: p.Title, Text: p.Text, Domain: p.Domain, Learnings: p.Times, Day: today(m), Amends: p.Amends, Pattern: p.ID, Auto: auto,
	}
	w, err := rule.WriteRule(m, r)
	if err != nil {
		return repo.Message{}, err
	}
	texts, items := compileLessons(m, p)
	lines, err := archiveLearnings(m, p, w, texts)
	if err == nil {
		err = rule.NoteChange(m, r, w)
	}
	if err == nil {
		p.Status, p.Decided, p.Rule, p.Auto = pattern.Approved, r.Day, w.Where, auto
		err = c.writePattern(m, p)
	}
	if err != nil {
		return repo.Message{}, err
	}
	msg := decisionMessage(p, w.Verb())
	msg.Body = append([]string{fmt.Sprintf("Compiled from %s:", render.Count(p.Times, "learning", "learnings"))}, lines...)
	if auto {
		msg.Trailers = append(msg.Trailers, repo.Trailer{Key: AutoTrailer, Value: p.Key})
	}
	for _, id := range items {
		msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: id})
	}
	return msg, nil
}

func decisionMessage(p *pattern.Pattern, verb string) repo.Message {
	return repo.Message{
		Subject:  fmt.Sprintf("rule(%s): %s %s", p.Domain, verb, topic.Slug(p.Title, p.ID)),
		Trailers: []repo.Trailer{{Key: "Mem-Pattern", Value: p.ID}},
	}
}

// compileLessons marks the active lessons of a pattern as part of a rule. It
// returns what all its lessons say, by id, and the ids of those it marked.
func compileLessons(m *repo.Memory, p *pattern.Pattern) (texts map[string]string, items []string) {
	texts = map[string]string{}
	ids := slices.Concat(p.Sources, p.Items)
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		if !slices.Contains(ids, it.ID) {
			continue
		}
		texts[it.ID] = it.Text
		if n := timesLearned(it); n > 1 && slices.Contains(p.Sources, it.ID) {
			texts[it.ID] += fmt.Sprintf(" (×%d)", n)
		}
		if it.Status == index.Active {
			it.Change(m.Now(), func(it *index.Item) { it.Status = index.Compiled })
			items = append(items, it.ID)
		}
	}
	return texts, items
}

// archiveLearnings archives the files that a rule was made of. It returns a line
// for each source of the pattern.
func archiveLearnings(m *repo.Memory, p *pattern.Pattern, w rule.Written, texts map[string]string) (lines []string, err error) {
	active, archived, _ := learningFiles(m)
	for _, id := range p.Sources {
		text := cmp.Or(texts[id], id+" is gone")
		if slices.Contains(active, id) {
			data, err := m.ReadFile(id)
			if err != nil {
				return nil, err
			}
			l, err := learning.ParseFile(id, data)
			if text = strings.TrimPrefix(id, learning.Folder+"/"); err == nil {
				text = l.Lesson()
			}
			stem := learning.Archived + "/" + strings.TrimSuffix(path.Base(id), ".md")
			to := learning.FreePath(stem, func(name string) bool { return slices.Contains(archived, name) })
			if err := m.MoveFile(id, to, learning.ArchiveFile(data, w.Where, today(m))); err != nil {
				return nil, err
			}
			archived = append(archived, to)
		}
		lines = append(lines, "- "+text)
	}
	return lines, nil
}

// A Summary counts the rules and patterns of a memory.
type Summary struct {
	Pending  int         // patterns that wait for a person
	Rules    int         // that sessions read
	Recurred []Recurring // rules that were not kept, the worst first
	Removed  []string    // names of rules that were just taken out by hand
}

// A Recurring rule is one whose lesson came up again since it was written.
type Recurring struct {
	Rule  string `json:"rule"`
	Where string `json:"where"`
	Times int    `json:"times"`
}

// ManyRules is the number of rules from which on it is time to have fewer.
const ManyRules = 20

// SummarizeRules reads what there is to say about a memory's rules.
func SummarizeRules(m *repo.Memory) Summary {
	c := readPatterns(m)
	rules, _ := rule.ListRules(m)
	s := Summary{Pending: len(c.withStatus(pattern.Pending)), Rules: len(rules)}
	recurred := map[string]int{}
	for i := range m.Index.Items {
		if it := &m.Index.Items[i]; it.Status == index.Compiled {
			recurred[it.ID] = it.Recurred
		}
	}
	for _, p := range c.list {
		if isJustRemoved(m, p) && !slices.Contains(s.Removed, p.Title) {
			s.Removed = append(s.Removed, p.Title)
		}
		if p.Status != pattern.Approved {
			continue
		}
		times := 0
		for _, id := range slices.Concat(p.Sources, p.Items) {
			times += recurred[id]
			delete(recurred, id)
		}
		if times > 0 {
			s.addRecurring(Recurring{Rule: p.Title, Where: p.Rule, Times: times})
		}
	}
	slices.SortFunc(s.Recurred, func(a, b Recurring) int { return cmp.Or(b.Times-a.Times, cmp.Compare(a.Where, b.Where)) })
	return s
}

// addRecurring adds what a pattern says of a rule. The latest pattern about
// a rule names it.
func (s *Summary) addRecurring(r Recurring) {
	for i := range s.Recurred {
		if old := &s.Recurred[i]; old.Where == r.Where {
			old.Rule, old.Times = r.Rule, old.Times+r.Times
			return
		}
	}
	s.Recurred = append(s.Recurred, r)
}
