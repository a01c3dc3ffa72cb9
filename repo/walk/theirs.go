package walk

import (
	"errors"
	"maps"
	"slices"

	"mem/repo/gitstore/object"
)

// listBrought returns those statements that came from elsewhere. Of those for which
// mayBeOwn returns true, it is what another clone's commits say.
func (f *Finder) listBrought(said map[statement]bool, mayBeOwn func(statement) bool) (map[statement]bool, error) {
	names := map[string]bool{}
	for s := range said {
		if s.field != "" && mayBeOwn(s) {
			names[f.path] = true
		} else if mayBeOwn(s) {
			names[s.at] = true
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
		names[f.path] = names[f.path] && f.records < manyRecords
		err = errors.Join(err, f.addSaid(theirs, c.Hash, names))
	}
	for _, base := range f.bases {
		err = errors.Join(err, f.addSaid(had, base, names))
	}
	brought := maps.Clone(said)
	maps.DeleteFunc(brought, func(s statement, _ bool) bool { return mayBeOwn(s) && (!theirs[s] || had[s]) })
	return brought, errors.Join(err, f.dropOwn(brought))
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
		files, err2 := f.listTexts(h)
		if errors.Is(err2, object.ErrDamaged) {
			break // git collected it
		}
		err = errors.Join(err, err2, f.addSaid(said, h, map[string]bool{f.path: hasLesson && f.records < manyRecords}))
		for s := range brought {
			blob := files[s.at]
			if version := s.at + blob.String(); s.field == "" && !blob.IsZero() && !seen[version] {
				text, err2 := f.store.ReadBlob(blob)
				addLines(said, s.at, text)
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
	done := map[object.Hash]bool{}
	for todo := slices.Concat(f.foreign, f.noted); len(todo) > 0 && len(f.theirs) < maxTheirs; todo = todo[1:] {
		h := todo[0]
		if done[h] {
			continue
		}
		done[h] = true
		if old[h] || slices.Contains(f.Own, h) {
			f.bases = append(f.bases, h)
		} else if c, err := f.readCommit(h); err == nil { // else git collected it
			if todo = append(todo, c.Parents...); !f.Made[h] {
				f.theirs = append(f.theirs, c)
			}
		}
	}
	return err
}

// ListTips returns what is to be known of other clones from now on: where they stand, and
// of what was known before that which no other one builds on, nor mem's last commit.
func (f *Finder) ListTips() ([]object.Hash, error) {
	isKnown := func(h object.Hash) bool { return slices.Contains(f.noted, h) }
	news := slices.DeleteFunc(slices.Clone(f.foreign), isKnown)
	if len(news) == 0 {
		return f.noted, nil
	}
	err := f.listTheirs()
	isBuiltOn := map[object.Hash]bool{}
	for _, c := range f.theirs {
		for _, p := range c.Parents {
			isBuiltOn[p] = true
		}
	}
	for _, h := range f.noted {
		isTheirs := slices.ContainsFunc(f.theirs, func(c object.Commit) bool { return c.Hash == h })
		if slices.Contains(f.foreign, h) || isTheirs && !isBuiltOn[h] {
			news = append(news, h)
		}
	}
	return news, err
}
