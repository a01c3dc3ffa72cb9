package pattern

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"mem/index"
	"mem/words"
)

// A Scan compares what groups now with the patterns that there are.
type Scan struct {
	Patterns []*Pattern // all that can be read
	Unread   []string   // the files of the others: somebody may have decided there
	Last     int        // the highest number given so far
	Day      string     // today, YYYY-MM-DD

	// Target returns the path of the file that a rule goes to, and Rule the text
	// of the rule with this name in such a file, if there is one.
	Target func(domain, title string) string
	Rule   func(path, name string) (text string, ok bool)
}

// A Change is what a scan did to one pattern.
type Change struct {
	Pattern *Pattern
	Group   *Group // that it stands for; nil if it is gone
	New     bool
	Gone    bool // there is too little left of what it rested on
	Same    bool // nothing happened to it
}

// ScanDomain brings the pending patterns of a domain in line with its groups and
// returns them all, with what happened to each. A group that a rejected
// pattern is about, or holds half of, proposes nothing, and neither does one of
// which that seems so in a file that cannot be read. A pending pattern that
// mem did not write itself is never taken away.
func (s *Scan) ScanDomain(domain string, groups []Group) []Change {
	var changes []Change
	taken := make([]*Pattern, len(groups))
	held := map[*Pattern]bool{}
	for _, m := range s.matches(domain, groups) {
		if taken[m.group] == nil && !held[m.pattern] {
			taken[m.group], held[m.pattern] = m.pattern, true
		}
	}
	for _, p := range s.Patterns {
		if p.Status == Pending && p.OriginDomain() == domain && !held[p] && p.own != "" {
			changes = append(changes, Change{Pattern: p, Gone: true})
		}
	}
	order := make([]int, len(groups))
	for i := range order {
		order[i] = i
	}
	// Two groups may be about the same pair of tags; then the units decide.
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(groups[a].Key(domain), groups[b].Key(domain)), cmp.Compare(groups[a].Units[0].ID, groups[b].Units[0].ID))
	})
	for _, i := range order {
		g := &groups[i]
		switch p := taken[i]; {
		case p != nil:
			was := *p
			s.refresh(p, domain, g)
			changes = append(changes, Change{Pattern: p, Group: g, Same: p.same(&was)})
		case s.Last < MaxNumber && !s.suppressed(domain, g):
			changes = append(changes, Change{Pattern: s.propose(domain, g), Group: g, New: true})
		}
	}
	return changes
}

// A match is a pending pattern that may stand for a group.
type match struct {
	pattern *Pattern
	group   int
	overlap int
	key     bool
}

// matches returns the possible matches, the best first.
func (s *Scan) matches(domain string, groups []Group) (list []match) {
	at, keys := map[string]int{}, make([]string, len(groups))
	for i := range groups {
		keys[i] = groups[i].Key(domain)
		for _, u := range groups[i].Units {
			at[u.ID] = i
			if u.Item != "" {
				at[u.Item] = i
			}
		}
	}
	for _, p := range s.Patterns {
		if p.Status != Pending || p.OriginDomain() != domain {
			continue
		}
		overlap := map[int]int{}
		for _, id := range p.Sources {
			if i, ok := at[id]; ok {
				overlap[i]++
			}
		}
		for i := range groups {
			same := keys[i] == p.Key
			if n := overlap[i]; same || n > 0 && (2*n >= len(p.Sources) || 2*n >= len(groups[i].Units)) {
				list = append(list, match{p, i, n, same})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b match) int {
		same := 0
		if a.key != b.key {
			same = 1
			if a.key {
				same = -1
			}
		}
		return cmp.Or(cmp.Compare(b.overlap, a.overlap), same, cmp.Compare(NumberOf(a.pattern.ID), NumberOf(b.pattern.ID)))
	})
	return list
}

// suppressed reports whether a person turned down what a group proposes, or may
// have.
func (s *Scan) suppressed(domain string, g *Group) bool {
	for _, text := range s.Unread {
		known := func(id string) bool { return id != "" && strings.Contains(text, id) }
		if strings.Contains(text, "\nkey: "+g.Key(domain)+"\n") || g.half(known) {
			return true
		}
	}
	for _, p := range s.Patterns {
		if p.Status != Rejected || p.OriginDomain() != domain {
			continue
		}
		if p.Key == g.Key(domain) {
			return true
		}
		known := map[string]bool{}
		for _, id := range slices.Concat(p.Sources, p.Items) {
			known[id] = true
		}
		if g.half(func(id string) bool { return known[id] }) {
			return true
		}
	}
	return false
}

// half reports whether at least half of the units are known, by their own ids
// or those of their lessons.
func (g *Group) half(known func(id string) bool) bool {
	n := 0
	for _, u := range g.Units {
		if known(u.ID) || known(u.Item) {
			n++
		}
	}
	return 2*n >= len(g.Units)
}

// refresh gives a pattern the evidence that there is now.
func (s *Scan) refresh(p *Pattern, domain string, g *Group) {
	p.restOn(domain, g)
	if !p.IsReworded() {
		s.word(p, domain, g)
	}
}

// propose makes a new pattern of a group.
func (s *Scan) propose(domain string, g *Group) *Pattern {
	s.Last++
	p := &Pattern{ID: IDOf(s.Last), Status: Pending, Detected: s.Day, Domain: domain}
	p.restOn(domain, g)
	s.word(p, domain, g)
	return p
}

// same reports whether a scan left a pattern as it was.
func (p *Pattern) same(was *Pattern) bool {
	return p.Key == was.Key && p.Times == was.Times && p.Cohesion == was.Cohesion && p.Title == was.Title && p.Text == was.Text &&
		p.Domain == was.Domain && p.Amends == was.Amends && p.base == was.base && p.own == was.own &&
		slices.Equal(p.Tags, was.Tags) && slices.Equal(p.Sources, was.Sources) && slices.Equal(p.Items, was.Items)
}

// word proposes a name and a text. If learnings like these became a rule
// before, they amend that one.
func (s *Scan) word(p *Pattern, domain string, g *Group) {
	name, old, ok := "", "", false
	if p.Amends != "" {
		var path string
		path, name, _ = strings.Cut(p.Amends, "#")
		old, ok = s.Rule(path, name)
	}
	if !ok && p.Domain == domain {
		var path string
		var goes string
		if goes, path, name, old, ok = s.agreed(domain, g); ok {
			p.Amends, p.Domain = path+"#"+name, goes
		}
	}
	if !ok {
		p.Amends = ""
		p.ProposeText(RuleTitle(g), RuleText(g, ""))
		return
	}
	p.BuildUpon(old)
	p.ProposeText(name, RuleText(g, old))
}

// agreed returns the rule that a group adds to, if there is one, and its domain.
func (s *Scan) agreed(domain string, g *Group) (goes, path, name, text string, ok bool) {
	if a := s.approved(domain, g); a != nil {
		path, _, _ = strings.Cut(a.Rule, "#")
		if text, ok = s.Rule(path, a.Title); ok {
			return a.Domain, path, a.Title, text, true
		}
	}
	name = RuleTitle(g)
	path = s.Target(domain, name)
	text, ok = s.Rule(path, name)
	return domain, path, name, text, ok
}

// approved returns the pattern that became a rule about the same; nil if there
// is none. One with the same key is nearer than one with the same tags, and a
// later one nearer than an earlier one.
func (s *Scan) approved(domain string, g *Group) (best *Pattern) {
	for _, p := range s.Patterns {
		if p.Status != Approved || p.OriginDomain() != domain || p.Rule == "" || p.Key != g.Key(domain) && !ShareTags(p.Tags, g.Tags) {
			continue
		}
		same := p.Key == g.Key(domain)
		if best == nil || same && best.Key != p.Key || same == (best.Key == g.Key(domain)) && NumberOf(p.ID) > NumberOf(best.ID) {
			best = p
		}
	}
	return best
}

// restOn makes a pattern rest on a group.
func (p *Pattern) restOn(domain string, g *Group) {
	p.Key, p.Tags, p.Times, p.Cohesion = g.Key(domain), g.Tags, g.Times, g.Cohesion
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
}

// RuleTitle returns a name for what a group is about: its tags in words.
func RuleTitle(g *Group) string {
	title := joinTags(g.Tags)
	if utf8.RuneCountInString(title) > maxTitle {
		title = joinTags(g.Tags[:MinShared])
	}
	for utf8.RuneCountInString(title) > maxTitle {
		_, size := utf8.DecodeLastRuneInString(title)
		title = strings.TrimSpace(title[:len(title)-size])
	}
	first, size := utf8.DecodeRuneInString(title)
	return strings.ToUpper(string(first)) + title[size:]
}

// maxStatements is how many statements a proposed rule has at most.
const maxStatements = 12

// RuleText returns a rule in the words of the learnings: what they say, each once,
// the best first. old is the text of the rule that it adds to.
func RuleText(g *Group, old string) string {
	seen := map[string]bool{}
	for line := range strings.Lines(old) {
		seen[said(strings.TrimPrefix(strings.TrimSpace(line), "- "))] = true
	}
	var list []string
	for _, u := range g.Units {
		if key := said(u.Text); !seen[key] && len(list) < maxStatements {
			seen[key] = true
			list = append(list, words.FoldSpace(u.Text))
		}
	}
	if len(list) == 1 && old == "" && !strings.HasPrefix(list[0], "#") {
		return list[0]
	}
	if old = strings.TrimSpace(old); old != "" && !strings.HasPrefix(lastLine(old), "- ") && len(list) > 0 {
		old += "\n"
	}
	var b strings.Builder
	b.WriteString(old)
	for _, s := range list {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("- " + s)
	}
	return b.String()
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// said is what a statement comes to, whoever says it.
func said(text string) string { return index.Key(index.StripAvoid(text)) }
