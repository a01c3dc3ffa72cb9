package private

import (
	"errors"
	"fmt"

	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
)

const (
	markPath = dir + "/trust" // says that the person vouched for the root; see package trust
	maxLine  = 1 << 10
)

// RememberBranch writes down the branch that mem commits to, if it is new. The caller
// holds the root's lock.
func (a *Area) RememberBranch(branch string) error {
	if a.OwnBranch() != "" {
		return nil
	}
	if err := a.d.WriteFile(gitconfig.BranchPath, []byte(branch+"\n"), gitstore.TempDir); err != nil {
		return fmt.Errorf("note the branch: %w", err)
	}
	return nil
}

// OwnBranch returns the branch that mem commits to; "" if there is none yet.
func (a *Area) OwnBranch() string { return gitconfig.ReadBranch(a.d) }

// ReadMark returns the mark of trust of the root.
func (a *Area) ReadMark() ([]byte, error) { return a.d.ReadFile(markPath, maxLine) }

// WriteMark replaces the mark of trust, and removes what another account made to
// speed up reading: it is not what the person looked at. The digest is one of an older mem.
func (a *Area) WriteMark(mark []byte) error {
	err := errors.Join(a.d.Remove(dir+"/digest"), a.d.Remove(NoteCache.path()))
	if err == nil {
		err = a.writeShared(markPath, mark)
	}
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	return nil
}
