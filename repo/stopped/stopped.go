// Package stopped settles the files of a memory in which git left a conflict, where it
// stopped in a merge, a rebase, a revert, a cherry-pick or a stash.
//
// git's index has the versions of both sides and the one that they come from. They are
// merged as the driver would have done that git did not ask: it is not there, or one
// side removed a file. What lies in the work tree is not read, with marks or without.
// What mem cannot merge is the person's.
package stopped

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mem/guard"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/union"
)

// Begin is gitstore.Store.Begin, but settles conflicts first. warn gets what was
// settled, and what could not be.
func Begin(ctx context.Context, s *gitstore.Store, wait time.Duration, warn func(string)) (*gitstore.Tx, error) {
	t, err := s.Begin(ctx, wait)
	if err != nil || t.Staged() == nil {
		return t, err
	}
	w := s.NewWriter()
	puts, said := settleFiles(s, t, w, warn)
	if len(puts) == 0 {
		return t, nil
	}
	if err := t.Resolve(w, puts); err != nil {
		return nil, fmt.Errorf("settle a conflict: %w", err)
	}
	warn(said)
	return s.Begin(ctx, wait)
}

// settleFiles prepares the files of mem with a conflict, and says which.
func settleFiles(s *gitstore.Store, t *gitstore.Tx, w *gitstore.Writer, warn func(string)) (puts []gitstore.Put, said string) {
	conflicts := t.Staged().ListConflicts()
	for _, name := range slices.Sorted(maps.Keys(conflicts)) {
		if !slices.ContainsFunc(union.Patterns, func(p string) bool { is, _ := path.Match(p, name); return is }) {
			continue
		}
		put, err := settleFile(s, t, name, conflicts[name])
		if err != nil {
			warn(fmt.Sprintf("the conflict in %s is left to you: %s", guard.Line(name), guard.Line(err.Error())))
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
func settleFile(s *gitstore.Store, t *gitstore.Tx, name string, versions [3]object.Hash) (put gitstore.Put, err error) {
	var data [3][]byte
	for i, blob := range versions {
		if err == nil && !blob.IsZero() {
			data[i], err = s.ReadBlob(blob)
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
		_, err = s.Rescue(name, f.Data)
	}
	return put, err
}
