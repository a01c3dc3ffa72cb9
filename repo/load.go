package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"
	"time"

	"mem/index"
	"mem/index/codec"
	"mem/index/merge"
	"mem/render"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/reflog"
	"mem/repo/message"
	"mem/repo/vouched"
	"mem/repo/walk"
	"mem/topic"
)

// An UnreadableError says that the index cannot be read.
type UnreadableError = message.UnreadableError

// peekMemory is a memory for reading, of which nothing was read yet. What git brought
// from elsewhere is shown when mem has looked at it: until then the memory is as it was.
func (r *Root) peekMemory(now time.Time) (*Memory, error) {
	tx, err := r.PeekHome()
	if err != nil {
		return nil, err
	}
	m := r.newMemory(tx, now)
	if err := r.readForeign(m); err != nil {
		return nil, err
	}
	m.held.Hide()
	moves := reflog.ReadMoves(r.d, tx.Head.Ref)
	if len(moves.Own) == 0 || moves.Own[0] == tx.Head.Tip || len(moves.Others) == 0 && !walk.HasReapplied(r.store, moves.Own[0], tx.Head.Tip) && !m.held.HasBrought() {
		return m, nil
	}
	c, err := r.store.ReadCommit(moves.Own[0])
	if err != nil {
		return m, nil // git collected it
	}
	m.asOf, r.unseen = c.Tree, true
	r.warnOnce("git moved the branch, and mem has not looked at what came of it; the memory is shown as it was until a command that writes, such as 'mem review', looks")
	return m, nil
}

// readForeign reads what waits for the person.
func (r *Root) readForeign(m *Memory) (err error) {
	if r.opts.HoldForeign {
		m.held, err = vouched.Read(vouched.Root{Dir: r.d, Store: r.store, Head: m.tx.Head, Now: m.now, Warn: r.warnOnce})
	}
	return err
}

// newMemory is a memory of which nothing was read yet.
func (r *Root) newMemory(tx *gitstore.Tx, now time.Time) *Memory {
	return &Memory{
		now: now.UTC(), opts: r.opts, tx: tx,
		files: map[string]*file{}, staged: staging{}, warnOnce: r.warnOnce,
		last: sync.OnceValue(func() object.Hash {
			return append(reflog.ReadMoves(r.d, tx.Head.Ref).Own, tx.Head.Tip)[0]
		}),
	}
}

// loadIndex reads the index, or makes the first one.
func (r *Root) loadIndex(m *Memory) error {
	f, err := m.lookAt(IndexPath, true)
	if err != nil {
		return err
	}
	tip, err := r.store.FindBlob(m.tx.Tree, IndexPath)
	if err != nil {
		return err
	}
	if !f.exist {
		if !tip.IsZero() {
			return walk.ExplainUnreadable(r.store, m.tx.Head.Tip, r.path, fmt.Errorf("%w: the file is gone", codec.ErrUnreadable), m.now)
		}
		return r.firstIndex(m)
	}
	m.Index, m.Report, err = codec.Load(f.data, m.now)
	if errors.Is(err, codec.ErrUnreadable) && tip == f.work {
		if m.Index = walk.ReadIndex(r.d, r.store, m.tx.Head, m.now); m.Index != nil {
			return nil
		}
	}
	if err != nil {
		return walk.ExplainUnreadable(r.store, m.tx.Head.Tip, r.path, err, m.now)
	}
	if m.Index.Version < 2 && !tip.IsZero() {
		return r.restoreIndex(m, f.data)
	}
	return nil
}

// restoreIndex completes an index that another program rewrote as version 1, be it
// in commits of its own, from the history, which holds what that does not know.
func (r *Root) restoreIndex(m *Memory, rewritten []byte) error {
	last, err := walk.FindRestored(r.store, m.tx.Head.Tip, m.now)
	if err != nil || last == nil {
		return err
	}
	if n := merge.RestoreFrom(m.Index, last, string(rewritten)); n > 0 {
		r.opts.Warn(fmt.Sprintf("another program rewrote %s; what it dropped of %d records was restored", IndexPath, n))
	}
	return nil
}

// firstIndex is the index of a root that has none: empty, or what the CORE.md
// of a root without an index says.
func (r *Root) firstIndex(m *Memory) error {
	m.Index = &index.Index{UpdatedAt: m.now}
	data, err := m.ReadFile(render.CorePath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if n := len(m.Learn(render.ParseCore(data))); n > 0 {
		r.opts.Warn(fmt.Sprintf("%d lessons were imported from %s, which had no index", n, render.CorePath))
	}
	return nil
}

// lookAtFirstFiles gathers what the first commit of a root holds besides the index
// and the views: what was there already, and a note for people.
func (r *Root) lookAtFirstFiles(m *Memory) error {
	paths := []string{ReadmePath, ConfigPath, TracesPath, render.CorePath, render.LongTermPath}
	for _, folder := range []string{"daily", "monthly"} {
		names, err := m.ListTexts(folder)
		if err != nil {
			return err
		}
		for _, name := range names {
			paths = append(paths, folder+"/"+name)
		}
	}
	for _, path := range paths {
		if _, err := m.lookAt(path, true); err != nil {
			return err
		}
	}
	if !m.files[ReadmePath].exist {
		m.stageWrite(ReadmePath, render.Readme())
	}
	return nil
}

// growsDaily reports whether the files of a folder are looked at only when they
// are needed: there are more with every day, and looking at all of them would make
// each command slower than the one before.
func growsDaily(folder string) bool {
	return folder == "daily" || folder == "monthly" || folder == "learnings/archived"
}

// loadMemory reads the index, and looks at every other file in the history for what
// a person changed, and for new ones where they count.
func (r *Root) loadMemory(m *Memory) error {
	if err := r.loadIndex(m); err != nil {
		return err
	}
	if err := m.lookForEdits(growsDaily); err != nil {
		return err
	}
	return r.loadFound(m)
}

// loadLeftOut looks for files of mem's last commit that a later one left out and
// that still lie where they were.
func (r *Root) loadLeftOut(m *Memory) error {
	files, err := walk.ListLeftOut(r.d, r.store, m.tx.Head, m.tx.Tree)
	for path, blob := range files {
		if f, lookErr := m.tx.Look(path, object.Hash{}, false); lookErr == nil && f.Blob == blob {
			_, lookErr = m.lookAt(path, true)
			err = errors.Join(err, lookErr)
		}
	}
	return err
}

// LookAtJournal looks for edits in the files that other commands look at only when
// they need them, so that EditedFiles knows of them too.
func (m *Memory) LookAtJournal() error {
	if m.tx == nil {
		return nil
	}
	return m.lookForEdits(nil)
}

// lookForEdits looks at those of the files in the history that a person changed. One
// that is a link or a folder now, or too large, is left alone: the history keeps what
// it was, and the rest can still be used.
func (m *Memory) lookForEdits(skip func(folder string) bool) (err error) {
	if m.known, err = m.tx.Store.ListFiles(m.tx.Tree, skip); err != nil {
		return err
	}
	m.skip = skip
	var odd []string
	for path, blob := range m.known {
		if m.files[path] != nil {
			continue
		}
		f, err := m.tx.Look(path, blob, false)
		if errors.Is(err, disk.ErrLink) || errors.Is(err, disk.ErrTooLarge) {
			odd = append(odd, path)
			continue
		}
		if err == nil && f.Changed && !f.Staged { // what a person staged is the person's to commit
			_, err = m.lookAt(path, true)
		}
		if err != nil {
			return err
		}
	}
	if slices.Sort(odd); len(odd) == 1 {
		m.warnOnce("left alone: " + odd[0] + " is not a regular file, or too large; the history keeps what it was")
	} else if len(odd) > 1 {
		m.warnOnce(fmt.Sprintf("left alone: %s and %d more are not regular files, or too large; the history keeps what they were", odd[0], len(odd)-1))
	}
	return nil
}

// warnOnce warns once of files that are left alone, however often they are seen.
func (r *Root) warnOnce(what string) {
	if !slices.Contains(r.warned, what) {
		r.warned = append(r.warned, what)
		r.opts.Warn(what)
	}
}

// maxFound is the size up to which a new file in the right place is committed.
const maxFound = 256 << 10

// loadFound looks for what a person put where sessions and reviews read: rules,
// and what was agreed in other forms. Files elsewhere that mem did not make are
// left to the person.
func (r *Root) loadFound(m *Memory) error {
	folders := []string{"rules", "context"}
	below, _ := m.ListFolders("context") // a link in its place, say, has none
	for _, name := range below {
		folders = append(folders, "context/"+name)
	}
	for _, list := range topic.RuleFiles {
		folders = append(folders, topic.RuleFolder(list))
	}
	for _, folder := range folders {
		names, _ := m.ListTexts(folder)
		for _, name := range names {
			at := path.Join(folder, name)
			if _, old := m.known[at]; old || m.files[at] != nil || !r.d.IsSmallFile(at, maxFound) {
				continue
			}
			// One that cannot be read is left as it is, as links are.
			if f, err := m.tx.Look(at, object.Hash{}, true); err != nil || !f.Changed || f.Staged {
				continue
			}
			if _, err := m.lookAt(at, true); err != nil {
				return err
			}
		}
	}
	return nil
}
