package expertise

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"

	"mem/guard"
	"mem/index"
)

// valueOf returns the text of a member; "" if it is not there.
func valueOf(m *yaml.Node, name string) string {
	if n := memberOf(m, name); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

// ForeignPatterns returns the patterns that mem did not write.
func (l *List) ForeignPatterns() (list []Pattern) {
	for _, entry := range l.listNode(patternsName).Content {
		p := Pattern{Text: valueOf(entry, "pattern"), Confidence: valueOf(entry, "confidence"), Evidence: valueOf(entry, "evidence"), Line: entry.Line}
		if p.Text != "" && idOf(memberOf(entry, "pattern")) == "" {
			p.Files, _ = strconv.Atoi(valueOf(entry, "occurrences"))
			p.At, _ = time.Parse(promotedLayout, valueOf(entry, "promoted_at"))
			list = append(list, p)
		}
	}
	return list
}

// Join adds what another list has: the patterns that are lessons now, with all that is
// said of them, what was logged, and other members. ids are those of the lessons, by
// the text of the pattern. Secrets are left out.
func (l *List) Join(from *List, ids map[string]string) {
	for i := 0; i+1 < len(from.root.Content); i += 2 {
		name := from.root.Content[i]
		if name.Value != patternsName && name.Value != logName && memberOf(l.root, name.Value) == nil {
			l.root.Content = append(l.root.Content, scrubbed(name), scrubbed(from.root.Content[i+1]))
		}
	}
	patterns := l.listNode(patternsName)
	for _, entry := range from.listNode(patternsName).Content {
		text := valueOf(entry, "pattern")
		has := func(o *yaml.Node) bool { return index.KeyOf(valueOf(o, "pattern")) == index.KeyOf(text) }
		if ids[text] != "" && !slices.ContainsFunc(patterns.Content, has) {
			entry = scrubbed(entry)
			memberOf(entry, "pattern").LineComment = "# " + ids[text]
			patterns.Content = append(patterns.Content, entry)
		}
	}
	log := l.listNode(logName)
	for _, entry := range from.listNode(logName).Content {
		has := func(o *yaml.Node) bool {
			return valueOf(o, "date") == valueOf(entry, "date") && valueOf(o, "change") == valueOf(entry, "change")
		}
		if !slices.ContainsFunc(log.Content, has) {
			log.Content = append(log.Content, scrubbed(entry))
		}
	}
	slices.SortStableFunc(log.Content, func(a, b *yaml.Node) int { return cmp.Compare(valueOf(a, "date"), valueOf(b, "date")) })
}

// scrubbed returns a copy of a node without secrets.
func scrubbed(n *yaml.Node) *yaml.Node {
	c := copyOf(n)
	for _, text := range []*string{&c.Value, &c.HeadComment, &c.LineComment, &c.FootComment} {
		*text = guard.Scrub(*text)
	}
	for i, child := range c.Content {
		c.Content[i] = scrubbed(child)
	}
	return c
}
