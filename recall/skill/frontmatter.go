package skill

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// What the specification of Agent Skills allows, in characters.
const (
	maxName          = 64
	maxDescription   = 1024
	maxCompatibility = 500
	maxFrontmatter   = 64 << 10 // bytes
)

// errNoDescription is why a skill is turned away.
var errNoDescription = errors.New("there is no description")

// nameProblems says what is wrong with the name of a skill in a folder of
// another name or the same.
func nameProblems(name, folder string) (problems []string) {
	if name != folder {
		problems = append(problems, fmt.Sprintf("the name %q is not that of the folder, %q", name, folder))
	}
	if n := utf8.RuneCountInString(name); n > maxName {
		problems = append(problems, fmt.Sprintf("the name has %d characters, more than %d", n, maxName))
	}
	odd := func(r rune) bool { return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }
	if name == "" || strings.ContainsFunc(name, odd) {
		problems = append(problems, fmt.Sprintf("the name %q has other characters than a-z, 0-9 and hyphens", name))
	}
	if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") {
		problems = append(problems, fmt.Sprintf("the name %q starts or ends with a hyphen", name))
	}
	if strings.Contains(name, "--") {
		problems = append(problems, fmt.Sprintf("the name %q has two hyphens in a row", name))
	}
	return problems
}

// parse reads the file of a skill in a folder. Warnings are about what the
// specification does not allow and pi lets pass; an error turns the skill away.
func parse(data []byte, folder string) (s Skill, warnings []string, err error) {
	fields, err := frontmatter(data)
	if err != nil {
		return s, nil, err
	}
	text := func(key string, limit int) string {
		value, warning := textOf(fields, key, limit)
		if warning != "" {
			warnings = append(warnings, warning)
		}
		return value
	}
	s = Skill{
		Name: cmp.Or(text("name", 0), folder), Description: text("description", maxDescription), License: text("license", 0),
		Compatibility: text("compatibility", maxCompatibility), AllowedTools: text("allowed-tools", 0),
	}
	warnings = append(warnings, nameProblems(s.Name, folder)...)
	if node, set := fields["metadata"]; set {
		if err := node.Decode(&s.Metadata); err != nil {
			s.Metadata, warnings = nil, append(warnings, "metadata is not a list of names and texts")
		}
	}
	if node, set := fields["disable-model-invocation"]; set {
		if node.ShortTag() != "!!bool" || node.Decode(&s.Hidden) != nil {
			warnings = append(warnings, "disable-model-invocation is neither true nor false")
		}
	}
	if strings.TrimSpace(s.Description) == "" {
		return s, warnings, errNoDescription
	}
	return s, warnings, nil
}

// textOf returns the text of a field, "" if it has none, and what to warn of. A limit of 0 is none.
func textOf(fields map[string]yaml.Node, key string, limit int) (text, warning string) {
	node, set := fields[key]
	if !set || node.ShortTag() == "!!null" {
		return "", ""
	}
	if node.Kind != yaml.ScalarNode {
		return "", key + " is not a text"
	}
	if n := utf8.RuneCountInString(node.Value); limit > 0 && n > limit {
		warning = fmt.Sprintf("the %s has %d characters, more than %d", key, n, limit)
	}
	return node.Value, warning
}

// frontmatter returns the fields at the start of a file.
func frontmatter(data []byte) (map[string]yaml.Node, error) {
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	rest, starts := bytes.CutPrefix(data, []byte("---"))
	text, _, ends := bytes.Cut(rest, []byte("\n---"))
	if !starts || !ends {
		return nil, fmt.Errorf("%w: the file does not start with fields between two lines of ---", errNoDescription)
	}
	if len(text) > maxFrontmatter {
		return nil, fmt.Errorf("the frontmatter is longer than %d KiB", maxFrontmatter>>10)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("the frontmatter is no YAML: %w", err)
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%w: the frontmatter has no fields", errNoDescription)
	}
	fields := map[string]yaml.Node{}
	if err := doc.Decode(&fields); err != nil {
		return nil, fmt.Errorf("the frontmatter is no YAML: %w", err)
	}
	return fields, nil
}
