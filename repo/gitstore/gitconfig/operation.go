package gitconfig

import (
	"fmt"

	"mem/repo/disk"
)

// operations are what git leaves to a person to end, by the file that says so.
var operations = []struct{ path, what, end string }{
	{"MERGE_HEAD", "a merge", "git merge --continue"},
	{"rebase-merge", "a rebase", "git rebase --continue"},
	{"rebase-apply/applying", "an application of patches", "git am --continue"},
	{"rebase-apply", "a rebase", "git rebase --continue"},
	{"CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue"},
	{"REVERT_HEAD", "a revert", "git revert --continue"},
}

// FindOperation says in a line what a person has not ended in the folder d and how
// to; "" if there is nothing. What takes it back is not spelled out: that loses
// work.
func FindOperation(d *disk.Dir) string {
	for _, o := range operations {
		if d.Exists(gitDir + "/" + o.path) {
			return fmt.Sprintf("%s is under way in %s; '%s' there ends it once no conflict is left, and --abort takes it back", o.what, d.Path(), o.end)
		}
	}
	return ""
}
