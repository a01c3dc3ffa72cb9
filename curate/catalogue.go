package curate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

// A catalogue is the patterns of a memory, by number.
type catalogue struct {
	m        *repo.Memory
	patterns []*Pattern        // all that can be read
	unread   map[string]string // the files of the others, in which a person may have decided, by path
	today    string            // when new ones are noticed
	last     int               // the highest number given so far
	view     []byte            // patterns/index.md as it is; nil for none
	blocked  bool              // the folder cannot be read
	viewless bool              // patterns/index.md is not a file
	problems []Problem
}

func readPatterns(m *repo.Memory) *catalogue { return readCatalogue(m, m.ReadFile) }

func readCatalogue(m *repo.Memory, read func(path string) ([]byte, error)) *catalogue {
	c := &catalogue{m: m, unread: map[string]string{}, today: today(m)}
	names, err := m.ListTexts(patternFolder)
	if err != nil {
		c.blocked = true
		c.addUnread(patternFolder, "", err)
		return c
	}
	for _, name := range names {
		at := patternFolder + "/" + name
		if id := strings.TrimSuffix(name, ".md"); numberOf(id) > 0 {
			data, err := read(at)
			c.readPattern(at, id, data, err)
		} else if at == patternIndex { // else it is a person's own
			data, err := read(at)
			if c.view = data; err != nil {
				c.viewless = true
				c.problems = append(c.problems, Problem{Path: at, Why: err.Error()})
			}
			c.last = max(c.last, cmp.Or(m.LastProposal(), lastNumber(data)))
		}
	}
	slices.SortFunc(c.patterns, func(a, b *Pattern) int { return numberOf(a.ID) - numberOf(b.ID) })
	return c
}

// readPattern adds the pattern in a file, which was read with an error or without.
func (c *catalogue) readPattern(at, id string, data []byte, err error) {
	if c.last = max(c.last, numberOf(id)); err != nil {
		c.addUnread(at, "", err)
	} else if p, err := parsePattern(id, data); err != nil {
		c.addUnread(at, strings.ReplaceAll(string(data), "\r\n", "\n"), err)
	} else {
		c.patterns = append(c.patterns, p)
	}
}

func (c *catalogue) addUnread(path, text string, why error) {
	c.unread[path] = text
	c.problems = append(c.problems, Problem{Path: path, Why: why.Error()})
}

// withStatus returns the patterns with a status; of one domain, unless that is "".
func (c *catalogue) withStatus(status, domain string) []*Pattern {
	return slices.DeleteFunc(slices.Clone(c.patterns), func(p *Pattern) bool {
		return p.Status != status || domain != "" && p.originDomain() != domain
	})
}

func (c *catalogue) countWaiting() int {
	isOld := func(p *Pattern) bool { return isFolded(p.since(), c.m.Now()) }
	return len(slices.DeleteFunc(c.withStatus(Pending, ""), isOld))
}

func (c *catalogue) indexOf(id string) int {
	return slices.IndexFunc(c.patterns, func(p *Pattern) bool { return p.ID == id })
}

func (c *catalogue) writePattern(p *Pattern) error {
	if at := c.indexOf(p.ID); at >= 0 {
		c.patterns[at] = p
	} else {
		c.patterns = append(c.patterns, p)
	}
	_, err := c.writeView()
	return errors.Join(c.m.WriteFile(p.Path(), p.Bytes()), err)
}

func (c *catalogue) writeView() (bool, error) {
	view := renderPatterns(c.patterns, c.last)
	if c.last == 0 || c.viewless || bytes.Equal(view, c.view) {
		return false, nil
	}
	c.view = view
	return true, c.m.WriteFile(patternIndex, view)
}

// RenderViews writes the view of the patterns, if it is not what these say, and syncs the rules and their lists.
func RenderViews(m *repo.Memory) error {
	_, err := readPatterns(m).writeView()
	for _, list := range slices.Sorted(maps.Values(topic.RuleFiles)) {
		if failed := settleList(m, list); !errors.Is(failed, ErrRuleRefused) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// A change is what a scan did to one pattern.
type change struct {
	*Pattern
	group *group // that it stands for; nil if it is gone
	mark  string // "+" it is new, "-" too little is left of what it rested on, "~" it is another, "" nothing
}

func (c change) describe() string {
	if c.group == nil {
		return fmt.Sprintf("%s: %s is withdrawn", c.ID, c.Title)
	}
	return fmt.Sprintf("%s: %s (%s)", c.ID, c.Title, render.Count(c.countLearnings(), "learning", "learnings"))
}

// scanDomain updates the pending patterns of a domain to match its current groups. It returns them all, with
// the change to each. A group proposes nothing if a rejected pattern covers it, or at least half of it, or
// seems to in a file that cannot be read. A pending pattern that a person reworded is never removed.
func (c *catalogue) scanDomain(domain string, units []unit) (list []change, err error) {
	units = index.DropOutdone(units, func(u unit) index.Saying { return index.Saying{Text: u.Text, Seen: u.Seen} }) // a rule that says both is none
	groups := findGroups(units)
	taken := map[*group]*Pattern{}
	held := map[*Pattern]bool{}
	for _, m := range c.findMatches(domain, groups) {
		if taken[m.group] == nil && !held[m.pattern] {
			taken[m.group], held[m.pattern] = m.pattern, true
		}
	}
	for _, p := range c.withStatus(Pending, domain) {
		if !held[p] && p.own != "" && !p.isReworded() {
			list = append(list, change{p, nil, "-"})
			c.patterns = slices.DeleteFunc(slices.Clone(c.patterns), func(o *Pattern) bool { return o == p })
			err = errors.Join(err, c.m.RemoveFile(p.Path()))
		}
	}
	// Two groups may be about the same pair of tags; then the units decide.
	slices.SortFunc(groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.key(domain), b.key(domain)), cmp.Compare(a.Units[0].ID, b.Units[0].ID))
	})
	for _, g := range groups {
		p, mark := taken[g], "~"
		if p == nil {
			if c.last == maxNumber || c.isSuppressed(domain, g) {
				continue
			}
			c.last++
			p, mark = &Pattern{ID: formatID(c.last), Status: Pending, Detected: c.today, Domain: domain}, "+"
		}
		before := p.Bytes()
		if c.restOn(p, domain, g); bytes.Equal(before, p.Bytes()) {
			mark = ""
		} else {
			err = errors.Join(err, c.writePattern(p))
		}
		list = append(list, change{p, g, mark})
	}
	return list, err
}

// A match is a pending pattern that may stand for a group.
type match struct {
	pattern *Pattern
	group   *group
	overlap int // the sources that are in the group
	sameKey int // 1 if the group has the key of the pattern
}

func (c *catalogue) findMatches(domain string, groups []*group) (list []match) {
	groupOf := map[string]*group{}
	for _, g := range groups {
		for _, u := range g.Units {
			groupOf[u.ID], groupOf[u.Item] = g, g
		}
	}
	delete(groupOf, "") // units without a lesson
	for _, p := range c.withStatus(Pending, domain) {
		overlap := map[*group]int{}
		for _, id := range p.Sources {
			overlap[groupOf[id]]++
		}
		for _, g := range groups {
			m := match{pattern: p, group: g, overlap: overlap[g]}
			if g.key(domain) == p.Key {
				m.sameKey = 1
			}
			half := 2*m.overlap >= min(len(p.Sources), len(g.Units))
			if m.sameKey == 1 || m.overlap > 0 && half {
				list = append(list, m)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b match) int {
		return cmp.Or(b.overlap-a.overlap, b.sameKey-a.sameKey, numberOf(a.pattern.ID)-numberOf(b.pattern.ID))
	})
	return list
}

// isSuppressed reports whether a person turned a group down, or may have.
func (c *catalogue) isSuppressed(domain string, g *group) bool {
	for _, text := range c.unread {
		known := func(id string) bool { return id != "" && strings.Contains(text, id) }
		if strings.Contains(text, "\nkey: "+g.key(domain)+"\n") || g.isHalf(known) {
			return true
		}
	}
	return slices.ContainsFunc(c.withStatus(rejected, domain), func(p *Pattern) bool {
		ids := slices.Concat(p.Sources, p.Items)
		return p.Key == g.key(domain) || g.isHalf(func(id string) bool { return slices.Contains(ids, id) })
	})
}

// restOn makes a pattern rest on a group, and rewords it unless a person did.
func (c *catalogue) restOn(p *Pattern, domain string, g *group) {
	p.Key, p.Tags, p.Cohesion = g.key(domain), g.Tags, g.Cohesion
	p.Sources, p.Items = nil, nil
	for _, u := range g.Units {
		p.Sources = append(p.Sources, u.ID)
		if u.Item != "" {
			p.Items = append(p.Items, u.Item)
		}
	}
	slices.Sort(p.Sources)
	slices.Sort(p.Items)
	p.Items = slices.Compact(p.Items)
	if !p.isReworded() {
		c.word(p, domain, g)
	}
}

// word proposes a name and a text. If learnings like these became a rule before, they amend that one: the rule that the
// pattern names already, that of a pattern which was approved, or the one with the same name.
func (c *catalogue) word(p *Pattern, domain string, g *group) {
	name := ruleTitle(g, func(text string) bool { return len(guard.Lint(text)) == 0 }) // no person has seen it
	propose := func(title, old string) {
		p.Title, p.Text = title, ruleText(g, old)
		p.own = mark(p.Title, p.Text)
	}
	type target struct{ domain, rule string }
	targets := []target{{p.Domain, p.Amends}}
	if p.Domain == domain {
		if a := c.findApproved(domain, g); a != nil {
			path, _, _ := strings.Cut(a.Rule, "#")
			targets = append(targets, target{a.Domain, path + "#" + a.Title})
		}
		for _, name := range []string{name, g.nameTags()} { // as people call it, too
			targets = append(targets, target{domain, targetPath(domain, name) + "#" + name})
		}
	}
	for _, t := range targets {
		path, title, _ := strings.Cut(t.rule, "#")
		if text, ok := readRule(c.m, path, title); ok {
			p.Amends, p.Domain = t.rule, t.domain
			p.base = mark("", text)
			propose(title, text)
			return
		}
	}
	p.Amends = ""
	propose(name, "")
}

// findApproved returns the pattern that became a rule about the same; nil if there is none. One with the same key is
// nearer than one with the same tags, and of equals the latest counts.
func (c *catalogue) findApproved(domain string, g *group) (best *Pattern) {
	key := g.key(domain)
	for _, p := range c.withStatus(approved, domain) {
		if p.Rule == "" || p.Key != key && !shareTags(p.Tags, g.Tags) {
			continue
		}
		nearer := best == nil || p.Key == key && best.Key != key
		if nearer || (p.Key == key) == (best.Key == key) && numberOf(p.ID) > numberOf(best.ID) {
			best = p
		}
	}
	return best
}
