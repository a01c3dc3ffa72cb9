package curate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"mem/fault"
	"mem/frontmatter"
	"mem/index"
	"mem/recall"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// findBlocks finds the rules of a file, each from a heading of the third level to the
// last line before the next heading of its level or above that is not blank.
func findBlocks(data []byte) (list []Rule) {
	heads := frontmatter.Headings(data)
	for i, h := range heads {
		if h.Level != 3 {
			continue
		}
		end := len(data)
		if next := slices.IndexFunc(heads[i+1:], func(h frontmatter.Heading) bool { return h.Level <= 3 }); next >= 0 {
			end = heads[i+1+next].From
		}
		to := h.From + len(bytes.TrimRight(data[h.From:end], " \t\r\n"))
		list = append(list, Rule{Name: h.Name, Text: withoutFacts(string(data[min(h.To, to):to])), from: h.From, to: to, block: string(data[h.From:to])})
	}
	return list
}

// textOf returns the text of the rule of a pattern as a file may hold it before others.
func textOf(p *Pattern) string { return frontmatter.CloseCode(strings.TrimSpace(p.Text)) }

func withEnds(text string, data []byte) string {
	return strings.ReplaceAll(text, "\n", words.LineEnd(string(data)))
}

// Errors of a search for a rule by its name.
var (
	ErrNoRule        = fault.New(fault.Missing, "no such rule", "'mem rule' shows the rules")
	errAmbiguousRule = fault.New(fault.Usage, "several rules have this name", "name one with its file, as 'mem rule' shows it")
)

// A Rule is a rule that sessions read, with its sources.
type Rule struct {
	ID   string `json:"id"` // file and name, such as rules/coding.md#wrap-errors
	Name string `json:"name"`
	File string `json:"file"` // of a rule with a file of its own, the list that names it
	Text string `json:"text"` // without the lines that say where it comes from

	Lessons  []string `json:"lessons"`  // ids of those that are compiled into it
	Recurred int      `json:"recurred"` // how often they came up again since

	patterns   []*Pattern
	at         string // its file
	from, to   int    // in the file; all of it for a rule that is a file of its own
	block, day string // as a list has it, and when it was compiled, if that is known
}

// listRules lists the rules of a memory as they lie in its files, with the files
// that cannot be read. What a person changed is not taken in by this.
func listRules(m *repo.Memory) (list []Rule, unread []string) {
	for _, folder := range recall.RuleFolders {
		files, err := m.ListRules(folder)
		if err != nil {
			unread = append(unread, folder)
		}
		for _, file := range files {
			data, err := m.PeekFile(file)
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil || len(data) > maxFile:
				unread = append(unread, file)
			default:
				list = append(list, splitRules(file, data)...)
			}
		}
	}
	times := map[string]int{}
	for i := range list {
		l := &list[i]
		l.Lessons, l.ID = []string{}, l.File+"#"+slug(l.Name)
		if times[l.ID]++; times[l.ID] > 1 {
			l.ID += fmt.Sprintf("-%d", times[l.ID])
		}
	}
	return list, unread
}

// listOf returns the list that names the rule in a file; "" if none does.
func listOf(file string) string {
	if list := path.Dir(file) + ".md"; topic.RuleFolder(list) != "" {
		return list
	}
	return ""
}

// splitRules returns the rules of a file: its blocks with a heading of the third
// level or, if it has none or is named by a list, the file.
func splitRules(file string, data []byte) (list []Rule) {
	of := listOf(file)
	if of == "" {
		list = findBlocks(data)
	}
	if len(list) == 0 {
		whole := parseOwn(file, data)
		whole.to = len(data)
		list = []Rule{whole}
	}
	for i := range list {
		list[i].at, list[i].File = file, cmp.Or(of, file)
	}
	return slices.DeleteFunc(list, func(l Rule) bool { return l.Text == "" })
}

// IsNamed reports whether a name, a file and a name as in ID, or its own file is that of
// the rule. A rule that is a file of its own may have any name in the file.
func (r Rule) IsNamed(name string) bool {
	file, anchor, ok := strings.Cut(name, "#")
	if !ok {
		file, anchor = r.File, name
	}
	isOwn := ok && path.Dir(file) == strategies
	return name == r.at || file == r.File && (isOwn || slug(r.Name) == anchor || index.KeyOf(r.Name) == index.KeyOf(anchor))
}

// removeRule takes a rule out of its file, and the file away if it holds nothing else but its title.
func removeRule(m *repo.Memory, r Rule) error {
	data, err := readFile(m, r.at)
	if err == nil {
		err = checkWhole(r.at, data)
	}
	switch {
	case err != nil:
		return err
	case listOf(r.at) != "":
		return errors.Join(m.RemoveFile(r.at), writeList(m, r.File))
	case r.from > r.to || r.to > len(data):
		return fmt.Errorf("%s: %w", r.File, ErrRuleRefused)
	}
	after := bytes.TrimLeft(data[r.to:], "\r\n")
	rest := append(bytes.Clone(data[:r.from]), after...)
	if len(after) == 0 {
		rest = append(bytes.TrimRight(rest, "\r\n"), words.LineEnd(string(data))...)
	}
	bare := bytes.TrimSpace(rest)
	if isTitle := bytes.HasPrefix(bare, []byte("# ")) && !bytes.ContainsAny(bare, "\n"); isTitle || len(bare) == 0 {
		return m.RemoveFile(r.File)
	}
	return m.WriteFile(r.File, rest)
}
