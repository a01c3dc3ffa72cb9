package undo

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"mem/curate/pattern"
	"mem/index"
	"mem/repo"
	"mem/repo/history"
	"mem/repo/union"
)

// findTwins returns the commits of other clones, made without knowing of this one, that
// decided the same about the same proposal, or summarised the same month.
func (l *Log) findTwins(c repo.Revision) (twins []repo.Revision) {
	about := decisionOf(c)
	for _, o := range l.list {
		if about != "" && o.Hash != c.Hash && decisionOf(o) == about && !l.isBefore(o, c) && !l.isBefore(c, o) && l.findKey(o) == l.findKey(c) {
			twins = append(twins, o)
		}
	}
	return twins
}

// findKey returns what the proposal is about that a commit decided about, whose number
// another clone may have given to another one; "" for none.
func (l *Log) findKey(c repo.Revision) string {
	about := c.Trailers()["Mem-Pattern"]
	if len(about) == 0 {
		return ""
	}
	at := pattern.Folder + "/" + about[0] + ".md"
	var data []byte
	files, err := l.ListFilesOf(c)
	if err == nil {
		data, _ = l.ReadBlob(files[at])
	}
	return cmp.Or(keyOf(at, data), c.Hash.String()) // like no other, if it cannot be read
}

// keyOf returns what the proposal in a file is about; "" for another file.
func keyOf(at string, data []byte) string {
	p, err := pattern.ParsePattern(strings.TrimSuffix(path.Base(at), ".md"), data)
	if err != nil {
		return ""
	}
	return p.Key
}

// findProposal returns where the proposal is now that stood at a path when a commit was
// made, if another one stands there: a merge may have given it another number.
func findProposal(m *repo.Memory, at, key string) (string, error) {
	names, err := m.ListTexts(pattern.Folder)
	for _, name := range append([]string{path.Base(at)}, names...) {
		data, err := m.ReadFile(pattern.Folder + "/" + name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		is := keyOf(name, data)
		if name == path.Base(at) && (is == "" || key == "") {
			return at, nil
		}
		if is == key {
			return pattern.Folder + "/" + name, nil
		}
	}
	return at, err
}

// decisionOf returns what a commit decided about which proposal, whatever the rule is
// called, or which month it summarised; "" for other commits.
func decisionOf(c repo.Revision) string {
	if strings.HasPrefix(c.Subject(), "chore(memory): monthly summary ") {
		return c.Subject()
	}
	about := c.Trailers()["Mem-Pattern"]
	_, said, isRule := strings.Cut(c.Subject(), "): ")
	if len(about) == 0 || !isRule || !strings.HasPrefix(c.Subject(), "rule(") {
		return ""
	}
	verb, _, _ := strings.Cut(said, " ")
	return verb + " " + about[0]
}

// isBefore reports whether b was made on top of a.
func (l *Log) isBefore(a, b repo.Revision) bool {
	known := map[history.Blob]bool{b.Hash: true}
	for _, c := range l.list[l.at[b.Hash.String()]:] {
		for _, p := range c.Parents {
			known[p] = known[p] || known[c.Hash]
		}
	}
	return known[a.Hash]
}

// noteTwins tells the twins that stand from those that were taken back.
func (s *Step) noteTwins() {
	for _, twin := range s.log.findTwins(s.Commit) {
		if s.log.undoneBy(twin.Hash.String()) != "" {
			s.fallen = append(s.fallen, twin)
		} else {
			s.stands = &twin
		}
	}
}

// readTexts returns the file at path before the step and after it: where a twin that stands
// changed it too, what the twin made of it, and what both make of it.
func (s *Step) readTexts(path string) (was, made []byte, err error) {
	was, err1 := s.log.ReadBlob(s.was[path])
	made, err2 := s.log.ReadBlob(s.made[path])
	err = errors.Join(err1, err2)
	switch {
	case err != nil || s.stands == nil:
	case s.IsRedo: // it turns the files of the commit that it brings back
		made, was, err = s.addTwin(path, made, was)
	default:
		was, made, err = s.addTwin(path, was, made)
	}
	return was, made, err
}

// addTwin returns the file at path without a commit and with it as they are where the twin
// stands.
func (s *Step) addTwin(path string, was, made []byte) (without, with []byte, err error) {
	before, after, err := s.log.compareFiles(*s.stands)
	if err != nil || before[path] == after[path] {
		return was, made, err
	}
	without, err = s.log.ReadBlob(after[path])
	if err != nil {
		return nil, nil, err
	}
	with, err = union.MergeFile(path, was, made, without)
	switch {
	case !errors.Is(err, union.ErrUnsure):
		return without, with, err
	case s.IsRedo:
		return nil, nil, fmt.Errorf("%s: %w", path, ErrConflict)
	}
	return without, made, nil
}

// standFor makes of a step that turned a commit which has twins one that turns the commit
// as it is needed now: what it changed depended on whether a twin stood.
func (s *Step) standFor(origin repo.Revision) error {
	o, err := s.log.newStep(origin)
	if err != nil {
		return err
	}
	s.was, s.made, s.changed, s.fallen, s.stands, s.hasTwins = o.was, o.made, o.changed, o.fallen, o.stands, true
	if s.IsRedo {
		s.was, s.made = o.made, o.was
	}
	return nil
}

// keepTwinFields is keepTwins for the fields of lessons.
func (s *Step) keepTwinFields(was, made *index.Index, now time.Time) (*index.Index, error) {
	if s.stands == nil || s.IsRedo {
		return was, nil
	}
	before, after, err := s.log.loadAround(*s.stands, now)
	if err != nil {
		return nil, err
	}
	kept := copyItems(was)
	for _, set := range listSet(was, made) {
		if o := set.readIn(after); o.Value == set.made.Value && o != set.readIn(before) {
			set.writeTo(kept, set.made)
		}
	}
	return kept, nil
}

// followTurns makes of the index after the step what stands of it now: a field that a
// later step set, which was taken back, is as the step set it; so is one that a twin set
// which was taken back.
func (s *Step) followTurns(was, made, now *index.Index, at time.Time) (*index.Index, error) {
	kept, open := copyItems(made), []field{}
	for _, set := range listSet(was, made) {
		if set.is = set.readIn(now); set.is != set.made && set.is.Value == set.made.Value {
			open = append(open, set)
		}
	}
	for n, c := range s.log.list {
		depth := s.log.depth(c.Hash.String())
		isTurn := depth > 0 && n < s.log.at[s.FindOrigin().Hash.String()]
		isTwin := slices.ContainsFunc(s.fallen, func(o repo.Revision) bool { return o.Hash == c.Hash })
		if len(open) == 0 || !isTwin && !isTurn {
			continue
		}
		before, after, err := s.log.loadAround(c, at)
		old := made
		if err == nil && !isTwin {
			var redone *index.Index
			if old, redone, err = s.log.loadAround(s.log.findOrigin(c), at); depth%2 == 0 {
				old = redone
			}
		}
		if err != nil {
			return nil, err
		}
		for i, set := range open {
			if set.readIn(after) == set.is && set.readIn(before) != set.is {
				open[i].is = set.readIn(old)
				if open[i].is == set.made {
					set.writeTo(kept, set.readIn(now))
				}
			}
		}
	}
	return kept, nil
}

// copyItems returns an index with records of its own.
func copyItems(ix *index.Index) *index.Index {
	c := *ix
	c.Items = slices.Clone(ix.Items)
	return &c
}

// A field is one that a step set on a lesson.
type field struct {
	index.Field
	record string
	made   index.Register
	is     index.Register // what it was found to be
}

// listSet returns the fields that lessons have otherwise in made.
func listSet(was, made *index.Index) (list []field) {
	places := placesOf(was)
	for i := range made.Items {
		it := &made.Items[i]
		for _, f := range index.Fields {
			if at := places[it.ID]; at > 0 && !f.IsSame(&was.Items[at-1], it) {
				list = append(list, field{Field: f, record: it.ID, made: index.Register{At: it.StampOf(f.Name), Value: f.Read(it)}})
			}
		}
	}
	return list
}

// readIn returns what the field is in an index; nothing if its lesson is not there.
func (f field) readIn(ix *index.Index) (r index.Register) {
	if at := ix.ByID(f.record); at >= 0 {
		r = index.Register{At: ix.Items[at].StampOf(f.Name), Value: f.Read(&ix.Items[at])}
	}
	return r
}

// writeTo sets the field in an index whose records are its own.
func (f field) writeTo(ix *index.Index, r index.Register) {
	if at := ix.ByID(f.record); at >= 0 {
		f.Write(&ix.Items[at], r.Value)
		ix.Items[at].SetStamp(f.Name, r.At)
	}
}
