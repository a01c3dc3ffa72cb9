package repo

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mem/guard"
	"mem/index"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
)

// holdsSecret reports whether a person wrote what looks like a secret into a file:
// such an edit gets into no commit.
func (m *Memory) holdsSecret(path string) bool {
	f, err := m.lookAt(path, true)
	if err != nil || !f.exist {
		return false
	}
	return m.isLeak(path, f.data)
}

// listHeld returns the files of a person, edited, staged or new, with secrets that the last
// commit does not have: no commit of mem gets them, but the person's next one may.
func (m *Memory) listHeld() []string {
	l := lister{Memory: m, found: map[string]bool{}}
	for name, blob := range m.tx.Staged().ListStaged(m.known) {
		if !l.skips(path.Dir(name)) {
			l.look(name, maxNewFile)
			staged, err := m.tx.Store.ReadBlob(blob)
			l.found[name] = l.found[name] || err == nil && l.isLeak(name, staged)
		}
	}
	for _, name := range m.edits {
		l.look(name, maxScanned)
	}
	l.walk(".")
	maps.DeleteFunc(l.found, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(l.found))
}

const heldOut = " holds what looks like a secret: left out of the commit, until it is taken out"

// keepOut keeps a person's edit with a secret in it out of the commit, and says so.
// The file is left as it is. The index is made anew each time, and gets the edit
// without the secret.
func (c *chain) keepOut(path string) {
	if path == IndexPath {
		c.r.warnOnce(path + " holds what looks like a secret: taken out of it")
		f := c.m.files[path]
		c.m.stageWrite(path, guard.ScrubNew(nil, f.data))
		return
	}
	c.held[path] = true
	c.r.warnOnce(guard.Line(path) + heldOut)
}

// releaseHeld makes room for what the callback or a view writes to files that are
// kept out: they lose the secret, and a copy of what the person wrote is set aside.
func (c *chain) releaseHeld() error {
	for _, path := range slices.Sorted(maps.Keys(c.held)) {
		w, written := c.m.staged[path]
		if !written {
			continue
		}
		to, err := c.r.store.Rescue(path, c.m.files[path].data)
		if err != nil {
			return err
		}
		if w.data != nil {
			c.m.stageWrite(path, guard.ScrubNew(nil, w.data))
		}
		c.touched[path] = true // a new one that is removed is in no commit
		delete(c.held, path)
		c.r.opts.Warn(path + " was written to, without the secret; the edited file is in " + to)
	}
	return nil
}

// isNewLeak reports whether a file holds what looks like a secret and did not hold it
// before.
func isNewLeak(old, data []byte) bool {
	n := guard.CountSecrets(string(data))
	return n > 0 && n > guard.CountSecrets(string(old))
}

// isLeak is isNewLeak for a file of a person. The name of one that the last commit does
// not have counts too.
func (m *Memory) isLeak(name string, data []byte) bool {
	old, _ := m.ReadCommitted(name) // without it all of the file is new
	return old == nil && guard.CountSecrets(name) > 0 || isNewLeak(old, data)
}

// scrubLessons returns lessons without secrets and invisible characters. A tag with
// one is left out.
func scrubLessons(lessons []index.Lesson) []index.Lesson {
	lessons = slices.Clone(lessons)
	for i := range lessons {
		l := &lessons[i]
		l.Text = guard.Scrub(l.Text)
		l.Why = guard.Scrub(l.Why)
		scrubLiterals(&l.Cue)
		scrubLiterals(&l.Remedy)
		l.Tags = slices.DeleteFunc(slices.Clone(l.Tags), func(tag string) bool { return guard.Scrub(tag) != tag })
		scrubSource(&l.Source)
		l.Also = slices.Clone(l.Also)
		for j := range l.Also {
			scrubSource(&l.Also[j])
		}
	}
	return lessons
}

// scrubRecords returns records without secrets in what they say.
func scrubRecords(records []index.Old) []index.Old {
	records = slices.Clone(records)
	for i := range records {
		it := &records[i].Item
		if text := guard.Scrub(it.Text); text != it.Text {
			it.Text, it.Key = text, index.KeyOf(text)
		}
		it.Sources = slices.Clone(it.Sources)
		for j := range it.Sources {
			scrubSource(&it.Sources[j])
		}
	}
	return records
}

// scrubLiterals takes secrets out of what a lesson is about.
func scrubLiterals(l *index.Literals) {
	for _, text := range []*string{&l.Tool, &l.Command, &l.Error, &l.Path} {
		*text = guard.Scrub(*text)
	}
}

// scrubSource takes secrets out of a source: the names of sessions and of what is
// in them are the trace's own.
func scrubSource(s *index.Source) {
	for _, text := range []*string{&s.Trace, &s.Session, &s.Span, &s.Model} {
		*text = guard.Scrub(*text)
	}
}

// announceLeaks returns what is to be called once a memory is mem's own: if another program made it, warn gets what looks like a secret there.
func announceLeaks(store *gitstore.Store, warn func(string)) func() {
	tip := findForeign(store)
	return func() {
		if tip.IsZero() {
			return
		}
		if found := describeLeaks(store, tip); found != "" {
			warn("this memory holds what looks like secrets, which mem leaves as they are, in " + found)
		}
	}
}

// findForeign returns the tip of a history whose index another program
// wrote as version 1; zero for any other.
func findForeign(store *gitstore.Store) object.Hash {
	head, err := store.ReadHead()
	if err != nil || head.Tip.IsZero() {
		return object.Hash{}
	}
	tip, err := store.ReadCommit(head.Tip)
	if err != nil {
		return object.Hash{}
	}
	blob, err := store.FindBlob(tip.Tree, index.Path)
	if err != nil || blob.IsZero() {
		return object.Hash{}
	}
	data, err := store.ReadBlob(blob)
	if err != nil {
		return object.Hash{}
	}
	if ix, _, err := index.Load(data, time.Time{}); err != nil || ix.Version > 1 {
		return object.Hash{}
	}
	return head.Tip
}

// maxScanned is how many bytes of a history are looked at, from the newest on.
const maxScanned = 64 << 20

// describeLeaks counts and names what looks like a secret in the files of a commit, and
// in those of its history; "" if there is none.
func describeLeaks(store *gitstore.Store, tip object.Hash) string {
	now, before := map[string]int{}, map[string]int{}
	seen, bytes := map[object.Hash]bool{}, 0
	err := store.WalkHistory(tip, func(c object.Commit) bool {
		files, err := store.ListFiles(c.Tree, nil)
		if err != nil {
			return false
		}
		counts := before
		if c.Hash == tip {
			counts = now
		}
		for path, blob := range files {
			if seen[blob] {
				continue
			}
			seen[blob] = true
			data, err := store.ReadBlob(blob)
			if err != nil {
				continue // the command that needs it says so
			}
			bytes += len(data)
			if n := guard.CountSecrets(string(data)); n > 0 {
				counts[path] = max(counts[path], n)
			}
		}
		return bytes < maxScanned
	})
	var found []string
	if len(now) > 0 {
		found = append(found, "its files: "+listCounts(now))
	}
	if len(before) > 0 {
		found = append(found, "its history: "+listCounts(before))
	}
	if err != nil || len(found) == 0 {
		return ""
	}
	return strings.Join(found, "; in ")
}

// listCounts lists paths with their counts, those with the most first.
func listCounts(counts map[string]int) string {
	const most = 8
	var names []string
	paths := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for _, path := range paths[:min(len(paths), most)] {
		names = append(names, fmt.Sprintf("%s (%d)", guard.Line(path), counts[path]))
	}
	if n := len(paths) - most; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

// A lister finds the files with what looks like a secret that a person edited, put
// into git's index, or put beside the files of the memory.
type lister struct {
	*Memory
	found map[string]bool // by path, of the files looked at
}

// skips reports whether the files of a folder are not looked at.
func (l *lister) skips(folder string) bool { return l.skip != nil && l.skip(folder) }

// Bounds for files that the last commit does not have.
const (
	maxNewFile  = 256 << 10
	maxNewFiles = 500
)

// walk looks at the files below a folder that the last commit does not have. Hidden
// folders belong to other programs.
func (l *lister) walk(folder string) {
	names, _ := l.tx.ListNames(folder, false) // one that cannot be listed is not committed either
	for _, name := range names {
		at := path.Join(folder, name)
		_, seen := l.found[at]
		if _, old := l.known[at]; old || seen || len(l.found) >= maxNewFiles {
			continue
		}
		if !l.tx.IsFolder(at, false) {
			l.look(at, maxNewFile)
		} else if name[0] != '.' && !l.skips(at) {
			l.walk(at)
		}
	}
}

// look notes whether there is a secret in a file of the work tree. One that is no
// regular file, or too large, is not committed.
func (l *lister) look(name string, limit int64) {
	data, err := l.logs.r.d.ReadFile(name, limit)
	l.found[name] = err == nil && l.isLeak(name, data)
}
