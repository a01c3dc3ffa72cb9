package curate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// removedReason is why a pattern counts as turned down whose rule a person took away.
const removedReason = "its rule was taken out of the file by hand"

// Follow makes the lessons of a rule active again that a person took out of its file, and counts its pattern as turned
// down; see repo.Options.Follow. Without anything to do the message is empty.
//
// A rule that was edited, renamed or moved keeps its lessons: its name, or half of its lines, are still in a file of
// rules. Where that cannot be told nothing changes. A lesson that no pattern names is released once no rule is left; so
// is one whose pattern is pending, because a clone took the rule back and another kept the lesson.
func Follow(m *repo.Memory) (msg repo.Message, note string, err error) {
	var compiled, free []*index.Item
	for it := range m.Index.All() {
		if it.Status == index.Compiled {
			compiled = append(compiled, it)
		}
	}
	if m.Index.ReadOnly() || len(compiled) == 0 {
		return msg, "", nil
	}
	s := readRuleset(m)
	var gone []*Pattern
	for _, it := range compiled {
		named := patternsOf(s.approved, it.ID)
		// Without an approved pattern no rule can hold it if there is none, or if its pattern is pending.
		isNowhere := len(named) == 0 && len(s.unread) == 0 && (len(s.rules) == 0 || len(patternsOf(s.pending, it.ID)) > 0)
		if isNowhere || len(named) > 0 && !slices.ContainsFunc(named, s.isThere) {
			free = append(free, it)
			gone = append(gone, named...)
		}
	}
	changed := releaseLessons(m, &msg, free, index.Active)
	if len(changed) == 0 {
		return msg, "", nil
	}
	what := render.Count(len(changed), "lesson", "lessons")
	msg.Subject = "restore: " + what + " of a rule that is gone"
	note = fmt.Sprintf("%s %s active again: the rule was taken out of its file", what, render.Plural(len(changed), "is", "are"))
	return msg, note, turnDown(m, gone, removedReason)
}

// releaseLessons sets the status of these compiled lessons, adds them to a message, and returns them. It
// skips a lesson that duplicates another active one.
func releaseLessons(m *repo.Memory, msg *repo.Message, compiled []*index.Item, to index.Status) (changed []index.Item) {
	for _, it := range compiled {
		if twin := findLesson(m, it.Text); to == index.Active && twin != nil && twin.Status == index.Active {
			continue
		}
		it.Change(func(it *index.Item) { it.Status = to })
		changed = append(changed, *it)
		tell(msg, map[index.Status]string{index.Active: "+ ", index.Retired: "- "}[to], it)
	}
	return changed
}

func tell(msg *repo.Message, mark string, it *index.Item) {
	msg.Body = append(msg.Body, mark+it.Text)
	msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: it.ID})
}

// turnDown counts patterns as turned down, so that the same is not proposed again.
func turnDown(m *repo.Memory, list []*Pattern, reason string) (err error) {
	c := readPatterns(m)
	for _, p := range list {
		if p.Status != rejected { // else it was named twice
			err = errors.Join(err, c.reject(p, reason))
		}
	}
	return err
}

func (c *catalogue) reject(p *Pattern, reason string) error {
	p.Status, p.Decided, p.Reason, p.Rule, p.Auto, p.Reopened = rejected, today(c.m), reason, "", false, false
	return c.writePattern(p)
}

// Describe returns what a line about the rule adds to its name: its lessons, how
// often they came up again, and what sessions are not shown; "" for nothing.
func (r Rule) Describe() string {
	var about []string
	if n := len(r.Lessons); n > 0 {
		about = append(about, render.Count(n, "lesson", "lessons"))
	}
	if r.Recurred > 0 {
		about = append(about, "recurred "+render.Count(r.Recurred, "time", "times"))
	}
	if _, orders := guard.DropOrders(r.Text); len(orders) > 0 {
		about = append(about, "not all of it is shown: "+orders[0])
	}
	if len(about) == 0 {
		return ""
	}
	return " (" + strings.Join(about, ", ") + ")"
}

// PatternIDs returns the patterns that became the rule, in the order of their ids.
func (r Rule) PatternIDs() (ids []string) {
	for _, p := range r.patterns {
		ids = append(ids, p.ID)
	}
	return ids
}

// ListRules lists the rules that sessions read, by file.
func ListRules(m *repo.Memory) (list []Rule, unread []string) {
	s := readRuleset(m)
	list = s.rules
	for _, p := range s.approved {
		if at := s.placeOf(p); at >= 0 {
			list[at].patterns = append(list[at].patterns, p)
		}
	}
	for it := range m.Index.All() {
		if it.Status != index.Compiled {
			continue
		}
		if named := patternsOf(s.approved, it.ID); len(named) > 0 {
			if at := s.placeOf(named[len(named)-1]); at >= 0 {
				list[at].Lessons = append(list[at].Lessons, it.ID)
				list[at].Recurred += it.Recurred
			}
		}
	}
	return list, s.unread
}

// FindRule returns the rule with a name, with a file and a name, or that a pattern became.
// The error wraps ErrNoRule or errAmbiguousRule.
func FindRule(m *repo.Memory, name string) (Rule, error) {
	list, _ := ListRules(m)
	if at := slices.IndexFunc(list, func(r Rule) bool { return r.ID == name || slices.Contains(r.PatternIDs(), name) }); at >= 0 {
		return list[at], nil
	}
	list = slices.DeleteFunc(list, func(r Rule) bool { return !r.IsNamed(name) })
	switch {
	case len(list) == 0:
		return Rule{}, fmt.Errorf("%w as %q", ErrNoRule, name)
	case len(list) > 1:
		return Rule{}, fmt.Errorf("%w: %s and %s", errAmbiguousRule, list[0].ID, list[1].ID)
	}
	return list[0], nil
}

// RetireRule takes a rule out of its file. Its lessons get the state to, Active or
// Retired; those that did are returned. It is a callback for repo.Root.Settle.
func RetireRule(m *repo.Memory, name string, to index.Status, reason string) (r Rule, changed []index.Item, msg repo.Message, err error) {
	if r, err = FindRule(m, name); err == nil {
		err = removeRule(m, r)
	}
	if err != nil {
		return r, nil, msg, err
	}
	var compiled []*index.Item
	for _, id := range r.Lessons {
		compiled = append(compiled, &m.Index.Items[m.Index.ByID(id)])
	}
	domain := strings.TrimSuffix(path.Base(r.File), ".md")
	for _, p := range r.patterns {
		domain = p.Domain
		msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Pattern", Value: p.ID})
	}
	changed = releaseLessons(m, &msg, compiled, to)
	msg.Subject = fmt.Sprintf("rule(%s): retire %s", topic.Slug(domain, "rule"), topic.Slug(guard.Scrub(r.Name), "rule"))
	taken := fmt.Sprintf("\n## %s retire %s\n\n- Taken out of %s", today(m), r.Name, r.File)
	if reason = words.FoldSpace(reason); reason != "" {
		taken += ": " + reason
		msg.Body = append(msg.Body, "because "+reason)
	}
	if err = appendEntry(m, taken+"\n"); err == nil {
		err = turnDown(m, r.patterns, cmp.Or(reason, "the rule was retired"))
	}
	return r, changed, msg, err
}

// A ruleset tells which rule a pattern became, however a person edited, renamed or moved it since. It is the rules of a
// memory as they lie in its files, and the patterns, by number. What a person changed is not taken in by reading it.
type ruleset struct {
	rules             []Rule
	approved, pending []*Pattern
	unread            []string // files and folders of rules and patterns
}

func readRuleset(m *repo.Memory) (s ruleset) {
	s.rules, s.unread = listRules(m)
	c := readCatalogue(m, m.PeekFile)
	s.unread = append(s.unread, slices.Sorted(maps.Keys(c.unread))...)
	s.approved, s.pending = c.withStatus(approved, ""), c.withStatus(Pending, "")
	return s
}

func patternsOf(patterns []*Pattern, id string) []*Pattern {
	return slices.DeleteFunc(slices.Clone(patterns), func(p *Pattern) bool {
		return !slices.Contains(p.Items, id) && !slices.Contains(p.Sources, id)
	})
}

// isThere reports whether the rule of a pattern is in a file, or may be.
func (s *ruleset) isThere(p *Pattern) bool {
	file, _, _ := strings.Cut(p.Rule, "#")
	return file == "" || s.placeOf(p) >= 0 || slices.ContainsFunc(s.unread, func(unread string) bool {
		return slices.Contains([]string{file, path.Dir(file), topic.RuleFolder(file)}, unread) || path.Dir(unread) == topic.RuleFolder(file)
	})
}

// placeOf returns the index of the rule made from a pattern, or -1: the rule with its name, the one
// that a later pattern turned it into, or the one with most of its lines, at least half.
func (s *ruleset) placeOf(p *Pattern) int {
	if at := slices.IndexFunc(s.rules, func(l Rule) bool { return l.IsNamed(p.Rule) }); at >= 0 {
		return at
	}
	file, _, _ := strings.Cut(p.Rule, "#")
	for _, later := range s.approved {
		isLater := numberOf(later.ID) > numberOf(p.ID)
		if isLater && index.KeyOf(later.Amends) == index.KeyOf(file+"#"+p.Title) {
			return s.placeOf(later)
		}
	}
	best, most := -1, 0
	lines := linesOf(p.Text)
	for at, l := range s.rules {
		n := len(slices.DeleteFunc(linesOf(l.Text), func(line string) bool { return !slices.Contains(lines, line) }))
		if n > most && 2*n >= len(lines) {
			best, most = at, n
		}
	}
	return best
}

func linesOf(text string) (list []string) {
	for line := range strings.Lines(text) {
		if key := index.KeyOf(strings.Trim(line, " \t\r\n-*+")); key != "" && !slices.Contains(list, key) {
			list = append(list, key)
		}
	}
	return list
}
