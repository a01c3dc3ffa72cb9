package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v4"

	"mem/index"
)

// ExpertisePath is where the list of proven lessons is in a memory.
const ExpertisePath = "core/expertise.yaml"

// ErrExpertise is wrapped when core/expertise.yaml cannot be read, or not be
// changed without losing something of it.
var ErrExpertise = errors.New("not a list of patterns that mem can change")

// Of the file.
const (
	expertiseVersion = "0.2.0"
	maxExpertise     = 4 << 20 // bytes
	promotedLayout   = "2006-01-02T15:04:05"
)

// A pattern is one proven lesson.
type pattern struct {
	ID, Text    string
	Confidence  string
	Files       int
	Evidence    string
	LearnedFrom string
	At          time.Time
}

// An expertise is a core/expertise.yaml: the nodes of its YAML, so that what
// others wrote into it stays.
type expertise struct {
	doc     *yaml.Node
	root    *yaml.Node
	changed bool
}

// readExpertise reads the file; nothing, or white space, is a new one.
func readExpertise(data []byte) (*expertise, error) {
	if len(data) > maxExpertise {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrExpertise, maxExpertise)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		root := &yaml.Node{Kind: yaml.MappingNode}
		return &expertise{doc: &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{root}}, root: root}, nil
	}
	var doc yaml.Node
	if err := yaml.Load(data, &doc, yaml.WithV4Defaults()); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrExpertise, err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%w: it is no mapping", ErrExpertise)
	}
	if err := tame(&doc); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrExpertise, err)
	}
	e := &expertise{doc: &doc, root: doc.Content[0]}
	for _, name := range []string{"patterns", "evolution_log"} {
		if n := get(e.root, name); n != nil && n.Kind != yaml.SequenceNode && n.ShortTag() != "!!null" {
			return nil, fmt.Errorf("%w: %s is no list", ErrExpertise, name)
		}
	}
	return e, nil
}

// tame refuses what a list of patterns has no use for, and what could mean
// something else to another program: names for nodes, and so bombs made of them,
// tags that make objects, and members that are there twice.
func tame(n *yaml.Node) error {
	switch tag := n.ShortTag(); {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return fmt.Errorf("line %d has an anchor or an alias", n.Line)
	case n.Kind != yaml.DocumentNode && !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq", "!!timestamp"}, tag):
		return fmt.Errorf("line %d has the tag %q", n.Line, tag)
	}
	seen := map[string]bool{}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if child.Kind != yaml.ScalarNode || seen[child.Value] {
				return fmt.Errorf("line %d has a key that is none, or is there twice", child.Line)
			}
			seen[child.Value] = true
		}
		if err := tame(child); err != nil {
			return err
		}
	}
	return nil
}

// get returns the value of a member; nil if there is none.
func get(m *yaml.Node, name string) *yaml.Node {
	for i := 0; m.Kind == yaml.MappingNode && i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return m.Content[i+1]
		}
	}
	return nil
}

// listNode returns a member that is a list, and makes it first if need be.
func (e *expertise) listNode(name string) *yaml.Node {
	n := get(e.root, name)
	if n == nil {
		n = &yaml.Node{}
		e.root.Content = append(e.root.Content, scalar(name), n)
	}
	if n.Kind != yaml.SequenceNode {
		*n = yaml.Node{Kind: yaml.SequenceNode, HeadComment: n.HeadComment, LineComment: n.LineComment, FootComment: n.FootComment}
	}
	if len(n.Content) == 0 {
		n.Style = 0 // "[]", to which a long list is going to be added
	}
	return n
}

// scalar is a new text; it gets quotes only if it would not be one without.
func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// number is a new number.
func number(n int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(n)}
}

// setMember gives a member a value, in double quotes if it is quoted.
func (e *expertise) setMember(m *yaml.Node, name string, value *yaml.Node, quoted bool) {
	if quoted {
		value.Style = yaml.DoubleQuotedStyle
	}
	n := get(m, name)
	if n == nil {
		m.Content = append(m.Content, scalar(name), value)
		e.changed = true
		return
	}
	if n.Kind == yaml.ScalarNode && n.Value == value.Value && n.ShortTag() == value.Tag {
		return
	}
	value.HeadComment, value.LineComment, value.FootComment = n.HeadComment, n.LineComment, n.FootComment
	*n = *value
	e.changed = true
}

// ids finds the id of a lesson in a comment.
var ids = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^#\s*(m-[0-9a-f]{8,})\s*$`) })

// ours returns the id that mem wrote beside a pattern.
func ours(entry *yaml.Node) string {
	n := get(entry, "pattern")
	if n == nil {
		return ""
	}
	if found := ids().FindStringSubmatch(n.LineComment); found != nil {
		return found[1]
	}
	return ""
}

// updatePatterns makes the list say what is proven now and logs what that changed.
// Entries that are no lesson's, by id or by text, stay as they are: others
// wrote them. known says whether a key is a lesson's.
func (e *expertise) updatePatterns(proven []pattern, known func(key string) bool, now time.Time) {
	if get(e.root, "version") == nil {
		e.root.Content = append(e.root.Content, scalar("version"), scalar(expertiseVersion))
	}
	patterns := e.listNode("patterns")
	todo := slices.Clone(proven)
	removed := 0
	patterns.Content = slices.DeleteFunc(patterns.Content, func(entry *yaml.Node) bool {
		text := get(entry, "pattern")
		if text == nil || text.Kind != yaml.ScalarNode {
			return false
		}
		id, key := ours(entry), index.Key(text.Value)
		at := slices.IndexFunc(todo, func(p pattern) bool { return id != "" && p.ID == id })
		if at < 0 {
			at = slices.IndexFunc(todo, func(p pattern) bool { return index.Key(p.Text) == key })
		}
		if at >= 0 {
			e.fill(entry, todo[at])
			todo = slices.Delete(todo, at, at+1)
			return false
		}
		if id == "" && !known(key) {
			return false
		}
		removed++
		return true
	})
	for _, p := range todo {
		entry := &yaml.Node{Kind: yaml.MappingNode}
		e.fill(entry, p)
		patterns.Content = append(patterns.Content, entry)
	}
	log := e.listNode("evolution_log")
	e.log(log, now, fmt.Sprintf("Promoted %d patterns from Tier 1", len(todo)), "patterns_added", len(todo))
	e.log(log, now, fmt.Sprintf("Demoted %d patterns", removed), "patterns_removed", removed)
}

// fill gives an entry what is known of its lesson. What it already says of where
// that came from, and since when it is proven, stays.
func (e *expertise) fill(entry *yaml.Node, p pattern) {
	e.setMember(entry, "pattern", scalar(p.Text), true)
	if text := get(entry, "pattern"); text.LineComment == "" {
		text.LineComment, e.changed = "# "+p.ID, true
	}
	e.setMember(entry, "confidence", scalar(p.Confidence), false)
	e.setMember(entry, "occurrences", number(p.Files), false)
	e.setMember(entry, "evidence", scalar(p.Evidence), true)
	if get(entry, "learned_from") == nil {
		e.setMember(entry, "learned_from", scalar(p.LearnedFrom), false)
	}
	if get(entry, "promoted_at") == nil {
		e.setMember(entry, "promoted_at", scalar(p.At.UTC().Format(promotedLayout)), true)
	}
}

// log adds an entry to the log if there is anything to tell.
func (e *expertise) log(log *yaml.Node, now time.Time, change, counter string, n int) {
	if n == 0 {
		return
	}
	entry := &yaml.Node{Kind: yaml.MappingNode}
	e.setMember(entry, "date", scalar(now.UTC().Format(time.DateOnly)), true)
	e.setMember(entry, "change", scalar(change), true)
	e.setMember(entry, counter, number(n), false)
	log.Content = append(log.Content, entry)
}

// encodeYAML returns the file. Versions and times get quotes, without which some
// programs read them as numbers and dates.
func (e *expertise) encodeYAML() ([]byte, error) {
	quote := func(m *yaml.Node, name string) {
		if n := get(m, name); n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
			n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
		}
	}
	quote(e.root, "version")
	for list, name := range map[string]string{"patterns": "promoted_at", "evolution_log": "date"} {
		for _, entry := range e.listNode(list).Content {
			quote(entry, name)
		}
	}
	data, err := yaml.Dump(copyOf(e.doc), yaml.WithV4Defaults(), yaml.WithCompactSeqIndent(false), yaml.WithLineWidth(-1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrExpertise, err)
	}
	// What others wrote must come out as it was, whatever they thought of.
	again, err := readExpertise(data)
	if err != nil || !alikeNodes(e.root, again.root) {
		return nil, fmt.Errorf("%w: it would not read the same afterwards", ErrExpertise)
	}
	return data, nil
}

// copyOf is a deep copy of a node without aliases. Dump changes what it dumps.
func copyOf(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = copyOf(child)
	}
	return &c
}

// alikeNodes reports whether two nodes mean the same.
func alikeNodes(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.ShortTag() == b.ShortTag() && a.Value == b.Value &&
		slices.EqualFunc(a.Content, b.Content, alikeNodes)
}

// evidenceText is how an entry names files.
func evidenceText(paths []string) string { return strings.Join(paths, ", ") }
