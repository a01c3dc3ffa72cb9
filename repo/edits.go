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
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
)

// takeIndex makes a fact of what the index of a commit says beyond the log that it names.
func (s *fold) takeIndex(c object.Commit) error {
	p, err := s.r.findPair(c.Hash, c.Tree)
	if err != nil {
		return err
	}
	ix, err := s.readTip(c, p)
	if err != nil || ix == nil {
		return err
	}
	if p.log.IsZero() && ix.Version < index.Version {
		return s.convert(ix, c)
	}
	was, partial, err := s.findBase(ix, c)
	if err != nil || was == nil {
		return err
	}
	f := facts.Fact{Kind: facts.Edit}
	f.Changes, f.Old = facts.Diff(was, ix, partial)
	return s.addEdit(f, ix.Log, c.When, s.isByHand(c.Hash) && s.own[IndexPath])
}

// readTip reads the index of a commit; nil for none, and for one that cannot be read and is not needed.
func (s *fold) readTip(c object.Commit, p pair) (*index.Index, error) {
	if p.index.IsZero() {
		return nil, nil
	}
	ix, report, err := s.loadBlob(p.index)
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

// addEdit adds a fact, unless the log has it. Its id is of what it says beyond which log, so that all clones make
// one, and what is said again later is another.
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
func (s *fold) findBase(ix *index.Index, c object.Commit) (was *index.Index, partial bool, err error) {
	if partial = ix.Version < index.Version; partial {
		ix.Log, err = s.findLogBefore(c.Hash)
	} else if was, err = s.findEdited(ix, c.Hash); was != nil {
		return was, false, nil
	}
	if err != nil {
		return nil, partial, err
	}
	if _, isNamed := object.ParseHash(ix.Log); !isNamed && partial && !s.now.log.IsZero() {
		return nil, partial, nil
	} else if !isNamed {
		return &index.Index{}, partial, nil
	}
	log, err := s.r.findLog(ix.Log)
	if err != nil || log == nil { // it is nowhere here: what the index adds to it cannot be told
		return nil, partial, err
	}
	return log.Fold(), partial, nil
}

// findEdited returns the index of the same log that git had brought to where a person edited it; nil if there is none.
func (s *fold) findEdited(ix *index.Index, commit object.Hash) (*index.Index, error) {
	if !s.isByHand(commit) {
		return nil, nil
	}
	p, err := s.r.findPair(object.Hash{}, s.m.tx.Tree)
	if err != nil {
		return nil, err
	}
	was, _, err := s.loadBlob(p.index)
	if err != nil || was.Version != ix.Version || was.Log != ix.Log {
		return nil, nil
	}
	return was, nil
}

// findLogBefore returns the log that the newest index of this version names, at or before a commit; "" if there is no
// such index, and - if it names none.
func (s *fold) findLogBefore(commit object.Hash) (name string, err error) {
	err = s.r.store.WalkHistory(commit, func(c object.Commit) bool {
		p, err := s.r.findPair(c.Hash, c.Tree)
		if err != nil || p.index.IsZero() {
			return err == nil
		}
		before, _, err := s.loadBlob(p.index)
		if err == nil && before.Version >= index.Version {
			name = cmp.Or(before.Log, "-")
		}
		return name == ""
	})
	return name, err
}

// convert makes a fact of an index of a version before 4, and of its journal and marks: the same on every clone
// that converts the same commit.
func (s *fold) convert(ix *index.Index, c object.Commit) error {
	f := facts.Fact{Kind: facts.Base, At: ix.UpdatedAt.UTC(), N: max(1, ix.UpdatedAt.UnixMilli()), Old: ix.Old, Purged: ix.Purged, Taken: ix.Taken, Changes: ix.Waiting}
	if len(ix.Unknown) > 0 {
		f.Changes = append(f.Changes, index.Decision{Set: ix.Unknown})
	}
	data, _ := s.r.readAt(c.Tree, TracesPath)
	if t, err := facts.ReadTraces(data); data != nil && err == nil {
		f.Marks, f.Read = t.Marks, t.Reflections
	}
	var err error
	if f.Notes, err = s.r.readDiary(c.Tree); err != nil {
		return err
	}
	if f.IsEmpty() {
		return nil
	}
	if _, _, err := f.Encode(); err != nil || s.log.Has(f.ID) {
		return err
	}
	s.fresh = append(s.fresh, f)
	if len(ix.Old) > 0 {
		s.r.opts.Warn(fmt.Sprintf("this memory was of version %d and is of version %d now, which a mem before it only reads; the commit before stays as %s: 'git -C %s branch version-4-%[6]s' and 'git -C %[4]s switch -C %[5]s %[3]s' are the way back",
			ix.Version, index.Version, beforeRef, guard.Line(s.r.path), strings.TrimPrefix(s.m.tx.Head.Ref, "refs/heads/"), c.Hash.String()[:7]))
		return s.r.d.WriteFile(".git/"+beforeRef, []byte(c.Hash.String()+"\n"), gitstore.TempDir)
	}
	return nil
}

// readDiary makes notes of the journal and the proposals in a tree of which there are no facts.
func (r *Root) readDiary(tree object.Hash) (notes []facts.Note, err error) {
	files, err := r.listDiary(tree)
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
