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
		if date, isDate := facts.DateOf(name); isDate {
			list := d.List(date, texts[name], s.readBefore(d, name, byHand))
			notes[byHand] = append(notes[byHand], slices.DeleteFunc(list, func(n facts.Note) bool {
				return n.Text == "" && !byHand && !s.isTakenOut(c, name, n.Entry)
			})...)
		} else {
			proposed[byHand][name] = texts[name]
		}
	}
	for _, byHand := range []bool{false, true} {
		f := facts.Fact{Kind: facts.Edit, Notes: append(notes[byHand], d.log.Proposals().Diff(proposed[byHand])...)}
		f.Notes = slices.DeleteFunc(f.Notes, func(n facts.Note) bool { return !byHand && n.Text != "" && d.Says(n) }) // git merged it in
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
	_, isDate := facts.DateOf(name)
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

// A diary is that of a commit, and what git did to it.
type diary struct {
	facts.Diary
	log      *facts.Log  // of which the commit was made
	beyond   string      // its name; "" where it is not known
	isBehind bool        // it builds on what this clone saw last, and is not a reset to before a note was a fact
	parent   object.Hash // the tree before the commit
	isEdit   bool        // it brought and took out no facts
}

// openDiary returns the diary of a commit; nil where a conversion has the journal.
func (s *fold) openDiary(c object.Commit) (*diary, error) {
	p, err := s.r.findPair(c.Hash, c.Tree)
	if err != nil {
		return nil, err
	}
	d := &diary{log: s.log}
	if ix, _, err := s.loadBlob(p.index); err == nil {
		if p.log.IsZero() && ix.Version < index.Version {
			return nil, nil
		}
		if l, err := s.r.findLog(ix.Log); l != nil && err == nil {
			d.log, d.beyond = l, ix.Log
		}
	}
	isSame := d.beyond == p.log.String()
	d.Diary = facts.NewDiary(d.log, s.log, isSame)
	if own, err := s.r.readLog(p.log, 0); err == nil && !isSame { // as after a rebase, where git took one side's index
		d.Hear(own)
	}
	if d.isBehind = s.isBehind(s.known.commit); d.isBehind {
		d.Hear(s.was)
	}
	d.parent, d.isEdit, err = s.leavesLog(c)
	return d, err
}
