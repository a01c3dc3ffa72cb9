package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mem/index"
	"mem/index/codec"
	"mem/index/merge"
	"mem/render"
	"mem/repo/gitstore"
	"mem/repo/gitstore/reflog"
	"mem/repo/message"
	"mem/repo/vouched"
	"mem/repo/walk"
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
