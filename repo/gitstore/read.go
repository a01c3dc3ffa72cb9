package gitstore

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"mem/repo/disk"
)

// How often an object is looked for, and how long before the second time. Git may
// be packing: it removes loose objects and old packs as soon as a new pack has
// what they held, so a list made a moment ago may name files that are gone.
const (
	maxReopened  = 7
	reopenedWait = time.Millisecond // doubled each time
)

// readObject returns the content of an object of this kind. An object counts as damaged only if it stays
// unreadable after git's files are listed again, and not if the system could not open it.
func (s *Store) readObject(kind Kind, h Hash) ([]byte, error) {
	if o, isMade := s.made[h]; isMade && o.kind == kind {
		return o.content, nil
	}
	var err error
	for pause := reopenedWait; ; pause *= 2 {
		is, data, errRead := s.readAny(h)
		if errRead == nil && is == kind {
			return data, nil
		}
		err = cmp.Or(errRead, plumbing.ErrObjectNotFound)
		isFirst := pause == reopenedWait
		if h.IsZero() || s.damaged && !isFirst || pause == reopenedWait<<maxReopened {
			break
		}
		if !isFirst {
			time.Sleep(pause / 2)
		}
		s.reopen()
	}
	advice := ""
	if !s.damaged && errors.Is(asDamage(err), ErrDamaged) {
		s.damaged = true
		advice = s.findWhole()
	}
	return nil, asDamage(fmt.Errorf("%s %s: %w%s", kind, h, err, advice))
}

// ReadBlob returns the content of a file in the history; nothing of a zero one.
func (s *Store) ReadBlob(h Hash) ([]byte, error) {
	if h.IsZero() {
		return nil, nil
	}
	return s.readObject(KindBlob, h)
}

// ReadBlobOf is ReadBlob for a blob that a file of the work tree likely holds: hashing that file takes a tenth of the time.
func (s *Store) ReadBlobOf(name string, h Hash) ([]byte, error) {
	if data, err := s.d.ReadFile(name, maxFile); err == nil && HashOf(KindBlob, data) == h {
		return data, nil
	}
	return s.ReadBlob(h)
}

// StreamFile passes a work tree file and its size to read. It reports whether the content is the blob.
func (s *Store) StreamFile(name string, blob Hash, read func(r io.Reader, size int64)) bool {
	f, err := s.d.StreamFile(name)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	hash := sha1.New()
	fmt.Fprintf(hash, "blob %d\x00", info.Size())
	read(io.TeeReader(f, hash), info.Size())
	return Hash(hash.Sum(nil)) == blob
}

// ReadCommit returns a commit of the history.
func (s *Store) ReadCommit(h Hash) (Commit, error) {
	data, err := s.readObject(KindCommit, h)
	if err != nil {
		return Commit{}, err
	}
	return parseCommit(h, data)
}

func (s *Store) readTree(h Hash) ([]entry, error) {
	if h.IsZero() {
		return nil, nil
	}
	if entries, ok := s.trees[h]; ok {
		return entries, nil
	}
	data, err := s.readObject(KindTree, h)
	if err != nil {
		return nil, err
	}
	entries, err := parseTree(data)
	if err == nil {
		s.trees[h] = entries
	}
	return entries, err
}

// FindBlob returns the blob at path in a tree, or zero when there is none.
func (s *Store) FindBlob(tree Hash, path string) (Hash, error) {
	return s.findEntry(tree, path, false)
}

// FindFolder returns the tree of a folder; zero if there is none.
func (s *Store) FindFolder(tree Hash, path string) (Hash, error) {
	return s.findEntry(tree, path, true)
}

func (s *Store) findEntry(tree Hash, path string, isFolder bool) (Hash, error) {
	for {
		entries, err := s.readTree(tree)
		if err != nil {
			return Hash{}, err
		}
		name, rest, nested := strings.Cut(path, "/")
		i := slices.IndexFunc(entries, func(e entry) bool { return e.Name == name && e.isTree() == (nested || isFolder) })
		if i < 0 {
			return Hash{}, nil
		}
		if !nested {
			return entries[i].Hash, nil
		}
		tree, path = entries[i].Hash, rest
	}
}

// ListFiles returns the regular files of a tree by path. Folders for which skip
// returns true are left out unread, and so is what this system's work trees
// cannot hold, such as a name that is not UTF-8.
func (s *Store) ListFiles(tree Hash, skip func(folder string) bool) (map[string]Hash, error) {
	all := map[string][2]Hash{}
	err := s.compare(all, Hash{}, tree, "", skip)
	files := make(map[string]Hash, len(all))
	for name, blobs := range all {
		if disk.IsPath(name) {
			files[name] = blobs[1]
		}
	}
	return files, err
}

// WalkHistory calls f for the commits from tip back along first parents, newest
// first, until f returns false or the history ends.
func (s *Store) WalkHistory(tip Hash, f func(Commit) bool) error {
	return s.Walk(math.MaxInt, func(c Commit) []Hash {
		if !f(c) {
			return nil
		}
		return c.Parents[:min(len(c.Parents), 1)]
	}, tip)
}

// Walk calls f once for each of the commits that can be reached from some, the nearest first and most at most; f returns
// those to go on with, such as its parents. The history of a shallow clone ends where the clone does. A commit
// that cannot be read is left out, and is the error.
func (s *Store) Walk(most int, f func(Commit) []Hash, from ...Hash) (err error) {
	cut, err := s.d.ReadFile(gitDir+"/shallow", maxRefs)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for seen := map[Hash]bool{{}: true}; len(from) > 0 && len(seen) <= most; from = from[1:] {
		if seen[from[0]] {
			continue
		}
		seen[from[0]] = true
		c, errRead := s.ReadCommit(from[0])
		if errRead != nil {
			err = cmp.Or(err, errRead)
		} else if next := f(c); !bytes.Contains(cut, []byte(c.Hash.String())) {
			from = append(from, next...)
		}
	}
	if err != nil {
		err = fmt.Errorf("read history: %w", err)
	}
	return err
}

const maxSearch = 10_000

// Leads reports whether to is from or one of its ancestors. It does not look behind until.
func (s *Store) Leads(from, to, until Hash) (found bool, err error) {
	err = s.Walk(maxSearch, func(c Commit) []Hash {
		if found = found || c.Hash == to; found || c.Hash == until {
			return nil
		}
		return c.Parents
	}, from)
	return found, err
}

// maxReflog is how many entries of a reflog are looked through for one that is whole.
const maxReflog = 100

// findWhole says which is the newest commit in the log of the branch that is whole, as
// git names it there; "" without one.
// "git prune" beside a writer, for one, takes a commit before the branch names it.
func (s *Store) findWhole() string {
	head, err := s.ReadHead()
	if err != nil || head.Ref == "" {
		return ""
	}
	moves := s.readLog(head.Ref)
	for n, m := range moves[:min(len(moves), maxReflog)] {
		c, err := s.ReadCommit(m.to)
		if err != nil {
			continue
		}
		files, err := s.ListFiles(c.Tree, nil)
		isGone := func(name string) bool { return s.FindKind(files[name]) != KindBlob }
		if err != nil || slices.ContainsFunc(slices.Collect(maps.Keys(files)), isGone) {
			continue
		}
		return fmt.Sprintf("; the last whole commit in the log of %s is %.12s (%[1]s@{%[3]d})", shortRef(head.Ref), m.to, n)
	}
	return ""
}

// ListFolder returns the names in a folder of the work tree, or of the tip, and which of them are folders; a link is
// none. A missing folder has no names.
func (t *Tx) ListFolder(folder string, tip bool) (list map[string]bool, err error) {
	list = map[string]bool{}
	if !tip {
		names, err := t.Store.d.ListFolder(folder)
		for _, name := range names {
			info, err := t.Store.d.Lstat(path.Join(folder, name))
			list[name] = err == nil && info.IsDir()
		}
		return list, err
	}
	tree, err := t.Store.FindFolder(t.Tree, folder)
	if err != nil {
		return nil, err
	}
	entries, err := t.Store.readTree(tree)
	for _, e := range entries {
		if disk.IsPath(e.Name) {
			list[e.Name] = e.isTree()
		}
	}
	return list, err
}

// Compare returns the regular files that differ between two trees, zero for none, by path: in the first and in the
// second. What both have alike is not read.
func (s *Store) Compare(was, is Hash) (map[string][2]Hash, error) {
	changes := map[string][2]Hash{}
	return changes, s.compare(changes, was, is, "", nil)
}

func (s *Store) compare(changes map[string][2]Hash, was, is Hash, prefix string, skip func(string) bool) error {
	if was == is {
		return nil
	}
	folders := map[string][2]Hash{}
	for side, tree := range []Hash{was, is} {
		entries, err := s.readTree(tree)
		if err != nil {
			return err
		}
		for _, e := range entries {
			list := changes
			if e.isTree() {
				list = folders
			} else if !e.isFile() {
				continue
			}
			pair := list[prefix+e.Name]
			pair[side] = e.Hash
			if list[prefix+e.Name] = pair; pair[0] == pair[1] {
				delete(list, prefix+e.Name)
			}
		}
	}
	for name, pair := range folders {
		if skip != nil && skip(name) {
			continue
		}
		if err := s.compare(changes, pair[0], pair[1], name+"/", skip); err != nil {
			return err
		}
	}
	return nil
}
