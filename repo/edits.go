package repo

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
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
	if err != nil || p.index.IsZero() {
		return err
	}
	ix, report, err := s.loadBlob(p.index)
	switch {
	case errors.Is(err, index.ErrUnreadable):
		if c.Hash == s.tip && !s.now.log.IsZero() {
			s.r.opts.Warn(fmt.Sprintf("%s could not be read and is made anew of the log: %v", IndexPath, err))
			return nil
		} else if c.Hash != s.tip {
			return nil
		}
		return s.r.explain(c.Hash, err)
	case err != nil:
		return err
	case ix.ReadOnly():
		s.m.Index = ix
		return fmt.Errorf("index of version %d: %w", ix.Version, index.ErrNewerVersion)
	case c.Hash == s.tip:
		s.m.Report = report
	}
	if p.log.IsZero() && ix.Version < index.Version {
		return s.convert(ix, c)
	}
	was, partial, err := s.findBase(ix, c)
	if err != nil || was == nil {
		return err
	}
	if partial {
		takeIDs(ix, was)
	}
	f := facts.Fact{Kind: facts.Edit}
	f.Changes, f.Old = facts.Diff(was, ix, partial)
	return s.addEdit(f, ix.Log, c.When, s.isByHand(c.Hash) && s.own[IndexPath])
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
	name := ix.Log
	if s.isByHand(c.Hash) && ix.Version >= index.Version { // of what git had brought there, where it did
		p, err := s.r.findPair(object.Hash{}, s.m.tx.Tree)
		if err != nil {
			return nil, false, err
		}
		if was, _, err := s.loadBlob(p.index); err == nil && was.Version == ix.Version && was.Log == name {
			return was, false, nil
		}
	}
	if ix.Version < index.Version {
		partial, name = true, ""
		err = s.r.store.WalkHistory(c.Hash, func(c object.Commit) bool {
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
		ix.Log = name
	}
	h, ok := object.ParseHash(name)
	switch {
	case err != nil:
		return nil, partial, err
	case !ok && s.now.log.IsZero(), !ok && !partial:
		return &index.Index{}, partial, nil
	case !ok:
		return nil, partial, nil
	}
	log, err := s.readLogOnce(h)
	if errors.Is(err, object.ErrDamaged) {
		return nil, partial, nil // it is nowhere here: what the index adds to it cannot be told
	}
	if err != nil {
		return nil, partial, err
	}
	return log.Fold(), partial, nil
}

// takeIDs gives the records of a version 1 the ids that their keys had before.
func takeIDs(ix, was *index.Index) {
	ids, given := map[string][]string{}, map[string]bool{}
	for i := range was.Items {
		ids[was.Items[i].Key] = append(ids[was.Items[i].Key], was.Items[i].ID)
	}
	for i := range ix.Items {
		it := &ix.Items[i]
		if list := ids[it.Key]; len(list) > 0 {
			it.ID, ids[it.Key] = list[0], list[1:]
			given[it.ID] = true
		}
	}
	for i := range ix.Items {
		it := &ix.Items[i]
		if pos := was.ByID(it.ID); pos >= 0 && was.Items[pos].Key != it.Key { // by chance, or reworded since
			it.ID = index.NewID(it.Key, func(id string) bool { return given[id] || was.ByID(id) >= 0 })
		}
		given[it.ID] = true
	}
}

// convert makes a fact of an index of a version before 4, and of its journal and marks: the same on every clone
// that converts the same commit.
func (s *fold) convert(ix *index.Index, c object.Commit) error {
	f := facts.Fact{Kind: facts.Base, At: ix.UpdatedAt.UTC(), N: max(1, ix.UpdatedAt.UnixMilli()), Old: ix.Old, Purged: ix.Purged, Taken: ix.Taken, Changes: ix.Waiting}
	if len(ix.Unknown) > 0 {
		f.Changes = append(f.Changes, index.Decision{Set: ix.Unknown})
	}
	read := func(name string) []byte {
		blob, err := s.r.store.FindBlob(c.Tree, name)
		if err != nil || blob.IsZero() {
			return nil
		}
		data, _ := s.r.store.ReadBlob(blob)
		return data
	}
	if data := read(TracesPath); data != nil {
		if t, err := facts.ReadTraces(data); err == nil {
			f.Marks, f.Read = t.Marks, t.Reflections
		}
	}
	files, err := s.r.store.ListFiles(c.Tree, func(folder string) bool { return folder != "daily" && folder != "monthly" })
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if date, is := dateOf(name); is {
			f.Notes = append(f.Notes, facts.Journal{}.DiffDay(date, read(name), func(string) bool { return false })...)
		}
	}
	files, err = s.r.store.ListFiles(c.Tree, func(folder string) bool { return folder != "patterns" })
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if facts.IsProposal(name) {
			f.Notes = append(f.Notes, facts.ProposalNote(name, "", string(read(name))))
		}
	}
	if f.IsEmpty() {
		return nil
	}
	if _, _, err := f.Encode(); err != nil || s.log.Has(f.ID) {
		return err
	}
	s.fresh = append(s.fresh, f)
	if len(ix.Old) > 0 {
		s.r.opts.Warn(fmt.Sprintf("this memory was of version %d and is of version %d now, which a mem before it only reads; the commit before stays as %s: 'git -C %s branch version-4' and 'git -C %[4]s switch -C %[5]s %[3]s' are the way back",
			ix.Version, index.Version, beforeRef, guard.Line(s.r.path), strings.TrimPrefix(s.m.tx.Head.Ref, "refs/heads/")))
		return s.r.d.WriteFile(".git/"+beforeRef, []byte(c.Hash.String()+"\n"), gitstore.TempDir)
	}
	return nil
}

// dateOf returns the day or the month that a file of the journal is of.
func dateOf(name string) (date string, is bool) {
	folder, layout := path.Dir(name), time.DateOnly
	if folder == "monthly" {
		layout = "2006-01"
	}
	date, isText := strings.CutSuffix(path.Base(name), ".md")
	_, err := time.Parse(layout, date)
	return date, isText && err == nil && (folder == "daily" || folder == "monthly")
}
