// Package expertise edits core/expertise.yaml, the list of proven lessons in the
// format of Psi. It works on the nodes of the YAML, so that what other programs
// and people wrote into the file stays.
package expertise

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"

	"mem/guard"
	"mem/index"
	"mem/lazy"
)

// Path is where the list is in a memory root.
const Path = "core/expertise.yaml"

// ErrNotEditable is wrapped when the file cannot be read, or not be changed
// without losing something of it.
var ErrNotEditable = errors.New("not a list of patterns that mem can change")

const (
	formatVersion  = "0.2.0"
	maxBytes       = 4 << 20
	promotedLayout = "2006-01-02T15:04:05"
)

// The members that are lists.
const (
	patternsName = "patterns"
	logName      = "evolution_log"
)

// A Pattern is one proven lesson.
type Pattern struct {
	ID, Text    string
	Confidence  string
	Files       int
	Evidence    string
	LearnedFrom string
	At          time.Time
	Line        int // where it stands in the file it was read from
}

// A List is a core/expertise.yaml.
type List struct {
	Changed bool // since it was read

	doc  *yaml.Node
	root *yaml.Node
}

// ReadList reads the file; nothing, or white space, is a new list.
func ReadList(data []byte) (*List, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		root := &yaml.Node{Kind: yaml.MappingNode}
		return &List{doc: &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{root}}, root: root}, nil
	}
	doc, err := parseList(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotEditable, err)
	}
	return &List{doc: doc, root: doc.Content[0]}, nil
}

func parseList(data []byte) (*yaml.Node, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("it has more than %d bytes", maxBytes)
	}
	var doc yaml.Node
	if err := yaml.Load(data, &doc, yaml.WithV4Defaults()); err != nil {
		return nil, err
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("it is not a mapping")
	}
	for _, name := range []string{patternsName, logName} {
		if n := memberOf(doc.Content[0], name); n != nil && n.Kind != yaml.SequenceNode && n.ShortTag() != "!!null" {
			return nil, fmt.Errorf("%s is not a list", name)
		}
	}
	return &doc, checkNode(&doc)
}

var plainTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq", "!!timestamp"}

// checkNode refuses what a list of patterns does not need and what another
// program could read differently: names for nodes, and so bombs made of them, tags
// that make objects, and members that are there twice.
func checkNode(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return fmt.Errorf("line %d has an anchor or an alias", n.Line)
	}
	if n.Kind != yaml.DocumentNode && !slices.Contains(plainTags, n.ShortTag()) {
		return fmt.Errorf("line %d has the tag %q", n.Line, n.ShortTag())
	}
	seen := map[string]bool{}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if child.Kind != yaml.ScalarNode || seen[child.Value] {
				return fmt.Errorf("line %d has a key that is not a text, or is there twice", child.Line)
			}
			seen[child.Value] = true
		}
		if err := checkNode(child); err != nil {
			return err
		}
	}
	return nil
}

func memberOf(m *yaml.Node, name string) *yaml.Node {
	for i := 0; m.Kind == yaml.MappingNode && i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i+1]
		}
	}
	return nil
}

// listNode returns a member that is a list, and makes it first if need be.
func (l *List) listNode(name string) *yaml.Node {
	n := memberOf(l.root, name)
	if n == nil {
		n = &yaml.Node{}
		l.root.Content = append(l.root.Content, scalar(name), n)
	}
	if n.Kind != yaml.SequenceNode {
		*n = yaml.Node{Kind: yaml.SequenceNode, HeadComment: n.HeadComment, LineComment: n.LineComment, FootComment: n.FootComment}
	}
	if len(n.Content) == 0 {
		n.Style = 0 // "[]", to which a long list is going to be added
	}
	return n
}

// scalar returns a new text; it gets quotes only if it would not be one without.
func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

func quoted(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: yaml.DoubleQuotedStyle}
}

func number(n int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(n)}
}

func (l *List) setMember(m *yaml.Node, name string, value *yaml.Node) {
	switch n := memberOf(m, name); {
	case n == nil:
		m.Content = append(m.Content, scalar(name), value)
	case n.Kind == yaml.ScalarNode && n.Value == value.Value && n.ShortTag() == value.Tag:
		return
	default:
		value.HeadComment, value.LineComment, value.FootComment = n.HeadComment, n.LineComment, n.FootComment
		*n = *value
	}
	l.Changed = true
}

var idComment = lazy.New(`^#\s*(m-[0-9a-f]{8,})\s*$`)

// idOf returns the id that mem wrote beside a pattern; "" for none.
func idOf(text *yaml.Node) string {
	if found := idComment.Get().FindStringSubmatch(text.LineComment); found != nil {
		return found[1]
	}
	return ""
}

// Update makes the list say what is proven now and logs what that changed.
// Entries that belong to no lesson, by id or by text, stay as they are: others
// wrote them. known reports whether a key is that of a lesson.
func (l *List) Update(proven []Pattern, known func(key string) bool, now time.Time) {
	if memberOf(l.root, "version") == nil {
		l.root.Content = append(l.root.Content, scalar("version"), scalar(formatVersion))
	}
	patterns := l.listNode(patternsName)
	fresh := slices.Clone(proven)
	removed := 0
	patterns.Content = slices.DeleteFunc(patterns.Content, func(entry *yaml.Node) bool {
		text := memberOf(entry, "pattern")
		if text == nil || text.Kind != yaml.ScalarNode {
			return false
		}
		id, key := idOf(text), index.KeyOf(text.Value)
		at := slices.IndexFunc(fresh, func(p Pattern) bool { return id != "" && p.ID == id })
		if at < 0 {
			at = slices.IndexFunc(fresh, func(p Pattern) bool { return index.KeyOf(p.Text) == key })
		}
		if at >= 0 {
			l.fillEntry(entry, fresh[at])
			fresh = slices.Delete(fresh, at, at+1)
			return false
		}
		if id == "" && !known(key) {
			return false
		}
		removed++
		return true
	})
	for _, p := range fresh {
		entry := &yaml.Node{Kind: yaml.MappingNode}
		l.fillEntry(entry, p)
		patterns.Content = append(patterns.Content, entry)
	}
	l.addLog(now, "Promoted %d patterns from Tier 1", "patterns_added", len(fresh))
	l.addLog(now, "Demoted %d patterns", "patterns_removed", removed)
}

// fillEntry gives an entry what is known of its lesson. What it already says of
// where the lesson came from, and since when it is proven, stays.
func (l *List) fillEntry(entry *yaml.Node, p Pattern) {
	l.setMember(entry, "pattern", quoted(p.Text))
	if text := memberOf(entry, "pattern"); text.LineComment == "" {
		text.LineComment, l.Changed = "# "+p.ID, true
	}
	l.setMember(entry, "confidence", scalar(p.Confidence))
	l.setMember(entry, "occurrences", number(p.Files))
	l.setMember(entry, "evidence", quoted(p.Evidence))
	if memberOf(entry, "learned_from") == nil {
		l.setMember(entry, "learned_from", scalar(p.LearnedFrom))
	}
	if memberOf(entry, "promoted_at") == nil {
		l.setMember(entry, "promoted_at", quoted(p.At.UTC().Format(promotedLayout)))
	}
}

// addLog adds an entry to the log if it counts anything.
func (l *List) addLog(now time.Time, change, counter string, n int) {
	log := l.listNode(logName)
	if n == 0 {
		return
	}
	entry := &yaml.Node{Kind: yaml.MappingNode}
	l.setMember(entry, "date", quoted(now.UTC().Format(time.DateOnly)))
	l.setMember(entry, "change", quoted(fmt.Sprintf(change, n)))
	l.setMember(entry, counter, number(n))
	log.Content = append(log.Content, entry)
}

// Encode returns the file. Versions and times get quotes, without which some
// programs read them as numbers and dates.
func (l *List) Encode() ([]byte, error) {
	quote := func(m *yaml.Node, name string) {
		if n := memberOf(m, name); n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
			n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
		}
	}
	quote(l.root, "version")
	for list, name := range map[string]string{patternsName: "promoted_at", logName: "date"} {
		for _, entry := range l.listNode(list).Content {
			quote(entry, name)
		}
	}
	data, err := yaml.Dump(copyOf(l.doc), yaml.WithV4Defaults(), yaml.WithCompactSeqIndent(false), yaml.WithLineWidth(-1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotEditable, err)
	}
	// What others wrote must come out as it was, whatever form it has.
	again, err := ReadList(data)
	if err != nil || !meansSame(l.root, again.root) {
		return nil, fmt.Errorf("%w: it would not read the same afterwards", ErrNotEditable)
	}
	return data, nil
}

// copyOf returns a deep copy of a node without aliases. Dump changes what it
// dumps.
func copyOf(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = copyOf(child)
	}
	return &c
}

func meansSame(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.ShortTag() == b.ShortTag() && a.Value == b.Value &&
		slices.EqualFunc(a.Content, b.Content, meansSame)
}

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
