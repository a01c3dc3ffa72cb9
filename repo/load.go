package repo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/topic"
)

func (r *Root) newMemory(tx *gitstore.Tx, now time.Time) *Memory {
	m := BlankMemory(now, r.opts)
	m.tx, m.root, m.tree = tx, r, tx.Tree
	return m
}

// loadIndex reads the index of the last commit, for reading: to change it, setIndex makes a copy first.
func (r *Root) loadIndex(m *Memory) error {
	p, err := r.findPair(m.tx.Head.Tip, m.tx.Tree)
	if err != nil || p.index.IsZero() {
		return err
	}
	m.base = nil
	if r.store.StreamFile(IndexPath, p.index, func(in io.Reader, size int64) { m.Index = index.Stream(in, size) }) && m.Index != nil {
		return nil
	}
	if m.Index, m.Report, err = r.loadBlob(p.index, m.now); errors.Is(err, index.ErrUnreadable) && !p.log.IsZero() {
		var log *facts.Log
		if log, err = r.readLog(p.log, 0); err == nil {
			m.Index = log.Fold()
		}
	}
	if err != nil {
		m.Index = &index.Index{}
		return r.explain(m.tx.Head.Tip, err)
	}
	return nil
}

// firstIndex reads the index of a root that has none from its CORE.md; without a CORE.md the index is empty.
func (r *Root) firstIndex(m *Memory) error {
	data, err := m.ReadFile(render.CorePath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	fixes, mistakes := render.ParseCore(data)
	if n := len(m.Learn(facts.Fact{Fixes: fixes, Mistakes: mistakes})); n > 0 {
		r.opts.Warn(fmt.Sprintf("%d lessons were imported from %s, which had no index", n, render.CorePath))
	}
	return nil
}

// lookAtFirstFiles gathers the first commit's files other than the index and the views: those already there,
// and a note for people.
func (r *Root) lookAtFirstFiles(m *Memory) error {
	paths := []string{ReadmePath, ConfigPath, TracesPath, render.CorePath, render.LongTermPath}
	for _, folder := range []string{"daily", "monthly"} {
		found, err := m.listPaths(folder)
		if err != nil {
			return err
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		if _, err := m.lookAt(path, true); err != nil {
			return err
		}
	}
	if !m.files[ReadmePath].Exists {
		m.stageWrite(ReadmePath, render.Readme())
	}
	return nil
}

// ListEdits returns the files with uncommitted hand edits, and which of them seem to hold a secret. While git
// or mem is writing, the changes may be theirs; it then returns none.
func (r *Root) ListEdits() (edited, held []string, err error) {
	tx, err := r.store.Peek()
	if err != nil || tx.CheckBusy() != nil || !tx.IsSteady() {
		return nil, nil, err
	}
	m := r.newMemory(tx, time.Time{})
	if err := m.lookForEdits(); err != nil {
		return nil, nil, err
	}
	if !tx.IsSteady() {
		return nil, nil, nil
	}
	edited = m.editedFiles()
	return edited, slices.DeleteFunc(slices.Clone(edited), func(name string) bool { return !m.isLeak(name, m.files[name].Data) }), nil
}

// loadLeft looks for unchanged files that mem committed and that the current history lacks. Git may have read
// its index before mem wrote it and committed that, or a person moved the branch back.
func (r *Root) loadLeft(m *Memory) error {
	p := r.readPair()
	if p.commit.IsZero() || p.commit == m.tx.Head.Tip {
		return nil
	}
	was, err := r.store.ReadCommit(p.commit)
	if errors.Is(err, gitstore.ErrDamaged) {
		return r.loadLost(m)
	} else if err != nil {
		return nil
	}
	changes, err := r.store.Compare(m.tx.Tree, was.Tree)
	for name, pair := range changes {
		if !pair[0].IsZero() || err != nil {
			continue
		}
		f, _ := m.tx.Look(name, gitstore.Hash{}, true) // else it is not so
		if f.Blob == pair[1] && !f.Staged {            // which no person staged
			_, err = m.lookAt(name, true)
		}
	}
	return err
}

// loadLost adds to the edits the facts and learnings here that no commit has any more: git lost the last one.
func (r *Root) loadLost(m *Memory) error {
	names, err := r.listLost()
	for _, name := range names {
		_, errLook := m.lookAt(name, true)
		err = errors.Join(err, errLook)
	}
	return err
}

// listLost returns the facts and learnings in the work tree that the last commit lacks: git lost it, an older
// .git was put back, or a program that syncs folders mixed two copies. A fact that the log has in other words
// is not lost: a purge may have rewritten it.
func (r *Root) listLost() (names []string, err error) {
	tx, err := r.store.Peek()
	if err != nil {
		return nil, err
	}
	has, err := r.store.ListFiles(tx.Tree, nil)
	log, errLog := r.readLogAt(tx.Tree, 0)
	isLost := func(at string) bool {
		data, err := r.d.ReadFile(at, maxFound)
		f, bad := facts.Decode(at, data)
		return err == nil && (bad == nil && (errLog != nil || !log.Has(f.ID)) || !strings.HasPrefix(at, facts.Folder))
	}
	for _, at := range slices.Concat(r.listBelow(facts.Folder), r.listBelow("learnings")) {
		if has[at].IsZero() && isLost(at) {
			names = append(names, at)
		}
	}
	return names, err
}

func (r *Root) listBelow(folder string) (names []string) {
	below, _ := r.d.ListFolder(folder)
	for _, sub := range below {
		files, _ := r.d.ListFolder(path.Join(folder, sub))
		for _, name := range files {
			names = append(names, path.Join(folder, sub, name))
		}
	}
	return names
}

// lookForEdits looks for tracked files that a person changed, and for new files beside them. It skips a file
// that is now a link or a folder, or is too large: the history keeps the old content, and the other files stay
// usable.
func (m *Memory) lookForEdits() (err error) {
	isLog := func(folder string) bool { return folder == facts.Folder } // which no person edits
	if m.known, err = m.tx.Store.ListFiles(m.tx.Tree, isLog); err != nil {
		return err
	}
	var odd []string
	for path, blob := range m.known {
		err := m.takeIn(path, blob)
		if errors.Is(err, disk.ErrLink) || errors.Is(err, disk.ErrTooLarge) {
			odd = append(odd, path)
		} else if err != nil {
			return err
		}
	}
	if slices.Sort(odd); len(odd) == 1 {
		m.opts.Warn("left alone: " + odd[0] + " is not a regular file, or too large; the history keeps what it was")
	} else if len(odd) > 1 {
		m.opts.Warn(fmt.Sprintf("left alone: %s and %d more are not regular files, or too large; the history keeps what they were", odd[0], len(odd)-1))
	}
	if m.loadFound(); m.root.TakesLost {
		return m.root.loadLost(m)
	}
	return m.root.loadLeft(m)
}

// takeIn adds a person's changes in a file to the edits. Staged changes are left for the person to commit.
func (m *Memory) takeIn(path string, tip gitstore.Hash) error {
	if m.files[path] != nil {
		return nil
	}
	f, err := m.tx.Look(path, tip, false)
	if err == nil && f.Blob != tip && !f.Staged {
		_, err = m.lookAt(path, true)
	}
	return err
}

// maxFound is the size up to which a new file in the right place is committed.
const maxFound = 256 << 10

// loadFound looks for files that a person put where sessions and reviews read: notes, rules, and agreements in
// other forms. It leaves other new files alone.
func (m *Memory) loadFound() {
	for _, at := range m.listPlaces() {
		info, err := m.root.d.Lstat(at)
		if _, old := m.known[at]; !old && err == nil && info.Mode().IsRegular() && info.Size() <= maxFound {
			_ = m.takeIn(at, gitstore.Hash{}) // one that cannot be read is left as it is, as links are
		}
	}
}

// listPlaces lists the files where sessions and reviews read what people write.
func (m *Memory) listPlaces() []string {
	folders := []string{"rules", "context"}
	below, _ := m.ListFolders("context") // a link in its place, say, has none
	for _, name := range below {
		folders = append(folders, "context/"+name)
	}
	for _, list := range topic.RuleFiles {
		folders = append(folders, topic.RuleFolder(list))
	}
	paths := []string{"MEMORY.md", ConfigPath}
	for _, folder := range folders {
		found, _ := m.listPaths(folder)
		paths = append(paths, found...)
	}
	return paths
}

// ListTexts returns the names of the Markdown files in a folder of the root, in order.
func (m *Memory) ListTexts(folder string) ([]string, error) {
	names, err := m.list(folder, false)
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, ".md") }), err
}

// ListFolders returns the names of the folders in a folder of the root, in order. Links do not count.
func (m *Memory) ListFolders(folder string) ([]string, error) { return m.list(folder, true) }

// list returns the names in a folder of the work tree or, for readers, of the last commit. It adds files staged
// since and drops removed ones. Hidden names do not count; a missing folder is empty.
func (m *Memory) list(folder string, folders bool) ([]string, error) {
	has := map[string]bool{}
	if m.tx != nil {
		names, err := m.tx.ListFolder(folder, m.atTip)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", folder, err)
		}
		for name, isFolder := range names {
			has[name] = isFolder == folders
		}
	}
	for path, w := range m.staged {
		rest, inside := strings.CutPrefix(path, folder+"/")
		if name, _, deeper := strings.Cut(rest, "/"); inside && deeper == folders {
			has[name] = w.data != nil || folders && has[name]
		}
	}
	maps.DeleteFunc(has, func(name string, is bool) bool { return !is || name[0] == '.' })
	return slices.Sorted(maps.Keys(has)), nil
}

// ListRules returns the paths of the texts in a folder, in order. Once a list's rules have files of their own,
// these replace the list.
func (m *Memory) ListRules(folder string) (paths []string, err error) {
	paths, err = m.listPaths(folder)
	for _, list := range topic.RuleFiles {
		if path.Dir(list) != folder {
			continue
		}
		own, err2 := m.listPaths(topic.RuleFolder(list))
		if err = errors.Join(err, err2); len(own) > 0 {
			paths = append(slices.DeleteFunc(paths, func(at string) bool { return at == list }), own...)
		}
	}
	slices.Sort(paths)
	return paths, err
}

func (m *Memory) listPaths(folder string) ([]string, error) {
	names, err := m.ListTexts(folder)
	for i, name := range names {
		names[i] = folder + "/" + name
	}
	return names, err
}

// ListDates returns the days in "daily", or the months in "monthly", that begin with prefix, such as "2026-02", oldest
// first. A person may keep other notes there.
func (m *Memory) ListDates(folder, prefix string) (dates []string, err error) {
	names, err := m.list(folder, false)
	for _, name := range names {
		if date, isDate := facts.DateOf(folder + "/" + name); isDate && strings.HasPrefix(date, prefix) {
			dates = append(dates, date)
		}
	}
	return dates, err
}

// releaseHeld lets the callback or a view write to kept-out files: it sets a copy of the person's text aside
// and scrubs the secret.
func (c *chain) releaseHeld() error {
	for _, path := range slices.Sorted(maps.Keys(c.held)) {
		w, written := c.m.staged[path]
		if !written {
			continue
		}
		to, err := c.r.store.Rescue(path, c.m.files[path].Data)
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

// isNewLeak reports whether a file holds what looks like a secret and did not hold it before.
func isNewLeak(old, data []byte) bool {
	n := guard.CountSecrets(string(data))
	return n > 0 && n > guard.CountSecrets(string(old))
}

// isLeak is isNewLeak for a person's file, whose edit must then stay out of all commits. For a file that the
// last commit lacks, a secret in the name counts too.
func (m *Memory) isLeak(name string, data []byte) bool {
	old, _ := m.ReadCommitted(name) // without it all of the file is new
	return old == nil && guard.CountSecrets(name) > 0 || isNewLeak(old, data)
}
