package silo

import (
	"net/url"
	"strings"
)

// An edit is what is left of a MEMORY.md.
type edit struct {
	data    []byte
	removed int
	stays   []string // names that are gone and that other lines still lead to
}

// unlist takes the items out of an index all of whose links lead to files that
// are gone. An item is a line of a list with the lines below that are indented
// more. Everything else stays as it is, byte for byte: an item that also leads
// elsewhere, and prose. Within a block of code nothing is an item.
func unlist(data []byte, gone func(name string) bool) edit {
	text := string(data)
	start := ""
	if rest, ok := strings.CutPrefix(text, "\ufeff"); ok {
		start, text = "\ufeff", rest
	}
	lines := splitLines(text)
	kept := make([]string, 0, len(lines))
	var e edit
	seen, fence := map[string]bool{}, ""
	for i := 0; i < len(lines); {
		if fence = inFence(fence, lines[i]); fence == "" {
			if end := item(lines, i); end > i && all(lines, i, end, gone) {
				e.removed++
				i = end
				continue
			}
			for _, name := range links(lines[i]) {
				if gone(name) && !seen[name] {
					seen[name] = true
					e.stays = append(e.stays, name)
				}
			}
		}
		kept = append(kept, lines[i])
		i++
	}
	if e.removed == 0 {
		e.data = data
		return e
	}
	out := strings.Join(kept, "")
	if !strings.HasSuffix(text, "\n") { // nor does what is left end in one
		out = strings.TrimSuffix(strings.TrimSuffix(out, "\n"), "\r")
	}
	e.data = []byte(start + out)
	return e
}

func splitLines(text string) (lines []string) {
	for l := range strings.Lines(text) {
		lines = append(lines, l)
	}
	return lines
}

// inFence returns the mark of the block of code that the line is in, given that
// of the line before; the lines of the marks are in it too.
func inFence(fence, line string) string {
	line = strings.TrimSpace(line)
	if fence == "closed" {
		fence = ""
	}
	for _, mark := range []string{"```", "~~~"} {
		switch {
		case !strings.HasPrefix(line, mark):
		case fence == "":
			return mark
		case fence == mark:
			return "closed"
		}
	}
	return fence
}

// item returns the line after the item that begins at i; i if none does.
func item(lines []string, i int) int {
	if !listed(lines[i]) {
		return i
	}
	end := i + 1
	for end < len(lines) && strings.TrimSpace(lines[end]) != "" && indent(lines[end]) > indent(lines[i]) {
		end++
	}
	return end
}

// all reports whether every link of an item leads to a file that is gone, and
// its own text, without the items below it, has one.
func all(lines []string, from, to int, gone func(string) bool) bool {
	own, first := 0, true
	for i := from; i < to; i++ {
		if i > from && listed(lines[i]) {
			first = false
		}
		for _, name := range links(lines[i]) {
			if !gone(name) {
				return false
			}
			if first {
				own++
			}
		}
	}
	return own > 0
}

// listed reports whether a line begins an item of a list.
func listed(line string) bool {
	line = strings.TrimLeft(line, " \t")
	digits := strings.TrimLeft(line, "0123456789")
	rest := ""
	switch {
	case line == "":
		return false
	case digits != line && digits != "" && (digits[0] == '.' || digits[0] == ')'):
		rest = digits[1:]
	case strings.IndexByte("-*+", line[0]) >= 0:
		rest = line[1:]
	default:
		return false
	}
	return rest != "" && (rest[0] == ' ' || rest[0] == '\t')
}

// indent is how far in a line begins. A tab counts as four.
func indent(line string) (n int) {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// links returns what the links of a line lead to: the name of a file beside the
// index, or something that is none, such as an address.
func links(line string) (list []string) {
	for rest := line; ; {
		_, after, ok := strings.Cut(rest, "](")
		if !ok {
			break
		}
		target, end := destination(after)
		list = append(list, local(target))
		rest = after[end:]
	}
	for rest := line; ; { // [[name]], as notes lead to each other
		_, after, ok := strings.Cut(rest, "[[")
		if !ok {
			return list
		}
		name, after, ok := strings.Cut(after, "]]")
		if !ok {
			return list
		}
		name, _, _ = strings.Cut(name, "|")
		list = append(list, strings.TrimSuffix(local(strings.TrimSpace(name)), ".md")+".md")
		rest = after
	}
}

// destination returns what stands between the brackets of a link, and where
// they end.
func destination(s string) (target string, end int) {
	depth := 1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return s[:i], i
			}
		case '\n':
			return s[:i], i
		}
	}
	return s, len(s)
}

// local is the destination of a link as the name of a file, if it is one: without
// a title, a place in the file, and what a browser needs.
func local(target string) string {
	target = strings.TrimSpace(target)
	if rest, ok := strings.CutPrefix(target, "<"); ok {
		target, _, _ = strings.Cut(rest, ">")
	} else {
		for _, title := range []string{` "`, ` '`} {
			target, _, _ = strings.Cut(target, title)
		}
	}
	name, _, _ := strings.Cut(strings.TrimSpace(target), "#")
	name = strings.TrimPrefix(name, "./")
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	return name
}
