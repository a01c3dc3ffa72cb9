package repo

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/render"
)

// Learn scrubs secrets and invisible characters from a fact, leaves out tags with secrets, and adds it. It
// returns what changed in the index. A reflection without an id counts each time.
func (m *Memory) Learn(f facts.Fact) []index.Change {
	m.flush()
	f.Clean(guard.Scrub)
	f.At, f.Kind = m.now.Truncate(time.Millisecond), cmp.Or(f.Kind, facts.Reflection)
	if f.Kind == facts.Reflection {
		f.ID = facts.SightingID(cmp.Or(f.ID, fmt.Sprint(m.Tip(), m.now, len(m.facts), f.Fixes, f.Mistakes)))
		if slices.ContainsFunc(m.facts, func(o facts.Fact) bool { return o.ID == f.ID }) {
			return nil // it counts once
		}
	}
	changes := facts.Add(m.Index, f)
	m.base = m.Index.Clone()
	m.facts = append(m.facts, f)
	m.learned = append(m.learned, changes...)
	return changes
}

// JoinRecords scrubs and adds records of another memory, named by from. Joining the same records again adds
// only their growth since.
func (m *Memory) JoinRecords(records []index.Item, from string) []index.Change {
	f, seen := facts.Fact{Kind: facts.Base, From: from}, map[string]bool{}
	for _, it := range records {
		it.Text, it.Kind = index.TextOf(it.Text, it.Kind == index.AntiPattern)
		if it.Key = index.KeyOf(it.Text); it.Key == "" || seen[it.Key] || it.Hits < 1 {
			continue
		}
		seen[it.Key] = true
		it.Sources = slices.Clone(it.Sources)
		for i := range it.Sources {
			it.Sources[i].ID = ""
		}
		it.ID, it.Pinned, it.Set, it.Was, it.DerivedFrom, it.SupersededBy, it.Evidence, it.By, it.Unknown = "", false, nil, nil, nil, "", nil, nil, nil
		f.Old = append(f.Old, index.Old{Item: it})
	}
	return m.Learn(f)
}

// Decide adds a fact that is not a change to the index itself, such as one that makes other facts count no longer.
func (m *Memory) Decide(f facts.Fact) error {
	m.flush()
	f.Kind, f.At = cmp.Or(f.Kind, facts.Decision), m.now.Truncate(time.Millisecond)
	m.facts = append(m.facts, f)
	if !f.IsOfOthers() {
		return nil
	}
	log, err := m.ReadLog()
	if err == nil {
		*m.Index = *log.With(m.facts...).Fold()
		m.base = m.Index.Clone()
	}
	return err
}

// ChangeSoftly lets f change a lesson by id, on behalf of rules: what a person says about it, before or later, takes precedence.
func (m *Memory) ChangeSoftly(id string, f func(*index.Item)) {
	if pos := m.Index.ByID(id); pos >= 0 && m.Index.Items[pos].Change(f) {
		m.soft[id] = true
	}
}

// flush makes a fact of the callback's index changes since the last fact.
func (m *Memory) flush() {
	if m.base == nil { // a memory that was read to look at, until then
		m.base = m.Index.Clone()
	}
	changes, fresh := facts.Diff(m.base, m.Index, false)
	if len(changes)+len(fresh) == 0 {
		return
	}
	for i := range changes {
		changes[i].Soft = m.soft[changes[i].Of]
	}
	add := facts.Fact{Kind: facts.Decision, At: m.now.Truncate(time.Millisecond), Changes: changes, Old: fresh}
	m.base = m.base.Clone()
	facts.Add(m.base, add)
	if n := len(m.facts); n > 0 && m.facts[n-1].Kind == facts.Reflection {
		f := &m.facts[n-1]
		f.Changes, f.Old = append(f.Changes, changes...), append(f.Old, fresh...)
	} else {
		m.facts = append(m.facts, add)
	}
	*m.Index = *m.base.Clone()
	clear(m.soft)
}

// noteStaged makes notes of the journal and proposal files that the callback wrote, which are views of the facts.
func (m *Memory) noteStaged() error {
	var notes []facts.Note
	for _, path := range m.staged.paths() {
		if !isDiary(path) {
			continue
		}
		was, err := m.lookAt(path, false)
		if err != nil {
			return err
		}
		if was.committed == m.staged[path].blob {
			continue
		}
		old, err := m.root.ReadBlob(was.committed)
		if err != nil {
			return err
		}
		n := facts.ProposalNote(path, string(old), string(m.staged[path].data))
		if date, isDate := facts.DateOf(path); isDate {
			n = facts.Note{Day: date, Text: string(m.staged[path].data)}
		}
		notes = append(notes, n)
	}
	if len(notes) == 0 {
		return nil
	}
	if n := len(m.facts); n == 0 || m.facts[n-1].Kind == facts.Base {
		m.facts = append(m.facts, facts.Fact{Kind: facts.Decision, At: m.now.Truncate(time.Millisecond)})
	}
	f := &m.facts[len(m.facts)-1]
	f.Notes = append(f.Notes, notes...)
	return nil
}

// stageFacts stages the journal and the reading marks of sessions that follow from the new facts.
func (m *Memory) stageFacts() error {
	j := facts.Journal{}
	for _, f := range m.facts {
		if date, has := f.Day(); has && j[date] == nil {
			var err error
			if j[date], err = m.readDay(render.JournalPath(date)); err != nil {
				return err
			}
		}
		f.Notes = nil // their files are staged
		j.Add(f)
	}
	for name, data := range j.Files() {
		m.stageWrite(name, data)
	}
	if slices.ContainsFunc(m.facts, func(f facts.Fact) bool { return f.Kind == facts.Reflection }) {
		return m.stageReads()
	}
	return nil
}

// readDay returns the entries of a day that gets a new one. It leaves out entries of other clones' reflections
// that git put into the file before any commit: they come with the commit of their facts.
func (m *Memory) readDay(path string) ([]facts.Part, error) {
	old, err := m.readOld(path)
	parts := facts.ParseDay(old)
	if _, isStaged := m.staged[path]; err != nil || isStaged || m.tx == nil {
		return parts, err
	}
	committed, err := m.root.ReadAt(m.tx.Tree, path)
	had := facts.ParseDay(committed)
	return slices.DeleteFunc(parts, func(p facts.Part) bool {
		isOfFact := index.IsSightingID(p.ID) && !strings.HasPrefix(p.ID, "t-")
		return isOfFact && !slices.ContainsFunc(had, func(o facts.Part) bool { return o.ID == p.ID })
	}), err
}

func (m *Memory) stageReads() error {
	old, err := m.readOld(TracesPath)
	t := m.reads.Traces
	if err == nil && (old == nil || !bytes.Equal(old, m.reads.data)) { // otherwise the previous commit of this chain wrote it
		t, err = facts.ReadTraces([]byte(cmp.Or(string(old), "{}")))
	}
	if errors.Is(err, facts.ErrTraces) { // found in a new root
		t, err = facts.NewLog(nil).Traces(), nil
	} else if err != nil {
		return err
	}
	for _, f := range m.facts {
		t.Read(f)
	}
	t.Bound()
	m.reads.Traces = t
	if m.reads.data, err = t.Encode(); err == nil {
		m.stageWrite(TracesPath, m.reads.data)
	}
	return err
}

// LastProposal returns the highest proposal number so far; 0 if this memory did not just fold the whole log.
func (m *Memory) LastProposal() int { return m.lastProposal }
