package repo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
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
func (r *Root) findPair(commit, tree object.Hash) (p pair, err error) {
	p.commit = commit
	if tree.IsZero() {
		return p, nil
	}
	log, err := r.store.FindFolder(tree, facts.Folder)
	blob, err2 := r.store.FindBlob(tree, IndexPath)
	p.log, p.index = log, blob
	return p, errors.Join(err, err2)
}

// readFacts reads the facts of a log from an order on, by their paths.
func (r *Root) readFacts(log object.Hash, since int64) (map[string]facts.Fact, error) {
	list := map[string]facts.Fact{}
	if log.IsZero() {
		return list, nil
	}
	files, err := r.store.ListFiles(log, nil)
	if err != nil {
		return nil, err
	}
	for name, blob := range files {
		path := facts.Folder + "/" + name
		if n, isFact := facts.OrderOf(path); !isFact || n < since {
			continue
		}
		data, err := r.store.ReadBlob(blob)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		f, err := facts.Decode(path, data)
		if errors.Is(err, facts.ErrNewer) {
			return nil, fmt.Errorf("%w: %w", index.ErrNewerVersion, err)
		} else if err != nil {
			return nil, err
		}
		list[path] = f
	}
	return list, nil
}

// readLog reads the log in a tree of core/log.
func (r *Root) readLog(log object.Hash) (*facts.Log, error) {
	list, err := r.readFacts(log, 0)
	return facts.NewLog(slices.Collect(maps.Values(list))), err
}

// ReadLog reads the facts of the memory as readers see it, from an order on: what they decide about each other is
// known, as a decision comes after what it is about.
func (r *Root) ReadLog(since int64) (*facts.Log, error) {
	m, err := r.peekMemory(time.Time{})
	if err != nil {
		return nil, err
	}
	log, err := r.store.FindFolder(m.tx.Tree, facts.Folder)
	if err != nil {
		return nil, err
	}
	list, err := r.readFacts(log, since)
	return facts.NewLog(slices.Collect(maps.Values(list))), err
}

// CheckLog says which fact of the last commit cannot be read.
func (r *Root) CheckLog() error {
	tx, err := r.peekTip()
	if err != nil {
		return err
	}
	p, err := r.findPair(tx.Head.Tip, tx.Tree)
	if err == nil {
		if _, err = r.readFacts(p.log, 0); err != nil {
			err = r.explain(p.commit, err)
		}
	}
	return err
}

// readLogAt reads the log in a tree.
func (r *Root) readLogAt(tree object.Hash) (*facts.Log, error) {
	log, err := r.store.FindFolder(tree, facts.Folder)
	if err != nil {
		return nil, err
	}
	return r.readLog(log)
}

// log reads the log that the memory builds on; an empty one where there is no root yet.
func (m *Memory) log() (*facts.Log, error) {
	if m.root == nil {
		return facts.NewLog(nil), nil
	}
	return m.root.readLogAt(m.tree())
}

// ListFacts returns the facts of the log in their order, also those that count no longer.
func (m *Memory) ListFacts() ([]facts.Fact, error) {
	log, err := m.log()
	if err != nil {
		return nil, err
	}
	return log.Facts(), nil
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
