package recall

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"mem/guard"
	"mem/repo"
	"mem/words"
)

// RuleFiles returns the paths of the files that say what was agreed: those in
// rules/, and those in context/ and one folder below.
func RuleFiles(m *repo.Memory) (paths []string, err error) {
	for _, folder := range []string{"rules", "context", "context/strategies", "context/voice", "context/preferences"} {
		names, err := m.Texts(folder)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			paths = append(paths, folder+"/"+name)
		}
	}
	return paths, nil
}

// rules adds the blocks of the rule files of a memory. A file that cannot be
// read is passed over: the rest is still worth reading.
func (b *bundle) rules(s *Source) {
	paths, err := RuleFiles(s.Memory)
	if err != nil {
		b.skipped = append(b.skipped, err.Error())
	}
	for _, path := range paths {
		data, err := s.Memory.Read(path)
		if err != nil {
			b.skipped = append(b.skipped, err.Error())
			continue
		}
		for _, block := range blocks(path, string(data)) {
			e := &entry{section: rules, source: s, from: path, head: block.head, text: block.text, why: "agreed: " + path}
			if b.query != nil {
				for _, h := range b.query.score(1, func(_ int, f func(string)) { f(block.head + " " + block.text) }) {
					e.score = float64(len(b.query.words(&h)))
				}
			}
			b.add(e)
		}
	}
}

// A block is a part of a file under a heading of its own.
type block struct{ head, text string }

// blocks takes a rule file apart: at its headings of the third level if it has
// any, else it is one block.
func blocks(path, text string) (list []block) {
	name := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".md")
	whole := block{head: name}
	var cut []block
	for line := range strings.Lines(body(text)) {
		if head, ok := strings.CutPrefix(strings.TrimSpace(line), "### "); ok {
			cut = append(cut, block{head: name + ": " + unmarked(words.FoldSpace(head))})
			continue
		}
		if head, ok := strings.CutPrefix(strings.TrimSpace(line), "# "); ok && len(cut) == 0 && whole.text == "" {
			if whole.head = unmarked(words.FoldSpace(head)); reserved(whole.head) {
				whole.head = name + ": " + whole.head // it is not to pass for a section of its own
			}
			continue
		}
		if line = quiet(line); line == "" || bookkeeping(line) {
			continue
		}
		if len(cut) > 0 {
			cut[len(cut)-1].text += line + "\n"
		} else {
			whole.text += line + "\n"
		}
	}
	for _, b := range append([]block{whole}, cut...) {
		if b.text != "" {
			list = append(list, b)
		}
	}
	return list
}

// reserved reports whether a heading is one that mem puts over a part.
func reserved(head string) bool {
	return slices.Contains(titles[:], head) || head == projectNotes || head == globalNotes
}

// bookkeeping reports whether a line only says where a rule is from, as mem
// notes it: no session needs to read that.
func bookkeeping(line string) bool {
	for _, prefix := range []string{"**Source:** Compiled from ", "**Confidence:** HIGH", "**Compiled:** ", "**Source learnings:** ", "**Domain:** "} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return line == "*Compiled from learnings by self-improvement protocol*"
}

// body is what a file says: without its front matter, secrets, and characters
// that nobody sees. What looks like a fence of mem's stays, as plain text: taking
// it out would let one line of a file hide all lines before it.
func body(text string) string {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if _, after, ok := strings.Cut(rest, "\n---\n"); ok {
			text = after
		}
	}
	return guard.Scrub(text)
}

// quiet is one line of a file as it may stand in a context: it neither makes a
// heading nor opens a block of code or a comment. It may be empty.
func quiet(line string) string {
	line = words.FoldSpace(line)
	switch {
	case strings.Trim(line, "-=_* ") == "", strings.HasPrefix(line, "~~~"), strings.HasPrefix(line, "<!--"):
		return ""
	case strings.HasPrefix(line, "```") && !strings.Contains(strings.TrimLeft(line, "`"), "`"): // else it is code within a sentence
		return ""
	case heading(line):
		if line = unmarked(line); line != "" {
			line = strings.TrimSuffix(line, ":") + ":"
		}
	}
	return line
}

// heading reports whether a line makes a heading.
func heading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	return rest != line && (rest == "" || rest[0] == ' ')
}

// unmarked is a line without the marks of a heading.
func unmarked(line string) string {
	for heading(line) {
		line = strings.TrimSpace(strings.TrimLeft(line, "#"))
	}
	return line
}

// paragraphs takes a MEMORY.md apart: each item of its lists, with the lines
// that belong to it, and each paragraph. A heading stays with what it is over.
// What begins after limit bytes is one last paragraph, which is not shown.
func paragraphs(text string, limit int) (list []string) {
	var head, now string
	end := func() {
		if now != "" {
			list = append(list, head+now)
			head, now = "", ""
		}
	}
	size := 0
	for line := range strings.Lines(body(text)) {
		if size > limit {
			end()
			return append(list, strings.Repeat(" ", 4*max(limit, 1)))
		}
		size += len(line)
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		folded := words.FoldSpace(line)
		out := quiet(line)
		switch {
		case folded == "":
			end()
		case heading(folded):
			end()
			if out != "" {
				head += out + "\n"
			}
		case out == "":
		case !indented && listed(out):
			end()
			now = out + "\n"
		default:
			now += out + "\n"
		}
	}
	end()
	return list
}

// listed reports whether a line begins an item of a list.
func listed(line string) bool {
	digits := strings.TrimLeft(line, "0123456789")
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ") ||
		digits != line && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
}

// journal adds the latest summary of a month and the entries of the latest
// days, newest first, as far as they are asked for.
func (b *bundle) journal() error {
	for i := len(b.sources) - 1; i >= 0; i-- {
		if s := &b.sources[i]; s.Memory != nil {
			return b.journalOf(s)
		}
	}
	return nil
}

func (b *bundle) journalOf(s *Source) error {
	add := func(names []string, folder, title string, most int) error {
		for i := len(names) - 1; i >= 0 && len(names)-i <= most; i-- {
			path := folder + "/" + names[i] + ".md"
			data, err := s.Memory.Read(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			text := ""
			for line := range strings.Lines(body(string(data))) {
				if line = quiet(line); line != "" && line != names[i]+":" {
					text += line + "\n"
				}
			}
			b.add(&entry{section: journal, source: s, from: path, head: fmt.Sprintf("%s %s", title, names[i]), text: text, why: "asked for by the configuration"})
		}
		return nil
	}
	if b.opts.Monthly {
		names, err := s.Memory.Months()
		if err != nil {
			return err
		}
		if err := add(names, "monthly", "Month", 1); err != nil {
			return err
		}
	}
	if b.opts.Days <= 0 {
		return nil
	}
	names, err := s.Memory.Days("")
	if err != nil {
		return err
	}
	return add(names, "daily", "Journal of", b.opts.Days)
}
