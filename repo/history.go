package repo

import "mem/repo/gitstore/object"

// A Revision is one commit of a root's history.
type Revision = object.Commit

// WalkHistory calls f for the commits of the root, newest first, until f returns
// false.
func (r *Root) WalkHistory(f func(Revision) bool) error {
	head, err := r.store.ReadHead()
	if err != nil {
		return err
	}
	return r.store.WalkHistory(head.Tip, f)
}

// CheckBusy returns nil when the root takes commits, and otherwise an error that
// wraps ErrBusy and says what a person is in the middle of.
func (r *Root) CheckBusy() error {
	tx, err := r.store.Peek()
	if err != nil {
		return err
	}
	return tx.CheckBusy(r.OwnBranch())
}

// ReadFile returns a file of the root as it lies there, without the index being
// loaded or anything being locked.
func (r *Root) ReadFile(path string) ([]byte, error) { return r.d.ReadFile(path, maxRead) }

// maxRead bounds what ReadFile reads.
const maxRead = 8 << 20
