package history

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"mem/lazy"
	"mem/repo/gitstore/gitconfig"
	"mem/repo/gitstore/object"
)

// maxRefs bounds a file of git's refs.
const maxRefs = 16 << 20

const remotes = "refs/remotes/"

// A Remote is another repository, as far as this clone knows it.
type Remote struct {
	URL  string        // where it is; "" for one that the configuration does not name any more
	Tips []object.Hash // the commits that its branches stand at
}

// ListRemoteTips returns the remotes of which this clone has commits, by name.
func (r *Reader) ListRemoteTips() (map[string]Remote, error) {
	refs, err := r.listRefs("refs/remotes")
	all := map[string]Remote{}
	for ref, text := range refs {
		name, _, _ := strings.Cut(strings.TrimPrefix(ref, remotes), "/")
		if tip, ok := object.ParseHash(text); ok { // HEAD names another ref
			all[name] = Remote{gitconfig.ReadRemote(r.dir, name), append(all[name].Tips, tip)}
		}
	}
	return all, err
}

// ListOtherTips returns the commits that other refs than this branch and the stash stand
// at, such as tags and the branches of remotes, and what was fetched last.
func (r *Reader) ListOtherTips(branch string) (tips []object.Hash, err error) {
	refs, err := r.listRefs("refs")
	delete(refs, branch)
	delete(refs, "refs/stash")
	fetched, err2 := r.dir.ReadFile(".git/FETCH_HEAD", maxRefs)
	if err2 != nil && !errors.Is(err2, fs.ErrNotExist) {
		err = errors.Join(err, fmt.Errorf("read FETCH_HEAD: %w", err2))
	}
	for _, text := range slices.AppendSeq(slices.Sorted(maps.Values(refs)), strings.Lines(string(fetched))) {
		if tip, ok := object.ParseHash(text[:min(len(text), 40)]); ok { // more may follow
			tips = append(tips, r.PeelTag(tip))
		}
	}
	return tips, err
}

// pseudoRef matches the names of git's refs beside the folder of refs.
var pseudoRef = lazy.New(`^([A-Z]+_)?HEAD$`)

// FindRef returns what git calls so: HEAD, a branch, a tag, or a branch of a remote, in
// the order in which git looks for them; zero if it is none.
func (r *Reader) FindRef(name string) (object.Hash, error) {
	refs, err := r.listRefs("refs")
	if pseudoRef.Get().MatchString(name) {
		text, err2 := r.dir.ReadFile(".git/"+name, maxRefs)
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

// PeelTag returns what an annotated tag names, and what is not one as it is.
func (r *Reader) PeelTag(h object.Hash) object.Hash {
	if r.store.FindKind(h) != "tag" {
		return h
	}
	data, err := r.store.ReadObject("tag", h)
	if text, isTag := strings.CutPrefix(string(data), "object "); err == nil && isTag {
		if to, ok := object.ParseHash(text[:min(len(text), 40)]); ok {
			return to
		}
	}
	return h
}

// listRefs returns what the files of git's refs in a folder hold, by name.
func (r *Reader) listRefs(folder string) (map[string]string, error) {
	refs := map[string]string{}
	packed, err := r.dir.ReadFile(".git/packed-refs", maxRefs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return refs, fmt.Errorf("read packed-refs: %w", err)
	}
	for line := range strings.Lines(string(packed)) {
		if id, ref, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(ref, folder+"/") {
			refs[ref] = id
		}
	}
	for folders := []string{folder}; len(folders) > 0; folders = folders[1:] {
		names, err := r.dir.ListFolder(".git/" + folders[0])
		if err != nil {
			return refs, fmt.Errorf("list %s: %w", folders[0], err)
		}
		for _, name := range names {
			at := folders[0] + "/" + name
			if text, err := r.dir.ReadFile(".git/"+at, maxRefs); err != nil {
				folders = append(folders, at)
			} else {
				refs[at] = strings.TrimSpace(string(text))
			}
		}
	}
	return refs, nil
}
