package recall

import (
	"slices"
	"strings"

	"mem/frontmatter"
	"mem/guard"
	"mem/words"
)

// CleanBody returns what a file says: without its front matter, secrets, and characters that a person cannot see. What
// looks like a fence of mem's stays, as plain text: taking it out would let one line of a file hide all lines before
// it.
func CleanBody(text string) string {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	if f, err := frontmatter.Parse([]byte(text)); err == nil {
		text = f.Body()
	}
	return guard.Scrub(text)
}

// quietLine returns a line of a file as it may stand in a context: it opens
// neither a heading nor a block of code nor a comment. It may be empty.
func quietLine(line string) string {
	line = words.FoldSpace(line)
	switch {
	case strings.Trim(line, "-=_* ") == "", strings.HasPrefix(line, "~~~"), strings.HasPrefix(line, "<!--"),
		strings.HasPrefix(line, "```") && !strings.Contains(strings.TrimLeft(line, "`"), "`"): // else it is code within a sentence
		return ""
	case IsHeading(line):
		if line = Unmark(line); line != "" {
			line = strings.TrimSuffix(line, ":") + ":"
		}
	}
	return line
}

// quietLines returns the lines of a file that quietLine does not leave out, each
// after before, with a line break.
func quietLines(text, before string) string {
	var b strings.Builder
	for line := range strings.Lines(CleanBody(text)) {
		if line = quietLine(line); line != "" {
			b.WriteString(before + line + "\n")
		}
	}
	return b.String()
}

// IsHeading reports whether the first line of a text makes a heading.
func IsHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	return rest != line && (rest == "" || rest[0] == ' ' || rest[0] == '\n')
}

// Unmark returns a line without the marks of a heading.
func Unmark(line string) string {
	for IsHeading(line) {
		line = strings.TrimSpace(strings.TrimLeft(line, "#"))
	}
	return line
}

// IsBookkeeping reports whether a line only says where a rule is from, as mem
// notes it: no session needs to read that.
func IsBookkeeping(line string) bool {
	begins := []string{"**Source:** Compiled from ", "**Confidence:** HIGH", "**Compiled:** ", "**Source learnings:** ", "**Domain:** "}
	return line == "*Compiled from learnings by self-improvement protocol*" ||
		slices.ContainsFunc(begins, func(begin string) bool { return strings.HasPrefix(line, begin) })
}

// splitLines returns what the lines of a file say. Headings, and lines that only
// say where a rule is from, are apart, in this order.
func splitLines(text string) (lines, headings []string) {
	var origins []string
	for line := range strings.Lines(text) {
		switch out := quietLine(line); {
		case out == "":
		case IsHeading(words.FoldSpace(line)):
			headings = append(headings, strings.TrimSuffix(out, ":"))
		case IsBookkeeping(out):
			origins = append(origins, out)
		default:
			lines = append(lines, strings.TrimPrefix(out, "- "))
		}
	}
	return lines, append(headings, origins...)
}

// neutralize returns a text in which nothing begins a tag and no line is a
// heading.
func neutralize(s string) string {
	var w strings.Builder
	start := true // of a line, or of the text after "- "
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '<' && i+1 < len(s) && (words.IsWordByte(s[i+1]) && !words.IsDigit(s[i+1]) || strings.IndexByte("/!?|", s[i+1]) >= 0):
			w.WriteString("‹")
		case c == '#' && start && IsHeading(s[i:]):
			w.WriteString("＃")
		default:
			w.WriteByte(c)
		}
		start = s[i] == '\n' || start && strings.IndexByte(" -*+>0123456789.)#", s[i]) >= 0
	}
	return w.String()
}
