package history

import (
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
)

// PeekHome is gitstore.Store.Peek for the branch that mem commits to. Where another
// commit is checked out that is not read: it may say what another person wrote.
func (r *Reader) PeekHome() (*gitstore.Tx, error) {
	tx, err := r.store.Peek()
	if err != nil {
		return nil, err
	}
	home, away, err := r.findHome(tx.Head)
	if err != nil || away == "" {
		return tx, err
	}
	c, err := r.store.ReadCommit(home.Tip)
	tx.Head, tx.Tree = home, c.Tree
	tx.ReadTipAlone(away)
	return tx, err
}

// findHome returns where the branch stands that mem commits to, given what is checked
// out, and says what that is in its place; "" if it is not there, or has another name.
func (r *Reader) findHome(head gitstore.Head) (home gitstore.Head, away string, err error) {
	branch := gitconfig.ReadBranch(r.dir)
	if away = gitconfig.DescribeAway(head.Ref, branch); away == "" || branch == "" {
		return head, "", nil
	}
	tip, err := r.FindRef(branch)
	if err != nil || tip.IsZero() {
		return head, "", err
	}
	return gitstore.Head{Ref: branch, Tip: tip}, away, nil
}
