package walk

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"mem/index"
	"mem/render"
	"mem/repo/gitstore/object"
	"mem/repo/union"
)

// A journal is what commits did to the files that tell of reflections, which git
// merges and reverts as texts: they are to follow the sightings.
type journal struct {
	days    map[string]map[string]object.Hash // that changed; which commit has the entry of a reflection that came in
	removed map[string]bool                   // reflections whose entry a person took out
	bases   map[object.Hash]bool              // commits that were looked at before, and built on
	traces  []object.Hash                     // commits whose tracesPath was reverted

	files  Files
	failed error // why something could not be read or written
}

const tracesPath = "core/traces.json"

// lookAtJournal notes what a commit did to the journal, compared with a parent.
func (w *walker) lookAtJournal(c object.Commit, parent object.Hash) {
	if _, isListed := w.lifted[parent]; !isListed {
		w.bases[parent] = true
	}
	was, is := w.listJournal(parent), w.listJournal(c.Hash)
	isRevert := reverts.Get().MatchString(c.Message)
	if isRevert && was[tracesPath] != is[tracesPath] {
		w.traces = append(w.traces, parent)
	}
	all := maps.Clone(was)
	maps.Copy(all, is)
	for name := range all {
		if path.Dir(name) == "daily" && was[name] != is[name] {
			w.noteDay(name)
			if len(c.Parents) == 1 { // nothing in a merge can take out
				w.compareDay(name, parent, c.Hash, isRevert)
			}
		}
	}
}

// noteDay returns where the entries of a day stand that came in.
func (w *walker) noteDay(day string) map[string]object.Hash {
	if w.days[day] == nil {
		w.days[day] = map[string]object.Hash{}
	}
	return w.days[day]
}

// compareDay notes which entries a commit brought, and which a person took out in it. A
// version that cannot be read says nothing.
func (w *walker) compareDay(day string, before, after object.Hash, isRevert bool) {
	was, is := w.listEntries(day, before), w.listEntries(day, after)
	if was == nil || is == nil {
		return
	}
	for id := range is {
		if !was[id] {
			w.days[day][id] = after
			delete(w.removed, id)
		}
	}
	for id := range was {
		if !is[id] && !isRevert {
			w.removed[id] = true
		}
	}
}

// listJournal returns the files of a commit, as far as its journal may be among them.
func (w *walker) listJournal(h object.Hash) map[string]object.Hash {
	c, err := w.readCommit(h)
	files, err2 := w.store.ListFiles(c.Tree, func(folder string) bool { return folder != "daily" && folder != "core" && folder != "patterns" })
	w.failed = errors.Join(w.failed, err, err2)
	return files
}

// readFile returns a file as a commit has it; nothing if it has none.
func (w *walker) readFile(name string, h object.Hash) (data []byte) {
	c, err := w.readCommit(h)
	blob, err2 := w.store.FindBlob(c.Tree, name)
	if err = errors.Join(err, err2); err == nil && !blob.IsZero() {
		data, err = w.store.ReadBlob(blob)
	}
	w.failed = errors.Join(w.failed, err)
	return data
}

// listEntries returns the reflections that a day tells of in a commit; nil if it cannot
// be read.
func (w *walker) listEntries(day string, h object.Hash) map[string]bool {
	return union.ListEntries(w.readFile(day, h))
}

// settleJournal makes the files of the journal what they should be, now that the index
// should be this.
func (w *walker) settleJournal(head object.Hash, ix *index.Index) error {
	before, err := w.readRaw(w.seen)
	if err != nil {
		return err
	}
	counted, live, dead := listReflections(before), listReflections(ix), map[string]bool{}
	for m := range ix.Undone.Sightings {
		if dead[m.Reflection] = live[m.Reflection].IsZero(); dead[m.Reflection] && !counted[m.Reflection].IsZero() {
			w.noteDay(render.DailyPath(counted[m.Reflection]))
		}
	}
	for day, found := range w.days {
		w.findLost(day, found, counted)
		has := w.listEntries(day, head)
		maps.DeleteFunc(found, func(id string, _ object.Hash) bool { return has[id] || w.removed[id] || live[id].IsZero() })
		w.settleDay(day, dead)
	}
	w.settleTraces(head)
	w.settlePatterns(head)
	return w.failed
}

// findLost adds to the entries that came in those that were there, and drops those that
// a person took out before, on this side: their sightings counted all the same.
func (w *walker) findLost(day string, found map[string]object.Hash, counted map[string]time.Time) {
	had := w.listEntries(day, w.seen)
	for id := range had {
		found[id] = w.seen
	}
	for base := range w.bases {
		for id := range w.listEntries(day, base) {
			w.removed[id] = w.removed[id] || !had[id] && !counted[id].IsZero()
		}
	}
}

// settleDay settles a day.
func (w *walker) settleDay(day string, dead map[string]bool) {
	found, now := w.days[day], w.readNow(day)
	versions := [][]byte{now}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		versions = append(versions, w.readFile(day, found[id]))
	}
	w.replace(day, now, union.JoinDays(versions, func(id string, isFirst bool) bool {
		_, isFound := found[id]
		return isFirst && !dead[id] || isFound
	}))
}

// settleTraces brings back how far sessions were read: what was learned of them may be
// taken back, but is not to be learned again.
func (w *walker) settleTraces(head object.Hash) {
	now, left, committed := w.readNow(tracesPath), w.traces, w.readFile(tracesPath, head)
	base, settled := now, now
	_, err := union.MergeFile(tracesPath, nil, committed, []byte("{}"))
	if errors.Is(err, union.ErrUnsure) { // it has the marks of a conflict
		base, left = []byte("{}"), append(left, w.seen)
	}
	for _, h := range left {
		if merged, err := union.MergeFile(tracesPath, nil, base, w.readFile(tracesPath, h)); err == nil {
			base, settled = merged, merged
		}
	}
	w.replace(tracesPath, now, settled)
}

// settlePatterns gives patterns a number each where two clones gave them one.
func (w *walker) settlePatterns(head object.Hash) {
	files, was, isNews := map[string]string{}, w.listJournal(w.seen), false
	for name, blob := range w.listJournal(head) {
		if path.Dir(name) == "patterns" {
			files[name], isNews = string(w.readNow(name)), isNews || was[name] != blob
		}
	}
	if !isNews {
		return
	}
	for name, text := range union.SeparatePatterns(files) {
		w.replace(name, []byte(files[name]), []byte(text))
	}
}

// readNow reads a file of the memory that may be missing.
func (w *walker) readNow(name string) []byte {
	data, err := w.files.ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		w.failed = errors.Join(w.failed, err)
	}
	return data
}

// replace writes a file of the memory, if that is a change.
func (w *walker) replace(name string, now, data []byte) {
	if !bytes.Equal(now, data) {
		w.failed = errors.Join(w.failed, w.files.WriteFile(name, data))
	}
}

// listReflections returns the reflections that count for a lesson, with their times.
func listReflections(ix *index.Index) map[string]time.Time {
	all := map[string]time.Time{}
	for _, it := range orEmpty(ix).Items {
		for _, s := range it.Sources {
			all[s.ID] = s.At
		}
		for _, s := range it.Seen {
			all[s.ID] = s.At
		}
	}
	return all
}
