package repo

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mem/lazy"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
	"mem/repo/gitstore/object"
)

// A Revision is one commit of a root's history, and a Blob names what a file held.
type (
	Revision = object.Commit
	Blob     = object.Hash
)

// ListCommits returns the commits of the memory as readers see it, newest first; whatever the clocks said, one comes
// before those that it builds on. Of what git brought and the person did not accept the subjects say something, too.
func (r *Root) ListCommits() (list []Revision, err error) {
	m, err := r.peekMemory(time.Time{})
	if err != nil {
		return nil, err
	}
	err = r.walkAll([]object.Hash{m.tx.Head.Tip}, func(c Revision) { list = append(list, c) })
	return sortCommits(list), err
}

func sortCommits(list []Revision) []Revision {
	at, children := map[object.Hash]int{}, map[object.Hash]int{}
	for i, c := range list {
		at[c.Hash] = i
		for _, p := range c.Parents {
			children[p]++
		}
	}
	sorted, ready := make([]Revision, 0, len(list)), []Revision{}
	if len(list) > 0 {
		ready = append(ready, list[0])
	}
	for len(ready) > 0 {
		slices.SortStableFunc(ready, func(a, b Revision) int { return a.When.Compare(b.When) })
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
func (r *Root) ListShared() (map[object.Hash]bool, error) {
	tips, err := r.ListRemoteTips()
	if err != nil {
		return nil, err
	}
	var from []object.Hash
	for _, remote := range tips {
		from = append(from, remote.Tips...)
	}
	shared := map[object.Hash]bool{}
	return shared, r.walkAll(from, func(c Revision) { shared[c.Hash] = true })
}

// walkAll calls f for each commit that can be reached from these, once.
func (r *Root) walkAll(from []object.Hash, f func(Revision)) error {
	isShallow := r.d.Exists(".git/shallow")
	seen := map[object.Hash]bool{}
	for n := 0; n < len(from); n++ {
		err := r.store.WalkHistory(from[n], func(c Revision) bool {
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
func (r *Root) ListFilesOf(c Revision) (map[string]Blob, error) {
	return r.store.ListFiles(c.Tree, nil)
}

// CompareFiles returns the files that differ between two commits, by path: in the first, which may be zero, and in the
// second.
func (r *Root) CompareFiles(was, is Revision) (map[string][2]Blob, error) {
	return r.store.Compare(was.Tree, is.Tree)
}

// ReadBlob returns the content of a file in the history; nothing of a zero one.
func (r *Root) ReadBlob(h Blob) ([]byte, error) {
	if h.IsZero() {
		return nil, nil
	}
	return r.store.ReadBlob(h)
}

// peekTip reads where the branch stands that mem commits to. Where another commit is checked out that is not read: it
// may say what another person wrote.
func (r *Root) peekTip() (*gitstore.Tx, error) {
	tx, err := r.store.PeekTip()
	if err != nil {
		return nil, err
	}
	branch := gitconfig.ReadBranch(r.d)
	away, tip := gitconfig.DescribeAway(tx.Head.Ref, branch), object.Hash{}
	if away != "" && branch != "" {
		tip, err = r.FindRef(branch)
	}
	if tip.IsZero() { // it is not there, or has another name
		away = ""
	}
	if what := cmp.Or(gitconfig.FindOperation(r.d), away); what != "" {
		r.warnOnce("the last commit is read: " + what)
	}
	if err != nil || away == "" {
		return tx, err
	}
	c, err := r.store.ReadCommit(tip)
	tx.Head, tx.Tree = gitstore.Head{Ref: branch, Tip: tip}, c.Tree
	return tx, err
}

// FindHome returns the branch that mem commits to, and where it stands; zero without a commit.
func (r *Root) FindHome() (branch string, tip Blob, err error) {
	tx, err := r.peekTip()
	if err != nil {
		return "", tip, err
	}
	return tx.Head.Ref, tx.Head.Tip, nil
}

// maxRefs bounds a file of git's refs.
const maxRefs = 16 << 20

const remotes = "refs/remotes/"

// A Remote is another repository, as far as this clone knows it.
type Remote struct {
	URL  string        // where it is; "" for one that the configuration does not name any more
	Tips []object.Hash // the commits that its branches stand at
}

// ListRemoteTips returns the remotes of which this clone has commits, by name.
func (r *Root) ListRemoteTips() (map[string]Remote, error) {
	refs, err := r.listRefs("refs/remotes")
	urls, all := gitconfig.ListValues("remote", "url", r.d.Path(), ".git", "config"), map[string]Remote{}
	for ref, text := range refs {
		name, _, _ := strings.Cut(strings.TrimPrefix(ref, remotes), "/")
		if tip, ok := object.ParseHash(text); ok { // HEAD names another ref
			all[name] = Remote{strings.Join(urls[name], " "), append(all[name].Tips, tip)}
		}
	}
	return all, err
}

// pseudoRef matches the names of git's refs beside the folder of refs.
var pseudoRef = lazy.New(`^([A-Z]+_)?HEAD$`)

// FindRef returns what git calls so: HEAD, a branch, a tag, or a branch of a remote, in
// the order in which git looks for them; zero if it is none.
func (r *Root) FindRef(name string) (object.Hash, error) {
	refs, err := r.listRefs("refs")
	if pseudoRef.Get().MatchString(name) {
		text, err2 := r.d.ReadFile(".git/"+name, maxRefs)
		if err2 != nil && !errors.Is(err2, fs.ErrNotExist) {
			return object.Hash{}, fmt.Errorf("read %s: %w", name, err2)
		}
		refs[name] = string(text)
	}
	for _, form := range []string{"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", remotes + "%s", remotes + "%s/HEAD"} {
		text := refs[fmt.Sprintf(form, name)]
		if target, isLink := strings.CutPrefix(text, "ref: "); isLink {
			text = refs[strings.TrimSpace(target)]
		}
		if h, ok := object.ParseHash(text[:min(len(text), 40)]); ok && err == nil { // more may follow, as in FETCH_HEAD
			return h, nil
		}
	}
	return object.Hash{}, err
}

// listRefs returns what the files of git's refs in a folder hold, by name.
func (r *Root) listRefs(folder string) (map[string]string, error) {
	refs := map[string]string{}
	packed, err := r.d.ReadFile(".git/packed-refs", maxRefs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return refs, fmt.Errorf("read packed-refs: %w", err)
	}
	for line := range strings.Lines(string(packed)) {
		if id, ref, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(ref, folder+"/") {
			refs[ref] = id
		}
	}
	for folders := []string{folder}; len(folders) > 0; folders = folders[1:] {
		names, err := r.d.ListFolder(".git/" + folders[0])
		if err != nil {
			return refs, fmt.Errorf("list %s: %w", folders[0], err)
		}
		for _, name := range names {
			at := folders[0] + "/" + name
			if text, err := r.d.ReadFile(".git/"+at, maxRefs); err != nil {
				folders = append(folders, at)
			} else {
				refs[at] = strings.TrimSpace(string(text))
			}
		}
	}
	return refs, nil
}
