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
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"mem/curate/pattern"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

// A catalogue is the patterns of a memory, by number.
type catalogue struct {
	pattern.Scan
	view     []byte // patterns/index.md as it is; nil for none
	blocked  bool   // the folder cannot be read
	viewless bool   // patterns/index.md is not a file
	problems []Problem
}

func readPatterns(m *repo.Memory) *catalogue { return readCatalogue(m, m.ReadFile) }

func readCatalogue(m *repo.Memory, read func(path string) ([]byte, error)) *catalogue {
	c := &catalogue{Scan: pattern.Scan{
		Unread: map[string]string{}, Day: today(m),
		Target: func(domain, title string) string { return findTarget(m, domain, title) },
		Rule:   func(path, name string) (string, bool) { return readRule(m, path, name) },
		IsFit:  func(text string) bool { return len(guard.Lint(text)) == 0 },
	}}
	names, err := m.ListTexts(pattern.Folder)
	if err != nil {
		c.blocked = true
		c.addUnread(pattern.Folder, "", err)
		return c
	}
	for _, name := range names {
		at := pattern.Folder + "/" + name
		if numberIn(at) > 0 {
			data, err := read(at)
			c.readPattern(at, data, err)
		} else if at == pattern.IndexPath { // else it is a person's own
			data, err := read(at)
			if c.view = data; err != nil {
				c.viewless = true
				c.addProblem(at, err)
			}
			c.Last = max(c.Last, cmp.Or(m.LastProposal(), pattern.LastNumber(data)))
		}
	}
	slices.SortFunc(c.Patterns, func(a, b *pattern.Pattern) int { return pattern.NumberOf(a.ID) - pattern.NumberOf(b.ID) })
	return c
}

// readPattern adds the pattern in a file, which was read with an error or without.
func (c *catalogue) readPattern(at string, data []byte, err error) {
	n := numberIn(at)
	if c.Last = max(c.Last, n); n == pattern.MaxNumber {
		c.addProblem(at, errLastNumber)
	}
	if err != nil {
		c.addUnread(at, "", err)
	} else if p, err := pattern.ParsePattern(idIn(at), data); err != nil {
		c.addUnread(at, strings.ReplaceAll(string(data), "\r\n", "\n"), err)
	} else {
		c.Patterns = append(c.Patterns, p)
	}
}

func idIn(at string) string { return strings.TrimSuffix(path.Base(at), ".md") }

func numberIn(at string) int { return pattern.NumberOf(idIn(at)) }

func (c *catalogue) addProblem(path string, why error) {
	c.problems = append(c.problems, Problem{Path: path, Why: why.Error()})
}

func (c *catalogue) addUnread(path, text string, why error) {
	c.Unread[path] = text
	c.addProblem(path, why)
}

var errLastNumber = errors.New("no number is left for a pattern after it, so that none is proposed")

// CountPending counts the pending patterns of a memory.
func CountPending(m *repo.Memory) int { return len(readPatterns(m).withStatus(pattern.Pending)) }

func (c *catalogue) withStatus(status pattern.Status) []*pattern.Pattern {
	return slices.DeleteFunc(slices.Clone(c.Patterns), func(p *pattern.Pattern) bool { return p.Status != status })
}

// indexOf returns the place of the pattern with this id; -1 if there is none.
func (c *catalogue) indexOf(id string) int {
	return slices.IndexFunc(c.Patterns, func(p *pattern.Pattern) bool { return p.ID == id })
}

func (c *catalogue) writePattern(m *repo.Memory, p *pattern.Pattern) error {
	if at := c.indexOf(p.ID); at >= 0 {
		c.Patterns[at] = p
	} else {
		c.Patterns = append(c.Patterns, p)
	}
	return m.WriteFile(p.Path(), p.Bytes())
}

// writeView writes the view of the patterns, and reports whether it changed.
func (c *catalogue) writeView(m *repo.Memory) (bool, error) {
	view := pattern.RenderView(c.Patterns, c.Last)
	if c.Last == 0 || c.viewless || bytes.Equal(view, c.view) {
		return false, nil
	}
	c.view = view
	return true, m.WriteFile(pattern.IndexPath, view)
}

// RenderViews writes the view of the patterns and the lists of rules, if they are not what these say.
func RenderViews(m *repo.Memory) error {
	_, err := readPatterns(m).writeView(m)
	return errors.Join(err, settleLists(m))
}

// writeBoth writes a pattern and the view of all.
func (c *catalogue) writeBoth(m *repo.Memory, p *pattern.Pattern) error {
	err := c.writePattern(m, p)
	if err == nil {
		_, err = c.writeView(m)
	}
	return err
}

func today(m *repo.Memory) string { return m.Now().UTC().Format(time.DateOnly) }

// AutoTrailer names, in a commit, the key of a rule that was written without
// asking.
const AutoTrailer = "Mem-Auto-Applied"

// adoptPattern makes a rule of a pattern: it writes the rule, archives the
// learnings, notes the rule in the changelog and in the pattern, and marks the
// lessons. The view of the patterns is left to the caller.
func adoptPattern(m *repo.Memory, c *catalogue, p *pattern.Pattern, auto bool) (repo.Message, error) {
	if err := checkRule(p.Title, p.Text); err != nil {
		return repo.Message{}, err
	}
	where, verb, err := writeRule(m, p)
	if err != nil {
		return repo.Message{}, err
	}
	p.Status, p.Decided, p.Rule, p.Auto = pattern.Approved, today(m), where, auto
	texts, items := compileLessons(m, p)
	lines, err := archiveLearnings(m, p, texts)
	if err == nil {
		err = errors.Join(noteChange(m, p, verb), c.writePattern(m, p))
	}
	if err != nil {
		return repo.Message{}, err
	}
	msg := decisionMessage(p, verb)
	msg.Body = append([]string{fmt.Sprintf("Compiled from %s:", render.Count(p.CountLearnings(), "learning", "learnings"))}, lines...)
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
		if it.Status == index.Active {
			it.Change(func(it *index.Item) { it.Status = index.Compiled })
			items = append(items, it.ID)
		}
	}
	return texts, items
}

// archiveLearnings archives the files that a rule was made of. It returns a line
// for each source of the pattern.
func archiveLearnings(m *repo.Memory, p *pattern.Pattern, texts map[string]string) (lines []string, err error) {
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
	s := Summary{Pending: len(c.withStatus(pattern.Pending)), Rules: len(rules)}
	for _, d := range rules {
		if d.Recurred > 0 {
			s.Recurred = append(s.Recurred, Recurring{Rule: d.Name, Where: d.ID, Times: d.Recurred})
		}
	}
	slices.SortStableFunc(s.Recurred, func(a, b Recurring) int { return b.Times - a.Times })
	for _, p := range c.Patterns {
		day, err := time.Parse(time.DateOnly, p.Decided)
		isJustRemoved := p.Status == pattern.Rejected && p.Reason == removedReason && err == nil && m.Now().Sub(day) < keepRemoved
		if isJustRemoved && !slices.Contains(s.Removed, p.Title) {
			s.Removed = append(s.Removed, p.Title)
		}
	}
	return s
}
