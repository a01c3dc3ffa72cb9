package gitstore

import (
	"fmt"

	"mem/repo/gitstore/gitconfig"
)

// findUnderWay says what a person has not ended and how to; "" if there is nothing. Of
// what a squash left staged mem would take half in as edits.
func (t *Tx) findUnderWay() string {
	what := gitconfig.FindOperation(t.Store.d)
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

// UnderWay is what findUnderWay said to a Peek. Look and ListNames then find the tip's.
func (t *Tx) UnderWay() string { return t.underWay }

// CheckBusy returns an error that wraps ErrBusy if a person is in the middle of
// something or nothing can be committed now, given the branch that mem commits to;
// "" stands for any.
func (t *Tx) CheckBusy(branch string) error {
	if what := t.findUnderWay(); what != "" {
		return fmt.Errorf("%w: %s", ErrBusy, what)
	}
	switch {
	case t.Store.d.Exists(gitDir + "/BISECT_LOG"):
		return fmt.Errorf("%w: a bisect is under way; 'git bisect reset' ends it", ErrBusy)
	case t.Head.Ref == "":
		return fmt.Errorf("%w: HEAD is detached", ErrBusy)
	case branch != "" && t.Head.Ref != branch:
		return fmt.Errorf("%w: on branch %s, memory lives on %s", ErrBusy, shortRef(t.Head.Ref), shortRef(branch))
	case t.odd != nil:
		// Committing without it would leave the old content staged, for a
		// person's next commit to bring back.
		return fmt.Errorf("%w: %w", ErrBusy, t.odd)
	}
	return nil
}
