package pattern

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"mem/index"
	"mem/lazy"
	"mem/words"
)

// A Scan compares what groups now with the patterns that there are.
type Scan struct {
	Patterns []*Pattern        // all that can be read
	Unread   map[string]string // the files of the others, in which a person may have decided, by path
	Last     int               // the highest number given so far
	Day      string            // today, YYYY-MM-DD

	// Target returns the path of the file that a rule goes to, and Rule the text
	// of the rule with this name in such a file, if there is one.
	Target func(domain, title string) string
	Rule   func(path, name string) (text string, ok bool)

	// IsFit reports whether a statement may name a rule before a person has seen it.
	IsFit func(text string) bool
}

// A Change is what a scan did to one pattern.
type Change struct {
	Pattern *Pattern
	Group   *Group // that it stands for; nil if it is gone
	New     bool
	Gone    bool // too little is left of what it rested on
	Same    bool // nothing happened to it
}

func (s *Scan) withStatus(status Status, domain string) []*Pattern {
	return slices.DeleteFunc(slices.Clone(s.Patterns), func(p *Pattern) bool { return p.Status != status || p.OriginDomain() != domain })
}

// ScanDomain brings the pending patterns of a domain in line with its groups. It
// returns them all, with what happened to each. A group that a rejected pattern
// is about, or holds half of, proposes nothing, and neither does one of which
// that seems so in a file that cannot be read. A pending pattern in the words of a person
// is never taken away.
func (s *Scan) ScanDomain(domain string, groups []*Group) []Change {
	var changes []Change
	taken := map[*Group]*Pattern{}
	held := map[*Pattern]bool{}
	for _, m := range s.findMatches(domain, groups) {
		if taken[m.group] == nil && !held[m.pattern] {
			taken[m.group], held[m.pattern] = m.pattern, true
		}
	}
	for _, p := range s.withStatus(Pending, domain) {
		if !held[p] && p.own != "" && !p.IsReworded() {
			changes = append(changes, Change{Pattern: p, Gone: true})
		}
	}
	groups = slices.Clone(groups)
	// Two groups may be about the same pair of tags; then the units decide.
	slices.SortFunc(groups, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(a.Key(domain), b.Key(domain)), cmp.Compare(a.Units[0].ID, b.Units[0].ID))
	})
	for _, g := range groups {
		switch p := taken[g]; {
		case p != nil:
			before := string(p.Bytes())
			s.restOn(p, domain, g)
			changes = append(changes, Change{Pattern: p, Group: g, Same: string(p.Bytes()) == before})
		case s.Last < MaxNumber && !s.isSuppressed(domain, g):
			s.Last++
			p = &Pattern{ID: formatID(s.Last), Status: Pending, Detected: s.Day, Domain: domain}
			s.restOn(p, domain, g)
			changes = append(changes, Change{Pattern: p, Group: g, New: true})
		}
	}
	return changes
}

// A match is a pending pattern that may stand for a group.
type match struct {
	pattern *Pattern
	group   *Group
	overlap int // the sources that are in the group
	sameKey int // 1 if the group has the key of the pattern
}

func (s *Scan) findMatches(domain string, groups []*Group) (list []match) {
	groupOf := map[string]*Group{}
	for _, g := range groups {
		for _, u := range g.Units {
			groupOf[u.ID], groupOf[u.Item] = g, g
		}
	}
	delete(groupOf, "") // units without a lesson
	for _, p := range s.withStatus(Pending, domain) {
		overlap := map[*Group]int{}
		for _, id := range p.Sources {
			overlap[groupOf[id]]++
		}
		for _, g := range groups {
			m := match{pattern: p, group: g, overlap: overlap[g]}
			if g.Key(domain) == p.Key {
				m.sameKey = 1
			}
			half := 2*m.overlap >= min(len(p.Sources), len(g.Units))
			if m.sameKey == 1 || m.overlap > 0 && half {
				list = append(list, m)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b match) int {
		return cmp.Or(b.overlap-a.overlap, b.sameKey-a.sameKey, NumberOf(a.pattern.ID)-NumberOf(b.pattern.ID))
	})
	return list
}

// isSuppressed reports whether a person turned a group down, or may have.
func (s *Scan) isSuppressed(domain string, g *Group) bool {
	for _, text := range s.Unread {
		known := func(id string) bool { return id != "" && strings.Contains(text, id) }
		if strings.Contains(text, "\nkey: "+g.Key(domain)+"\n") || g.isHalf(known) {
			return true
		}
	}
	for _, p := range s.withStatus(Rejected, domain) {
		ids := slices.Concat(p.Sources, p.Items)
		if p.Key == g.Key(domain) || g.isHalf(func(id string) bool { return slices.Contains(ids, id) }) {
			return true
		}
	}
	return false
}

// isHalf reports whether half of the units, or of their lessons, are known.
func (g *Group) isHalf(known func(id string) bool) bool {
	n := 0
	for _, u := range g.Units {
		if known(u.ID) || known(u.Item) {
			n++
		}
	}
	return 2*n >= len(g.Units)
}

// restOn makes a pattern rest on a group, and rewords it unless a person did.
func (s *Scan) restOn(p *Pattern, domain string, g *Group) {
	p.Key, p.Tags, p.Cohesion = g.Key(domain), g.Tags, g.Cohesion
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
	if !p.IsReworded() {
		s.word(p, domain, g)
	}
}

// word proposes a name and a text. If learnings like these became a rule before,
// they amend that one: the rule that the pattern names already, that of a pattern
// which was approved, or the one with the same name.
func (s *Scan) word(p *Pattern, domain string, g *Group) {
	name := RuleTitle(g, s.IsFit)
	propose := func(title, old string) {
		p.Title, p.Text = title, RuleText(g, old)
		p.own = mark(p.Title, p.Text)
	}
	type target struct{ domain, rule string }
	targets := []target{{p.Domain, p.Amends}}
	if p.Domain == domain {
		if a := s.findApproved(domain, g); a != nil {
			path, _, _ := strings.Cut(a.Rule, "#")
			targets = append(targets, target{a.Domain, path + "#" + a.Title})
		}
		for _, name := range []string{name, nameTags(g)} { // as people call it, too
			targets = append(targets, target{domain, s.Target(domain, name) + "#" + name})
		}
	}
	for _, t := range targets {
		path, title, _ := strings.Cut(t.rule, "#")
		if text, ok := s.Rule(path, title); ok {
			p.Amends, p.Domain = t.rule, t.domain
			p.BuildUpon(text)
			propose(title, text)
			return
		}
	}
	p.Amends = ""
	propose(name, "")
}

// findApproved returns the pattern that became a rule about the same; nil if
// there is none. One with the same key is nearer than one with the same tags, and
// of equals the latest counts.
func (s *Scan) findApproved(domain string, g *Group) (best *Pattern) {
	key := g.Key(domain)
	for _, p := range s.withStatus(Approved, domain) {
		if p.Rule == "" || p.Key != key && !ShareTags(p.Tags, g.Tags) {
			continue
		}
		nearer := best == nil || p.Key == key && best.Key != key
		if nearer || (p.Key == key) == (best.Key == key) && NumberOf(p.ID) > NumberOf(best.ID) {
			best = p
		}
	}
	return best
}

// RuleTitle returns a name for a rule that says what a group does: the first of its
// statements that is short enough, without its reasons, advice before mistakes. What is
// learned later does not change it, in another clone, say. If none is fit to be shown to
// agents, which are told of patterns, it is the tags in words.
func RuleTitle(g *Group, isFit func(text string) bool) string {
	units := slices.Clone(g.Units)
	slices.SortStableFunc(units, func(a, b Unit) int { return a.Since.Compare(b.Since) })
	for _, avoid := range []bool{false, true} {
		for _, u := range units {
			if phrase := phraseOf(u.Text); phrase != "" && index.SaysAvoid(u.Text) == avoid && isFit(u.Text) {
				return phrase
			}
		}
	}
	return nameTags(g)
}

// nameTags returns the tags of a group in words.
func nameTags(g *Group) string {
	title := listTags(g.Tags)
	if utf8.RuneCountInString(title) > MaxTitle {
		title = listTags(g.Tags[:MinShared])
	}
	if chars := []rune(title); len(chars) > MaxTitle {
		title = strings.TrimSpace(string(chars[:MaxTitle]))
	}
	return capitalise(title)
}

// reReason matches where a statement begins to say why, or more.
var reReason = lazy.New(`(?i)[.:;!?](?:\s|$)| [–—(] ?| - |,? (?:so that|because|since|otherwise|which|as it|or else)\b|, (?:so|or|as|and) `)

// phraseOf returns the part of a statement that says what to do or to avoid; "" if it
// does not name a rule.
func phraseOf(text string) string {
	phrase := words.FoldSpace(index.StripAvoid(text))
	if at := reReason.Get().FindStringIndex(phrase); at != nil {
		phrase = phrase[:at[0]]
	}
	if index.SaysAvoid(text) {
		phrase = "Avoid " + phrase
	}
	phrase = strings.TrimRight(phrase, " .,;:")
	if utf8.RuneCountInString(phrase) > MaxTitle || strings.Count(phrase, " ") < 1 || strings.Count(phrase, "`")%2 == 1 || strings.HasPrefix(phrase, "#") {
		return ""
	}
	return capitalise(phrase)
}

func capitalise(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(first)) + s[size:]
}

func listTags(tags []string) string {
	last := len(tags) - 1
	return strings.ReplaceAll(strings.Join(tags[:last], ", ")+" and "+tags[last], "-", " ")
}

const maxStatements = 12

// RuleText returns a rule in the words of the learnings: what they say, each
// once, the best first. old is the text of the rule that it adds to.
func RuleText(g *Group, old string) string {
	seen := map[string]bool{}
	for line := range strings.Lines(old) {
		seen[statementKey(strings.TrimPrefix(strings.TrimSpace(line), "- "))] = true
	}
	var list []string
	for _, u := range g.Units {
		if key := statementKey(u.Text); !seen[key] && len(list) < maxStatements {
			seen[key] = true
			list = append(list, words.FoldSpace(u.Text))
		}
	}
	if len(list) == 1 && old == "" && !strings.HasPrefix(list[0], "#") {
		return list[0]
	}
	var lines []string
	if old = strings.TrimSpace(old); old != "" {
		lines = append(lines, old)
		if last := old[strings.LastIndexByte(old, '\n')+1:]; !strings.HasPrefix(last, "- ") && len(list) > 0 {
			lines = append(lines, "")
		}
	}
	for _, s := range list {
		lines = append(lines, "- "+s)
	}
	return strings.Join(lines, "\n")
}

// statementKey is the same for statements that say the same, as advice or as
// a mistake.
func statementKey(text string) string { return index.KeyOf(index.StripAvoid(text)) }
