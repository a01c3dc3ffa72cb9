// Package rule writes what was agreed: a rule as a file of its own, which sessions
// read, the list of those of a domain, and the entry of the changelog.
//
// Rules are only ever written below rules/ and context/, to regular Markdown
// files: every path goes through CheckPath, and nothing else in mem writes there.
package rule

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"mem/fault"
	"mem/lazy"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

// ErrRefused is wrapped when a rule may not be written to a place.
var ErrRefused = fault.New(fault.Refused, "no rule may be written there",
	"rules go to regular Markdown files below rules/ and context/ in the memory; repair what is there instead")

// MaxFile bounds a file of rules, in bytes.
const MaxFile = 256 << 10

var rulePath = lazy.New(`^(?:rules|context)/[0-9A-Za-z/_.-]*\.md$`)

// CheckPath returns an error that wraps ErrRefused unless a path in the memory may
// be that of a file of rules: relative, clean, below rules/ or context/, without
// hidden parts, and that of a Markdown file.
func CheckPath(name string) error {
	hidden := strings.Contains(name, "/.") || strings.Contains(name, "..")
	if !rulePath.Matches(name) || hidden || path.Clean(name) != name {
		return fmt.Errorf("%q: %w", name, ErrRefused)
	}
	return nil
}

// readFile returns a file of rules; nil if there is none. The error wraps
// ErrRefused for anything but a regular file of a sensible size and path.
func readFile(m *repo.Memory, name string) ([]byte, error) {
	if err := CheckPath(name); err != nil {
		return nil, err
	}
	return readWith(m.ReadFile, name)
}

func readWith(read func(path string) ([]byte, error), name string) ([]byte, error) {
	data, err := read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	case len(data) > MaxFile:
		return nil, fmt.Errorf("%s is larger than %d KiB: %w", name, MaxFile>>10, ErrRefused)
	}
	return data, nil
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

const strategies = "context/strategies" // where each rule is a file of its own

// TargetPath returns the path of the list that names a rule or, in a domain without one,
// of its file, which may get another name when there is such a file already.
func TargetPath(domain, title string) string {
	if file := topic.RuleFiles[domain]; file != "" {
		return file
	}
	return strategies + "/" + slug(title) + ".md"
}

func slug(title string) string { return topic.Slug(title, "rule") }

// FindTarget is TargetPath, or the file that an older mem gave the rule of this title.
func FindTarget(m *repo.Memory, domain, title string) string {
	name := TargetPath(domain, title)
	if old := strategies + "/" + topic.OldSlug(title, "rule") + ".md"; path.Dir(name) == strategies && old != name {
		if _, ok := ReadText(m, old, title); ok {
			return old
		}
	}
	return name
}

// A Rule is what was agreed.
type Rule struct {
	Name      string // one line
	Text      string
	Domain    string
	Learnings int    // that it was compiled from
	Day       string // YYYY-MM-DD
	Amends    string // the rule that it takes the place of, as in "rules/coding.md#Name"; "" for none
	Pattern   string // id of the one that it was
	Auto      bool   // agreed without asking a person
}

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
// there is one, else into a new file.
func WriteRule(m *repo.Memory, r Rule) (Written, error) {
	name := FindTarget(m, r.Domain, r.Name)
	if file, _, _ := strings.Cut(r.Amends, "#"); path.Dir(file) == strategies || topic.RuleFolder(file) != "" {
		name = file
	}
	if topic.RuleFolder(name) != "" {
		return writeListed(m, name, r)
	}
	for n := 2; ; n++ {
		old, err := readFile(m, name)
		if err != nil {
			return Written{}, err
		}
		w := Written{Path: name, Where: name + "#" + slug(r.Name)}
		data := fmt.Appendf(nil, "# %s\n\n%s\n\n## Guidance\n\n%s\n\n---\n\n%s\n", r.Name, listFacts(r), textOf(r), closing)
		if old != nil {
			if data, w.Amended = amendFile(old, r); !w.Amended { // of another name, or a person's own
				name = fmt.Sprintf("%s/%s-%d.md", strategies, slug(r.Name), n)
				continue
			}
		}
		return w, replaceFile(m, name, old, data)
	}
}

// replaceFile writes a rule to the file that held old, unless that may not be.
func replaceFile(m *repo.Memory, name string, old, data []byte) error {
	if len(data) > MaxFile {
		return fmt.Errorf("%s would be larger than %d KiB: %w", name, MaxFile>>10, ErrRefused)
	}
	if err := checkWhole(name, old); err != nil {
		return err
	}
	return m.WriteFile(name, data)
}

// checkWhole returns an error if a file holds the marks of a merge.
func checkWhole(name string, data []byte) error {
	if hasConflict(data) {
		return fmt.Errorf("%s holds the marks of a merge that was not finished: %w", name, ErrRefused)
	}
	return nil
}

// CanAppend reports whether nothing is in the way of a rule of a domain that has a list,
// with a text of so many bytes.
func CanAppend(m *repo.Memory, domain string, size int) bool {
	data, err := readFile(m, topic.RuleFiles[domain])
	if err != nil || size > MaxFile-1<<10 || hasConflict(data) {
		return false
	}
	_, err = readOwn(m, topic.RuleFiles[domain])
	_, err2 := m.ReadFile(ChangelogPath)
	return err == nil && (err2 == nil || errors.Is(err2, fs.ErrNotExist))
}

// ReadText returns the text of the rule with this name in a file, or in one that it lists;
// false if there is none.
func ReadText(m *repo.Memory, name, rule string) (string, bool) {
	data, err := readFile(m, name)
	if err != nil {
		return "", false
	}
	if path.Dir(name) == strategies {
		return readGuidance(data, rule)
	}
	list := findBlocks(data)
	if own, err := readOwn(m, name); err == nil && len(own) > 0 {
		list = own
	}
	at := indexOf(list, rule)
	if at < 0 {
		return "", false
	}
	return list[at].Text, true
}

func withoutFacts(text string) string {
	text = strings.TrimLeft(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for strings.HasPrefix(text, "**Source:**") || strings.HasPrefix(text, "**Confidence:**") {
		_, text, _ = strings.Cut(text, "\n")
		text = strings.TrimLeft(text, "\n")
	}
	return strings.TrimSpace(text)
}

// ChangelogPath is the file that tells people how the rules changed.
const ChangelogPath = "CHANGELOG.md"

const changelogHead = `# Changelog

How the rules of this memory changed, the latest last.
`

// NoteChange adds an entry for a rule at the end of the changelog.
func NoteChange(m *repo.Memory, r Rule, w Written) error {
	where := "Added to"
	if w.Amended {
		where = "Changed in"
	}
	text := fmt.Sprintf("\n## %s %s %s\n\n- %s %s, compiled from %s (%s)\n", r.Day, w.Verb(), r.Name,
		where, w.Path, render.Count(r.Learnings, "learning", "learnings"), r.Pattern)
	if r.Auto {
		text += "- Auto-applied: a matter of form, written without asking. `git revert` of this commit takes it back.\n"
	}
	return appendEntry(m, text)
}

// NoteRemoval adds an entry for a rule that was retired.
func NoteRemoval(m *repo.Memory, l Listed, day, reason string) error {
	if reason != "" {
		reason = ": " + reason
	}
	return appendEntry(m, fmt.Sprintf("\n## %s retire %s\n\n- Taken out of %s%s\n", day, l.Name, l.File, reason))
}

func appendEntry(m *repo.Memory, text string) error {
	old, err := m.ReadFile(ChangelogPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = []byte(changelogHead)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		text = "\n" + text
	}
	return m.WriteFile(ChangelogPath, append(bytes.Clone(old), withEnds(text, old)...))
}

// Verb returns what a commit says of a rule: add or amend.
func (w Written) Verb() string {
	if w.Amended {
		return "amend"
	}
	return "add"
}
