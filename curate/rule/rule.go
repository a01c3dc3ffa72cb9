// Package rule writes what was agreed: a rule as a block of a file that
// sessions read, or as a file of its own, and the entry of the changelog.
//
// Rules are only ever written below rules/ and context/, to plain Markdown
// files: every path goes through At, and nothing else in mem writes there.
package rule

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"mem/curate/markdown"
	"mem/repo"
	"mem/topic"
)

// ErrRefused is wrapped when a rule may not be written to a place.
var ErrRefused = errors.New("no rule may be written there")

// MaxFile bounds a file of rules, in bytes.
const MaxFile = 256 << 10

// A Place is the path of a file that may hold rules. Only At makes one.
type Place struct{ path string }

// String returns the path.
func (p Place) String() string { return p.path }

// placeChars are the characters that the path of a place may have.
const placeChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_."

// PlaceAt returns the place of a path in the memory: relative, clean, below rules/
// or context/, without hidden parts, and that of a Markdown file. For any other
// the error wraps ErrRefused.
func PlaceAt(name string) (Place, error) {
	below := strings.HasPrefix(name, "rules/") || strings.HasPrefix(name, "context/")
	odd := strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(placeChars, r) })
	if !below || odd || strings.Contains(name, "/.") || path.Clean(name) != name || !strings.HasSuffix(name, ".md") {
		return Place{}, fmt.Errorf("%q: %w", name, ErrRefused)
	}
	return Place{name}, nil
}

// Read returns what is at a place; nil if there is nothing. The error wraps
// ErrRefused for anything but a regular file of a sensible size.
func (p Place) Read(m *repo.Memory) ([]byte, error) {
	data, err := m.ReadFile(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	case len(data) > MaxFile:
		return nil, fmt.Errorf("%s is larger than %d KiB: %w", p.path, MaxFile>>10, ErrRefused)
	}
	return data, nil
}

// write replaces the file.
func (p Place) write(m *repo.Memory, data []byte) error {
	if len(data) > MaxFile {
		return fmt.Errorf("%s would be larger than %d KiB: %w", p.path, MaxFile>>10, ErrRefused)
	}
	old, err := p.Read(m)
	if err != nil {
		return err
	}
	if hasConflict(old) {
		return fmt.Errorf("%s holds the marks of a merge that was not finished: %w", p.path, ErrRefused)
	}
	return m.WriteFile(p.path, data)
}

// hasConflict reports whether git left both sides of a merge in a file: no person
// agreed to what stands there then.
func hasConflict(data []byte) bool {
	ours, theirs := false, false
	for line := range bytes.Lines(data) {
		ours = ours || bytes.HasPrefix(line, []byte("<<<<<<< "))
		theirs = theirs || ours && bytes.HasPrefix(line, []byte(">>>>>>> "))
	}
	return theirs
}

const strategies = "context/strategies"

// route returns the file that the rules of a domain are appended to; "" if
// each is a file of its own.
func route(domain string) string {
	switch domain {
	case topic.Coding, topic.Technical, topic.Finance, topic.Learning:
		return "rules/" + domain + ".md"
	case topic.Mistake:
		return "rules/anti-patterns.md"
	case topic.Communications:
		return "context/voice/style-rules.md"
	case topic.Scheduling:
		return "context/preferences/scheduling.md"
	}
	return ""
}

// TargetPath returns the path of the file that a rule goes to. A rule that is a
// file of its own may get another one when there is such a file already.
func TargetPath(domain, title string) string {
	if file := route(domain); file != "" {
		return file
	}
	return strategies + "/" + slug(title) + ".md"
}

func slug(title string) string { return topic.Slug(title, "rule") }

// A Rule is what was agreed.
type Rule struct {
	Name      string // one line
	Text      string
	Domain    string
	Learnings int    // that it was compiled from
	Day       string // YYYY-MM-DD
	Amends    string // the rule that it takes the place of, as in "rules/coding.md#Name"; "" for none
}

// oldName returns the name of the rule that r takes the place of.
func (r Rule) oldName() string {
	_, name, _ := strings.Cut(r.Amends, "#")
	return cmp.Or(name, r.Name)
}

// Written says where a rule is now.
type Written struct {
	Where   string // such as rules/coding.md#name
	Path    string // of that, the file
	Amended bool   // there was a rule of that name, which was replaced
}

// WriteRule puts a rule where it belongs: in the place of the rule of that name, if
// there is one, else after the others of its domain or into a new file.
func WriteRule(m *repo.Memory, r Rule) (Written, error) {
	name := TargetPath(r.Domain, r.Name)
	if r.Amends != "" {
		name, _, _ = strings.Cut(r.Amends, "#")
	}
	for n := 2; ; n++ {
		place, err := PlaceAt(name)
		if err != nil {
			return Written{}, err
		}
		old, err := place.Read(m)
		if err != nil {
			return Written{}, err
		}
		w := Written{Path: name, Where: name + "#" + slug(r.Name)}
		var data []byte
		own := path.Dir(name) == strategies
		switch {
		case old != nil && own:
			if data, w.Amended = amendFile(old, r); !w.Amended { // of another name, or a person's own
				name = fmt.Sprintf("%s/%s-%d.md", strategies, slug(r.Name), n)
				continue
			}
		case own:
			data = newFile(r)
		default:
			data, w.Amended = putBlock(name, old, r)
		}
		return w, place.write(m, data)
	}
}

// CanAppend reports whether nothing is in the way of a rule of a domain that is
// appended to others, with a text of so many bytes.
func CanAppend(m *repo.Memory, domain string, size int) bool {
	place, err := PlaceAt(route(domain))
	if err != nil {
		return false
	}
	data, err := place.Read(m)
	if err != nil || len(data)+size > MaxFile-1<<10 || hasConflict(data) {
		return false
	}
	_, err = m.ReadFile(ChangelogPath)
	return err == nil || errors.Is(err, fs.ErrNotExist)
}

// ReadText returns the text of the rule with this name in a file; false if there is
// none.
func ReadText(m *repo.Memory, name, rule string) (string, bool) {
	place, err := PlaceAt(name)
	if err != nil {
		return "", false
	}
	data, err := place.Read(m)
	if err != nil || data == nil {
		return "", false
	}
	if path.Dir(name) == strategies {
		return readGuidance(data, rule)
	}
	from, to, ok := findBlock(data, rule)
	if !ok {
		return "", false
	}
	_, text, _ := strings.Cut(string(data[from:to]), "\n")
	return withoutFacts(text), true
}

// withoutFacts is the text of a block without the lines that mem puts above it.
func withoutFacts(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for {
		text = strings.TrimLeft(text, "\n")
		line, rest, _ := strings.Cut(text, "\n")
		if !strings.HasPrefix(line, "**Source:**") && !strings.HasPrefix(line, "**Confidence:**") {
			return strings.TrimSpace(text)
		}
		text = rest
	}
}

// CountRules returns how many rules a file holds: its headings of the third level
// or, if it has none, one.
func CountRules(data []byte) int {
	n := 0
	for _, h := range markdown.Headings(data) {
		if h.Level == 3 {
			n++
		}
	}
	if n == 0 && len(bytes.TrimSpace(data)) > 0 {
		return 1
	}
	return n
}
