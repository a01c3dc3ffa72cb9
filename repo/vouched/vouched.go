// Package vouched is the distrust of one clone for what git brought it from elsewhere.
//
// A pull brings lessons that this person has not seen. They are part of the memory, so
// that clones stay the same, but no session is shown them before the person accepted
// them, or said that all of a remote is theirs. Which those are is in .git/mem/vouched,
// and nowhere in what git carries. Package walk finds what came in.
package vouched

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
	"mem/index/withheld"
	"mem/render"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/history"
	"mem/repo/walk"
)

const (
	listPath = gitstore.PrivateDir + "/vouched"
	maxList  = 64 << 20
)

// A List is what waits for the person, and whose remotes are theirs. A nil one holds
// nothing.
type List struct {
	Own map[string]bool `json:"own"` // remotes of which the person said that all is theirs
	// Held is what came in: the text of a lesson, by its id; the blob of a file, by its
	// path, and the one before, zero for none.
	Held map[string][2]string `json:"held"`

	d       *disk.Dir
	hides   bool                    // files that wait are shown as they were
	was     map[string]index.Status // of the lessons that are covered
	changed bool
}

// read reads the list. One that cannot be read is an error: without it everything would
// be shown.
func read(d *disk.Dir) (*List, error) {
	l := &List{d: d, Own: map[string]bool{}, Held: map[string][2]string{}, was: map[string]index.Status{}}
	data, err := d.ReadFile(listPath, maxList)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		err = json.Unmarshal(data, l)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", listPath, err)
	}
	return l, nil
}

// Write keeps the list, durably, if it was changed. The caller holds the root's lock.
func (l *List) Write() error {
	if l == nil || !l.changed {
		return nil
	}
	data, err := json.Marshal(l, json.Deterministic(true), jsontext.WithIndent("  "))
	if err == nil {
		err = l.d.WriteFile(listPath, append(data, '\n'), gitstore.TempDir)
	}
	if err != nil {
		return fmt.Errorf("keep what waits: %w", err)
	}
	l.changed = false
	return nil
}

// HoldForeign finds what git brought into an index since mem's last commit, and lets it
// wait, durably. warn gets how much that is.
func HoldForeign(d *disk.Dir, store *gitstore.Store, head gitstore.Head, path string, ix *index.Index, now time.Time, warn func(string)) (*List, error) {
	l, err := read(d)
	if err != nil {
		return nil, err
	}
	remotes, err := history.New(d, store).ListRemoteTips()
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(remotes, func(name string, _ []object.Hash) bool { return !l.Own[name] })
	found, err := walk.FindForeign(d, store, head, path, ix, slices.Concat(slices.Collect(maps.Values(remotes))...), now)
	if err != nil {
		return nil, err
	}
	for name, is := range found {
		if old, ok := l.Held[name]; ok { // it waits already
			is[1] = old[1]
		}
		l.Held[name], l.changed = is, true
	}
	if l.changed {
		warn(fmt.Sprintf("git brought %s; no session is shown %s before you accept %[2]s: 'mem trust' shows %[2]s, and asks",
			render.Count(len(found), "lesson or file", "lessons or files"), render.Plural(len(found), "it", "them")))
	}
	return l, l.Write()
}

// CoverIndex covers an index that is only read, and files. warn gets how much waits.
func CoverIndex(d *disk.Dir, ix *index.Index, warn func(string)) (*List, error) {
	l, err := read(d)
	if err != nil {
		return nil, err
	}
	l.hides = true
	l.Cover(ix)
	if n := len(l.was) + len(l.listFiles()); n > 0 {
		warn(fmt.Sprintf("%s that git brought %s for your approval: 'mem trust'",
			render.Count(n, "lesson or file", "lessons or files"), render.Plural(n, "waits", "wait")))
	}
	return l, nil
}

// listFiles returns the files that wait.
func (l *List) listFiles() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(l.Held)), func(name string) bool { return l.Held[name][1] == "" })
}

// Hides reports whether files are shown as they were.
func (l *List) Hides() bool { return l != nil && l.hides }

// FindShown returns what a file is shown as that holds this: one that waits as it was
// here before, whatever was written to it since.
func (l *List) FindShown(name string, blob object.Hash) object.Hash {
	if l.Hides() && l.Held[name][1] != "" {
		blob, _ = object.ParseHash(l.Held[name][1])
	}
	return blob
}

// IsNew reports whether a file waits and was not here before.
func (l *List) IsNew(name string) bool {
	return l.Hides() && l.Held[name][1] == object.Hash{}.String()
}

// Accept lets in what shown held when the person was asked, all if that is nil, and what
// these remotes bring from now on.
func (l *List) Accept(shown *List, remotes []string) {
	if l == nil {
		return
	}
	for _, name := range remotes {
		l.Own[name] = true
	}
	maps.DeleteFunc(l.Held, func(name string, is [2]string) bool { return shown == nil || shown.Held[name] == is })
	l.changed = true
}

// Cover makes the lessons that wait quarantined, for everything that looks at the index.
// What was decided since is left as it is. Uncover undoes it before the index is written.
func (l *List) Cover(ix *index.Index) {
	if l == nil {
		return
	}
	for i := range ix.Items {
		it := &ix.Items[i]
		if l.Held[it.ID][0] == it.Text && it.IsShown() && !l.Covers(it.ID) {
			l.was[it.ID], it.Status, ix.Order = it.Status, index.Quarantined, nil
		}
	}
}

// Covers reports whether a lesson was covered.
func (l *List) Covers(id string) bool {
	if l == nil {
		return false
	}
	_, isCovered := l.was[id]
	return isCovered
}

// Uncover gives the lessons that are covered the status that they have in the file, and
// drops those from the list that a decision lets in. One that was turned down still waits:
// to take that back does not approve it.
func (l *List) Uncover(ix *index.Index) {
	if l == nil || len(l.was) == 0 {
		return
	}
	for i := range ix.Items {
		it := &ix.Items[i]
		switch {
		case l.Covers(it.ID) && it.Status == index.Quarantined:
			it.Status = l.was[it.ID]
		case l.Covers(it.ID) && it.IsShown():
			delete(l.Held, it.ID)
			l.changed = true
		}
	}
	clear(l.was)
}

// ListTexts returns what waits: the lessons that are covered, and of the files what is
// new. now reads one as it is, was as it is shown.
func (l *List) ListTexts(ix *index.Index, now, was func(path string) ([]byte, error)) (texts []string) {
	if l == nil {
		return nil
	}
	for i := range ix.Items {
		if l.Covers(ix.Items[i].ID) {
			texts = append(texts, fmt.Sprintf("%s (%s)", ix.Items[i].Text, ix.Items[i].Status))
		}
	}
	hidden := withheld.WordsOf(ix)
	for _, name := range l.listFiles() {
		texts = append(texts, name)
		text, _ := now(name) // else it is gone again
		before, _ := was(name)
		for line := range strings.Lines(string(text)) {
			if !strings.Contains("\n"+string(before)+"\n", "\n"+line) {
				texts = append(texts, name+": "+hidden.Mark(line))
			}
		}
	}
	return texts
}
