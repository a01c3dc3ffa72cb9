package repo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"mem/facts"
	"mem/index"
	"mem/repo/gitstore"
	"mem/topic"
)

// A fold makes the index and the views match the log of a commit. It also takes in what people, git or other
// programs wrote since this clone last looked.
type fold struct {
	*chain
	known, now pair
	log, was   *facts.Log   // of the last commit, and as this clone verified it last
	fresh      []facts.Fact // facts that were not in the log
	lost       int          // number of facts that git removed
}

// settle makes the memory match the log of the last commit, in a commit of its own if anything changes. If
// nothing happened since this clone last looked, it only reads the index.
func (c *chain) settle(ctx context.Context) error {
	now, err := c.r.findPair(c.tip, c.m.tree)
	if err != nil {
		return err
	}
	s := &fold{chain: c, known: c.r.readPair(), now: now}
	if s.isSame() {
		return nil
	}
	if s.log, err = c.r.readLog(now.log, 0); err != nil {
		return c.r.explain(c.tip, err)
	}
	if s.known.commit == s.tip && s.known.index == now.index { // a purge rewrote the facts
		return s.commit(Message{})
	}
	if s.was, err = s.r.readLog(s.known.log, 0); err != nil && !errors.Is(err, gitstore.ErrDamaged) { // git collected it
		return err
	}
	if err := errors.Join(s.checkPurged(ctx), s.takeTips(), s.findLost()); err != nil {
		return err
	}
	return s.commit(Message{})
}

// isSame reports whether the last commit is the one that was verified. If it is, isSame also loads the index.
func (s *fold) isSame() bool {
	if s.known != s.now || s.now.index.IsZero() {
		return false
	}
	data, err := s.r.store.ReadBlobOf(IndexPath, s.now.index)
	ix, report, errLoad := index.Load(data, s.m.now)
	if err != nil || errLoad != nil {
		return false
	}
	s.m.setIndex(ix)
	s.m.Report, s.m.was, s.m.encoded = report, s.m.base, data
	return true
}

func (r *Root) loadBlob(blob gitstore.Hash, now time.Time) (*index.Index, index.Report, error) {
	data, err := r.store.ReadBlobOf(IndexPath, blob)
	if err != nil {
		return nil, index.Report{}, err
	}
	return index.Load(data, now)
}

const maxTips = 100

// takeTips takes in the commits whose index or journal may say what no fact says: the last one, and the sides of
// merges since this clone looked last, of which git took one file whole.
func (s *fold) takeTips() error {
	var list []gitstore.Commit
	isTip := map[gitstore.Hash]bool{s.tip: true, s.m.tx.Head.Tip: true}
	err := s.r.store.Walk(maxTips, func(c gitstore.Commit) []gitstore.Hash {
		if c.Hash == s.known.commit {
			return nil
		}
		if isTip[c.Hash] {
			list = append(list, c)
		}
		for _, p := range c.Parents {
			isTip[p] = isTip[p] || len(c.Parents) > 1
		}
		return c.Parents
	}, s.tip)
	if errors.Is(err, gitstore.ErrDamaged) && len(list) > 0 {
		err = nil // of what is older
	}
	for _, c := range slices.Backward(list) {
		if err == nil {
			err = s.takeTip(c)
		}
	}
	return err
}

// isByHand reports whether a commit is the one that this chain made of hand edits.
func (s *fold) isByHand(commit gitstore.Hash) bool {
	return commit == s.tip && commit != s.m.tx.Head.Tip
}

// beforeRef keeps the commit before a memory became one of version 4.
const beforeRef = "refs/mem/before-4"

// findLost records the facts that git removed, as a plain revert does. What was read of their sessions stays
// marked as read.
func (s *fold) findLost() error {
	if s.known.log.IsZero() || s.known.log == s.now.log || !s.isBehind(s.known.commit) {
		return nil
	}
	f := facts.Fact{Kind: facts.Decision, Gone: true, Marks: map[string]facts.Mark{}, Taken: map[string]int{}}
	for _, old := range s.was.Facts() {
		if s.log.Has(old.ID) {
			continue
		}
		f.Undo = append(f.Undo, old.ID)
		maps.Copy(f.Taken, old.Sightings())
		if old.Kind == facts.Reflection {
			f.Read = append(f.Read, old.ID)
		}
		f.Read = append(f.Read, old.Read...)
		maps.Copy(f.Marks, old.Marks)
		if old.Mark != nil {
			f.Marks[old.Trace] = *old.Mark
		}
		f.Purged = append(f.Purged, old.Purged...)
	}
	if len(f.Undo) == 0 {
		return nil
	}
	s.lost = len(f.Undo)
	return s.addEdit(f, "", s.m.now, true)
}

func (s *fold) isBehind(h gitstore.Hash) bool {
	found, _ := s.r.store.Leads(s.m.tx.Head.Tip, h, gitstore.Hash{})
	return found
}

// commit commits an index and views that match the log now.
func (s *fold) commit(msg Message) error {
	was := 0
	if ix, _, err := s.r.loadBlob(s.now.index, s.m.now); err == nil {
		was = len(ix.Items)
	}
	slices.SortStableFunc(s.fresh, func(a, b facts.Fact) int { return cmp.Compare(b.N, a.N) }) // one that is taken over has its place
	s.m.facts = s.fresh
	if err := s.number(0); err != nil {
		return err
	}
	s.log = s.log.With(s.m.facts...)
	if err := errors.Join(s.m.stageFold(s.log), s.ownRules()); err != nil {
		return err
	}
	if msg.Subject != "" {
		return s.commitStaged(msg)
	}
	msg.Subject = fmt.Sprintf("settle: %.12s", s.tip)
	if n := len(s.m.Index.Items) - was; s.lost > 0 || n < 0 {
		msg.Subject += fmt.Sprintf(" (%d taken back)", max(s.lost, -n))
	}
	msg.Trailers = []Trailer{{Key: "Mem-Settles", Value: s.tip.String()}}
	if len(s.fresh) > 0 && s.fresh[0].Kind == facts.Base {
		msg = Message{Subject: fmt.Sprintf("settle: memory of version %d", index.Version)}
	}
	return s.commitStaged(msg)
}

// ownRules marks the rule files made from a list that a person edited as the person's own, unless git changed them too.
func (s *fold) ownRules() error {
	known, err := s.r.store.ReadCommit(s.known.commit)
	if errors.Is(err, gitstore.ErrDamaged) {
		return nil // git collected it
	}
	for name := range s.m.staged {
		list := path.Dir(name) + ".md"
		if !s.own[list] || err != nil || topic.RuleFolder(list) == "" {
			continue
		}
		var was, is gitstore.Hash
		if was, err = s.r.store.FindBlob(known.Tree, list); err == nil {
			is, err = s.r.store.FindBlob(s.m.tx.Tree, list)
		}
		s.own[name] = s.own[name] || was == is
	}
	return err
}

// stageFold stages the views of a log, as far as they differ from those that the memory builds on.
func (m *Memory) stageFold(log *facts.Log) error {
	m.setIndex(log.Fold())
	proposals := log.Proposals()
	m.lastProposal = proposals.Last
	traces, err := log.Traces().Encode()
	if err != nil {
		return err
	}
	files := log.Journal().Files()
	maps.Copy(files, proposals.Files)
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return !isDiary(name) })
	files[TracesPath] = traces
	has, err := m.tx.Store.ListFiles(m.tree, func(folder string) bool {
		return !slices.Contains([]string{"daily", "monthly", "patterns", "core"}, folder)
	})
	if err != nil {
		return err
	}
	for name := range has {
		if files[name] == nil && isDiary(name) {
			files[name] = nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w := newWrite(files[name])
		if w.blob == has[name] {
			continue
		}
		if _, err := m.lookAt(name, true); err != nil {
			return err
		}
		m.staged[name] = w
	}
	if m.opts.Views == nil {
		return nil
	}
	return m.opts.Views(m)
}

// explain returns an error that the log or the index cannot be read. It names the last commit with a readable index.
func (r *Root) explain(tip gitstore.Hash, cause error) error {
	if errors.Is(cause, index.ErrNewerVersion) {
		return cause
	}
	if errors.Is(cause, index.ErrUnreadable) {
		cause = fmt.Errorf("%s: %w", IndexPath, cause)
	}
	lastGood := ""
	err := r.store.WalkHistory(tip, func(c gitstore.Commit) bool {
		p, err := r.findPair(c.Hash, c.Tree)
		if err != nil || c.Hash == tip {
			return err == nil
		}
		if _, _, err := r.loadBlob(p.index, time.Time{}); err == nil {
			if _, err := r.readLog(p.log, 0); err == nil {
				lastGood = c.Hash.String()
			}
		}
		return lastGood == ""
	})
	return errors.Join(Unreadable(lastGood, cause), err)
}

// views are patterns of the files that mem renders again after a git merge.
var views = append([]string{days, "core/CORE.md", "long-term-memory.md", TracesPath, "patterns/pattern-*.md", "patterns/index.md", "monthly/*.md"},
	slices.Sorted(maps.Values(topic.RuleFiles))...)

// days is the pattern of the views that people write into as well.
const days = "daily/*.md"

// drivers are how git merges them: it keeps what is here, and of days what both sides say. Of an index it keeps it unless
// the other side was edited by hand, which its log tells: then there is a conflict, and begin takes in what both say.
var drivers = []gitstore.Driver{
	{Name: "mem", Command: "true", Patterns: views[1:]},
	{Name: "mem-index", Command: `sh -c 'l(){ grep -m1 "\"log\"" "$1"; }; test "$(l "$1")" != "$(l "$2")"' - %O %B`, Patterns: []string{IndexPath}},
	{Name: "union", Patterns: []string{days, "CHANGELOG.md"}}, // a list to which several clones add
}

// IsView reports whether mem renders a file again after a git merge, whatever the file then holds.
func IsView(name string) bool {
	return slices.ContainsFunc(views, func(p string) bool { is, _ := path.Match(p, name); return is })
}
