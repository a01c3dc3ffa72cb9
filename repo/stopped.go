package repo

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"mem/guard"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/union"
)

// begin begins a commit, and settles the files of a memory in which git left a conflict, where
// it stopped in a merge, a rebase, a revert, a cherry-pick or a stash.
//
// git's index has the versions of both sides and the one that they come from. They are
// merged as the driver would have done that git did not ask: it is not there, or one
// side removed a file. What lies in the work tree is not read, with marks or without.
// What mem cannot merge is the person's.
func (r *Root) begin(ctx context.Context) (*gitstore.Tx, error) {
	t, err := r.store.Begin(ctx, gitWait)
	if err != nil || t.Staged() == nil {
		return t, err
	}
	w := r.store.NewWriter()
	puts, said := r.settleFiles(t, w)
	if len(puts) == 0 {
		return t, nil
	}
	if err := t.Resolve(w, puts); err != nil {
		return nil, fmt.Errorf("settle a conflict: %w", err)
	}
	r.warnOnce(said)
	return r.store.Begin(ctx, gitWait)
}

// settleFiles prepares the files of mem with a conflict, and says which.
func (r *Root) settleFiles(t *gitstore.Tx, w *gitstore.Writer) (puts []gitstore.Put, said string) {
	conflicts := t.Staged().ListConflicts()
	for _, name := range slices.Sorted(maps.Keys(conflicts)) {
		if !slices.ContainsFunc(union.Patterns, func(p string) bool { is, _ := path.Match(p, name); return is }) {
			continue
		}
		put, err := settleFile(t, name, conflicts[name])
		if err != nil {
			r.warnOnce(fmt.Sprintf("the conflict in %s is left to you: %s", guard.Line(name), guard.Line(err.Error())))
			continue
		}
		if !put.Blob.IsZero() {
			w.Keep(put.Blob, put.Data)
		}
		puts, said = append(puts, put), said+", "+guard.Line(name)
	}
	said = "settled the conflicts in " + strings.TrimPrefix(said, ", ")
	if len(puts) == len(conflicts) {
		said += "; none is left"
	}
	return puts, said
}

// settleFile merges the versions of a file. What the work tree has and no version is
// kept aside.
func settleFile(t *gitstore.Tx, name string, versions [3]object.Hash) (put gitstore.Put, err error) {
	var data [3][]byte
	for i, blob := range versions {
		if err == nil && !blob.IsZero() {
			data[i], err = t.Store.ReadBlob(blob)
		}
	}
	if err != nil {
		return put, err
	}
	put.Path = name
	if put.Data, err = union.MergeFile(name, data[0], data[1], data[2]); err != nil {
		return put, err
	}
	if !union.IsBlank(put.Data) { // all that it had was taken back
		put.Blob = object.HashOf(object.KindBlob, put.Data)
	}
	f, err := t.Look(name, object.Hash{}, true)
	if put.Before = f.Blob; err == nil && f.Exists && !slices.Contains(versions[:], f.Blob) {
		_, err = t.Store.Rescue(name, f.Data)
	}
	return put, err
}
