package export

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mem/curate/markdown"
	"mem/frontmatter"
	"mem/guard"
	"mem/index"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// The bounds of what is shown.
const (
	maxFile     = 256 << 10
	mostLessons = 50 // of either sort
)

// A group is what was agreed about one thing.
type group struct {
	slug  string
	title string
	rules []rule
}

// A rule is a passage under a heading, which may be missing.
type rule struct{ name, text string }

type gatherer struct {
	m       *repo.Memory
	groups  []group
	leftOut []string
}

func (g *gatherer) leaveOut(format string, args ...any) {
	g.leftOut = append(g.leftOut, fmt.Sprintf(format, args...))
}

func (g *gatherer) addRules(name string, rules []rule) {
	if len(rules) == 0 {
		return
	}
	slug := topic.Slug(name, "other")
	at := slices.IndexFunc(g.groups, func(g group) bool { return g.slug == slug })
	if at < 0 {
		at = len(g.groups)
		g.groups = append(g.groups, group{slug: slug, title: markdown.TitleOf(slug)})
	}
	g.groups[at].rules = append(g.groups[at].rules, rules...)
}

// gatherRules collects the files in rules and context, those of a folder in
// context as one group.
func (g *gatherer) gatherRules() error {
	folders, err := g.m.ListFolders("context")
	if err != nil {
		return err
	}
	g.addFolder("rules", "")
	g.addFolder("context", "context")
	for _, folder := range folders {
		g.addFolder("context/"+folder, folder)
	}
	return nil
}

// addFolder collects the files of a folder as one group; with no name each file is
// a group.
func (g *gatherer) addFolder(at, name string) {
	files, err := g.m.ListTexts(at)
	if err != nil {
		g.leaveOut("%s: %v", at, err)
	}
	for _, file := range files {
		stem := strings.TrimSuffix(file, ".md")
		g.addRules(cmp.Or(name, stem), g.readRules(path.Join(at, file), stem))
	}
}

// readRules returns the rules of a file; one that cannot be shown is left out.
func (g *gatherer) readRules(at, stem string) []rule {
	data, err := g.m.ReadFile(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		g.leaveOut("%s: %v", at, err)
	case len(data) > maxFile:
		g.leaveOut("%s is larger than %d KiB", at, maxFile>>10)
	case !utf8.Valid(data) || strings.ContainsRune(string(data), 0):
		g.leaveOut("%s is not a text", at)
	default:
		text := strings.TrimPrefix(string(data), "\ufeff")
		if f, err := frontmatter.Parse(data); err == nil {
			text = f.Body()
		}
		text, orders := guard.DropOrders(guard.Scrub(text))
		for _, why := range orders {
			g.leaveOut("%s: %s", at, why)
		}
		return parseRules(text, stem)
	}
	return nil
}

// gatherLessons collects those that are pinned and, if asked for, those that are
// proven, best first.
func (g *gatherer) gatherLessons(proven bool) {
	var pinned, others []string
	for _, pos := range g.m.Index.Rank(g.m.Now()) {
		it := &g.m.Index.Items[pos]
		switch {
		case it.Pinned:
			pinned = g.addLesson(pinned, it)
		case proven && it.IsProven():
			others = g.addLesson(others, it)
		}
	}
	g.addList("pinned lessons", pinned)
	g.addList("proven lessons", others)
}

func (g *gatherer) addLesson(list []string, it *index.Item) []string {
	text := strings.TrimLeft(guard.Line(it.ShownText()), "# ")
	switch problems := guard.Lint(text); {
	case len(problems) > 0:
		g.leaveOut("%s: it reads as an order (%s)", guard.Line(it.ID), problems[0].Rule)
	case len(list) == mostLessons:
		g.leaveOut("%s: there are %d better ones", guard.Line(it.ID), mostLessons)
	case text != "":
		list = append(list, "- "+escapeMarks(text))
	}
	return list
}

func (g *gatherer) addList(name string, lines []string) {
	if len(lines) > 0 {
		g.addRules(name, []rule{{text: strings.Join(lines, "\n") + "\n"}})
	}
}

// escapeMarks returns a text that cannot open a comment, and so holds no mark.
func escapeMarks(s string) string { return strings.ReplaceAll(s, "<!--", "&lt;!--") }

// bookkeeping begins the lines of a rule file that say how a rule came about.
var bookkeeping = []string{
	"**Source:**", "**Confidence:**", "**Compiled:**", "**Source learnings:**", "**Domain:**",
	"*Compiled from learnings by", "## Guidance", "<!--",
}

// parseRules splits a rule file at its headings of the third level if it has any.
// What stands before them, or all of it, is one rule with the name of the file.
func parseRules(text, stem string) (rules []rule) {
	now := rule{name: headingOf(stem)}
	end := func() {
		if now.text = strings.Trim(now.text, "\n"); now.text != "" {
			now.text = markdown.CloseCode(now.text) + "\n"
			rules = append(rules, now)
		}
	}
	fence, titled := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		was := fence
		fence = markdown.FenceAfter(fence, line)
		name, opens := strings.CutPrefix(line, "### ")
		title, top := strings.CutPrefix(line, "# ")
		switch {
		case was != "" || fence != "":
			now.text += escapeMarks(line) + "\n"
		case opens:
			end()
			now = rule{name: titleOr(name, stem)}
		case top && !titled && strings.TrimSpace(now.text) == "":
			titled = true
			now.name = titleOr(title, stem)
		case !IsBookkeeping(line):
			now.text += escapeMarks(withoutHeading(line)) + "\n"
		}
	}
	end()
	return rules
}

// titleOr returns what a heading says or, if that is nothing, the name of the file.
func titleOr(head, stem string) string {
	return cmp.Or(strings.Trim(escapeMarks(words.FoldSpace(head)), "# "), headingOf(stem))
}

// IsBookkeeping reports whether a line of a rule file is none that says what the rule is.
func IsBookkeeping(line string) bool {
	line = strings.TrimSpace(line)
	isRuler := len(line) >= 3 && (strings.Trim(line, "-") == "" || strings.Trim(line, "=") == "")
	return isRuler || slices.ContainsFunc(bookkeeping, func(start string) bool { return strings.HasPrefix(line, start) })
}

// withoutHeading returns a line that does not make a heading: a view has its own.
func withoutHeading(line string) string {
	rest := strings.TrimLeft(line, "#")
	if rest == line || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return line
	}
	if rest = strings.Trim(rest, "# \t"); rest == "" {
		return ""
	}
	return "**" + rest + "**"
}

func headingOf(stem string) string {
	return escapeMarks(guard.Line(strings.NewReplacer("-", " ", "_", " ").Replace(stem)))
}

func renderGroups(groups []group, level int) string {
	var b strings.Builder
	for _, g := range groups {
		b.WriteString("\n" + strings.Repeat("#", level) + " " + g.title + "\n")
		for _, r := range g.rules {
			if r.name != "" && !strings.EqualFold(r.name, g.title) {
				b.WriteString("\n" + strings.Repeat("#", level+1) + " " + r.name + "\n")
			}
			b.WriteString("\n" + r.text)
		}
	}
	return b.String()
}
