package export

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"mem/frontmatter"
	"mem/guard"
	"mem/index"
	"mem/repo"
)

// The bounds of what is shown.
const (
	maxFile     = 256 << 10
	mostLessons = 50 // of either sort
	maxSlug     = 60
)

// A group is what was agreed about one thing.
type group struct {
	slug  string
	title string
	rules []rule
}

// A rule is a passage under a heading, which may be missing.
type rule struct{ name, text string }

// A gatherer collects the groups of a memory.
type gatherer struct {
	m       *repo.Memory
	groups  []group
	leftOut []string
}

func (g *gatherer) pass(format string, args ...any) {
	g.leftOut = append(g.leftOut, fmt.Sprintf(format, args...))
}

// add puts rules into the group of a name.
func (g *gatherer) add(name string, rules []rule) {
	if len(rules) == 0 {
		return
	}
	slug := slugOf(name)
	for i := range g.groups {
		if g.groups[i].slug == slug {
			g.groups[i].rules = append(g.groups[i].rules, rules...)
			return
		}
	}
	words := strings.ReplaceAll(slug, "-", " ")
	g.groups = append(g.groups, group{slug: slug, title: strings.ToUpper(words[:1]) + words[1:], rules: rules})
}

// slugOf is a name as it may stand in the name of a file.
func slugOf(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == maxSlug {
			break
		}
	}
	if slug := strings.Trim(b.String(), "-"); slug != "" {
		return slug
	}
	return "other"
}

// gatherRules collects the files in rules and context, those of a folder in context
// as one group.
func (g *gatherer) gatherRules() error {
	folders, err := g.m.Folders("context")
	if err != nil {
		return err
	}
	for _, folder := range append([]string{"rules", "context"}, folders...) {
		at := folder
		if folder != "rules" && folder != "context" {
			at = "context/" + folder
		}
		names, err := g.m.Texts(at)
		if err != nil {
			g.pass("%s: %v", at, err)
			continue
		}
		for _, name := range names {
			stem := strings.TrimSuffix(name, ".md")
			group := stem
			if folder != "rules" {
				group = folder
			}
			g.add(group, g.file(path.Join(at, name), stem))
		}
	}
	return nil
}

// file returns the rules of a file; one that cannot be shown is left out.
func (g *gatherer) file(at, stem string) []rule {
	data, err := g.m.Read(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		g.pass("%s: %v", at, err)
	case len(data) > maxFile:
		g.pass("%s is larger than %d KiB", at, maxFile>>10)
	case !utf8.Valid(data) || strings.ContainsRune(string(data), 0):
		g.pass("%s is no text", at)
	default:
		text := strings.TrimPrefix(string(data), "\ufeff")
		if f, err := frontmatter.Parse(data); err == nil {
			text = f.Body()
		}
		return parseRules(guard.Scrub(text), stem)
	}
	return nil
}

// gatherLessons collects those that are pinned and, if asked for, those that are
// proven, best first.
func (g *gatherer) gatherLessons(proven bool) {
	ix := g.m.Index
	var pins, others []string
	for _, pos := range ix.Rank(g.m.Now()) {
		it := &ix.Items[pos]
		list := &pins
		if !it.Pinned {
			if list = &others; !proven || !it.IsProven() {
				continue
			}
		}
		text := strings.TrimLeft(guard.Line(it.Text), "# ")
		if it.Kind == index.AntiPattern {
			text = index.Avoid(text)
		}
		switch problems := guard.Lint(text); {
		case len(problems) > 0:
			g.pass("%s: it reads as an order (%s)", guard.Line(it.ID), problems[0].Rule)
		case len(*list) == mostLessons:
			g.pass("%s: there are %d better ones", guard.Line(it.ID), mostLessons)
		case text != "":
			*list = append(*list, "- "+escapeMarks(text))
		}
	}
	g.addLessons("pinned lessons", pins)
	g.addLessons("proven lessons", others)
}

func (g *gatherer) addLessons(name string, lines []string) {
	if len(lines) > 0 {
		g.add(name, []rule{{text: strings.Join(lines, "\n") + "\n"}})
	}
}

// escapeMarks is a text that cannot open a comment, and so holds no mark.
func escapeMarks(s string) string { return strings.ReplaceAll(s, "<!--", "&lt;!--") }
