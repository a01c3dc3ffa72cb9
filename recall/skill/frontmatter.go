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

// nameProblems says what is wrong with the name of a skill in a folder of another name or the same.
func nameProblems(name, folder string) (problems []string) {
	note := func(isBad bool, format string, args ...any) {
		if isBad {
			problems = append(problems, fmt.Sprintf(format, args...))
		}
	}
	n, odd := utf8.RuneCountInString(name), func(r rune) bool { return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }
	note(name != folder, "the name %q is not that of the folder, %q", name, folder)
	note(n > maxName, "the name has %d characters, more than %d", n, maxName)
	note(n == 0 || strings.ContainsFunc(name, odd), "the name %q has other characters than a-z, 0-9 and hyphens", name)
	note(strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-"), "the name %q starts or ends with a hyphen", name)
	note(strings.Contains(name, "--"), "the name %q has two hyphens in a row", name)
	return problems
}

// parse reads the file of a skill in a folder. Warnings are about what the
// specification does not allow and pi lets pass; an error turns the skill away.
func parse(data []byte, folder string) (s Skill, warnings []string, err error) {
	fields, err := frontmatter(data)
	if err != nil {
		return s, nil, err
	}
	text := func(key string, limit int) string { // a limit of 0 is none
		node, set := fields[key]
		switch n := utf8.RuneCountInString(node.Value); {
		case !set || node.ShortTag() == "!!null":
			return ""
		case node.Kind != yaml.ScalarNode:
			warnings = append(warnings, key+" is not a text")
			return ""
		case limit > 0 && n > limit:
			warnings = append(warnings, fmt.Sprintf("the %s has %d characters, more than %d", key, n, limit))
		}
		return node.Value
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
