package walk

import (
	"errors"
	"maps"
	"slices"

	"mem/index"
	"mem/repo/gitstore/object"
)

// listBrought returns those statements, of files that are these blobs, that came from
// elsewhere. Of those for which mayBeOwn returns true, it is what another clone's commits
// say, be it that the file had another name there.
func (f *Finder) listBrought(said map[statement]bool, is map[string]object.Hash, mayBeOwn func(statement) bool) (map[statement]bool, error) {
	names, blobs := map[string]bool{}, map[object.Hash]string{}
	for s := range said {
		if s.field != "" && mayBeOwn(s) {
			names[index.Path] = true
		} else if mayBeOwn(s) {
			names[s.at], blobs[is[s.at]] = true, s.at
		}
	}
	theirs, had := map[statement]bool{}, map[statement]bool{}
	if len(names) > 0 {
		if err := f.listTheirs(); err != nil {
			return nil, err
		}
	}
	var err error
	for _, c := range f.theirs {
		names[index.Path] = names[index.Path] && f.records < manyRecords
		err = errors.Join(err, f.addSaid(theirs, c.Hash, names), f.addListed(theirs, c.Hash, names), f.addRenamed(theirs, c.Hash, blobs))
	}
	for _, base := range append(f.bases, f.since) {
		err = errors.Join(err, f.addSaid(had, base, names), f.addListed(had, base, names), f.addRenamed(had, base, blobs))
	}
	brought := maps.Clone(said)
	maps.DeleteFunc(brought, func(s statement, _ bool) bool { return mayBeOwn(s) && (!theirs[s] || had[s]) })
	return brought, errors.Join(err, f.dropOwn(brought))
}

// addRenamed adds what these blobs say, by the names of theirs that are asked about, if a
// commit has them under any.
func (f *Finder) addRenamed(said map[statement]bool, h object.Hash, blobs map[object.Hash]string) error {
	if len(blobs) == 0 {
		return nil
	}
	c, err := f.readCommit(h)
	files, err2 := f.store.ListFiles(c.Tree, nil)
	for _, blob := range files {
		if name, isAsked := blobs[blob]; isAsked {
			text, err3 := f.store.ReadBlob(blob)
			f.addLines(said, name, text)
			err = errors.Join(err, err3)
		}
	}
	return errors.Join(err, err2)
}

// dropOwn drops the statements that this branch once held in a commit of mem's, such as
// what was undone here and redone elsewhere. What waited there waits by name.
func (f *Finder) dropOwn(brought map[statement]bool) error {
	if len(brought) == 0 {
		return nil
	}
	now, err := f.readRaw(f.since)
	isKnown, seen := map[string]bool{}, map[string]bool{}
	for _, it := range orEmpty(now).Items {
		isKnown[it.ID] = true
	}
	for mark := range orEmpty(now).Undone.Sightings {
		isKnown[mark.Record] = true
	}
	hasLesson := false // that is not news
	for s := range brought {
		hasLesson = hasLesson || s.field != "" && isKnown[s.at]
	}
	for _, h := range f.Own[:min(len(f.Own), maxTheirs)] {
		said := map[statement]bool{}
		if f.store.FindKind(h) != object.KindCommit {
			break // git collected it
		}
		files, err2 := f.listTexts(h)
		err = errors.Join(err, err2, f.addSaid(said, h, map[string]bool{index.Path: hasLesson && f.records < manyRecords}))
		for s := range brought {
			blob := files[s.at]
			if version := s.at + blob.String(); s.field == "" && !blob.IsZero() && !seen[version] {
				text, err2 := f.store.ReadBlob(blob)
				f.addLines(said, s.at, text)
				err, seen[version] = errors.Join(err, err2), true
			}
		}
		maps.DeleteFunc(brought, func(s statement, _ bool) bool { return said[s] })
	}
	return err
}

// maxTheirs is how many commits of other clones are looked at.
const maxTheirs = 100

// listTheirs lists the commits of other clones that mem's last one does not have. What
// was only committed by hand since says nothing about where it came from.
func (f *Finder) listTheirs() (err error) {
	if f.listed || !f.hasOthers() {
		return nil
	}
	f.listed = true
	old := map[object.Hash]bool{}
	for _, tip := range append(slices.Clone(f.own), f.since) {
		known, err2 := f.findAncestors(tip)
		maps.Copy(old, known)
		err = errors.Join(err, err2)
	}
	done, isBase := map[object.Hash]bool{}, map[object.Hash]bool{}
	todo := append(slices.Clone(f.noted), f.Foreign...)
	slices.Reverse(todo)
	for ; len(todo) > 0 && len(f.theirs) < maxTheirs; todo = todo[1:] {
		h := todo[0]
		if done[h] || old[h] || slices.Contains(f.Own, h) || f.store.FindKind(h) != object.KindCommit { // git collected it
			continue
		}
		c, err2 := f.readCommit(h)
		err = errors.Join(err, err2)
		if done[h] = true; !f.Made[h] {
			f.theirs = append(f.theirs, c)
		}
		for _, p := range c.Parents {
			todo, isBase[p] = append(todo, p), old[p] || slices.Contains(f.Own, p)
		}
	}
	maps.DeleteFunc(isBase, func(_ object.Hash, is bool) bool { return !is })
	f.bases = slices.Collect(maps.Keys(isBase))
	return err
}
