// Package curate makes rules of what was learned.
//
//	a learning, or a lesson of a reflection
//	  → a pattern, when three similar ones have come together
//	  → a person's approval
//	  → a rule that every session reads
//
// A Capture keeps one learning. A Detector looks for patterns whenever something
// was learned; a scan of everything finds what that missed. RuleQueue holds the
// pending patterns. All of it runs inside repo.Root.Settle, so that a rule, the
// learnings behind it and the changelog are one commit. No model is asked.
package curate

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

// CountPending counts the pending patterns of a memory.
func CountPending(m *repo.Memory) int { return len(readPatterns(m).withStatus(Pending, "")) }

func today(m *repo.Memory) string { return m.Now().UTC().Format(time.DateOnly) }

// AutoTrailer names, in a commit, the key of a rule that was written without
// asking.
const AutoTrailer = "Mem-Auto-Applied"

// adoptPattern makes a rule of a pattern: it writes the rule, archives the
// learnings, notes the rule in the changelog and in the pattern, and marks the
// lessons.
func (c *catalogue) adoptPattern(p *Pattern, auto bool) (msg repo.Message, err error) {
	if err := checkRule(p.Title, p.Text); err != nil {
		return msg, err
	}
	where, verb, err := writeRule(c.m, p)
	if err != nil {
		return msg, err
	}
	p.Status, p.Decided, p.Rule, p.Auto = approved, today(c.m), where, auto
	texts, items := compileLessons(c.m, p)
	lines, err := archiveLearnings(c.m, p, texts)
	if err == nil {
		err = errors.Join(noteChange(c.m, p, verb), c.writeBoth(p))
	}
	if err != nil {
		return msg, err
	}
	msg = decisionMessage(p, verb)
	msg.Body = append([]string{fmt.Sprintf("Compiled from %s:", render.Count(p.CountLearnings(), "learning", "learnings"))}, lines...)
	if auto {
		msg.Trailers = append(msg.Trailers, repo.Trailer{Key: AutoTrailer, Value: p.Key})
	}
	for _, id := range items {
		msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: id})
	}
	return msg, nil
}

func decisionMessage(p *Pattern, verb string) repo.Message {
	return repo.Message{
		Subject:  fmt.Sprintf("rule(%s): %s %s", p.Domain, verb, topic.Slug(p.Title, p.ID)),
		Trailers: []repo.Trailer{{Key: "Mem-Pattern", Value: p.ID}},
	}
}

// compileLessons marks the active lessons of a pattern as part of a rule. It
// returns what all its lessons say, by id, and the ids of those it marked.
func compileLessons(m *repo.Memory, p *Pattern) (texts map[string]string, items []string) {
	texts = map[string]string{}
	ids := slices.Concat(p.Sources, p.Items)
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		if !slices.Contains(ids, it.ID) {
			continue
		}
		texts[it.ID] = it.Text
		if it.Status == index.Active {
			it.Change(func(it *index.Item) { it.Status = index.Compiled })
			items = append(items, it.ID)
		}
	}
	return texts, items
}

// archiveLearnings archives the files that a rule was made of. It returns a line
// for each source of the pattern.
func archiveLearnings(m *repo.Memory, p *Pattern, texts map[string]string) (lines []string, err error) {
	active, archived, _ := learningFiles(m)
	for _, id := range p.Sources {
		text := cmp.Or(texts[id], id+" is gone")
		if slices.Contains(active, id) {
			data, err := m.ReadFile(id)
			if err != nil {
				return nil, err
			}
			l, err := ParseLearning(id, data)
			if text = strings.TrimPrefix(id, LearningFolder+"/"); err == nil {
				text = l.Lesson()
			}
			stem := ArchivedFolder + "/" + strings.TrimSuffix(path.Base(id), ".md")
			to := freeName(stem, func(name string) bool { return slices.Contains(archived, name) })
			if err := m.MoveFile(id, to, archiveFile(data, p.Rule, today(m))); err != nil {
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
	rules, _ := ListRules(m)
	c := readPatterns(m)
	s := Summary{Pending: len(c.withStatus(Pending, "")), Rules: len(rules)}
	for _, d := range rules {
		if d.Recurred > 0 {
			s.Recurred = append(s.Recurred, Recurring{Rule: d.Name, Where: d.ID, Times: d.Recurred})
		}
	}
	slices.SortStableFunc(s.Recurred, func(a, b Recurring) int { return b.Times - a.Times })
	for _, p := range c.patterns {
		day, err := time.Parse(time.DateOnly, p.Decided)
		isJustRemoved := p.Status == rejected && p.Reason == removedReason && err == nil && m.Now().Sub(day) < keepRemoved
		if isJustRemoved && !slices.Contains(s.Removed, p.Title) {
			s.Removed = append(s.Removed, p.Title)
		}
	}
	return s
}
