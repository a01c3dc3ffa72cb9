package rule

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"mem/curate/markdown"
	"mem/index"
	"mem/repo"
	"mem/topic"
)

// Errors of a search for a rule by its name.
var (
	ErrUnknown   = errors.New("no such rule")
	ErrAmbiguous = errors.New("several rules have this name")
)

// A Listed rule is one that sessions read.
type Listed struct {
	ID   string `json:"id"` // file and name, such as rules/coding.md#wrap-errors
	Name string `json:"name"`
	File string `json:"file"`
	Text string `json:"text"` // without the lines that say where it comes from

	from, to int // in the file; all of it for a rule that is a file of its own
}

// ListRules lists the rules of a memory as they lie in its files, with the files
// that cannot be read. What a person changed is not taken in by this.
func ListRules(m *repo.Memory) (list []Listed, unread []string) {
	for _, folder := range []string{"rules", "context", strategies, "context/voice", "context/preferences"} {
		names, err := m.ListTexts(folder)
		if err != nil {
			unread = append(unread, folder)
		}
		for _, name := range names {
			file := folder + "/" + name
			data, err := m.PeekFile(file)
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil || len(data) > MaxFile:
				unread = append(unread, file)
			default:
				list = append(list, splitRules(file, data)...)
			}
		}
	}
	return list, unread
}

// splitRules returns the rules of a file: its blocks with a heading of the third
// level or, if it has none, the file.
func splitRules(file string, data []byte) (list []Listed) {
	list = findBlocks(data)
	if len(list) == 0 {
		list = append(list, readWhole(file, data))
	}
	times := map[string]int{}
	for i := range list {
		l := &list[i]
		l.File, l.ID = file, file+"#"+slug(l.Name)
		if times[l.ID]++; times[l.ID] > 1 {
			l.ID += fmt.Sprintf("-%d", times[l.ID])
		}
	}
	return slices.DeleteFunc(list, func(l Listed) bool { return l.Text == "" })
}

// readWhole returns the rule that a file is; without a text if the file has none, or has
// the heading alone that mem undo leaves.
func readWhole(file string, data []byte) Listed {
	title, text := markdown.TitleOf(strings.TrimSuffix(path.Base(file), ".md")), strings.TrimSpace(string(data))
	l := Listed{Name: title, Text: text, to: len(data)}
	if text == "# "+title {
		l.Text = ""
	} else if heads := markdown.Headings(data); len(heads) > 0 && heads[0].Level == 1 {
		l.Name = heads[0].Name
		if guidance, ok := readGuidance(data, l.Name); ok {
			l.Text = guidance
		}
	}
	return l
}

// IsNamed reports whether a name, or a file and a name as in ID, is that of the
// rule. A rule that is a file of its own may have any name in the file.
func (l Listed) IsNamed(name string) bool {
	file, anchor, ok := strings.Cut(name, "#")
	if !ok {
		file, anchor = l.File, name
	}
	isOwn := ok && path.Dir(file) == strategies
	return file == l.File && (isOwn || slug(l.Name) == anchor || topic.OldSlug(l.Name, "rule") == anchor || index.KeyOf(l.Name) == index.KeyOf(anchor))
}

// RemoveRule takes a rule out of its file, and the file away if it holds nothing
// else but its title.
func RemoveRule(m *repo.Memory, l Listed) error {
	data, err := readFile(m, l.File)
	switch {
	case err != nil:
		return err
	case hasConflict(data):
		return fmt.Errorf("%s holds the marks of a merge that was not finished: %w", l.File, ErrRefused)
	case l.from > l.to || l.to > len(data):
		return fmt.Errorf("%s: %w", l.File, ErrRefused)
	}
	after := bytes.TrimLeft(data[l.to:], "\r\n")
	rest := append(bytes.Clone(data[:l.from]), after...)
	if len(after) == 0 {
		rest = append(bytes.TrimRight(rest, "\r\n"), lineEnd(data)...)
	}
	bare := bytes.TrimSpace(rest)
	if isTitle := bytes.HasPrefix(bare, []byte("# ")) && !bytes.ContainsAny(bare, "\n"); isTitle || len(bare) == 0 {
		return m.RemoveFile(l.File)
	}
	return m.WriteFile(l.File, rest)
}
