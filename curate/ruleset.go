package curate

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mem/curate/pattern"
	"mem/curate/rule"
	"mem/index"
	"mem/repo"
)

// A ruleset tells which rule a pattern became, however a person edited, renamed or moved
// it since. It is the rules of a memory as they lie in its files, and the patterns, by
// number. What a person changed is not taken in by reading it.
type ruleset struct {
	rules             []rule.Listed
	approved, pending []*pattern.Pattern
	unread            []string // files and folders of rules and patterns
}

func readRuleset(m *repo.Memory) (s ruleset) {
	s.rules, s.unread = rule.ListRules(m)
	c := readCatalogue(m, m.PeekFile)
	s.unread = append(s.unread, slices.Sorted(maps.Keys(c.unread))...)
	s.approved, s.pending = c.withStatus(pattern.Approved), c.withStatus(pattern.Pending)
	return s
}

// findPatterns returns the patterns that a lesson is part of.
func (s *ruleset) findPatterns(id string) []*pattern.Pattern { return filterBy(s.approved, id) }

func filterBy(patterns []*pattern.Pattern, id string) (list []*pattern.Pattern) {
	for _, p := range patterns {
		if slices.Contains(p.Items, id) || slices.Contains(p.Sources, id) {
			list = append(list, p)
		}
	}
	return list
}

// isNowhere reports whether no rule can hold a lesson that no approved pattern names:
// there is none, or its pattern is pending.
func (s *ruleset) isNowhere(id string) bool {
	return len(s.unread) == 0 && (len(s.rules) == 0 || len(filterBy(s.pending, id)) > 0)
}

// isThere reports whether the rule of a pattern is in a file, or may be.
func (s *ruleset) isThere(p *pattern.Pattern) bool {
	file, _, _ := strings.Cut(p.Rule, "#")
	return file == "" || s.placeOf(p) >= 0 || slices.Contains(s.unread, file) || slices.Contains(s.unread, path.Dir(file))
}

// placeOf returns the place of the rule that a pattern became, or -1: the one of
// that name, the one that a later pattern made of it, or the one that holds most of
// its lines, at least half.
func (s *ruleset) placeOf(p *pattern.Pattern) int {
	if at := slices.IndexFunc(s.rules, func(l rule.Listed) bool { return l.IsNamed(p.Rule) }); at >= 0 {
		return at
	}
	file, _, _ := strings.Cut(p.Rule, "#")
	for _, later := range s.approved {
		isLater := pattern.NumberOf(later.ID) > pattern.NumberOf(p.ID)
		if isLater && index.KeyOf(later.Amends) == index.KeyOf(file+"#"+p.Title) {
			return s.placeOf(later)
		}
	}
	best, most := -1, 0
	lines := linesOf(p.Text)
	for at, l := range s.rules {
		n := 0
		for _, line := range linesOf(l.Text) {
			if slices.Contains(lines, line) {
				n++
			}
		}
		if n > most && 2*n >= len(lines) {
			best, most = at, n
		}
	}
	return best
}

// linesOf returns what the lines of a rule say, however they are marked.
func linesOf(text string) (list []string) {
	for line := range strings.Lines(text) {
		if key := index.KeyOf(strings.Trim(line, " \t\r\n-*+")); key != "" && !slices.Contains(list, key) {
			list = append(list, key)
		}
	}
	return list
}
