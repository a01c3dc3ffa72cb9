package curate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"mem/facts"
	"mem/frontmatter"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// readOwn reads the rules that a list names, each from its file; none for another file.
func readOwn(m *repo.Memory, list string) (own []Rule, err error) {
	folder := topic.RuleFolder(list)
	if folder == "" {
		return nil, nil
	}
	names, err := m.ListTexts(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRuleRefused, err)
	}
	for _, name := range names {
		at := folder + "/" + name
		data, err := readWith(m.PeekFile, at)
		if err = cmp.Or(err, checkWhole(at, data)); err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(data)) > 0 { // else it waits for the person, or says nothing
			own = append(own, parseOwn(at, data))
		}
	}
	return own, nil
}

// parseOwn reads the file of a rule: a heading with its name, facts, and its text. In the
// list the headings of the text are below that of the rule.
func parseOwn(at string, data []byte) Rule {
	text := strings.TrimSpace(strings.TrimPrefix(toLines(data), "\ufeff"))
	head, rest := "### "+frontmatter.TitleOf(strings.TrimSuffix(path.Base(at), ".md")), "\n\n"+text
	if heads := frontmatter.Headings([]byte(text)); len(heads) > 0 && heads[0].From == 0 && heads[0].Level == 1 {
		line, _, _ := strings.Cut(text, "\n")
		head, rest = "##"+line, text[len(line):]
	}
	for _, h := range slices.Backward(frontmatter.Headings([]byte(rest))) {
		if h.Level < 4 {
			rest = rest[:h.From] + "####" + rest[h.From+h.Level:]
		}
	}
	l := Rule{Name: words.FoldSpace(head[3:]), Text: withoutFacts(rest), at: at, block: frontmatter.CloseCode(strings.TrimRight(head+rest, " \t\n"))}
	_, fact, _ := strings.Cut(rest, "\n**Source:**")
	fact, _, _ = strings.Cut(fact, "\n")
	l.day = dateOf(fact[strings.LastIndexByte(fact, ' ')+1:])
	return l
}

func toLines(data []byte) string { return strings.ReplaceAll(string(data), "\r\n", "\n") }

// sections returns the rules in a list. If two sections have one name, the second extends the first.
// Text outside of the sections is a rule with the list's title.
func sections(list string, view []byte) (all []Rule) {
	text := strings.TrimPrefix(toLines(view), "\ufeff")
	title := titleOfList(list, text)
	loose := Rule{Name: title, block: "### " + title + "\n"}
	at := 0
	if head, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(head, "# ") {
		at = len(head)
	}
	for _, l := range append(findBlocks([]byte(text)), Rule{from: len(text), to: len(text)}) {
		if gap := strings.TrimSpace(text[at:l.from]); gap != "" {
			loose.block += "\n" + gap + "\n"
		}
		at = l.to
		if same := indexOf(all, l.Name); same >= 0 {
			all[same].add(l)
		} else if l.block != "" {
			all = append(all, l)
		}
	}
	if loose.block = strings.TrimSpace(loose.block); !strings.Contains(loose.block, "\n") {
		return all
	}
	if same := indexOf(all, title); same >= 0 {
		all[same].add(loose)
		return all
	}
	return slices.Insert(all, 0, loose)
}

func (l *Rule) add(o Rule) {
	_, rest, _ := strings.Cut(o.block, "\n")
	l.block = strings.TrimRight(l.block+"\n\n"+strings.TrimLeft(rest, "\n"), "\n")
}

// titleOfList returns the title of a list: the one it has, or that of its name.
func titleOfList(list, text string) string {
	head, _, _ := strings.Cut(text, "\n")
	if title, ok := strings.CutPrefix(head, "# "); ok {
		return words.FoldSpace(title)
	}
	return frontmatter.TitleOf(strings.TrimSuffix(path.Base(list), ".md"))
}

func indexOf(list []Rule, name string) int {
	return slices.IndexFunc(list, func(l Rule) bool { return index.KeyOf(l.Name) == index.KeyOf(name) })
}

func byName(list []Rule) map[string]Rule {
	all := map[string]Rule{}
	for _, l := range list {
		all[index.KeyOf(l.Name)] = l
	}
	return all
}

func writeListed(m *repo.Memory, list string, p *Pattern) (verb string, err error) {
	view, err := readFile(m, list)
	err2 := settleList(m, list)
	own, err3 := readOwn(m, list)
	if err = errors.Join(err, err2, err3); err == nil && len(own) == 0 {
		err = checkWhole(list, view)
	}
	if err != nil {
		return "", err
	}
	at := ""
	if i := indexOf(own, oldName(p)); i >= 0 {
		at, verb = own[i].at, amended
	} else if at, err = freePath(m, list, p.Title); err != nil {
		return "", err
	}
	verb = cmp.Or(verb, added)
	old, err := readFile(m, at)
	if err == nil {
		text := fmt.Sprintf("# %s\n\n**Source:** Compiled from %s on %s\n**Confidence:** HIGH\n\n%s\n",
			p.Title, render.Count(p.countLearnings(), "learning", "learnings"), today(m), textOf(p))
		err = replaceFile(m, at, old, []byte(withEnds(text, old)))
	}
	if err == nil {
		err = writeList(m, list)
	}
	return verb, err
}

func freePath(m *repo.Memory, list, name string) (string, error) {
	names, err := m.ListTexts(topic.RuleFolder(list))
	return freeName(topic.RuleFolder(list)+"/"+slug(name), func(at string) bool {
		return slices.ContainsFunc(names, func(old string) bool { return strings.EqualFold(old, path.Base(at)) })
	}), err
}

// settleList syncs rules and their list: it copies a person's edits of the list into the files of the rules, then
// rebuilds it from these files. It skips a list that cannot be read, or whose rules cannot.
func settleList(m *repo.Memory, list string) error {
	view, err := m.PeekFile(list)
	own, err2 := readOwn(m, list)
	if err2 != nil || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err2
	}
	isFit := len(view) <= maxFile && guard.CountSecrets(string(view)) == 0 && !hasConflict(view)
	switch {
	case bytes.Equal(renderList(list, view, own), view), !isFit && isLeft(m, list, view, own):
		return nil
	case isFit:
		if err := takeIn(m, list, view, own); err != nil {
			return fmt.Errorf("%w: %w", ErrRuleRefused, err)
		}
	}
	return writeList(m, list)
}

// isLeft reports whether a list that cannot be read in is left unchanged: no rule has a file, or a
// person wrote it and has not committed it.
func isLeft(m *repo.Memory, list string, view []byte, own []Rule) bool {
	committed, _ := m.ReadCommitted(list)
	return len(own) == 0 || !hasConflict(view) && !bytes.Equal(view, committed)
}

// takeIn copies a person's edits of a list, that is its changes since mem last wrote it, into the
// files of the rules. Where the list is unchanged the file wins: git, or a person, changed it.
func takeIn(m *repo.Memory, list string, view []byte, own []Rule) (err error) {
	base, isKnown := readBase(m, list)
	now, listed := byName(own), sections(list, view)
	has := byName(listed)
	for key, was := range base {
		if is := now[key]; has[key].block == "" && is.block == was.block {
			err = errors.Join(err, m.RemoveFile(is.at))
		}
	}
	for _, l := range listed {
		was, is := base[index.KeyOf(l.Name)], now[index.KeyOf(l.Name)]
		if l.block == was.block || l.block == is.block || !isKnown && is.block != "" {
			continue
		}
		var failed error
		if is.at == "" {
			is.at, failed = freePath(m, list, l.Name)
		} else if merged, ok := facts.MergeLines(was.block, l.block, is.block); ok { // beside what its file became by itself
			l.block = strings.TrimRight(merged, "\n")
		}
		err = errors.Join(err, failed, m.KeepFile(is.at, []byte(l.block[2:]+"\n")))
	}
	return err
}

// readBase returns the rules that a list named, and that had files, when mem made it last; false if that is not known.
func readBase(m *repo.Memory, list string) (base map[string]Rule, isKnown bool) {
	files, isKnown := m.ReadLast(list)
	named := sections(list, files[list])
	delete(files, list)
	base = map[string]Rule{}
	for at, data := range files {
		if l := parseOwn(at, data); indexOf(named, l.Name) >= 0 {
			base[index.KeyOf(l.Name)] = l
		}
	}
	return base, isKnown
}

func writeList(m *repo.Memory, list string) error {
	own, err := readOwn(m, list)
	if err != nil {
		return err
	}
	old, err := readFile(m, list)
	if err != nil {
		return err
	}
	if len(own) == 0 {
		return m.RemoveFile(list)
	}
	return m.WriteFile(list, renderList(list, old, own))
}

// renderList returns the list of some rules, by day, those without one last, and name, in the place of an old one.
func renderList(list string, old []byte, own []Rule) []byte {
	if len(own) == 0 {
		return nil
	}
	rules := slices.SortedFunc(maps.Values(byName(own)), func(a, b Rule) int {
		return cmp.Or(strings.Compare(cmp.Or(a.day, "~"), cmp.Or(b.day, "~")), strings.Compare(index.KeyOf(a.Name), index.KeyOf(b.Name)))
	})
	text := "# " + titleOfList(list, strings.TrimPrefix(toLines(old), "\ufeff")) + "\n"
	for _, l := range rules {
		text += "\n" + l.block + "\n"
	}
	return []byte(withEnds(text, old))
}
