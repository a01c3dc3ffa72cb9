package rule

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mem/curate/markdown"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/repo/union"
	"mem/topic"
	"mem/words"
)

// readOwn reads the rules that a list names, each from its file; none for another file.
func readOwn(m *repo.Memory, list string) (own []Listed, err error) {
	folder := topic.RuleFolder(list)
	if folder == "" {
		return nil, nil
	}
	names, err := m.ListTexts(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	for _, name := range names {
		at := folder + "/" + name
		data, err := m.PeekFile(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrRefused, err)
		case len(data) > MaxFile:
			return nil, fmt.Errorf("%s is larger than %d KiB: %w", at, MaxFile>>10, ErrRefused)
		}
		if err := checkWhole(at, data); err != nil {
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
func parseOwn(at string, data []byte) Listed {
	text := strings.TrimSpace(strings.TrimPrefix(toLines(data), "\ufeff"))
	head, rest := "### "+markdown.TitleOf(strings.TrimSuffix(path.Base(at), ".md")), "\n\n"+text
	if heads := markdown.Headings([]byte(text)); len(heads) > 0 && heads[0].From == 0 && heads[0].Level == 1 {
		line, _, _ := strings.Cut(text, "\n")
		head, rest = "##"+line, text[len(line):]
	}
	for _, h := range slices.Backward(markdown.Headings([]byte(rest))) {
		if h.Level < 4 {
			rest = rest[:h.From] + "####" + rest[h.From+h.Level:]
		}
	}
	l := Listed{Name: words.FoldSpace(head[3:]), Text: withoutFacts(rest), at: at, block: markdown.CloseCode(strings.TrimRight(head+rest, " \t\n"))}
	_, fact, _ := strings.Cut(rest, "\n**Source:**")
	fact, _, _ = strings.Cut(fact, "\n")
	if day := fact[strings.LastIndexByte(fact, ' ')+1:]; isDay(day) {
		l.day = day
	}
	return l
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func toLines(data []byte) string { return strings.ReplaceAll(string(data), "\r\n", "\n") }

// sections returns what a list says of each rule. Of two sections with one name the second
// adds to the first.
func sections(view []byte) (list []Listed) {
	for _, l := range findBlocks([]byte(toLines(view))) {
		if at := indexOf(list, l.Name); at >= 0 {
			_, rest, _ := strings.Cut(l.block, "\n")
			list[at].block = strings.TrimRight(list[at].block+"\n\n"+strings.TrimLeft(rest, "\n"), "\n")
			continue
		}
		list = append(list, l)
	}
	return list
}

func indexOf(list []Listed, name string) int {
	return slices.IndexFunc(list, func(l Listed) bool { return index.KeyOf(l.Name) == index.KeyOf(name) })
}

// byName returns the rules of a list by their keys.
func byName(list []Listed) map[string]Listed {
	all := map[string]Listed{}
	for _, l := range list {
		all[index.KeyOf(l.Name)] = l
	}
	return all
}

// writeListed writes a rule to its file, and the list that names it.
func writeListed(m *repo.Memory, list string, r Rule) (Written, error) {
	view, err := readFile(m, list)
	_, err2 := settleList(m, list)
	own, err3 := readOwn(m, list)
	if err = errors.Join(err, err2, err3); err == nil && len(own) == 0 {
		err = checkWhole(list, view)
	}
	if err != nil {
		return Written{}, err
	}
	w := Written{Path: list, Where: list + "#" + slug(r.Name)}
	var at string
	if i := indexOf(own, r.oldName()); i >= 0 {
		at, w.Amended = own[i].at, true
	} else if at, err = freePath(m, list, r.Name); err != nil {
		return Written{}, err
	}
	old, err := readFile(m, at)
	if err == nil {
		text := fmt.Sprintf("# %s\n\n**Source:** Compiled from %s on %s\n**Confidence:** HIGH\n\n%s\n",
			r.Name, render.Count(r.Learnings, "learning", "learnings"), r.Day, textOf(r))
		err = replaceFile(m, at, old, []byte(withEnds(text, old)))
	}
	if err == nil {
		err = writeList(m, list)
	}
	return w, err
}

// freePath returns where a new rule of a list goes.
func freePath(m *repo.Memory, list, name string) (string, error) {
	names, err := m.ListTexts(topic.RuleFolder(list))
	stem := slug(name)
	file := stem + ".md"
	for n := 2; slices.ContainsFunc(names, func(old string) bool { return strings.EqualFold(old, file) }); n++ {
		file = fmt.Sprintf("%s-%d.md", stem, n)
	}
	return topic.RuleFolder(list) + "/" + file, err
}

// SettleLists brings the rules and their lists in line: what a person wrote into a list, or
// took out of it, goes into the files of the rules, and the lists are made anew of them. It
// is a callback for repo.Options.Rules.
func SettleLists(m *repo.Memory) (msg repo.Message, err error) {
	const follow = "chore(memory): render views"
	for _, list := range slices.Sorted(maps.Values(topic.RuleFiles)) {
		own, _ := readOwn(m, list)
		changed, err := settleList(m, list)
		if err != nil && !errors.Is(err, ErrRefused) {
			return msg, err
		}
		if changed && msg.Subject != follow {
			if msg.Subject = follow; len(own) == 0 {
				msg.Subject = Split
			}
		}
	}
	return msg, nil
}

// Split is the subject of a commit that gives rules files of their own.
const Split = "chore(memory): a file for each rule"

// settleList is SettleLists for one list. One that cannot be read is left as it is, and so
// are those whose rules cannot.
func settleList(m *repo.Memory, list string) (changed bool, err error) {
	view, err := m.PeekFile(list)
	isOdd := err != nil && !errors.Is(err, fs.ErrNotExist) || len(view) > MaxFile
	if isOdd || guard.CountSecrets(string(view)) > 0 || m.Foreign().HidesIn(list) {
		return false, nil
	}
	own, err := readOwn(m, list)
	if err != nil || len(own) == 0 && (len(findBlocks(view)) == 0 || checkWhole(list, view) != nil) {
		return false, err
	}
	if bytes.Equal(renderList(list, view, own), view) {
		return false, nil
	}
	if err := takeIn(m, list, view, own); err != nil {
		return false, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return true, writeList(m, list)
}

// takeIn takes what a person changed in a list into the files of the rules. That is what is
// neither as the list was when mem last committed here nor as the file is: git, or a
// command, may have changed the file. With the marks of a merge a list only adds rules.
func takeIn(m *repo.Memory, list string, view []byte, own []Listed) (err error) {
	isTorn, now := hasConflict(view), byName(own)
	base, listed := readBase(m, list), sections(view)
	has := byName(listed)
	for key, l := range now {
		if !isTorn && has[key].block == "" && base[key].block == l.block {
			err = errors.Join(err, m.RemoveFile(l.at))
		}
	}
	for _, l := range listed {
		was, is := base[index.KeyOf(l.Name)], now[index.KeyOf(l.Name)]
		if l.block == was.block || l.block == is.block || isTorn && was.block+is.block != "" {
			continue
		}
		if merged, ok := union.MergeLines(was.block, l.block, is.block); ok && was.block != "" && is.block != "" {
			l.block = strings.TrimRight(merged, "\n")
		}
		at, err2 := is.at, error(nil)
		if at == "" {
			at, err2 = freePath(m, list, l.Name)
		}
		err = errors.Join(err, err2, m.KeepFile(at, []byte(l.block[2:]+"\n")))
	}
	return err
}

// readBase returns the rules that a list named, and that had files, when mem last committed.
func readBase(m *repo.Memory, list string) map[string]Listed {
	files := m.ReadLast(topic.RuleFolder(list))
	named := sections(files[list])
	delete(files, list)
	base := map[string]Listed{}
	for at, data := range files {
		if l := parseOwn(at, data); indexOf(named, l.Name) >= 0 {
			base[index.KeyOf(l.Name)] = l
		}
	}
	return base
}

// writeList makes the list of the rules that have files of their own. Where none is left the
// heading is: git cannot merge a file that is gone with one that a clone wrote to.
func writeList(m *repo.Memory, list string) error {
	own, err := readOwn(m, list)
	if err != nil {
		return err
	}
	old, err := readFile(m, list)
	if err != nil {
		return err
	}
	if old == nil && len(own) == 0 {
		return nil
	}
	return replaceFile(m, list, nil, renderList(list, old, own))
}

// renderList returns the list of some rules in the place of an old one: the rules by day and
// name, those without a day where they stood, and what is no rule where that stood.
func renderList(list string, old []byte, own []Listed) []byte {
	text := withoutMarks(toLines(old))
	if text == "" {
		text = "# " + markdown.TitleOf(strings.TrimSuffix(path.Base(list), ".md")) + "\n"
	}
	all := byName(own)
	rules := slices.SortedFunc(maps.Values(all), func(a, b Listed) int {
		return strings.Compare(a.day+"\n"+index.KeyOf(a.Name), b.day+"\n"+index.KeyOf(b.Name))
	})
	next := func(is func(Listed) bool) string {
		at := slices.IndexFunc(rules, is)
		if at < 0 {
			return ""
		}
		block := rules[at].block
		rules = slices.Delete(rules, at, at+1)
		return block
	}
	var b strings.Builder
	at, isCut := 0, false
	for _, l := range append(findBlocks([]byte(text)), Listed{from: len(text), to: len(text)}) {
		gap := text[at:l.from]
		if at = l.to; isCut {
			gap = strings.TrimLeft(gap, "\n")
		}
		b.WriteString(gap)
		rule := all[index.KeyOf(l.Name)]
		delete(all, index.KeyOf(l.Name))
		block := ""
		if rule.block != "" && l.from < l.to {
			block = next(func(r Listed) bool { return r.day != "" && rule.day != "" || r.block == rule.block })
		}
		b.WriteString(block)
		isCut = block == ""
	}
	out := strings.TrimRight(b.String(), "\n") + text[len(strings.TrimRight(text, "\n")):]
	for _, l := range rules {
		out = strings.TrimRight(out, "\n") + "\n\n" + l.block + "\n"
	}
	return []byte(withEnds(out, old))
}

// withoutMarks returns a text without the lines with which git marks both sides of a merge.
func withoutMarks(text string) string {
	if !hasConflict([]byte(text)) {
		return text
	}
	return strings.Join(slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, "||||||| ") || strings.TrimSpace(line) == "=======" || strings.HasPrefix(line, ">>>>>>> ")
	}), "")
}
