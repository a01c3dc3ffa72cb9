package walk

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/index/codec"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/reflog"
	"mem/topic"
)

// A statement is what a version of a memory says to sessions: a field of a lesson that
// is shown, or a line of a file, which has no field.
type statement struct{ at, field, value string }

// ShownFields are what a session is told of a lesson.
var ShownFields = slices.DeleteFunc(slices.Clone(index.Fields), func(f index.Field) bool {
	return !slices.Contains([]string{"cue", "kind", "remedy", "text", "why"}, f.Name)
})

// A Finder tells what came from elsewhere from what was made here. Authors of commits
// are no proof. What git merged, picked or pulled since mem's last commit came from
// elsewhere, unless a remote of the person says it too. What was committed or written
// by hand did if a commit says it that another clone made, as far as this one knows.
type Finder struct {
	*walker
	head  object.Hash
	since object.Hash // mem's last commit
	reflog.Moves
	isOwn   bool          // the commits since the last one were made here
	own     []object.Hash // the tips of remotes whose words are the person's
	Foreign []object.Hash // what other refs and the last fetch stand at, and this branch stood at
	noted   []object.Hash // what that was before, the oldest first

	lists  map[string]bool // of rules that have files of their own
	listed bool
	theirs []object.Commit // of those, without what the head has
	bases  []object.Hash   // the commits of the head that they build on
}

// NewFinder returns a finder for the versions of the index.
func NewFinder(d *disk.Dir, store *gitstore.Store, head gitstore.Head, own, foreign, noted []object.Hash, now time.Time) *Finder {
	f := &Finder{walker: newWalker(store, now), head: head.Tip, since: head.Tip, own: own, noted: noted}
	f.Moves = reflog.ReadMoves(d, head.Ref)
	if f.isOwn = f.Made[head.Tip] || len(f.Own) == 0; len(f.Own) > 0 && !slices.Contains(f.Own, head.Tip) {
		f.since = f.Own[0]
	}
	f.Foreign = slices.DeleteFunc(append(foreign, f.Others...), func(tip object.Hash) bool { return slices.Contains(own, tip) })
	return f
}

// hasOthers reports whether anything is known of other clones.
func (f *Finder) hasOthers() bool { return len(f.Foreign)+len(f.noted) > 0 }

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

// A Step is what something that came in made of a file: the blobs before, zero for none,
// and after.
type Step [2]object.Hash

// Found is what came from elsewhere: the texts of lessons, by id, the steps of files that
// brought something, by path, and the commits.
type Found struct {
	Lessons map[string]string
	Files   map[string][]Step
	Commits []object.Hash
	Left    int // of the lessons and files, those that are there still
}

// Find returns what of an index, and of the files at head with the edits on top, came
// from elsewhere since mem's last commit, be it that it is gone again. written is the
// index as the person wrote it; nil for one that they did not touch. Without an index it
// is what the edits brought.
func (f *Finder) Find(ix, written *index.Index, edits Edits) (Found, error) {
	found := Found{Lessons: map[string]string{}, Files: map[string][]Step{}}
	maps.DeleteFunc(edits, func(name string, _ edit) bool { return !isText(name) })
	if ix == nil {
		ix, f.since, f.isOwn = &index.Index{}, f.head, true
	}
	if f.head.IsZero() || f.isOwn && !f.hasOthers() || f.since == f.head && len(edits) == 0 && written == nil {
		return found, nil
	}
	was, err := f.listTexts(f.since)
	if errors.Is(err, object.ErrDamaged) {
		return found, nil // git collected it
	}
	commits, err2 := f.listArrived()
	if err = errors.Join(err, err2, f.findLists(edits)); err != nil {
		return found, err
	}
	found.Commits = f.dropCopies(commits)
	stops := slices.DeleteFunc(slices.Clone(f.Others), func(h object.Hash) bool { return f.isOwn || h == f.head || !slices.Contains(commits, h) })
	files, names := was, map[string]bool{}
	for _, h := range append(stops[max(0, len(stops)-maxTheirs):], f.head) {
		if files, names, err = f.findCommitted(found, was, h); err != nil {
			return found, err
		}
	}
	names[index.Path] = names[index.Path] || written != nil || !f.isOwn
	err = f.findEdited(found, ix, written, edits, files, names)
	for id := range found.Lessons {
		found.Left += min(1, ix.ByID(id)+1)
	}
	for name := range found.Files {
		if e, isEdited := edits[name]; isEdited {
			files[name] = e.blob
		}
		if !files[name].IsZero() && files[name] != was[name] {
			found.Left++
		}
	}
	return found, err
}

// findLists finds the lists of rules that have files of their own, of which sessions read
// only what stands before the rules. Nothing has without edits, as before mem looks.
func (f *Finder) findLists(edits Edits) error {
	f.lists = map[string]bool{}
	files, err := f.listTexts(f.head)
	for at := range edits {
		files[at] = object.Hash{}
	}
	for at := range files {
		f.lists[path.Dir(at)+".md"] = edits != nil
	}
	return err
}

// findCommitted finds what a commit says that came from elsewhere, given the files of
// mem's last one, and returns its own, and which of them may say something new.
func (f *Finder) findCommitted(found Found, was map[string]object.Hash, h object.Hash) (files map[string]object.Hash, names map[string]bool, err error) {
	files, err = f.listTexts(h)
	names, err2 := f.listChanged(was, files, h)
	said := map[statement]bool{}
	err3 := f.addSaid(said, h, names)
	err4 := f.dropSaid(said, names, f.since)
	ix, err5 := f.readRaw(h)
	brought, err6 := f.listBrought(said, files, func(statement) bool { return f.isOwn })
	found.add(brought, orEmpty(ix), was, files)
	return files, names, errors.Join(err, err2, err3, err4, err5, err6)
}

// findEdited finds what came from elsewhere of an index and of edits that are not in the
// last commit, given its files, and which of them may say something new.
func (f *Finder) findEdited(found Found, ix, written *index.Index, edits Edits, files map[string]object.Hash, names map[string]bool) error {
	said, byHand, now := map[statement]bool{}, map[statement]bool{}, maps.Clone(files)
	if names[index.Path] {
		addLessons(said, ix)
		addLessons(byHand, orEmpty(written))
	}
	for name, edit := range edits {
		f.addLines(said, name, edit.data)
		names[name], now[name] = true, edit.blob
	}
	err := f.dropSaid(said, names, f.since, f.head)
	brought, err2 := f.listBrought(said, now, func(s statement) bool { return f.isOwn || byHand[s] || edits[s.at].byHand })
	found.add(brought, ix, files, now)
	return errors.Join(err, err2)
}

// ListCommits returns the commits of which git brought what they say, but for those that
// a remote of the person's has: the person's own too, if they say what came from elsewhere.
func (f *Finder) ListCommits() (list []object.Hash, err error) {
	if has, err := f.HasBrought(); has || err != nil {
		commits, err2 := f.listSince(f.since, f.head)
		for _, c := range commits {
			list = append(list, c.Hash)
		}
		return list, errors.Join(err, err2)
	}
	list, err = f.listArrived()
	return f.dropCopies(list), err
}

// dropCopies leaves out commits that say what one said that was made here, letter for
// letter: a rebase or a cherry-pick copied it.
func (f *Finder) dropCopies(list []object.Hash) []object.Hash {
	if len(list) == 0 {
		return nil
	}
	said := map[string]bool{}
	for h := range f.Made {
		if c, err := f.readCommit(h); err == nil {
			said[c.Message] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(h object.Hash) bool {
		c, err := f.readCommit(h)
		return err == nil && said[c.Message]
	})
}

// listArrived returns the commits that git brought, but for those that a remote of the
// person's has.
func (f *Finder) listArrived() (list []object.Hash, err error) {
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

// add adds the lessons of an index of which something came from elsewhere, and the files
// that became others by it.
func (found Found) add(brought map[statement]bool, ix *index.Index, was, is map[string]object.Hash) {
	ids := map[string]bool{}
	for s := range brought {
		step := Step{was[s.at], is[s.at]}
		if ids[s.at] = ids[s.at] || s.field != ""; s.field == "" && !slices.Contains(found.Files[s.at], step) {
			found.Files[s.at] = append(found.Files[s.at], step)
		}
	}
	for _, it := range ix.Items {
		if ids[it.ID] {
			found.Lessons[it.ID] = it.Text
		}
	}
}

// listChanged returns which files of a commit may say something new, the index among
// them, given those of mem's last one.
func (f *Finder) listChanged(was, files map[string]object.Hash, h object.Hash) (map[string]bool, error) {
	names := map[string]bool{}
	for name, blob := range files {
		names[name] = was[name] != blob
	}
	before, err := f.readCommit(f.since)
	after, err2 := f.readCommit(h)
	a, err3 := f.store.FindBlob(before.Tree, index.Path)
	b, err4 := f.store.FindBlob(after.Tree, index.Path)
	names[index.Path] = a != b
	return names, errors.Join(err, err2, err3, err4)
}

// dropSaid drops the statements that one of these commits, or a remote of the person's,
// says in these files: a merge of those says nothing new.
func (f *Finder) dropSaid(said map[statement]bool, names map[string]bool, commits ...object.Hash) (err error) {
	known := map[statement]bool{}
	for _, tip := range append(commits, f.own...) {
		if err = errors.Join(err, f.addSaid(known, tip, names)); tip != f.head || f.head == f.since {
			err = errors.Join(err, f.addListed(known, tip, names))
		}
	}
	maps.DeleteFunc(said, func(s statement, _ bool) bool { return known[s] })
	return err
}

// HasBrought reports whether a person's own commits since mem's last one say what came
// from elsewhere, as after 'git cherry-pick --no-commit'.
func (f *Finder) HasBrought() (bool, error) {
	if !f.hasOthers() || !f.isOwn || f.since == f.head {
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
	if !f.hasOthers() || name != index.Path && !isText(name) {
		return false, nil
	}
	said := map[statement]bool{}
	if name != index.Path {
		f.addLines(said, name, data)
	} else if ix, _, err := codec.Load(data, f.now); err == nil {
		addLessons(said, ix)
	}
	err := f.dropSaid(said, map[string]bool{name: true}, f.head)
	is := map[string]object.Hash{name: object.HashOf(object.KindBlob, data)}
	brought, err2 := f.listBrought(said, is, func(statement) bool { return true })
	return len(brought) > 0, errors.Join(err, err2)
}

// addLessons adds what an index says.
func addLessons(said map[statement]bool, ix *index.Index) {
	for _, it := range ix.Items {
		for _, f := range ShownFields {
			if it.IsShown() {
				said[statement{it.ID, f.Name, f.Read(&it)}] = true
			}
		}
	}
}

// addLines adds what a file says to sessions.
func (f *Finder) addLines(said map[statement]bool, name string, data []byte) {
	if topic.RuleFolder(name) != "" && f.lists[name] {
		data, _, _ = bytes.Cut(data, []byte("\n### "))
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(strings.TrimLeft(line, "#")); line != "" { // the heading of a rule is another one in a list
			said[statement{at: name, value: line}] = true
		}
	}
}

// addSaid adds what a commit says in these files.
func (f *Finder) addSaid(said map[statement]bool, h object.Hash, names map[string]bool) error {
	c, err := f.readCommit(h)
	if err == nil && names[index.Path] {
		var ix *index.Index
		ix, err = f.readRaw(h)
		addLessons(said, orEmpty(ix))
	}
	for name, isAsked := range names {
		if err != nil || !isAsked || name == index.Path {
			continue
		}
		err = f.addFile(said, c, name, name)
	}
	return err
}

// addListed adds what a commit says of the rules in these files in the lists that name
// them, where a rule may have stood before it had a file.
func (f *Finder) addListed(said map[statement]bool, h object.Hash, names map[string]bool) (err error) {
	for name, isAsked := range names {
		if list := path.Dir(name) + ".md"; isAsked && topic.RuleFolder(list) != "" {
			c, err2 := f.readCommit(h)
			err = errors.Join(err, err2, f.addFile(said, c, name, list))
		}
	}
	return err
}

// addFile adds what a file of a commit says, as if it were another one.
func (f *Finder) addFile(said map[statement]bool, c object.Commit, name, at string) error {
	blob, err := f.store.FindBlob(c.Tree, at)
	if err != nil || blob.IsZero() {
		return err
	}
	text, err := f.store.ReadBlob(blob)
	f.addLines(said, name, text)
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
