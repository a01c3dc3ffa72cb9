package ingest

import (
	"net/url"
	"slices"
	"strings"

	"mem/frontmatter"
	"mem/lazy"
)

// removeItems takes the items out of a list all of whose links lead to files
// that are gone. An item is a line of a list with the lines below it that are
// indented more. Every other byte stays: prose, and an item that also leads
// elsewhere. A block of code has no items. linked are names of files that are gone and
// that the rest still links to.
func removeItems(data []byte, gone func(name string) bool) (kept []byte, linked []string) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	start := string(data[:len(data)-len(text)])
	lines := slices.Collect(strings.Lines(text))
	var out strings.Builder
	fence := ""
	for i := 0; i < len(lines); i++ {
		was := fence
		if fence = frontmatter.FenceAfter(fence, lines[i]); was == "" && fence == "" {
			if end := itemEnd(lines, i); isGone(lines[i:end], gone) {
				i = end - 1
				continue
			}
			for _, name := range linksOf(lines[i]) {
				if gone(name) && !slices.Contains(linked, name) {
					linked = append(linked, name)
				}
			}
		}
		out.WriteString(lines[i])
	}
	rest := out.String()
	if len(rest) < len(text) && !strings.HasSuffix(text, "\n") { // nor does what is left end in one
		rest = strings.TrimSuffix(strings.TrimSuffix(rest, "\n"), "\r")
	}
	return []byte(start + rest), linked
}

// itemEnd returns the line after the item that begins at line i; i if none does.
func itemEnd(lines []string, i int) int {
	if !isItem(lines[i]) {
		return i
	}
	end := i + 1
	for end < len(lines) && strings.TrimSpace(lines[end]) != "" && indentOf(lines[end]) > indentOf(lines[i]) {
		end++
	}
	return end
}

// isGone reports whether every link of an item leads to a file that is gone, and
// its own text, without the items below it, has a link.
func isGone(item []string, gone func(string) bool) bool {
	own, nested := 0, false
	for i, line := range item {
		nested = nested || i > 0 && isItem(line)
		for _, name := range linksOf(line) {
			if !gone(name) {
				return false
			}
			if !nested {
				own++
			}
		}
	}
	return own > 0
}

func isItem(line string) bool {
	_, ok := frontmatter.ItemOf(line)
	return ok
}

// indentOf returns how far in a line begins. A tab counts as four.
func indentOf(line string) int {
	space := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	return len(space) + 3*strings.Count(space, "\t")
}

// linkTo matches what leads elsewhere: [Text](name "title"), [Text](<name>) and [[name|text]].
var linkTo = lazy.New(`\]\(\s*(?:<([^>\n]*)|((?:[^()\n]|\([^()\n]*\))*))|\[\[([^\]|\n]*)`)

// linksOf returns the targets of the links of a line: the name of a file beside
// the list, or something that is not one, such as an address.
func linksOf(line string) (list []string) {
	for _, m := range linkTo.Get().FindAllStringSubmatch(line, -1) {
		name, _, _ := strings.Cut(m[2], ` "`)
		name, _, _ = strings.Cut(name, ` '`)
		name, _, _ = strings.Cut(strings.TrimSpace(m[1]+name+m[3]), "#")
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		if name = strings.TrimPrefix(name, "./"); m[3] != "" {
			name = strings.TrimSuffix(name, ".md") + ".md"
		}
		list = append(list, name)
	}
	return list
}
