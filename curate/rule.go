package curate

// An approved rule has a file of its own, which sessions read, a section in the list of its domain,
// and an entry in the changelog. Rules are only ever written below rules/ and context/, to regular
// Markdown files: every path goes through checkPath, and nothing else in mem writes there.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"mem/fault"
	"mem/index"
	"mem/lazy"
	"mem/recall"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// ErrRuleRefused is wrapped when a rule may not be written to a place.
var ErrRuleRefused = fault.New(fault.Refused, "no rule may be written there",
	"rules go to regular Markdown files below rules/ and context/ in the memory; repair what is there instead")

var rulePath = lazy.New(`^(?:rules|context)/[0-9A-Za-z/_.-]*\.md$`)

// checkPath returns an error that wraps ErrRuleRefused unless a path in the memory may be that of a file of rules:
// relative, clean, below rules/ or context/, without hidden parts, and that of a Markdown file.
func checkPath(name string) error {
	hidden := strings.Contains(name, "/.") || strings.Contains(name, "..")
	if !rulePath.Matches(name) || hidden || path.Clean(name) != name {
		return fmt.Errorf("%q: %w", name, ErrRuleRefused)
	}
	return nil
}

// maxRule bounds the text of a rule, in bytes.
const maxRule = 16 << 10

// checkRule returns an error that wraps ErrInvalid unless title and text can be kept as a rule.
func checkRule(title, text string) error {
	switch folded := words.FoldSpace(title); {
	case folded == "":
		return invalid("the rule has no name")
	case folded != title || strings.HasPrefix(title, "#"):
		return invalid("the name of a rule is one plain line")
	case utf8.RuneCountInString(title) > maxName:
		return invalid("the name of a rule has at most %d characters", maxName)
	case strings.TrimSpace(text) == "":
		return invalid("the rule has no text")
	case len(text) > maxRule:
		return invalid("a rule has at most %d KiB", maxRule>>10)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return invalid("the rule is not a text")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		marks, _, _ := strings.Cut(line, " ")
		if len(marks) > 0 && len(marks) < 4 && strings.Trim(marks, "#") == "" {
			return invalid("a rule's text may have headings of the fourth level and below only, and %q is above", line)
		}
	}
	return nil
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrInvalid)
}

// readFile returns a file of rules; nil if there is none. The error wraps
// ErrRuleRefused for anything but a regular file of a sensible size and path.
func readFile(m *repo.Memory, name string) ([]byte, error) {
	if err := checkPath(name); err != nil {
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
		return nil, fmt.Errorf("%w: %w", ErrRuleRefused, err)
	case len(data) > maxFile:
		return nil, fmt.Errorf("%s is larger than %d KiB: %w", name, maxFile>>10, ErrRuleRefused)
	}
	return data, nil
}

// hasConflict reports whether git left both sides of a merge in a file: no person agreed to what stands there then.
func hasConflict(data []byte) bool {
	ours, theirs := false, false
	for line := range bytes.Lines(data) {
		ours = ours || bytes.HasPrefix(line, []byte("<<<<<<< "))
		theirs = theirs || ours && bytes.HasPrefix(line, []byte(">>>>>>> "))
	}
	return theirs
}

const strategies = "context/strategies" // where each rule is a file of its own

// targetPath returns the path of the list that names a rule or, in a domain without one,
// of its file, which may get another name when there is such a file already.
func targetPath(domain, title string) string {
	if file := topic.RuleFiles[domain]; file != "" {
		return file
	}
	return strategies + "/" + slug(title) + ".md"
}

func slug(title string) string { return topic.Slug(title, "rule") }

// oldName returns the name of the rule in whose place that of a pattern goes: its own, if it amends none.
func oldName(p *Pattern) string {
	_, name, _ := strings.Cut(p.Amends, "#")
	return cmp.Or(name, p.Title)
}

// Words for a rule in a commit message: it is new, or it replaced the rule of the same name.
const (
	added   = "add"
	amended = "amend"
)

// writeRule puts the rule of a pattern where it belongs: in the place of the rule of that name, if
// there is one, else into a new file. It says where the rule is now, such as rules/coding.md#name, and what was done.
func writeRule(m *repo.Memory, p *Pattern) (where, verb string, err error) {
	name := targetPath(p.Domain, p.Title)
	if file, _, _ := strings.Cut(p.Amends, "#"); path.Dir(file) == strategies || topic.RuleFolder(file) != "" {
		name = file
	}
	if topic.RuleFolder(name) != "" {
		verb, err = writeListed(m, name, p)
		return name + "#" + slug(p.Title), verb, err
	}
	for n := 2; ; n++ {
		old, err := readFile(m, name)
		if err != nil {
			return "", "", err
		}
		verb, data := added, fmt.Appendf(nil, "# %s\n\n**Compiled:** %s\n**Source learnings:** %d\n**Domain:** %s\n\n"+guidance+"\n\n%s\n\n---\n\n%s\n",
			p.Title, today(m), p.countLearnings(), p.Domain, textOf(p), closing)
		if _, isOwn := readStrategy(name, old, oldName(p)); isOwn {
			verb = amended
		} else if old != nil { // of another name, or a person's own
			name = fmt.Sprintf("%s/%s-%d.md", strategies, slug(p.Title), n)
			continue
		}
		return name + "#" + slug(p.Title), verb, replaceFile(m, name, old, []byte(withEnds(string(data), old)))
	}
}

// replaceFile writes a rule to the file that held old, unless that may not be.
func replaceFile(m *repo.Memory, name string, old, data []byte) error {
	if len(data) > maxFile {
		return fmt.Errorf("%s would be larger than %d KiB: %w", name, maxFile>>10, ErrRuleRefused)
	}
	if err := checkWhole(name, old); err != nil {
		return err
	}
	return m.WriteFile(name, data)
}

func checkWhole(name string, data []byte) error {
	if hasConflict(data) {
		return fmt.Errorf("%s holds the marks of a merge that was not finished: %w", name, ErrRuleRefused)
	}
	return nil
}

// canAppend reports whether nothing is in the way of a rule of a domain that has a list, with a text of so many bytes.
func canAppend(m *repo.Memory, domain string, size int) bool {
	data, err := readFile(m, topic.RuleFiles[domain])
	if err != nil || size > maxFile-1<<10 || hasConflict(data) {
		return false
	}
	_, err = readOwn(m, topic.RuleFiles[domain])
	_, err2 := m.ReadFile(ChangelogPath)
	return err == nil && (err2 == nil || errors.Is(err2, fs.ErrNotExist))
}

// readRule returns the text of the rule with this name in a file, or in one that it lists; false if there is none.
func readRule(m *repo.Memory, name, rule string) (string, bool) {
	data, err := readFile(m, name)
	if err != nil {
		return "", false
	}
	if path.Dir(name) == strategies {
		return readStrategy(name, data, rule)
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

// readStrategy returns the text of a rule that is a file of its own and has no list; false for a file that is not of this rule.
func readStrategy(name string, data []byte, rule string) (string, bool) {
	l := parseOwn(name, data)
	return l.Text, strings.Contains(toLines(data), "\n"+guidance+"\n") && index.KeyOf(l.Name) == index.KeyOf(rule)
}

const (
	guidance = "## Guidance"
	closing  = "*Compiled from learnings by self-improvement protocol*"
)

// withoutFacts returns the text of a rule without the lines around it that say where it comes from.
func withoutFacts(text string) string {
	text = strings.TrimSpace(toLines([]byte(text)))
	if rest, isClosed := strings.CutSuffix(text, closing); isClosed {
		text = strings.TrimSuffix(strings.TrimSpace(rest), "\n---")
	}
	for {
		line, rest, _ := strings.Cut(text, "\n")
		if !recall.IsBookkeeping(line) && !strings.HasPrefix(line, "**Source:**") && !strings.HasPrefix(line, "**Confidence:**") && line != "##"+guidance {
			return strings.TrimSpace(text)
		}
		text = strings.TrimLeft(rest, "\n")
	}
}

// ChangelogPath is the file that tells people how the rules changed.
const ChangelogPath = "CHANGELOG.md"

const changelogHead = `# Changelog

How the rules of this memory changed, the latest last.
`

func noteChange(m *repo.Memory, p *Pattern, verb string) error {
	file, _, _ := strings.Cut(p.Rule, "#")
	text := fmt.Sprintf("\n## %s %s %s\n\n- %s %s, compiled from %s (%s)\n", p.Decided, verb, p.Title,
		map[string]string{added: "Added to", amended: "Changed in"}[verb], file, render.Count(p.countLearnings(), "learning", "learnings"), p.ID)
	if p.Auto {
		text += "- Auto-applied: a matter of form, written without asking. `git revert` of this commit takes it back.\n"
	}
	return appendEntry(m, text)
}

func appendEntry(m *repo.Memory, text string) error {
	old, err := m.ReadFile(ChangelogPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = []byte(changelogHead)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrRuleRefused, err)
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		text = "\n" + text
	}
	return m.WriteFile(ChangelogPath, append(bytes.Clone(old), withEnds(text, old)...))
}
