package rule

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"mem/index"
	"mem/render"
	"mem/words"
)

// A mark is a heading in a file.
type mark struct {
	level    int
	name     string
	from, to int // of its line
}

// findHeadings returns the headings of a file; what is fenced off as code holds
// none.
func findHeadings(data []byte) (list []mark) {
	at, fence := 0, ""
	for line := range bytes.Lines(data) {
		from := at
		at += len(line)
		bare := strings.TrimSpace(string(line))
		was := fence
		if fence = fenced(fence, bare); was != "" || fence != "" {
			continue
		}
		level := len(bare) - len(strings.TrimLeft(bare, "#"))
		if level > 0 && level < 7 && line[0] == '#' && (len(bare) == level || bare[level] == ' ') {
			list = append(list, mark{level, words.FoldSpace(bare[level:]), from, at})
		}
	}
	return list
}

// fenced returns the marks of the block of code that is open after a line; ""
// for none. fence is what was open before it. A line that has more of the marks
// further on is code within a sentence.
func fenced(fence, line string) string {
	marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
	if marks == "" {
		marks = line[:len(line)-len(strings.TrimLeft(line, "~"))]
	}
	rest := line[len(marks):]
	switch {
	case len(marks) < 3:
	case fence == "" && (marks[0] == '~' || !strings.Contains(rest, "`")):
		return marks
	case fence != "" && strings.HasPrefix(marks, fence) && rest == "":
		return ""
	}
	return fence
}

// closed is a text whose last block of code ends: what comes after it in a file
// is no part of that.
func closed(text string) string {
	text = strings.TrimSpace(text)
	fence := ""
	for line := range strings.Lines(text) {
		fence = fenced(fence, strings.TrimSpace(line))
	}
	if fence != "" {
		text += "\n" + fence
	}
	return text
}

// findBlock finds the rule with a name: from its heading to the last line before
// the next heading of its level or above that says something.
func findBlock(data []byte, name string) (from, to int, ok bool) {
	marks := findHeadings(data)
	for i, h := range marks {
		if h.level != 3 || index.Key(h.name) != index.Key(name) {
			continue
		}
		end := len(data)
		for _, next := range marks[i+1:] {
			if next.level <= 3 {
				end = next.from
				break
			}
		}
		return h.from, h.from + len(bytes.TrimRight(data[h.from:end], " \t\r\n")), true
	}
	return 0, 0, false
}

// putBlock replaces the block with the rule's name or adds one at the end. All
// other bytes stay.
func putBlock(name string, old []byte, r Rule) (data []byte, amended bool) {
	text := fmt.Sprintf("### %s\n\n**Source:** Compiled from %s on %s\n**Confidence:** HIGH\n\n%s",
		r.Name, render.Count(r.Learnings, "learning", "learnings"), r.Day, closed(r.Text))
	text = withEnds(text, old)
	if from, to, ok := findBlock(old, r.oldName()); ok {
		return bytes.Join([][]byte{old[:from], []byte(text), old[to:]}, nil), true
	}
	end := lineEnd(old)
	head := ""
	switch {
	case len(bytes.TrimSpace(old)) == 0 && len(old) == 0:
		head = "# " + heading(name) + end + end
	case !bytes.HasSuffix(old, []byte("\n")):
		head = end + end
	case !bytes.HasSuffix(old, []byte(end+end)):
		head = end
	}
	return append(bytes.Clone(old), head+text+end...), false
}

// heading is the title of a new file of rules.
func heading(name string) string {
	words := strings.ReplaceAll(strings.TrimSuffix(path.Base(name), ".md"), "-", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

const closing = "*Compiled from learnings by self-improvement protocol*"

// newFile is a rule that is a file of its own.
func newFile(r Rule) []byte {
	return fmt.Appendf(nil, "# %s\n\n%s\n\n## Guidance\n\n%s\n\n---\n\n%s\n", r.Name, facts(r), closed(r.Text), closing)
}

func facts(r Rule) string {
	return fmt.Sprintf("**Compiled:** %s\n**Source learnings:** %d\n**Domain:** %s", r.Day, r.Learnings, r.Domain)
}

// amendFile replaces the guidance, and what is said of where it comes from, in
// a file that newFile made for a rule with the same name.
func amendFile(old []byte, r Rule) ([]byte, bool) {
	from, to, ok := guide(old, r.oldName())
	if !ok {
		return nil, false
	}
	end := lineEnd(old)
	head := bytes.Replace(old[:from], []byte("# "+r.oldName()), []byte("# "+r.Name), 1)
	if at := bytes.Index(head, []byte("**Compiled:**")); at >= 0 {
		stop := bytes.Index(head[at:], []byte(end+end))
		if stop >= 0 {
			head = bytes.Join([][]byte{head[:at], []byte(withEnds(facts(r), old)), head[at+stop:]}, nil)
		}
	}
	return bytes.Join([][]byte{head, []byte(withEnds(closed(r.Text), old)), old[to:]}, nil), true
}

// readGuidance returns what the file of a rule says.
func readGuidance(data []byte, name string) (string, bool) {
	from, to, ok := guide(data, name)
	return strings.ReplaceAll(string(data[from:to]), "\r\n", "\n"), ok
}

// guide finds the text of a rule that is a file of its own.
func guide(data []byte, name string) (from, to int, ok bool) {
	marks := findHeadings(data)
	if len(marks) < 2 || marks[0].level != 1 || index.Key(marks[0].name) != index.Key(name) {
		return 0, 0, false
	}
	for _, h := range marks[1:] {
		if h.level != 2 || h.name != "Guidance" {
			continue
		}
		from, to = h.to, len(data)
		if at := bytes.LastIndex(data, []byte(closing)); at > from {
			to = at
			if line := bytes.LastIndex(data[from:at], []byte("\n---")); line >= 0 {
				to = from + line
			}
		}
		text := data[from:to]
		from += len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
		return from, max(from, to-(len(text)-len(bytes.TrimRight(text, " \t\r\n")))), true
	}
	return 0, 0, false
}

// lineEnd is how the lines of a file end.
func lineEnd(data []byte) string {
	if at := bytes.IndexByte(data, '\n'); at > 0 && data[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// withEnds is text with the line ends of a file.
func withEnds(text string, data []byte) string {
	if end := lineEnd(data); end != "\n" {
		return strings.ReplaceAll(text, "\n", end)
	}
	return text
}
