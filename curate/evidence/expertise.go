package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/repo"
)

// ListPath is where the list of proven lessons, in the format of Psi, is in a memory root.
const ListPath = "core/expertise.yaml"

// ErrNotEditable is wrapped when the file cannot be read, or not be changed without losing something of it.
var ErrNotEditable = fault.New(fault.Unreadable, "not a list of patterns that mem can change",
	"repair the file; 'git show HEAD:core/expertise.yaml' in the memory prints the last good one")

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

// A Pattern is one proven lesson in a list of another program.
type Pattern struct {
	Block
	confidence string
	found      index.Evidence
}

// A list is a core/expertise.yaml. It is edited by the nodes of the YAML, so that what other
// programs and people wrote into the file stays.
type list struct {
	changed bool // since it was read

	doc  *yaml.Node
	root *yaml.Node
}

// readList reads the file; nothing, or white space, is a new list.
func readList(data []byte) (*list, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("version: " + strconv.Quote(formatVersion))
	}
	doc, root := &yaml.Node{}, &yaml.Node{}
	err := yaml.Load(data[:min(len(data), maxBytes)], doc, yaml.WithV4Defaults())
	if len(doc.Content) == 1 {
		root = doc.Content[0]
	}
	switch {
	case len(data) > maxBytes:
		err = fmt.Errorf("it has more than %d bytes", maxBytes)
	case err == nil && root.Kind != yaml.MappingNode:
		err = errors.New("it is not a mapping")
	case err == nil:
		err = checkNode(doc)
	}
	for _, name := range []string{patternsName, logName} {
		if n := memberOf(root, name); err == nil && n != nil && n.Kind != yaml.SequenceNode && n.ShortTag() != "!!null" {
			err = fmt.Errorf("%s is not a list", name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotEditable, err)
	}
	return &list{doc: doc, root: root}, nil
}

var plainTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq", "!!timestamp"}

// checkNode refuses YAML that a list of patterns does not need and other programs could read differently:
// anchors and aliases (and so alias bombs), tags that make objects, and duplicate members.
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
func (l *list) listNode(name string) *yaml.Node {
	n := memberOf(l.root, name)
	if n == nil {
		n = &yaml.Node{Kind: yaml.SequenceNode}
		l.root.Content = append(l.root.Content, scalar(name), n)
	}
	if len(n.Content) == 0 { // null, or "[]", to which a long list is going to be added
		*n = yaml.Node{Kind: yaml.SequenceNode, HeadComment: n.HeadComment, LineComment: n.LineComment, FootComment: n.FootComment}
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

func (l *list) setMember(m *yaml.Node, name string, value *yaml.Node) {
	switch n := memberOf(m, name); {
	case n == nil:
		m.Content = append(m.Content, scalar(name), value)
	case n.Kind == yaml.ScalarNode && n.Value == value.Value && n.ShortTag() == value.Tag:
		return
	default:
		value.HeadComment, value.LineComment, value.FootComment = n.HeadComment, n.LineComment, n.FootComment
		*n = *value
	}
	l.changed = true
}

var idComment = lazy.New(`^#\s*(m-[0-9a-f]{8,})\s*$`)

// idOf returns the id that mem wrote beside a pattern; "" for none.
func idOf(text *yaml.Node) string {
	if found := idComment.Get().FindStringSubmatch(text.LineComment); found != nil {
		return found[1]
	}
	return ""
}

// updateList updates a memory's list to the lessons proven now, logs the changes, and reports whether
// there were any. It keeps entries that match no lesson, by id or by text: others wrote them.
func updateList(m *repo.Memory, proven []*index.Item) (changed bool, err error) {
	data, err := m.ReadFile(ListPath)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	l, err := readList(data)
	if err == nil {
		l.update(proven, func(key string) bool {
			return slices.ContainsFunc(m.Index.Items, func(it index.Item) bool { return it.Key == key })
		}, m.Now())
	}
	if err == nil && l.changed {
		if data, err = l.encode(); err == nil {
			err = m.WriteFile(ListPath, data)
		}
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", ListPath, err)
	}
	return l.changed, nil
}

// update is updateList for a list that was read. known reports whether a key is that of a lesson.
func (l *list) update(proven []*index.Item, known func(key string) bool, now time.Time) {
	if memberOf(l.root, "version") == nil {
		l.root.Content = append(l.root.Content, scalar("version"), scalar(formatVersion))
	}
	patterns, removed := l.listNode(patternsName), 0
	fresh := slices.Clone(proven)
	patterns.Content = slices.DeleteFunc(patterns.Content, func(entry *yaml.Node) bool {
		text := memberOf(entry, "pattern")
		if text == nil || text.Kind != yaml.ScalarNode {
			return false
		}
		id, key := idOf(text), index.KeyOf(text.Value)
		at := slices.IndexFunc(fresh, func(it *index.Item) bool { return id != "" && it.ID == id })
		if at < 0 {
			at = slices.IndexFunc(fresh, func(it *index.Item) bool { return index.KeyOf(it.Text) == key })
		}
		switch {
		case at >= 0:
			l.fillEntry(entry, fresh[at])
			fresh = slices.Delete(fresh, at, at+1)
		case id != "" || known(key):
			removed++
			return true
		}
		return false
	})
	for _, it := range fresh {
		entry := &yaml.Node{Kind: yaml.MappingNode}
		l.fillEntry(entry, it)
		patterns.Content = append(patterns.Content, entry)
	}
	l.addLog(now, "Promoted %d patterns from Tier 1", "patterns_added", len(fresh))
	l.addLog(now, "Demoted %d patterns", "patterns_removed", removed)
}

// fillEntry fills an entry from its lesson. It keeps the entry's own source and date of proof, if
// there are any.
func (l *list) fillEntry(entry *yaml.Node, it *index.Item) {
	l.setMember(entry, "pattern", quoted(it.Text))
	if text := memberOf(entry, "pattern"); text.LineComment == "" {
		text.LineComment, l.changed = "# "+it.ID, true
	}
	l.setMember(entry, "confidence", scalar(it.Confidence))
	l.setMember(entry, "occurrences", number(it.Evidence.Files))
	l.setMember(entry, "evidence", quoted(strings.Join(it.Evidence.Paths, ", ")))
	if memberOf(entry, "learned_from") == nil {
		l.setMember(entry, "learned_from", scalar(learnedFrom(it)))
	}
	if memberOf(entry, "promoted_at") == nil {
		l.setMember(entry, "promoted_at", quoted(it.Evidence.At.UTC().Format(promotedLayout)))
	}
}

func (l *list) addLog(now time.Time, change, counter string, n int) {
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

// encode returns the file. Versions and times get quotes, without which some programs read them as numbers and dates.
func (l *list) encode() ([]byte, error) {
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
	again, err := readList(data)
	if err != nil || !meansSame(l.root, again.root) {
		return nil, fmt.Errorf("%w: it would not read the same afterwards", ErrNotEditable)
	}
	return data, nil
}

// copyOf returns a deep copy of a node without aliases. Dump changes what it dumps.
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

func valueOf(m *yaml.Node, name string) string {
	if n := memberOf(m, name); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}

// ReadPatterns returns the patterns of a list.
func ReadPatterns(data []byte) (patterns []Pattern, err error) {
	l, err := readList(data)
	if err != nil {
		return nil, err
	}
	for _, entry := range l.listNode(patternsName).Content {
		text := valueOf(entry, "pattern")
		if text == "" {
			continue
		}
		p := Pattern{Block: newBlock([]byte(text)), confidence: valueOf(entry, "confidence")}
		p.Line, p.ID = entry.Line, idOf(memberOf(entry, "pattern"))
		p.found.Files, _ = strconv.Atoi(valueOf(entry, "occurrences"))
		p.found.At, _ = time.Parse(promotedLayout, valueOf(entry, "promoted_at"))
		if paths := guard.Line(guard.Scrub(valueOf(entry, "evidence"))); paths != "" {
			p.found.Paths = strings.Split(paths, ", ")
		}
		patterns = append(patterns, p)
	}
	return patterns, nil
}

// GiveTo gives a lesson the evidence that another program found for it. The next run of mem prove counts anew.
func (p *Pattern) GiveTo(it *index.Item) {
	if it.Status != index.Active || !it.IsLearning() || p.found.Files < filesMedium || it.Evidence != nil {
		return
	}
	it.Change(func(it *index.Item) {
		e := p.found
		e.Before = it.Confidence
		it.Evidence, it.Confidence = &e, strongerOf(it.Confidence, strongerOf(p.confidence, confidenceFor(e.Files)))
	})
}
