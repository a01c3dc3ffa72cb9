package export

import (
	"strings"

	"mem/guard"
	"mem/words"
)

// bookkeeping begins the lines of a rule file that say how a rule came about.
var bookkeeping = [...]string{
	"**Source:**", "**Confidence:**", "**Compiled:**", "**Source learnings:**", "**Domain:**",
	"*Compiled from learnings by", "## Guidance", "<!--",
}

// parseRules takes a rule file apart: at its headings of the third level if it has
// any; what stands before them, or all of it, is one rule with the name of the
// file.
func parseRules(text, stem string) (rules []rule) {
	now := rule{name: headingOf(stem)}
	fence := "" // that is open
	end := func() {
		if now.text = strings.Trim(now.text, "\n"); now.text != "" {
			if fence != "" {
				now.text += "\n" + fence
			}
			now.text += "\n"
			rules = append(rules, now)
		}
	}
	titled := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		mark := fenceOf(line)
		name, opens := strings.CutPrefix(line, "### ")
		title, top := strings.CutPrefix(line, "# ")
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && strings.Trim(strings.TrimSpace(line), fence[:1]) == "" {
				fence = ""
			}
			now.text += escapeMarks(line) + "\n"
		case mark != "":
			fence = mark
			now.text += escapeMarks(line) + "\n"
		case opens:
			end()
			now = rule{name: escapeMarks(words.FoldSpace(name))}
		case top && !titled && strings.TrimSpace(now.text) == "":
			titled = true
			now.name = escapeMarks(words.FoldSpace(title))
		case dropped(line):
		default:
			now.text += escapeMarks(unmarked(line)) + "\n"
		}
	}
	end()
	return rules
}

// fenceOf returns the marks that open or close a block of code.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, c)) { // else it is code within a line
			return strings.Repeat(c, n)
		}
	}
	return ""
}

// dropped reports whether a line is none of the rule.
func dropped(line string) bool {
	line = strings.TrimSpace(line)
	for _, start := range bookkeeping {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return len(line) >= 3 && strings.Trim(line, "-") == "" || len(line) >= 3 && strings.Trim(line, "=") == ""
}

// unmarked is a line that makes no heading: a view has its own.
func unmarked(line string) string {
	rest := strings.TrimLeft(line, "#")
	if rest == line || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return line
	}
	if rest = strings.Trim(rest, "# \t"); rest == "" {
		return ""
	}
	return "**" + rest + "**"
}

// headingOf is the name of a file as a heading.
func headingOf(stem string) string {
	return escapeMarks(guard.Line(strings.NewReplacer("-", " ", "_", " ").Replace(stem)))
}

// renderMarkdown is a group under a heading of a level.
func (g group) renderMarkdown(level int) string {
	var b strings.Builder
	b.WriteString(strings.Repeat("#", level) + " " + g.title + "\n")
	for _, r := range g.rules {
		if r.name != "" && !strings.EqualFold(r.name, g.title) {
			b.WriteString("\n" + strings.Repeat("#", level+1) + " " + r.name + "\n")
		}
		b.WriteString("\n" + r.text)
	}
	return b.String()
}
