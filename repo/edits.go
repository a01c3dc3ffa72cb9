package repo

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/repo/disk"
	"mem/repo/gitstore"
)

// A tip is a commit whose index or journal may hold changes that are in no fact.
type tip struct {
	gitstore.Commit
	pair
	ix     *index.Index // nil for none that can be read
	log    *facts.Log   // that the index names; nil for none that git has
	beyond string       // its name
}

// takeTip makes facts of what a commit says beyond the log that its index names. A person or another program
// wrote that, or it comes from a version before 4.
func (s *fold) takeTip(c gitstore.Commit) error {
	p, err := s.r.findPair(c.Hash, c.Tree)
	if err != nil {
		return err
	}
	t := tip{Commit: c, pair: p}
	if t.ix, err = s.readTip(c, p); err != nil || t.ix == nil {
		return cmp.Or(err, s.takeJournal(t))
	}
	if p.log.IsZero() && t.ix.Version < index.Version {
		return s.convert(t.ix, c)
	}
	if t.log, err = s.r.findLog(t.ix.Log); t.log != nil {
		t.beyond = t.ix.Log
	}
	partial := t.ix.Version < index.Version
	was, errBase := s.findBase(t, partial)
	if err = errors.Join(err, errBase); err == nil && was != nil {
		err = s.takeDiff(was, t.ix, partial, t.When, s.isByHand(t.Hash) && s.own[IndexPath])
	}
	return errors.Join(err, s.takeJournal(t))
}

func (s *fold) takeDiff(was, ix *index.Index, partial bool, at time.Time, isMine bool) error {
	f := facts.Fact{Kind: facts.Edit}
	f.Changes, f.Old = facts.Diff(was, ix, partial)
	return s.addEdit(f, ix.Log, at, isMine)
}

// readTip reads the index of a commit; nil for none, and for one that cannot be read and is not needed.
func (s *fold) readTip(c gitstore.Commit, p pair) (*index.Index, error) {
	if p.index.IsZero() {
		return nil, nil
	}
	ix, report, err := s.r.loadBlob(p.index, s.m.now)
	isTip := c.Hash == s.tip
	switch {
	case errors.Is(err, index.ErrUnreadable) && !isTip:
		return nil, nil
	case errors.Is(err, index.ErrUnreadable) && s.now.log.IsZero():
		return nil, s.r.explain(c.Hash, err)
	case errors.Is(err, index.ErrUnreadable):
		s.r.opts.Warn(fmt.Sprintf("%s could not be read and is made anew of the log: %v", IndexPath, err))
		return nil, nil
	case err != nil:
		return nil, err
	case ix.ReadOnly():
		s.m.Index = ix
		return nil, fmt.Errorf("index of version %d: %w", ix.Version, index.ErrNewerVersion)
	case isTip:
		s.m.Report = report
	}
	return ix, nil
}

// addEdit adds a fact, unless the log has it. The id covers the content and the log it goes beyond: all clones
// make the same fact, and the same edit made again later is a new one.
func (s *fold) addEdit(f facts.Fact, beyond string, at time.Time, isMine bool) error {
	if f.IsEmpty() {
		return nil
	}
	f.Why = beyond
	if _, _, err := f.Encode(); err != nil {
		return err
	}
	f.Why = "" // a commit says it
	if f.ID = "e" + f.ID[1:]; s.log.Has(f.ID) || slices.ContainsFunc(s.fresh, func(o facts.Fact) bool { return o.ID == f.ID }) {
		return nil
	}
	f.At = at.UTC().Truncate(time.Millisecond)
	if s.fresh = append(s.fresh, f); isMine {
		s.mine[f.ID] = true
	}
	return nil
}

// findBase returns the index that one is an edit of: the fold of the log that it names or, where another program
// wrote it, of the newest one before; nil if git does not have that log.
func (s *fold) findBase(t tip, partial bool) (was *index.Index, err error) {
	if partial {
		if t.ix.Log, err = s.findLogBefore(t.Hash); err == nil {
			t.log, err = s.r.findLog(t.ix.Log)
		}
	} else if was = s.findEdited(t); was != nil {
		return was, nil
	}
	_, isNamed := gitstore.ParseHash(t.ix.Log)
	switch {
	case err != nil:
	case t.log != nil:
		was = t.log.Fold()
	case s.now.log.IsZero(), !isNamed && !partial: // without known history, such as when a folder was copied without .git
		was = &index.Index{}
	}
	return was, err
}

// findEdited returns the index that git had brought, with the same log, before a person edited it; nil if there is none.
func (s *fold) findEdited(t tip) *index.Index {
	if !s.isByHand(t.Hash) {
		return nil
	}
	before, err := s.r.findPair(s.m.tx.Head.Tip, s.m.tx.Tree)
	was, _, err2 := s.r.loadBlob(before.index, s.m.now)
	if errors.Join(err, err2) != nil || was.Version != t.ix.Version || was.Log != t.ix.Log {
		return nil
	}
	return was
}

// findLogBefore returns the log that the newest index of this version names, at or before a commit; "" if there is no
// such index, and - if it names none.
func (s *fold) findLogBefore(commit gitstore.Hash) (name string, err error) {
	err = s.r.store.WalkHistory(commit, func(c gitstore.Commit) bool {
		p, err := s.r.findPair(c.Hash, c.Tree)
		if err != nil || p.index.IsZero() {
			return err == nil
		}
		before, _, err := s.r.loadBlob(p.index, s.m.now)
		if err == nil && before.Version >= index.Version {
			name = cmp.Or(before.Log, "-")
		}
		return name == ""
	})
	return name, err
}

// convert makes a fact of an index of a version before 4, and of its journal and marks: the same on every clone
// that converts the same commit.
func (s *fold) convert(ix *index.Index, c gitstore.Commit) error {
	f := facts.Fact{Kind: facts.Base, At: ix.UpdatedAt.UTC(), N: max(1, ix.UpdatedAt.UnixMilli()), Old: ix.Old, Purged: ix.Purged}
	if len(ix.Unknown) > 0 {
		f.Changes = append(f.Changes, index.Decision{Set: ix.Unknown})
	}
	data, _ := s.r.ReadAt(c.Tree, TracesPath)
	if t, err := facts.ReadTraces(data); data != nil && err == nil {
		f.Marks, f.Read = t.Marks, t.Reflections
	}
	var err error
	if f.Notes, err = s.r.readDiary(c.Tree); err != nil || f.IsEmpty() {
		return err
	}
	if _, _, err := f.Encode(); err != nil || s.log.Has(f.ID) {
		return err
	}
	s.fresh = append(s.fresh, f)
	if len(ix.Old) > 0 {
		s.r.opts.Warn(fmt.Sprintf("this memory was of version %d and is of version %d now, which a mem before it only reads; the commit before stays as %s: 'git -C %s branch version-4-%[6]s' and 'git -C %[4]s switch -C %[5]s %[3]s' are the way back",
			ix.Version, index.Version, beforeRef, guard.Line(s.r.Path()), strings.TrimPrefix(s.m.tx.Head.Ref, "refs/heads/"), c.Hash.String()[:7]))
		return s.r.d.WriteFile(".git/"+beforeRef, []byte(c.Hash.String()+"\n"), gitstore.TempDir)
	}
	return nil
}

// readDiary makes notes of the journal and the proposals in a tree that has no facts of them.
func (r *Root) readDiary(tree gitstore.Hash) (notes []facts.Note, err error) {
	files, err := r.store.ListFiles(tree, nil)
	maps.DeleteFunc(files, func(name string, _ gitstore.Hash) bool { return !isDiary(name) })
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data, _ := r.store.ReadBlob(files[name])
		if date, isDate := facts.DateOf(name); isDate {
			notes = append(notes, facts.Journal{}.DiffDay(date, data, func(string) bool { return false })...)
		} else {
			notes = append(notes, facts.ProposalNote(name, "", string(data)))
		}
	}
	return notes, err
}

// takeJournal makes a fact of what was written by hand into a commit's journal since this clone last looked.
func (s *fold) takeJournal(t tip) error {
	c := t.Commit
	d, err := s.openDiary(t)
	if err != nil {
		return err
	}
	texts, err := s.listWritten(c, d.isBehind)
	if err != nil {
		return err
	}
	notes, proposed := map[bool][]facts.Note{}, map[bool]map[string][]byte{false: {}, true: {}} // by hand, or not
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		byHand := s.own[name] && c.Hash == s.tip
		if date, isDate := facts.DateOf(name); isDate {
			var before []byte // nothing where git may have merged it
			if byHand || d.isEdit {
				before, _ = s.r.ReadAt(d.parent, name) // else nothing was there
			}
			list := d.List(date, texts[name], before)
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
		err = errors.Join(err, s.addEdit(f, t.beyond, c.When, byHand))
	}
	return err
}

// isTakenOut reports whether it was a person's commit that took an entry out of a day, up to this one, and not one of
// mem's that git copied to where the entry is of a fact. What a merge took out its sides tell.
func (s *fold) isTakenOut(c gitstore.Commit, day, entry string) bool {
	for n := 0; n < maxTips && len(c.Parents) == 1 && c.Hash != s.known.commit; n++ {
		parent, err := s.r.store.ReadCommit(c.Parents[0])
		if err != nil {
			break
		}
		data, err := s.r.ReadAt(parent.Tree, day)
		if err == nil && slices.ContainsFunc(facts.ParseDay(data), func(p facts.Part) bool { return p.ID == entry }) {
			_, leaves, err := s.leavesLog(c)
			return leaves && err == nil
		}
		c = parent
	}
	return false
}

// listWritten returns what the files of the journal and of proposals say that are others in a commit than this clone
// verified last, or all if the last commit does not build on that one; nothing for one that a person took out.
func (s *fold) listWritten(c gitstore.Commit, buildsOn bool) (texts map[string][]byte, err error) {
	known := gitstore.Commit{}
	if buildsOn {
		known, _ = s.r.store.ReadCommit(s.known.commit) // else git collected it
	}
	changes, err := s.r.store.Compare(known.Tree, c.Tree)
	texts = map[string][]byte{}
	for name, pair := range changes {
		if isDiary(name) && !pair[1].IsZero() && err == nil {
			texts[name], err = s.r.ReadBlob(pair[1])
		}
	}
	for _, name := range s.edited {
		if c.Hash == s.tip && isDiary(name) && !s.m.files[name].Exists {
			texts[name] = nil
		}
	}
	return texts, err
}

// isDiary reports whether a file is of the journal or a proposal. Facts, which may come from anyone, can name no other file.
func isDiary(name string) bool {
	_, isDate := facts.DateOf(name)
	return (isDate || facts.IsProposal(name)) && disk.IsPortable(name) && len(name) < 200
}

// leavesLog returns the tree before a commit, and whether the commit, like a person's, added and removed no
// facts. A copy or a revert of a commit of mem's is not a person's, unless that commit holds hand edits.
func (s *fold) leavesLog(c gitstore.Commit) (before gitstore.Hash, leaves bool, err error) {
	of := c
	if _, id, isRevert := strings.Cut(c.Message, "\nThis reverts commit "); isRevert {
		h, _ := gitstore.ParseHash(id[:min(len(id), 40)])
		of, _ = s.r.store.ReadCommit(h) // else it is not here
	}
	isCopy := strings.Contains(of.Message, "\n"+versionTrailer+": ") && !strings.HasPrefix(of.Message, "edit: ")
	if len(c.Parents) != 1 || isCopy {
		return before, false, nil
	}
	parent, err := s.r.store.ReadCommit(c.Parents[0])
	if errors.Is(err, gitstore.ErrDamaged) {
		return before, false, nil // a shallow clone lacks it
	}
	was, err2 := s.r.store.FindFolder(parent.Tree, facts.Folder)
	is, err3 := s.r.store.FindFolder(c.Tree, facts.Folder)
	return parent.Tree, was == is, errors.Join(err, err2, err3)
}

// A diary is the journal and the proposals of a commit, and how git produced that commit.
type diary struct {
	facts.Diary
	log      *facts.Log    // of which the commit was made
	isBehind bool          // it builds on what this clone saw last, and is not a reset to before a note was a fact
	parent   gitstore.Hash // the tree before the commit
	isEdit   bool          // it brought and took out no facts
}

func (s *fold) openDiary(t tip) (d diary, err error) {
	isSame := t.beyond == t.pair.log.String()
	d.log = cmp.Or(t.log, s.log)
	d.Diary = facts.NewDiary(d.log, s.log, isSame)
	if !isSame { // as after a rebase, where git took one side's index
		own, _ := s.r.readLog(t.pair.log, 0) // else it says nothing
		d.Hear(own)
	}
	if d.isBehind = s.isBehind(s.known.commit); d.isBehind {
		d.Hear(s.was)
	}
	d.parent, d.isEdit, err = s.leavesLog(t.Commit)
	return d, err
}
