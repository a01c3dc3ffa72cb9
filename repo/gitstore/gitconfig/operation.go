package gitconfig

import (
	"fmt"
	"slices"
	"strings"

	"mem/repo/disk"
)

// operations are what git leaves to a person to end, by the file that says so. git does
// not continue with a commit of which nothing is left.
var operations = []struct{ path, what, end, empty string }{
	{"MERGE_HEAD", "a merge", "git merge --continue", ""},
	{"rebase-merge", "a rebase", "git rebase --continue", ifEmpty},
	{"rebase-apply/applying", "an application of patches", "git am --continue", ifEmpty},
	{"rebase-apply", "a rebase", "git rebase --continue", ifEmpty},
	{"CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue", ifEmpty},
	{"REVERT_HEAD", "a revert", "git revert --continue", ifEmpty},
}

const ifEmpty = ", --skip if git says that it is empty"

// PurgePath is what says that a purge is not finished. FindOperation leaves that to its callers.
const PurgePath = gitDir + "/mem/purge"

// FindOperation says in a line what a person has not ended in the folder d and how
// to; "" if there is nothing. What takes it back is not spelled out: that loses
// work.
func FindOperation(d *disk.Dir) string {
	if lost := findLost(d); lost != "" {
		return fmt.Sprintf("a rebase in %s broke off while it picked %.12s, and --continue would leave that out; 'git cherry-pick %[2]s' there adds it", d.Path(), lost)
	}
	for _, o := range operations {
		if d.Exists(gitDir + "/" + o.path) {
			return fmt.Sprintf("%s is under way in %s; '%s' there ends it once no conflict is left%s, and --abort takes it back", o.what, d.Path(), o.end, o.empty)
		}
	}
	if d.Exists(gitDir + "/BISECT_LOG") {
		return "a bisect is under way; 'git bisect reset' ends it"
	}
	return ""
}

// FindSquash is FindOperation for a squash merge; that it is still staged is not known.
func FindSquash(d *disk.Dir) string {
	if !d.Exists(gitDir + "/SQUASH_MSG") {
		return ""
	}
	return fmt.Sprintf("a squash merge is staged in %s; 'git commit' there ends it", d.Path())
}

// findLost returns the commit that git was picking in a rebase when it died, as it does
// where a driver has no command: it is noted as done, and HEAD is what was there before.
// "" is none.
func findLost(d *disk.Dir) string {
	read := func(name string) string {
		data, _ := d.ReadFile(gitDir+"/"+name, maxConfig)
		return strings.TrimSpace(string(data))
	}
	done := read("rebase-merge/done")
	last := strings.Fields(done[strings.LastIndexByte(done, '\n')+1:])
	if len(last) < 2 || last[0] != "pick" || d.Exists(gitDir+"/rebase-merge/stopped-sha") || d.Exists(gitDir+"/CHERRY_PICK_HEAD") {
		return ""
	}
	before := strings.Fields(read("rebase-merge/onto") + " " + read("rebase-merge/rewritten-list"))
	if isDone := slices.Contains(before, last[1]); isDone || !slices.Contains(before, read("HEAD")) {
		return ""
	}
	return last[1]
}

// BranchPath is where the branch that mem commits to is written down.
const BranchPath = gitDir + "/mem/branch"

// ReadBranch returns the branch that mem commits to; "" if there is none yet.
func ReadBranch(d *disk.Dir) string {
	data, _ := d.ReadFile(BranchPath, 1<<10)
	return strings.TrimSpace(string(data))
}

// DescribeAway says what is checked out in place of the branch that mem commits to; ""
// if that is, and "" for it stands for any.
func DescribeAway(ref, branch string) string {
	switch {
	case ref == "":
		return "HEAD is detached"
	case branch != "" && ref != branch:
		short := func(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }
		return fmt.Sprintf("on branch %s, memory lives on %s", short(ref), short(branch))
	}
	return ""
}
