package purge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mem/index"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/reflog"
	"mem/repo/history"
)

// Errors of a memory to which git brought a history with what was purged. They come with
// gitstore.ErrBusy: what is to be written waits.
var (
	ErrReturned = errors.New("git brought back what was purged")
	ErrWords    = errors.New("words were purged, which this clone may have")
)

// NameStart begins the names, in the index, of words that were purged: no lesson's id begins so.
// By a name a clone tells whether it was told to purge the words too, and not what they are.
const NameStart = "w-"

// FindPurged returns what purged lessons said, as far as git still has it. Of names that
// words have nothing can be told.
func (p Purger) FindPurged(ctx context.Context, names []string) (words Words, err error) {
	words.IDs = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.HasPrefix(name, NameStart) })
	if len(words.IDs) == 0 {
		return words, nil
	}
	texts, err := p.FindWordings(ctx, words.IDs...)
	for _, text := range texts {
		words.Texts = append(words.Texts, index.StripAvoid(text))
	}
	words.IDs = slices.Compact(slices.Sorted(slices.Values(words.IDs)))
	words.Texts = slices.Compact(slices.Sorted(slices.Values(words.Texts)))
	return words, err
}

// CheckReturned refuses what is to be written to a memory if its branch was moved since mem last
// wrote to it, and what was purged is here again. That is noted, as where a purge broke
// off. mem sync looks before it moves the branch. purged are the names in the index, and moves is where its branch stood. The caller has the lock.
func (p Purger) CheckReturned(ctx context.Context, d *disk.Dir, store *gitstore.Store, tip object.Hash, moves reflog.Moves, purged []string) error {
	if len(moves.Own) == 0 || moves.Synced || slices.Contains(moves.Own, tip) {
		return nil
	}
	before, err := readIndex(store, moves.Own[0])
	if ix, _, errLoad := index.Load(before, p.Now); err == nil && errLoad == nil {
		purged = slices.Concat(purged, ix.Purged) // git may have put an older index in its place
	}
	words, err2 := p.FindPurged(ctx, purged)
	if err = errors.Join(err, err2); err != nil {
		return fmt.Errorf("look for what was purged: %w", err)
	}
	if len(words.Texts) > 0 {
		return errors.Join(fmt.Errorf("%w: %w; 'mem purge --continue' takes it out again", gitstore.ErrBusy, ErrReturned), p.noteAgain(ctx, d, words))
	}
	untold, err := findUntold(d, store, tip, moves.Own[0], purged)
	if err == nil && len(untold) > 0 {
		err = &UntoldError{untold}
	}
	return err
}

// noteAgain notes that words are to be purged, with those that are noted already.
func (p Purger) noteAgain(ctx context.Context, d *disk.Dir, words Words) error {
	if also, found, err := p.ReadNote(); err == nil && found {
		also.IDs, also.Texts = append(also.IDs, words.IDs...), append(also.Texts, words.Texts...)
		words = also
	}
	return p.announce(ctx, d, words)
}

// An UntoldError says which words a clone was not told to purge whose history git brought.
type UntoldError struct{ Names []string }

// Error says it with what takes the words out.
func (e *UntoldError) Error() string {
	return gitstore.ErrBusy.Error() + ": " + ErrWords.Error() + "; 'mem purge -' with the same words takes them out"
}

// Unwrap returns both that it is and that what is to be written waits.
func (e *UntoldError) Unwrap() []error { return []error{gitstore.ErrBusy, ErrWords} }

// Trailer names, in a commit of mem's, words that were purged from all that leads to it.
const Trailer = "Mem-Purged"

// findUntold returns the names of words that a history here was not told to purge: that at seen or
// at tip, the one that was fetched last, or one that git joined with them since.
func findUntold(d *disk.Dir, store *gitstore.Store, tip, seen object.Hash, purged []string) (untold []string, err error) {
	fetched, err := history.New(d, store).FindRef("FETCH_HEAD")
	for _, name := range purged {
		if !strings.HasPrefix(name, NameStart) || err != nil {
			continue
		}
		sides := []object.Hash{seen, tip, fetched}
		err = eachSince(store, tip, seen, func(c object.Commit) bool {
			if isTold(store, c.Hash, name) && len(c.Parents) > 1 { // before it was purged here no clone knew of it
				sides = append(sides, c.Parents...)
			}
			return !strings.Contains(c.Message, Trailer+": "+name)
		})
		if slices.ContainsFunc(sides, func(h object.Hash) bool { return !isTold(store, h, name) }) {
			untold = append(untold, name)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(untold))), err
}

// isTold reports whether the index at a commit has a name, if there is one that can be read.
func isTold(store *gitstore.Store, h object.Hash, name string) bool {
	data, err := readIndex(store, h)
	return err != nil || data == nil || bytes.Contains(data, []byte(`"`+name+`"`))
}

// eachSince calls f for the commits that lead to tip and not over seen. It does not go beyond one of
// which f says false.
func eachSince(store *gitstore.Store, tip, seen object.Hash, f func(object.Commit) bool) error {
	ends, err := store.ShallowEnds()
	known := map[object.Hash]bool{seen: true}
	for open := []object.Hash{tip}; err == nil && len(open) > 0; {
		h := open[len(open)-1]
		open = open[:len(open)-1]
		if known[h] || h.IsZero() {
			continue
		}
		known[h] = true
		var c object.Commit
		if c, err = store.ReadCommit(h); err == nil && f(c) && !ends[h] {
			open = append(open, c.Parents...)
		}
	}
	return err
}

// readIndex returns the index at a commit; nil if it has none, or git collected it.
func readIndex(store *gitstore.Store, h object.Hash) ([]byte, error) {
	if h.IsZero() || store.FindKind(h) != object.KindCommit {
		return nil, nil
	}
	c, err := store.ReadCommit(h)
	if err != nil {
		return nil, err
	}
	blob, err := store.FindBlob(c.Tree, index.Path)
	if err != nil || blob.IsZero() {
		return nil, err
	}
	return store.ReadBlob(blob)
}
