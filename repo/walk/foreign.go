package walk

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/index/codec"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/reflog"
)

// A statement is what a version of a memory says to sessions: a field of a lesson that
// is shown, or a line of a file, which has no field.
type statement struct{ at, field, value string }

// shownFields are what a session is told of a lesson.
var shownFields = slices.DeleteFunc(slices.Clone(index.Fields), func(f index.Field) bool {
	return !slices.Contains([]string{"cue", "kind", "remedy", "text", "why"}, f.Name)
})

// A Finder tells what came from elsewhere from what was made here. Authors of commits
// are no proof. What git merged, picked or pulled since mem's last commit came from
// elsewhere, unless a remote of the person says it too. What was committed or written
// by hand did if a commit says it that another clone made, as far as this one knows.
type Finder struct {
	*walker
	head    object.Hash
	since   object.Hash          // mem's last commit
	made    map[object.Hash]bool // all that mem itself made here, as far as the log goes
	isOwn   bool                 // the commits since the last one were made here
	own     []object.Hash        // the tips of remotes whose words are the person's
	foreign []object.Hash        // what other branches and remotes, and the last fetch, stand at

	listed bool
	theirs []object.Commit // of those, without what the head has
	bases  []object.Hash   // the commits of the head that they build on
}

// NewFinder returns a finder for the versions of the index at path.
func NewFinder(d *disk.Dir, store *gitstore.Store, head gitstore.Head, path string, own, foreign []object.Hash, now time.Time) *Finder {
	tips, isOwn := reflog.FindOwn(d, head.Ref)
	f := &Finder{walker: newWalker(store, path, now), head: head.Tip, since: head.Tip, own: own, foreign: foreign, made: map[object.Hash]bool{}}
	for _, tip := range tips {
		f.made[tip] = true
	}
	if f.isOwn = isOwn || f.made[head.Tip]; len(tips) > 0 && !f.made[head.Tip] {
		f.since = tips[0]
	}
	return f
}

// Edits are what files became here, by path, which git has otherwise.
type Edits map[string]edit

type edit struct {
	data   []byte
	blob   object.Hash
	byHand bool // by the person; else by mem, which followed what git did
}

// Note notes what a file became.
func (e Edits) Note(path string, data []byte, blob object.Hash, byHand bool) {
	e[path] = edit{data, blob, byHand || e[path].byHand}
}

// Found is what came from elsewhere: the texts of lessons, by id, by path the steps of a
// file that brought something: the blobs before and after, and the commits.
type Found struct {
	Lessons map[string]string
	Files   map[string][][2]object.Hash
	Commits []object.Hash
}

// Find returns what of an index, and of the files at head with the edits on top, came
// from elsewhere since mem's last commit. written is the index as the person wrote it;
// nil for one that they did not touch. Without an index it is what the edits brought.
func (f *Finder) Find(ix, written *index.Index, edits Edits) (Found, error) {
	found := Found{Lessons: map[string]string{}, Files: map[string][][2]object.Hash{}}
	maps.DeleteFunc(edits, func(name string, _ edit) bool { return !isText(name) })
	if ix == nil {
		ix, f.since, f.isOwn = &index.Index{}, f.head, true
	}
	if f.head.IsZero() || f.isOwn && len(f.foreign) == 0 || f.since == f.head && len(edits) == 0 && written == nil {
		return found, nil
	}
	was, err := f.listTexts(f.since)
	if errors.Is(err, object.ErrDamaged) {
		return found, nil // git collected it
	}
	files, err2 := f.listTexts(f.head)
	names, err3 := f.listChanged(was, files, edits)
	if err := errors.Join(err, err2, err3); err != nil {
		return found, err
	}
	names[f.path] = names[f.path] || written != nil || !f.isOwn
	committed, byHand := map[statement]bool{}, map[statement]bool{}
	err = f.addSaid(committed, f.head, names)
	said := maps.Clone(committed)
	if names[f.path] {
		maps.DeleteFunc(said, func(s statement, _ bool) bool { return s.field != "" })
		addLessons(said, ix)
		addLessons(byHand, orEmpty(written))
	}
	for name, edit := range edits {
		addLines(said, name, edit.data)
	}
	err2 = f.dropSaid(said, names, f.since)
	brought, err3 := f.listBrought(said, func(s statement) bool {
		return f.isOwn || !committed[s] && (byHand[s] || edits[s.at].byHand)
	})
	found.addLessons(brought, ix)
	for s := range brought {
		step := [2]object.Hash{was[s.at], files[s.at]}
		if !committed[s] {
			step = [2]object.Hash{files[s.at], edits[s.at].blob}
		}
		if steps := found.Files[s.at]; s.field == "" && !slices.Contains(steps, step) {
			found.Files[s.at] = append(steps, step)
		}
	}
	for name, steps := range found.Files {
		if len(steps) > 1 && steps[0][0] == files[name] { // in order of time
			slices.Reverse(steps)
		}
	}
	commits, err4 := f.ListCommits()
	found.Commits = commits
	return found, errors.Join(err, err2, err3, err4)
}

// ListCommits returns the commits that git brought, but for those that a remote of the
// person's has.
func (f *Finder) ListCommits() (list []object.Hash, err error) {
	if f.isOwn {
		return nil, nil
	}
	commits, err := f.listSince(f.since, f.head)
	for _, c := range commits {
		list = append(list, c.Hash)
	}
	skip := slices.Clone(f.own)
	if len(list) == 0 && err == nil { // nothing in common, or it was given up
		var all map[object.Hash]bool
		all, err = f.findAncestors(f.head)
		list, skip = slices.Collect(maps.Keys(all)), append(skip, f.since)
	}
	for _, tip := range skip {
		own, err2 := f.findAncestors(tip)
		list, err = slices.DeleteFunc(list, func(h object.Hash) bool { return own[h] }), errors.Join(err, err2)
	}
	return list, err
}

// addLessons adds the lessons of which something came from elsewhere.
func (found Found) addLessons(brought map[statement]bool, ix *index.Index) {
	ids := map[string]bool{}
	for s := range brought {
		ids[s.at] = ids[s.at] || s.field != ""
	}
	for _, it := range ix.Items {
		if ids[it.ID] {
			found.Lessons[it.ID] = it.Text
		}
	}
}

// listChanged returns which files may say something new, the index among them.
func (f *Finder) listChanged(was, files map[string]object.Hash, edits Edits) (map[string]bool, error) {
	names := map[string]bool{}
	for name, blob := range files {
		names[name] = was[name] != blob
	}
	for name := range edits {
		names[name] = true
	}
	before, err := f.readCommit(f.since)
	after, err2 := f.readCommit(f.head)
	a, err3 := f.store.FindBlob(before.Tree, f.path)
	b, err4 := f.store.FindBlob(after.Tree, f.path)
	names[f.path] = a != b
	return names, errors.Join(err, err2, err3, err4)
}

// dropSaid drops the statements that a commit, or a remote of the person's, says in
// these files: a merge of those says nothing new.
func (f *Finder) dropSaid(said map[statement]bool, names map[string]bool, since object.Hash) (err error) {
	known := map[statement]bool{}
	for _, tip := range append(slices.Clone(f.own), since) {
		err = errors.Join(err, f.addSaid(known, tip, names))
	}
	maps.DeleteFunc(said, func(s statement, _ bool) bool { return known[s] })
	return err
}

// HasBrought reports whether a person's own commits since mem's last one say what came
// from elsewhere, as after 'git cherry-pick --no-commit'.
func (f *Finder) HasBrought() (bool, error) {
	if len(f.foreign) == 0 || !f.isOwn || f.since == f.head {
		return false, nil
	}
	ix, err := f.readRaw(f.head)
	if err != nil {
		return false, err
	}
	found, err := f.Find(orEmpty(ix), nil, nil)
	return len(found.Lessons)+len(found.Files) > 0, err
}

// IsBrought reports whether a file that is not as in the last commit says something
// there that came from elsewhere, such as after 'git checkout FETCH_HEAD -- .'.
func (f *Finder) IsBrought(name string, data []byte) (bool, error) {
	if len(f.foreign) == 0 || name != f.path && !isText(name) {
		return false, nil
	}
	said := map[statement]bool{}
	if name != f.path {
		addLines(said, name, data)
	} else if ix, _, err := codec.Load(data, f.now); err == nil {
		addLessons(said, ix)
	}
	err := f.dropSaid(said, map[string]bool{name: true}, f.head)
	brought, err2 := f.listBrought(said, func(statement) bool { return true })
	return len(brought) > 0, errors.Join(err, err2)
}

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
	return brought, err
}

// maxTheirs is how many commits of other clones are looked at.
const maxTheirs = 100

// listTheirs lists the commits of other clones that the head does not have.
func (f *Finder) listTheirs() error {
	if f.listed || len(f.foreign) == 0 {
		return nil
	}
	f.listed = true
	old, err := f.findAncestors(f.head)
	done := map[object.Hash]bool{}
	for todo := slices.Clone(f.foreign); len(todo) > 0 && len(f.theirs) < maxTheirs; todo = todo[1:] {
		h := todo[0]
		if done[h] {
			continue
		}
		if done[h] = true; old[h] || f.made[h] {
			f.bases = append(f.bases, h)
		} else if c, err := f.readCommit(h); err == nil { // else git collected it
			f.theirs, todo = append(f.theirs, c), append(todo, c.Parents...)
		}
	}
	return err
}

// addLessons adds what an index says.
func addLessons(said map[statement]bool, ix *index.Index) {
	for _, it := range ix.Items {
		for _, f := range shownFields {
			if it.IsShown() {
				said[statement{it.ID, f.Name, f.Read(&it)}] = true
			}
		}
	}
}

// addLines adds what a file says.
func addLines(said map[statement]bool, name string, data []byte) {
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" {
			said[statement{at: name, value: line}] = true
		}
	}
}

// addSaid adds what a commit says in these files.
func (f *Finder) addSaid(said map[statement]bool, h object.Hash, names map[string]bool) error {
	c, err := f.readCommit(h)
	if err == nil && names[f.path] {
		var ix *index.Index
		ix, err = f.readRaw(h)
		addLessons(said, orEmpty(ix))
	}
	for name, isAsked := range names {
		if err != nil || !isAsked || name == f.path {
			continue
		}
		var blob object.Hash
		if blob, err = f.store.FindBlob(c.Tree, name); err == nil && !blob.IsZero() {
			var text []byte
			text, err = f.store.ReadBlob(blob)
			addLines(said, name, text)
		}
	}
	return err
}

// listTexts returns the files of a commit that people write and sessions are shown, and
// the configuration.
func (w *walker) listTexts(h object.Hash) (map[string]object.Hash, error) {
	c, err := w.readCommit(h)
	if err != nil {
		return nil, err
	}
	files, err := w.store.ListFiles(c.Tree, nil)
	maps.DeleteFunc(files, func(name string, _ object.Hash) bool { return !isText(name) })
	return files, err
}

// isText reports whether people write a file and sessions are shown it.
func isText(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	return name != "patterns/index.md" &&
		slices.Contains([]string{"rules", "context", "memories", "learnings", "patterns", "daily", "monthly", "MEMORY.md", "mem.toml"}, top)
}
