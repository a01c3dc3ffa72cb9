package repo

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mem/facts"
	"mem/index"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
)

// verifiedPath holds one line: the last pair of a log and the index that is its fold, as this clone made or
// verified it. Without it a fold of everything is made.
const verifiedPath = gitstore.PrivateDir + "/verified"

// A pair is a log and an index in one commit.
type pair struct{ commit, log, index object.Hash }

const maxPair = 1 << 10

// readPair returns the last pair that was verified; zero for none.
func (r *Root) readPair() (p pair) {
	data, err := r.d.ReadFile(verifiedPath, maxPair)
	words := strings.Fields(string(data))
	if err != nil || len(words) != 4 || words[3] != fmt.Sprint(index.FoldRules) {
		return pair{}
	}
	for i, h := range []*object.Hash{&p.commit, &p.log, &p.index} {
		var ok bool
		if *h, ok = object.ParseHash(words[i]); !ok {
			return pair{}
		}
	}
	return p
}

// notePair notes a pair. Without the note the next command makes a fold of everything.
func (r *Root) notePair(p pair) {
	if p != r.readPair() {
		_ = r.d.WriteLoose(verifiedPath, fmt.Appendf(nil, "%s %s %s %d\n", p.commit, p.log, p.index, index.FoldRules))
	}
}

// findPair returns the pair in a tree.
func (r *Root) findPair(commit, tree object.Hash) (pair, error) {
	log, err := r.store.FindFolder(tree, facts.Folder)
	blob, err2 := r.store.FindBlob(tree, IndexPath)
	return pair{commit, log, blob}, errors.Join(err, err2)
}

// readLog reads a log, which is a tree, from an order on; a zero one is empty.
func (r *Root) readLog(log object.Hash, since int64) (*facts.Log, error) {
	var list []facts.Fact
	files, err := r.store.ListFiles(log, nil)
	for name, blob := range files {
		path := facts.Folder + "/" + name
		if n, isFact := facts.OrderOf(path); !isFact || n < since || err != nil {
			continue
		}
		data, errRead := r.store.ReadBlob(blob)
		if errRead != nil {
			err = fmt.Errorf("%s: %w", path, errRead)
			continue
		}
		f, errRead := facts.Decode(path, data)
		if err = errRead; errors.Is(err, facts.ErrNewer) {
			err = fmt.Errorf("%w: %w", index.ErrNewerVersion, err)
		}
		list = append(list, f)
	}
	if err != nil {
		list = nil
	}
	return facts.NewLog(list), err
}

// readLogAt reads the log of a tree.
func (r *Root) readLogAt(tree object.Hash, since int64) (*facts.Log, error) {
	log, err := r.store.FindFolder(tree, facts.Folder)
	if err != nil {
		return nil, err
	}
	return r.readLog(log, since)
}

// findLog reads the log that an index names; nil if it names none, or one that git does not have.
func (r *Root) findLog(name string) (*facts.Log, error) {
	h, ok := object.ParseHash(name)
	if !ok {
		return nil, nil
	}
	log, err := r.readLog(h, 0)
	if errors.Is(err, object.ErrDamaged) {
		return nil, nil
	}
	return log, err
}

// ReadLog reads the facts of the memory as readers see it, from an order on: what they decide about each other is
// known, as a decision comes after what it is about.
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
	return m.root.readLogAt(m.tree(), 0)
}

// CheckLog says which fact of the last commit cannot be read.
func (r *Root) CheckLog() error {
	tx, err := r.peekTip()
	if err == nil {
		if _, err = r.readLogAt(tx.Tree, 0); err != nil {
			err = r.explain(tx.Head.Tip, err)
		}
	}
	return err
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

// lastOrder returns the greatest place in the log; 0 for none.
func (c *chain) lastOrder() (last int64, err error) {
	log, err := c.r.store.FindFolder(c.tree, facts.Folder)
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
