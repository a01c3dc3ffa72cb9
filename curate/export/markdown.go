package export

import (
	"slices"
	"strings"

	"mem/curate/markdown"
	"mem/guard"
	"mem/words"
)

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
			now = rule{name: escapeMarks(words.FoldSpace(name))}
		case top && !titled && strings.TrimSpace(now.text) == "":
			titled = true
			now.name = escapeMarks(words.FoldSpace(title))
		case !isBookkeeping(line):
			now.text += escapeMarks(withoutHeading(line)) + "\n"
		}
	}
	end()
	return rules
}

func isBookkeeping(line string) bool {
	line = strings.TrimSpace(line)
	if len(line) >= 3 && (strings.Trim(line, "-") == "" || strings.Trim(line, "=") == "") {
		return true
	}
	return slices.ContainsFunc(bookkeeping, func(start string) bool { return strings.HasPrefix(line, start) })
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
