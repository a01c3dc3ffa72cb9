package repo

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"mem/facts"
	"mem/index"
	"mem/repo/gitstore"
)

// A Revision is one commit of a root's history, and a Blob names what a file held.
type (
	Revision = gitstore.Commit
	Blob     = gitstore.Hash
)

// ListCommits returns the commits of the memory as readers see it, newest first. Whatever the clocks said, a commit
// comes before its parents. The subjects include those of commits that arrived by git and are not accepted yet.
func (r *Root) ListCommits() (list []Revision, err error) {
	m, err := r.peekMemory(time.Time{})
	if err != nil {
		return nil, err
	}
	err = r.store.Walk(math.MaxInt, func(c Revision) []Blob { list = append(list, c); return c.Parents }, m.tx.Head.Tip)
	sortCommits(list)
	return list, err
}

func sortCommits(list []Revision) {
	of, at := map[Blob]Revision{}, map[Blob]time.Time{}
	for _, c := range list {
		of[c.Hash] = c
	}
	var find func(Blob) time.Time // when a commit was made, but never before its parents
	find = func(h Blob) time.Time {
		if _, known := at[h]; !known {
			at[h] = of[h].When // the zero time for a missing commit
			for _, p := range of[h].Parents {
				if after := find(p).Add(1); after.After(at[h]) {
					at[h] = after
				}
			}
		}
		return at[h]
	}
	slices.SortStableFunc(list, func(a, b Revision) int { return find(b.Hash).Compare(find(a.Hash)) })
}

// ReadAt reads a file in a tree, such as that of a commit; nil if it is not there.
func (r *Root) ReadAt(tree gitstore.Hash, name string) ([]byte, error) {
	blob, err := r.store.FindBlob(tree, name)
	if err != nil {
		return nil, err
	}
	return r.ReadBlob(blob)
}

// CompareFiles returns the files that differ between two commits, by path: in the first, which may be zero, and in the
// second.
func (r *Root) CompareFiles(was, is Revision) (map[string][2]Blob, error) {
	return r.store.Compare(was.Tree, is.Tree)
}

// ReadBlob returns the content of a file in the history; nothing of a zero one.
func (r *Root) ReadBlob(h Blob) ([]byte, error) { return r.store.ReadBlob(h) }

// FindHome returns the branch that mem commits to, and its tip; zero if there is no commit.
func (r *Root) FindHome() (branch string, tip Blob, err error) {
	tx, err := r.store.PeekTip()
	return tx.Head.Ref, tx.Head.Tip, err
}

// A Remote is another repository, as far as this clone knows it.
type Remote struct {
	URL  string          // its address; "" if the configuration no longer names the remote
	Tips []gitstore.Hash // the tips of its branches
}

// ListRemoteTips returns, by name, the remotes that this clone has commits of.
func (r *Root) ListRemoteTips() (map[string]Remote, error) {
	refs, err := r.store.ListRefs("refs/remotes")
	urls, all := gitstore.ListValues("remote", "url", r.d.Path(), ".git", "config"), map[string]Remote{}
	for ref, tip := range refs {
		name, _, _ := strings.Cut(strings.TrimPrefix(ref, "refs/remotes/"), "/")
		all[name] = Remote{strings.Join(urls[name], " "), append(all[name].Tips, tip)}
	}
	return all, err
}

// verifiedPath holds one line: the last commit, log and index that this clone wrote or checked as matching.
// Without it, mem folds the whole log again.
const verifiedPath = gitstore.PrivateDir + "/verified"

type pair struct{ commit, log, index gitstore.Hash }

// readPair returns the last pair that was verified; zero for none.
func (r *Root) readPair() (p pair) {
	data, _ := r.d.ReadFile(verifiedPath, maxLine)
	words := strings.Fields(string(data))
	if len(words) != 4 || words[3] != fmt.Sprint(index.FoldRules) {
		return p
	}
	for i, h := range []*gitstore.Hash{&p.commit, &p.log, &p.index} {
		*h, _ = gitstore.ParseHash(words[i])
	}
	return p
}

func (r *Root) findPair(commit, tree gitstore.Hash) (pair, error) {
	log, err := r.store.FindFolder(tree, facts.Folder)
	blob, err2 := r.store.FindBlob(tree, IndexPath)
	return pair{commit, log, blob}, errors.Join(err, err2)
}

// readLog reads the facts of a log, which is a tree, whose order is at least since. A zero log is empty.
func (r *Root) readLog(log gitstore.Hash, since int64) (*facts.Log, error) {
	files, err := r.store.ListFiles(log, nil)
	if err != nil {
		return facts.NewLog(nil), err
	}
	return r.readFacts(files, since)
}

func (r *Root) readFacts(files map[string]gitstore.Hash, since int64) (*facts.Log, error) {
	var list []facts.Fact
	for name, blob := range files {
		path := facts.Folder + "/" + name
		if n, isFact := facts.OrderOf(path); !isFact || n < since {
			continue
		}
		f, isRead := r.decoded[factFile{path, blob}]
		if !isRead {
			data, err := r.store.ReadBlob(blob)
			if err != nil {
				err = fmt.Errorf("%s: %w", path, err)
			} else if f, err = facts.Decode(path, data); errors.Is(err, facts.ErrNewer) {
				err = fmt.Errorf("%w: %w", index.ErrNewerVersion, err)
			}
			if err != nil {
				return facts.NewLog(nil), err
			}
			r.decoded[factFile{path, blob}] = f
		}
		list = append(list, f)
	}
	return facts.NewLog(list), nil
}

// A factFile is the file of a fact, which is never changed.
type factFile struct {
	path string
	blob gitstore.Hash
}

func (r *Root) readLogAt(tree gitstore.Hash, since int64) (*facts.Log, error) {
	log, err := r.store.FindFolder(tree, facts.Folder)
	if err != nil {
		return nil, err
	}
	return r.readLog(log, since)
}

// findLog reads the log that an index names; nil if it names none, or one that git does not have.
func (r *Root) findLog(name string) (*facts.Log, error) {
	h, ok := gitstore.ParseHash(name)
	if !ok {
		return nil, nil
	}
	log, err := r.readLog(h, 0)
	if errors.Is(err, gitstore.ErrDamaged) {
		return nil, nil
	}
	return log, err
}

// ReadLog reads the facts of the memory as readers see it, whose order is at least since. All decisions about
// these facts are included, because a decision comes after its subject.
func (r *Root) ReadLog(since int64) (*facts.Log, error) {
	m, err := r.peekMemory(time.Time{})
	if err != nil {
		return nil, err
	}
	return r.readLogAt(m.tx.Tree, since)
}

// ReadLog reads the log that the memory builds on; an empty one where there is no root yet.
func (m *Memory) ReadLog() (*facts.Log, error) {
	if m.root == nil {
		return facts.NewLog(nil), nil
	}
	return m.root.readLogAt(m.tree, 0)
}

// FoldLog returns the table that add makes of the facts of the log that the memory builds on, in order. A note keeps it,
// so that the next call reads only what came since. If a fact is gone or came between, or the note does not fit this
// build, all are read again.
func FoldLog[V any](m *Memory, n Note, fits func(map[string]V) bool, add func(map[string]V, facts.Fact)) (map[string]V, error) {
	const manyRead = 16 // facts are rather read each time than that the note is written
	type folded struct {
		Log   string
		Table map[string]V
	}
	v := map[string]V{}
	if m.root == nil {
		return v, nil
	}
	log, err := m.root.store.FindFolder(m.tree, facts.Folder)
	kept := ReadValue[folded](m.root, n)
	files, isMore, errList := m.root.listMore(kept.Log, log, kept.Table != nil && fits(kept.Table))
	if err = errors.Join(err, errList); err != nil {
		return v, err
	}
	if isMore {
		v = kept.Table
	}
	more, err := m.root.readFacts(files, 0)
	for _, f := range more.Facts() {
		add(v, f)
	}
	if err == nil && len(files) >= manyRead {
		_ = m.root.KeepValue(n, folded{log.String(), v})
	}
	return v, err
}

// listMore returns the files that a log has after those of another one, which has a name. If that log is not wanted or
// known, or not the beginning of this one, they are all, and isMore is false.
func (r *Root) listMore(name string, log gitstore.Hash, isWanted bool) (files map[string]gitstore.Hash, isMore bool, err error) {
	files, err = r.store.ListFiles(log, nil)
	was, isNamed := gitstore.ParseHash(name)
	if err != nil || !isWanted || !isNamed || r.store.FindKind(was) != gitstore.KindTree {
		return files, false, err
	}
	old, errOld := r.store.ListFiles(was, nil) // git may be about to remove it
	more, last := map[string]gitstore.Hash{}, slices.Max(append(slices.Collect(maps.Keys(old)), ""))
	for file, blob := range files {
		if file > last {
			more[file] = blob
		} else if old[file] != blob {
			return files, false, nil
		}
	}
	if errOld != nil || len(more)+len(old) != len(files) {
		return files, false, nil
	}
	return more, true, nil
}

// CheckLog returns an error if a fact of the last commit is unreadable or a newer mem wrote it; no commit can
// follow then. lost lists facts in the work tree that the last commit lacks.
func (r *Root) CheckLog() (lost []string, err error) {
	tx, err := r.store.PeekTip()
	if err != nil {
		return nil, err
	}
	lost, err = r.listLost()
	lost = slices.DeleteFunc(lost, func(name string) bool { return !strings.HasPrefix(name, facts.Folder) })
	if err == nil {
		_, err = r.readLogAt(tx.Tree, 0)
	}
	if err != nil {
		return lost, r.explain(tx.Head.Tip, err)
	}
	m := r.newMemory(tx, time.Time{})
	if err := r.loadIndex(m); errors.Is(err, index.ErrNewerVersion) || err == nil && m.Index.ReadOnly() {
		return lost, fmt.Errorf("%s: %w", IndexPath, index.ErrNewerVersion)
	}
	return lost, nil // an unreadable index is rebuilt
}

// WalkHistory calls f for the commits of the memory as readers see it, along first parents, newest first,
// until f returns false.
func (r *Root) WalkHistory(f func(Revision) bool) error {
	m, err := r.peekMemory(time.Time{})
	if err != nil {
		return err
	}
	return r.store.WalkHistory(m.tx.Head.Tip, f)
}

func (c *chain) lastOrder() (last int64, err error) {
	log, err := c.r.store.FindFolder(c.m.tree, facts.Folder)
	if err != nil {
		return 0, err
	}
	files, err := c.r.store.ListFiles(log, nil)
	for name := range files {
		if n, ok := facts.OrderOf(facts.Folder + "/" + name); ok {
			last = max(last, n)
		}
	}
	return last, err
}
