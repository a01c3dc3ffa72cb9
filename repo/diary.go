package repo

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"mem/facts"
	"mem/index"
	"mem/repo/disk"
	"mem/repo/gitstore/object"
)

// takeJournal makes a fact of what was written by hand into the journal of a commit since this clone looked last.
func (s *fold) takeJournal(c object.Commit) error {
	d, err := s.openDiary(c)
	if err != nil || d == nil {
		return err
	}
	names, texts, err := s.listWritten(c, d.isBehind)
	if err != nil {
		return err
	}
	notes, proposed := map[bool][]facts.Note{}, map[bool]map[string][]byte{false: {}, true: {}} // by hand, or not
	for _, name := range names {
		byHand := s.own[name] && c.Hash == s.tip
		if date, isDate := dateOf(name); isDate {
			list := d.list(date, texts[name], s.readBefore(d, name, byHand))
			notes[byHand] = append(notes[byHand], slices.DeleteFunc(list, func(n facts.Note) bool {
				return n.Text == "" && !byHand && !s.isTakenOut(c, name, n.Entry)
			})...)
		} else {
			proposed[byHand][name] = texts[name]
		}
	}
	for _, byHand := range []bool{false, true} {
		f := facts.Fact{Kind: facts.Edit, Notes: append(notes[byHand], d.log.Proposals().Diff(proposed[byHand])...)}
		f.Notes = slices.DeleteFunc(f.Notes, func(n facts.Note) bool { return !byHand && n.Text != "" && d.said[bare(n)] }) // git merged it in
		err = errors.Join(err, s.addEdit(f, d.beyond, c.When, byHand))
	}
	return err
}

// isTakenOut reports whether it was a person's commit that took an entry out of a day, up to this one, and not one of
// mem's that git copied to where the entry is of a fact. What a merge took out its sides tell.
func (s *fold) isTakenOut(c object.Commit, day, entry string) bool {
	for n := 0; n < maxTips && len(c.Parents) == 1 && c.Hash != s.known.commit; n++ {
		parent, err := s.r.store.ReadCommit(c.Parents[0])
		if err != nil {
			break
		}
		data, err := s.r.readAt(parent.Tree, day)
		if err == nil && slices.ContainsFunc(facts.ParseDay(data), func(p facts.Part) bool { return p.ID == entry }) {
			_, leaves, err := s.leavesLog(c)
			return leaves && err == nil
		}
		c = parent
	}
	return false
}

// listWritten returns the files of the journal and of proposals that are others in a commit than this clone verified
// last, or all if the last commit does not build on that one, and what they say; nothing for one that a person took out.
func (s *fold) listWritten(c object.Commit, buildsOn bool) (names []string, texts map[string][]byte, err error) {
	known := object.Commit{}
	if buildsOn {
		known, _ = s.r.store.ReadCommit(s.known.commit) // else git collected it
	}
	was, err := s.r.listDiary(known.Tree)
	is, err2 := s.r.listDiary(c.Tree)
	if err = errors.Join(err, err2); err != nil {
		return nil, nil, err
	}
	texts = map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if was[name] != is[name] {
			names = append(names, name)
			if texts[name], err = s.r.store.ReadBlob(is[name]); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, name := range s.edited {
		if c.Hash == s.tip && is[name].IsZero() && isDiary(name) {
			names = append(names, name)
		}
	}
	return names, texts, nil
}

// readBefore returns what a file said before a person edited it; nothing where git may have merged it.
func (s *fold) readBefore(d *diary, name string, byHand bool) []byte {
	if !byHand && !d.isEdit {
		return nil
	}
	data, _ := s.r.readAt(d.parent, name) // else nothing was there
	return data
}

// isDiary reports whether a file is one of the journal, or a proposal. A fact, which may be anybody's, can name no other.
func isDiary(name string) bool {
	_, isDate := dateOf(name)
	return (isDate || facts.IsProposal(name)) && disk.IsPortable(name) && len(name) < 200
}

// listDiary returns such files of a tree.
func (r *Root) listDiary(tree object.Hash) (map[string]object.Hash, error) {
	files, err := r.store.ListFiles(tree, func(folder string) bool {
		return folder != "daily" && folder != "monthly" && folder != "patterns"
	})
	maps.DeleteFunc(files, func(name string, _ object.Hash) bool { return !isDiary(name) })
	return files, err
}

// leavesLog returns the tree before a commit, and whether it brought and took out no facts, as a person's does. One that
// git copied of mem's, or that reverts one, is not a person's, unless that holds what was edited by hand.
func (s *fold) leavesLog(c object.Commit) (before object.Hash, leaves bool, err error) {
	of := c
	if _, id, isRevert := strings.Cut(c.Message, "\nThis reverts commit "); isRevert {
		h, _ := object.ParseHash(id[:min(len(id), 40)])
		of, _ = s.r.store.ReadCommit(h) // else it is not here
	}
	isCopy := strings.Contains(of.Message, "\n"+versionTrailer+": ") && !strings.HasPrefix(of.Message, "edit: ")
	if len(c.Parents) != 1 || isCopy {
		return before, false, nil
	}
	parent, err := s.r.store.ReadCommit(c.Parents[0])
	if errors.Is(err, object.ErrDamaged) {
		return before, false, nil // a shallow clone lacks it
	}
	was, err2 := s.r.store.FindFolder(parent.Tree, facts.Folder)
	is, err3 := s.r.store.FindFolder(c.Tree, facts.Folder)
	return parent.Tree, was == is, errors.Join(err, err2, err3)
}

// A diary tells what a person wrote into the journal from what git made of it.
type diary struct {
	log      *facts.Log          // of which the commit was made
	beyond   string              // its name; "" where it is not known
	was, now facts.Journal       // as its facts say, and as they say now
	isBehind bool                // it builds on what this clone saw last, and is not a reset to before a note was a fact
	isSame   bool                // git brought and took out no facts meanwhile
	said     map[facts.Note]bool // by facts, also by those that count no longer
	all      facts.Journal       // of these, too
	parent   object.Hash         // the tree before the commit
	isEdit   bool                // it brought and took out no facts
}

// openDiary returns the diary of a commit; nil where a conversion has the journal.
func (s *fold) openDiary(c object.Commit) (*diary, error) {
	p, err := s.r.findPair(c.Hash, c.Tree)
	if err != nil {
		return nil, err
	}
	d := &diary{log: s.log, now: s.log.Journal(), said: map[facts.Note]bool{}, all: facts.Journal{}}
	if ix, _, err := s.loadBlob(p.index); err == nil {
		if p.log.IsZero() && ix.Version < index.Version {
			return nil, nil
		}
		if h, ok := object.ParseHash(ix.Log); ok {
			if l, err := s.r.readLog(h); err == nil {
				d.log, d.beyond = l, ix.Log
			}
		}
	}
	d.was, d.isSame = d.log.Journal(), d.beyond == p.log.String()
	d.hear(d.log)
	d.hear(s.log)
	if own, err := s.r.readLog(p.log); err == nil && !d.isSame { // as after a rebase, where git took one side's index
		d.hear(own)
	}
	if d.isBehind = s.isBehind(s.known.commit); d.isBehind {
		d.hear(s.was)
	}
	d.parent, d.isEdit, err = s.leavesLog(c)
	return d, err
}

// bare is a note without its place.
func bare(n facts.Note) facts.Note {
	return facts.Note{Day: n.Day, Entry: n.Entry, Text: strings.TrimSpace(n.Text)}
}

func (d *diary) hear(l *facts.Log) {
	for _, f := range l.Facts() {
		d.all.Add(f)
		for _, n := range f.Notes {
			d.said[bare(n)] = true
		}
	}
}

func (d *diary) has(date, id string) bool {
	return slices.ContainsFunc(d.now[date], func(p facts.Part) bool { return p.ID == id && p.Text != "" })
}

// list returns what a person wrote into a file. An entry that is new in it is of a fact that git merged in or took
// out; so it is with one that is missing, unless git did nothing to the facts. Where git may have merged files, only
// what stands between entries was written by hand, and of that only what has a line that no fact says; an entry was
// changed by hand if it was as the facts say before.
func (d *diary) list(date string, data, before []byte) []facts.Note {
	isSo := func(text []byte, id string) bool { // as the facts say
		return slices.ContainsFunc(facts.ParseDay(text), func(p facts.Part) bool { return p.ID == id && slices.Contains(d.was[date], p) })
	}
	isOfFact := func(id string) bool { return !strings.HasPrefix(id, "t-") || d.has(date, id) }
	return slices.DeleteFunc(d.was.DiffDay(date, data, isOfFact), func(n facts.Note) bool {
		if n.Text == "" {
			return !d.isSame || !d.has(date, n.Entry)
		}
		if strings.Contains(n.Entry, "-") { // and not what stands before all
			return !isSo(before, n.Entry) || isSo(data, n.Entry) || d.isMixed(n, before, data)
		}
		isMonth := len(date) == len("2006-01") && before != nil && string(before) == string(d.was.Render(date))
		return !isMonth && !d.saysMore(n)
	})
}

// isMixed reports whether the text of an entry is what git makes of two that it merges line by line, as it does where a
// commit is picked: what it lost stands in another one that is new, or nothing in it is new, and it has a line of another
// one.
func (d *diary) isMixed(n facts.Note, before, data []byte) bool {
	was, others, own := facts.ParseDay(before), "\n", "\n"
	for _, p := range was {
		if p.ID == n.Entry {
			own += p.Text + "\n"
		}
	}
	for _, p := range facts.ParseDay(data) {
		if p.Text != n.Text && !slices.Contains(was, p) {
			others += p.Text + "\n"
		}
	}
	lacks := func(text string) func(line string) bool {
		return func(line string) bool { return !strings.Contains(text, "\n"+line+"\n") }
	}
	lost := slices.DeleteFunc(strings.Split(strings.TrimSpace(own), "\n"), func(line string) bool { return !lacks("\n" + n.Text + "\n")(line) })
	return len(lost) > 0 && !slices.ContainsFunc(lost, lacks(others)) || !d.saysMore(n) && slices.ContainsFunc(strings.Split(n.Text, "\n"), lacks(own))
}

// saysMore reports whether a text has a line that no part of its day has.
func (d *diary) saysMore(n facts.Note) bool {
	known := map[string]bool{}
	for _, p := range slices.Concat(d.was[n.Day], d.now[n.Day], d.all[n.Day]) {
		for line := range strings.Lines(p.Text) {
			known[strings.TrimSpace(line)] = true
		}
	}
	for line := range strings.Lines(n.Text) {
		if line = strings.TrimSpace(line); line != "" && !known[line] {
			return true
		}
	}
	return false
}
