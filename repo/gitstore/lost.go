package gitstore

import (
	"cmp"
	"fmt"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/reflog"
)

// maxReflog is how many entries of a reflog are looked through for one that is whole.
const maxReflog = 100

// findWhole says which is the newest commit in the log of the branch that is whole, as
// git names it there, and whether the work tree has its files; "" without one.
// "git prune" beside a writer, for one, takes a commit before the branch names it.
func (s *Store) findWhole() string {
	head, err := s.ReadHead()
	if err != nil || head.Ref == "" {
		return ""
	}
	tips, _ := reflog.ReadTips(s.d, head.Ref)
	for n, tip := range tips[:min(len(tips), maxReflog)] {
		c, err := s.ReadCommit(tip)
		if err != nil {
			continue
		}
		files, err := s.ListFiles(c.Tree, nil)
		for _, blob := range files {
			err = cmp.Or(err, s.objects.CheckHas(blob))
		}
		if err != nil {
			continue
		}
		said := fmt.Sprintf("; the last whole commit in the log of %s is %.12s (%[1]s@{%[3]d})", shortRef(head.Ref), tip, n)
		for path := range files {
			if !s.d.Exists(path) {
				return said
			}
		}
		return said + ", and the work tree is whole: it has all files of that commit"
	}
	return ""
}

// ReadFile returns a file of the work tree, as it lies there.
func (s *Store) ReadFile(path string, limit int64) ([]byte, error) { return s.d.ReadFile(path, limit) }

// ListNames returns the names in a folder of the work tree, or of the tip if only that
// is read. A missing folder has none.
func (t *Tx) ListNames(folder string) (names []string, err error) {
	if t.underWay == "" {
		return t.Store.d.ListFolder(folder)
	}
	entries, err := t.listTip(folder)
	for _, e := range entries {
		if disk.IsPath(e.Name) {
			names = append(names, e.Name)
		}
	}
	return names, err
}

// IsFolder reports whether there is a folder at path, as ListNames sees it. A link is
// none.
func (t *Tx) IsFolder(path string) bool {
	if t.underWay == "" {
		info, err := t.Store.d.Lstat(path)
		return err == nil && info.IsDir()
	}
	entries, err := t.listTip(path)
	return err == nil && len(entries) > 0
}

// listTip returns the entries of a folder in the tip; none if it is missing.
func (t *Tx) listTip(folder string) ([]object.Entry, error) {
	tree, err := t.Store.findEntry(t.Tree, folder, true)
	if err != nil {
		return nil, err
	}
	return t.Store.readTree(tree)
}
