// Package incoming makes the commits of another clone part of a memory's branch.
//
// Data flow of mem sync: package transport fetches into a ref of the remote; Join
// makes the commit that has both, of files merged as package union merges them, and
// moves the branch as git merge would have done, with a line of its log that is git's,
// not mem's. So the next Settle of package repo looks at it like at any merge: package
// walk says what the index should be, and package vouched what waits for the person.
// Then transport pushes. Nothing here decides what is shown.
package incoming

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mem/guard"
	"mem/index"
	"mem/index/codec"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/reflog"
	"mem/repo/message"
	"mem/repo/union"
)

// Errors that callers tell apart. Nothing was changed.
var (
	ErrConflict  = errors.New("both sides changed it, and mem cannot merge it")
	ErrNotMemory = errors.New("it has no " + index.Path)
)

const wait = 3 * time.Second // for git to give its index back

// A Branch is the one that a memory commits to.
type Branch struct {
	d     *disk.Dir
	store *gitstore.Store
}

// Open opens the memory in a folder, which package repo has opened before: whose it is
// was looked at then.
func Open(files disk.Files, folder string, warn func(string)) (*Branch, error) {
	d, err := files.Open(folder)
	if err != nil {
		return nil, fmt.Errorf("open memory root: %w", err)
	}
	store, err := gitstore.Open(d, true, warn)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &Branch{d, store}, nil
}

// Close releases the memory.
func (b *Branch) Close() error { return b.d.Close() }

// A Merge says what is to become one.
type Merge struct {
	Base, Ours, Theirs object.Hash // commits; Base is zero if they have nothing in common
	From               string      // where theirs comes from, as the commit names it
	Project            string      // as for repo.Options
	Environ            []string
	Now                time.Time
	Version            string // of mem
}

// A change is what a merge does to files: their new content, and those of it that the
// other side does not have either.
type change struct {
	blobs map[string]object.Hash // by path; zero for a file that goes
	made  []object.Hash
	data  map[object.Hash][]byte // of those
}

// Join makes the branch hold theirs, durably: it goes forward to them, or gets a commit
// of both. It wraps gitstore.ErrLost if the branch does not stand at ours any more,
// gitstore.ErrBusy if a person is in the middle of something, and ErrConflict.
func (b *Branch) Join(ctx context.Context, m Merge) error {
	return b.move(ctx, m, func(tx *gitstore.Tx, w *gitstore.Writer, p *gitstore.Publication) error {
		p.Tip, p.Subject = m.Theirs, "Fast-forward"+reflog.ByMem
		err := b.prepare(tx, w, p, m)
		p.Log = "merge " + m.From + ": " + p.Subject // as git says it, so that package walk looks
		return err
	})
}

// Restart makes the branch hold what ours has, in one commit on theirs, or a first one if
// that is zero: the history of ours is no longer behind it. The caller keeps ours by a ref.
func (b *Branch) Restart(ctx context.Context, m Merge) error {
	return b.move(ctx, m, func(tx *gitstore.Tx, w *gitstore.Writer, p *gitstore.Publication) (err error) {
		p.Subject = "sync: without the history"
		p.Tip, err = addCommit(w, *p, m, tx.Tree, m.Theirs)
		return err
	})
}

// move moves the branch to what prepare makes, if it still stands at ours.
func (b *Branch) move(ctx context.Context, m Merge, prepare func(*gitstore.Tx, *gitstore.Writer, *gitstore.Publication) error) (err error) {
	lock, err := b.d.AcquireLock(ctx, gitstore.LockPath, 10*time.Second)
	if err != nil {
		return fmt.Errorf("lock memory: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	branch := gitconfig.ReadBranch(b.d)
	if err := b.store.Recover(ctx, branch, wait); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	tx, err := b.store.Begin(ctx, wait)
	if err != nil {
		return err
	}
	w := b.store.NewWriter()
	p := gitstore.Publication{Who: gitconfig.ReadIdentity(b.d, m.Project, m.Environ), When: m.Now.UTC()}
	if err = tx.CheckBusy(branch); err == nil && tx.Head.Tip != m.Ours {
		err = fmt.Errorf("%w: %s", gitstore.ErrLost, tx.Head.Ref)
	}
	if err == nil {
		err = prepare(tx, w, &p)
	}
	if err != nil {
		return errors.Join(err, w.Discard(), tx.Abort())
	}
	return tx.Publish(ctx, w, p)
}

// addCommit adds a commit of mem, with these parents that are not zero.
func addCommit(w *gitstore.Writer, p gitstore.Publication, m Merge, tree object.Hash, parents ...object.Hash) (object.Hash, error) {
	msg := message.Message{Subject: p.Subject, Trailers: []message.Trailer{{Key: "Mem-Version", Value: m.Version}}}
	parents = slices.DeleteFunc(parents, object.Hash.IsZero)
	tip, err := w.AddCommit(object.Commit{Tree: tree, Parents: parents, By: p.Who, When: p.When, Message: msg.String()})
	if err != nil {
		return tip, fmt.Errorf("commit: %w", err)
	}
	return tip, nil
}

// prepare builds the commit, and what the work tree needs to follow it.
func (b *Branch) prepare(tx *gitstore.Tx, w *gitstore.Writer, p *gitstore.Publication, m Merge) error {
	theirs, err := b.store.ReadCommit(m.Theirs)
	if err != nil {
		return err
	}
	if err := b.checkIndex(theirs.Tree); err != nil {
		return err
	}
	c, err := b.mergeTrees(m.Base, tx.Tree, theirs.Tree)
	if err != nil {
		return err
	}
	if m.Base != m.Ours {
		tree, err := w.EditTree(tx.Tree, c.blobs)
		if err != nil {
			return err
		}
		p.Subject = "sync: merge " + guard.Line(m.From)
		if p.Tip, err = addCommit(w, *p, m, tree, m.Ours, m.Theirs); err != nil {
			return err
		}
		p.Subject = "Merge made" + reflog.ByMem
		for _, blob := range c.made {
			w.Keep(blob, c.data[blob])
		}
	}
	p.Puts, err = b.listPuts(tx, c)
	return err
}

// checkIndex refuses a tree that is not a memory, or one of a newer mem.
func (b *Branch) checkIndex(tree object.Hash) error {
	blob, err := b.store.FindBlob(tree, index.Path)
	if err == nil && blob.IsZero() {
		return ErrNotMemory
	}
	if err != nil {
		return err
	}
	data, err := b.store.ReadBlob(blob)
	if err != nil {
		return err
	}
	if ix, _, err := codec.Load(data, time.Time{}); err == nil && ix.ReadOnly() {
		return fmt.Errorf("index of version %d: %w", ix.Version, index.ErrNewerVersion)
	}
	return nil // what cannot be read is looked at as after a merge of git's
}

// mergeTrees returns what theirs makes of the files of ours.
func (b *Branch) mergeTrees(base, ours, theirs object.Hash) (c change, err error) {
	var files [3]map[string]object.Hash
	var was object.Commit
	if !base.IsZero() {
		was, err = b.store.ReadCommit(base)
	}
	for i, tree := range []object.Hash{was.Tree, ours, theirs} {
		var err2 error
		files[i], err2 = b.store.ListFiles(tree, nil)
		err = errors.Join(err, err2)
	}
	if err != nil {
		return c, err
	}
	c = change{blobs: map[string]object.Hash{}, data: map[object.Hash][]byte{}}
	all := maps.Clone(files[1])
	maps.Copy(all, files[2])
	var odd []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		err := b.mergeFile(&c, name, [3]object.Hash{files[0][name], files[1][name], files[2][name]})
		if all[name] = files[1][name]; errors.Is(err, union.ErrUnsure) {
			odd = append(odd, guard.Line(name))
		} else if err != nil {
			return c, err
		}
	}
	maps.Copy(all, c.blobs)
	odd = append(odd, findClashes(all)...)
	if len(odd) > 0 {
		return c, fmt.Errorf("%s: %w", strings.Join(odd, ", "), ErrConflict)
	}
	return c, nil
}

// findClashes returns the names that are to be a file and a folder.
func findClashes(files map[string]object.Hash) (odd []string) {
	for name, blob := range files {
		for dir := path.Dir(name); dir != "." && !blob.IsZero(); dir = path.Dir(dir) {
			if !files[dir].IsZero() {
				odd = append(odd, guard.Line(dir))
			}
		}
	}
	slices.Sort(odd)
	return slices.Compact(odd)
}

// mergeFile adds what becomes of a file, given its versions.
func (b *Branch) mergeFile(c *change, name string, v [3]object.Hash) error {
	switch base, ours, theirs := v[0], v[1], v[2]; {
	case ours == theirs, base == theirs:
		return nil
	case base == ours:
		c.blobs[name] = theirs
		return nil
	}
	var data [3][]byte
	for i, blob := range v {
		if !blob.IsZero() {
			var err error
			if data[i], err = b.store.ReadBlob(blob); err != nil {
				return err
			}
		}
	}
	merged, err := union.MergeFile(name, data[0], data[1], data[2])
	if errors.Is(err, codec.ErrUnreadable) {
		return nil // package walk makes it of what the commits before had
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", guard.Line(name), union.ErrUnsure, err)
	}
	if union.IsBlank(merged) { // all that it had was taken back
		c.blobs[name] = object.Hash{}
		return nil
	}
	blob := object.HashOf(object.KindBlob, merged)
	c.blobs[name], c.data[blob] = blob, merged
	c.made = append(c.made, blob)
	return nil
}

// listPuts returns what the work tree and git's index need. What a person changed
// meanwhile, or keeps in no commit, is not replaced.
func (b *Branch) listPuts(tx *gitstore.Tx, c change) (puts []gitstore.Put, err error) {
	for _, name := range slices.Sorted(maps.Keys(c.blobs)) {
		put := gitstore.Put{Path: name, Blob: c.blobs[name], Data: c.data[c.blobs[name]]}
		was, err := b.store.FindBlob(tx.Tree, name)
		if err != nil {
			return nil, err
		}
		f, err := tx.Look(name, was, false)
		if err != nil {
			return nil, err
		}
		if f.Blob != put.Blob && (f.Changed || f.Staged) {
			return nil, fmt.Errorf("%w: %s was changed here, and is in no commit", gitstore.ErrBusy, guard.Line(name))
		}
		if put.Before = f.Blob; put.Data == nil && !put.Blob.IsZero() {
			if put.Data, err = b.store.ReadBlob(put.Blob); err != nil {
				return nil, err
			}
		}
		puts = append(puts, put)
	}
	return puts, nil
}
