// Package ruleset tells which rule a pattern became, however a person edited, renamed
// or moved it since.
package ruleset

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mem/curate/pattern"
	"mem/curate/rule"
	"mem/index"
	"mem/repo"
	"mem/repo/union"
)

// A Set is the rules of a memory as they lie in its files, and the patterns
// that became rules. What a person changed is not taken in by reading it.
type Set struct {
	Rules    []rule.Listed
	Approved []*pattern.Pattern // by number
	Unread   []string           // files and folders of rules and patterns

	pending []*pattern.Pattern
}

// Read reads the rules and patterns of a memory. What cannot be read is in Unread.
func Read(m *repo.Memory) Set {
	var s Set
	s.Rules, s.Unread = rule.ListRules(m)
	names, err := m.ListTexts(pattern.Folder)
	if err != nil {
		s.Unread = append(s.Unread, pattern.Folder)
	}
	files, read := map[string]string{}, map[pattern.Status][]*pattern.Pattern{}
	for _, name := range names {
		data, err := m.PeekFile(pattern.Folder + "/" + name)
		if files[pattern.Folder+"/"+name] = string(data); err != nil && pattern.NumberOf(strings.TrimSuffix(name, ".md")) > 0 {
			s.Unread = append(s.Unread, pattern.Folder+"/"+name)
		}
	}
	maps.Copy(files, union.SeparatePatterns(files))
	for _, at := range slices.Sorted(maps.Keys(files)) {
		id := strings.TrimSuffix(path.Base(at), ".md")
		if pattern.NumberOf(id) == 0 || slices.Contains(s.Unread, at) {
			continue
		}
		switch p, err := pattern.ParsePattern(id, []byte(files[at])); {
		case err != nil:
			s.Unread = append(s.Unread, at)
		default:
			read[p.Status] = append(read[p.Status], p)
		}
	}
	s.Approved, s.pending = read[pattern.Approved], read[pattern.Pending]
	slices.SortFunc(s.Approved, func(a, b *pattern.Pattern) int { return pattern.NumberOf(a.ID) - pattern.NumberOf(b.ID) })
	return s
}

// FindPatterns returns the patterns that a lesson is part of.
func (s *Set) FindPatterns(id string) []*pattern.Pattern { return filterBy(s.Approved, id) }

func filterBy(patterns []*pattern.Pattern, id string) (list []*pattern.Pattern) {
	for _, p := range patterns {
		if slices.Contains(p.Items, id) || slices.Contains(p.Sources, id) {
			list = append(list, p)
		}
	}
	return list
}

// IsNowhere reports whether no rule can hold a lesson that no approved pattern names:
// there is none, or its pattern is pending.
func (s *Set) IsNowhere(id string) bool {
	return len(s.Unread) == 0 && (len(s.Rules) == 0 || len(filterBy(s.pending, id)) > 0)
}

// IsThere reports whether the rule of a pattern is in a file, or may be.
func (s *Set) IsThere(p *pattern.Pattern) bool {
	file, _, _ := strings.Cut(p.Rule, "#")
	return file == "" || s.FindRule(p) >= 0 || slices.Contains(s.Unread, file) || slices.Contains(s.Unread, path.Dir(file))
}

// FindRule returns the place of the rule that a pattern became, or -1: the one of
// that name, the one that a later pattern made of it, or the one that holds most of
// its lines, at least half.
func (s *Set) FindRule(p *pattern.Pattern) int {
	if at := slices.IndexFunc(s.Rules, func(l rule.Listed) bool { return l.IsNamed(p.Rule) }); at >= 0 {
		return at
	}
	file, _, _ := strings.Cut(p.Rule, "#")
	for _, later := range s.Approved {
		isLater := pattern.NumberOf(later.ID) > pattern.NumberOf(p.ID)
		if isLater && index.KeyOf(later.Amends) == index.KeyOf(file+"#"+p.Title) {
			return s.FindRule(later)
		}
	}
	best, most := -1, 0
	lines := linesOf(p.Text)
	for at, l := range s.Rules {
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
