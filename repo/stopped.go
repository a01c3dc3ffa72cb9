package repo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/repo/gitstore"
)

// begin begins a commit. If git stopped in a merge, a rebase, a revert, a cherry-pick or a stash, it first
// settles mem's files that git left with conflicts.
//
// git's index has both sides' versions and their base. Views are rendered again afterwards, whatever they hold.
// Facts of both sides are kept. What an index says beyond its log becomes a fact. The work tree, with or
// without conflict markers, is not read. The person resolves what mem cannot merge.
func (r *Root) begin(ctx context.Context) (*gitstore.Tx, error) {
	t, err := r.store.Begin(ctx, gitWait)
	if err != nil {
		return nil, err
	}
	puts, said := r.settleFiles(t)
	if len(puts) == 0 {
		return t, nil
	}
	if err := t.Resolve(ctx, puts); err != nil {
		return nil, fmt.Errorf("settle a conflict: %w", err)
	}
	r.opts.Warn(said)
	return r.store.Begin(ctx, gitWait)
}

// settleFiles prepares mem's conflicted files for Resolve, and says which ones it settled.
func (r *Root) settleFiles(t *gitstore.Tx) (puts []gitstore.Put, said string) {
	conflicts, settled := t.ListConflicts(), []string{}
	for _, name := range slices.Sorted(maps.Keys(conflicts)) {
		more, err := r.settleFile(t, name, conflicts[name])
		if err != nil {
			r.opts.Warn(fmt.Sprintf("the conflict in %s is left to you: %s", guard.Line(name), guard.Line(err.Error())))
			continue
		}
		for _, put := range more {
			if !put.Blob.IsZero() {
				t.Keep(put.Blob, gitstore.Hash{}, put.Data)
			}
		}
		if len(more) > 0 {
			puts, settled = append(puts, more...), append(settled, guard.Line(name))
		}
	}
	said = "settled the conflicts in " + strings.Join(settled, ", ")
	if len(settled) == len(conflicts) {
		said += "; none is left"
	}
	return puts, said
}

// settleFile returns the resolution of a conflicted file; nothing if the file is left to the person.
func (r *Root) settleFile(t *gitstore.Tx, name string, versions [3]gitstore.Hash) ([]gitstore.Put, error) {
	base, ours, theirs := versions[0], versions[1], versions[2]
	hasBoth := !ours.IsZero() && !theirs.IsZero()
	keep := cmp.Or(ours, theirs)
	switch {
	case IsView(name):
		if isDay, _ := path.Match(days, name); isDay && hasBoth {
			return r.settleDay(t, name, versions)
		}
	case strings.HasPrefix(name, facts.Folder+"/"):
		if keep = r.findFact(name, ours, theirs); !hasBoth && !r.findFact(name, base).IsZero() {
			keep = gitstore.Hash{} // one side took it out
		}
	case name == IndexPath:
		return r.settleIndex(t, versions)
	default:
		return nil, nil
	}
	return r.keep(t, name, keep, versions)
}

// findFact returns the version that is the fact the file is named for; zero if none is. Git may have taken
// another fact for it, as a rename.
func (r *Root) findFact(name string, versions ...gitstore.Hash) gitstore.Hash {
	for _, h := range versions {
		data, err := r.ReadBlob(h)
		if _, errFact := facts.Decode(name, data); err == nil && (errFact == nil || errors.Is(errFact, facts.ErrNewer)) {
			return h
		}
	}
	return gitstore.Hash{}
}

// settleIndex keeps one side's index, and adds facts for what both sides say beyond their logs. A stashed index
// stays a hand edit.
func (r *Root) settleIndex(t *gitstore.Tx, versions [3]gitstore.Hash) ([]gitstore.Put, error) {
	edits, err := r.listEdits(t, versions[0], versions[1], versions[2])
	if err != nil {
		return nil, err
	}
	if len(edits) > 0 && r.isStashed(IndexPath, versions[2]) {
		theirs, err := r.ReadBlob(versions[2])
		if err != nil {
			return nil, err
		}
		return r.unstash(t, IndexPath, versions, theirs)
	}
	put, err := r.keep(t, IndexPath, cmp.Or(versions[1], versions[2]), versions)
	return append(edits, put...), err
}

// keep resolves a conflict in a file by one of its versions; a zero one takes it out.
func (r *Root) keep(t *gitstore.Tx, name string, blob gitstore.Hash, versions [3]gitstore.Hash) ([]gitstore.Put, error) {
	data, err := r.ReadBlob(blob)
	if err != nil {
		return nil, err
	}
	return putAside(t, name, data, versions)
}

// putAside resolves a conflict in a file by new content; nil takes it out.
func putAside(t *gitstore.Tx, name string, data []byte, versions [3]gitstore.Hash) ([]gitstore.Put, error) {
	w := newWrite(data)
	before, err := lookAside(t, name, append(versions[:], w.blob)...) // it is there if a kill came between file and index
	return []gitstore.Put{{Path: name, Data: data, Blob: w.blob, Before: before}}, err
}

// lookAside returns the work tree's blob of a conflicted file. It sets a person's changes in it aside first.
func lookAside(t *gitstore.Tx, name string, known ...gitstore.Hash) (gitstore.Hash, error) {
	f, err := t.Look(name, gitstore.Hash{}, true)
	if err == nil && f.Exists && !slices.Contains(known, f.Blob) && !bytes.Contains(f.Data, []byte("\n<<<<<<< ")) {
		_, err = t.Store.Rescue(name, f.Data)
	}
	return f.Blob, err
}

func (r *Root) isStashed(name string, blob gitstore.Hash) bool {
	tip, err := r.store.FindRef("refs/stash")
	if err != nil || tip.IsZero() {
		return false
	}
	c, err := r.store.ReadCommit(tip)
	is, err2 := r.store.FindBlob(c.Tree, name)
	return errors.Join(err, err2) == nil && is == blob
}

// unstash removes a file's conflict from git's index, and puts data, the hand edit, into the work tree.
func (r *Root) unstash(t *gitstore.Tx, name string, versions [3]gitstore.Hash, data []byte) ([]gitstore.Put, error) {
	_, err := lookAside(t, name, append(versions[:], gitstore.HashOf(gitstore.KindBlob, data))...) // it is there if a kill came
	ours, err2 := t.Store.ReadBlob(versions[1])
	if err = errors.Join(err, err2); err == nil {
		err = r.d.WriteFile(name, data, gitstore.TempDir)
	}
	return []gitstore.Put{{Path: name, Data: ours, Blob: versions[1], Before: versions[1]}}, err
}

func (r *Root) settleDay(t *gitstore.Tx, name string, versions [3]gitstore.Hash) ([]gitstore.Put, error) {
	texts, err := r.readBlobs(versions[:])
	if err != nil {
		return nil, err
	}
	date, _ := facts.DateOf(name)
	data := facts.MergeDay(date, texts[0], texts[1], texts[2])
	if r.isStashed(name, versions[2]) {
		return r.unstash(t, name, versions, data)
	}
	return putAside(t, name, data, versions)
}

// listEdits returns facts for what both sides' indexes say beyond the logs that they name. If the base and
// theirs name the same log, every difference between them was written, or reverted, by hand.
func (r *Root) listEdits(t *gitstore.Tx, base, ours, theirs gitstore.Hash) (puts []gitstore.Put, err error) {
	s := &fold{chain: &chain{r: r, m: r.newMemory(t, time.Time{})}, log: facts.NewLog(nil)}
	from, err := r.peekIndex(base)
	last := int64(0)
	for _, side := range []gitstore.Hash{ours, theirs} {
		ix, errIndex := r.peekIndex(side)
		log, errLog := r.findLog(ix.Log)
		if err = errors.Join(err, errIndex, errLog); err != nil || log == nil { // another program's, which the commits of both sides still have
			continue
		}
		was := log.Fold()
		if side == theirs && from.Log == ix.Log {
			was = from
		}
		err = s.takeDiff(was, ix, false, ix.UpdatedAt, false)
		for _, f := range log.Facts() {
			last = max(last, f.N)
		}
	}
	for _, f := range s.fresh {
		last++
		f.N = last
		name, data, errFact := f.Encode()
		err = errors.Join(err, errFact)
		puts = append(puts, gitstore.Put{Path: name, Data: data, Blob: gitstore.HashOf(gitstore.KindBlob, data)})
	}
	return puts, err
}

// peekIndex reads the index that a blob holds; an empty one for none, and for one that is unreadable.
func (r *Root) peekIndex(blob gitstore.Hash) (*index.Index, error) {
	ix, _, err := r.loadBlob(blob, time.Time{})
	if errors.Is(err, index.ErrUnreadable) || errors.Is(err, index.ErrNewerVersion) {
		err = nil
	}
	return cmp.Or(ix, &index.Index{}), err
}
