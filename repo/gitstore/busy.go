package gitstore

import (
	"cmp"
	"fmt"

	"mem/repo/gitstore/gitconfig"
)

// findUnderWay says what a person has not ended and how to; "" if there is nothing. Of
// what a squash left staged mem would take half in as edits.
func (t *Tx) findUnderWay() string {
	what := gitconfig.FindOperation(t.Store.d)
	if t.Store.d.Exists(gitconfig.PurgePath) && !t.Store.Purging {
		what = "a purge is not finished, and what it takes out may still be here; 'mem purge --continue' finishes it"
	}
	if what == "" && t.index != nil && t.index.HasConflict() {
		what = fmt.Sprintf("a conflict is not resolved yet in %s; 'git status' there names the files, and 'git add' marks each as resolved", t.Store.d.Path())
	}
	if squash := gitconfig.FindSquash(t.Store.d); what == "" && squash != "" {
		if files, err := t.Store.ListFiles(t.Tree, nil); err == nil && len(t.index.ListStaged(files)) > 0 {
			what = squash
		}
	}
	return what
}

// ReadTipAlone makes a Peek read the tip alone, and says why, once. "" changes nothing.
func (t *Tx) ReadTipAlone(why string) {
	if t.underWay = cmp.Or(t.underWay, why); t.underWay != "" && !t.Store.warned {
		t.Store.warned = true
		t.Store.Warn("the last commit is read: " + t.underWay)
	}
}

// UnderWay is what findUnderWay said to a Peek. Look and ListNames then find the tip's.
func (t *Tx) UnderWay() string { return t.underWay }

// CheckBusy returns an error that wraps ErrBusy if a person is in the middle of
// something or nothing can be committed now, given the branch that mem commits to;
// "" stands for any.
func (t *Tx) CheckBusy(branch string) error {
	if what := cmp.Or(t.findUnderWay(), gitconfig.DescribeAway(t.Head.Ref, branch)); what != "" {
		return fmt.Errorf("%w: %s", ErrBusy, what)
	}
	if t.odd != nil {
		// Committing without it would leave the old content staged, for a
		// person's next commit to bring back.
		return fmt.Errorf("%w: %w", ErrBusy, t.odd)
	}
	return nil
}
