// Package history reads the commits of a memory root: all of them, what each held,
// and which of them other clones have.
package history

import (
	"errors"
	"fmt"
	"slices"

	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
)

// A Commit is one step of the history, and a Blob names what a file held.
type (
	Commit = object.Commit
	Blob   = object.Hash
)

// A Reader reads the history of a root.
type Reader struct {
	dir   *disk.Dir
	store *gitstore.Store
}

// New returns a reader of the repository in a folder.
func New(dir *disk.Dir, store *gitstore.Store) *Reader { return &Reader{dir, store} }

// WalkHistory calls f for the commits of the root along first parents, newest first,
// until f returns false.
func (r *Reader) WalkHistory(f func(Commit) bool) error {
	tx, err := r.PeekHome()
	if err != nil {
		return err
	}
	return r.store.WalkHistory(tx.Head.Tip, f)
}

// ListCommits returns all commits of the root, newest first; whatever the clocks said, a
// commit comes before those that it builds on.
func (r *Reader) ListCommits() (list []Commit, err error) {
	head, err := r.store.ReadHead()
	if err == nil {
		head, _, err = r.findHome(head)
	}
	if err != nil {
		return nil, err
	}
	err = r.walkAll([]object.Hash{head.Tip}, func(c Commit) { list = append(list, c) })
	return sortCommits(list), err
}

func sortCommits(list []Commit) []Commit {
	at, children := map[object.Hash]int{}, map[object.Hash]int{}
	for i, c := range list {
		at[c.Hash] = i
		for _, p := range c.Parents {
			children[p]++
		}
	}
	sorted, ready := make([]Commit, 0, len(list)), []Commit{}
	if len(list) > 0 {
		ready = append(ready, list[0])
	}
	for len(ready) > 0 {
		slices.SortStableFunc(ready, func(a, b Commit) int { return a.When.Compare(b.When) })
		c := ready[len(ready)-1]
		ready, sorted = ready[:len(ready)-1], append(sorted, c)
		for _, p := range slices.Backward(c.Parents) {
			if i, known := at[p]; known {
				if children[p]--; children[p] == 0 {
					ready = append(ready, list[i])
				}
			}
		}
	}
	return sorted
}

// ListShared returns the ids of the commits that a remote has, as far as this clone
// knows.
func (r *Reader) ListShared() (map[object.Hash]bool, error) {
	tips, err := r.ListRemoteTips()
	if err != nil {
		return nil, err
	}
	var from []object.Hash
	for _, remote := range tips {
		from = append(from, remote.Tips...)
	}
	shared := map[object.Hash]bool{}
	return shared, r.walkAll(from, func(c Commit) { shared[c.Hash] = true })
}

// walkAll calls f for each commit that can be reached from these, once.
func (r *Reader) walkAll(from []object.Hash, f func(Commit)) error {
	isShallow := r.dir.Exists(".git/shallow")
	seen := map[object.Hash]bool{}
	for n := 0; n < len(from); n++ {
		err := r.store.WalkHistory(from[n], func(c Commit) bool {
			if seen[c.Hash] {
				return false
			}
			seen[c.Hash] = true
			f(c)
			from = append(from, c.Parents[min(1, len(c.Parents)):]...)
			return true
		})
		if err != nil && !(n > 0 && isShallow && errors.Is(err, object.ErrDamaged)) { // a shallow clone lacks what a merge brought
			return fmt.Errorf("read history: %w", err)
		}
	}
	return nil
}

// ListFilesOf returns the files that a commit holds, by path.
func (r *Reader) ListFilesOf(c Commit) (map[string]Blob, error) {
	return r.store.ListFiles(c.Tree, nil)
}

// ReadBlob returns the content of a file in the history; nothing of a zero one.
func (r *Reader) ReadBlob(h Blob) ([]byte, error) {
	if h.IsZero() {
		return nil, nil
	}
	return r.store.ReadBlob(h)
}
