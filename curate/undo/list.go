package undo

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"mem/index"
	"mem/repo"
)

// A Listed commit is one that can be taken back.
type Listed struct {
	Commit    repo.Blob `json:"commit"`
	When      time.Time `json:"when"`
	Subject   string    `json:"subject"`
	Lessons   int       `json:"lessons"`   // that it counted
	Decisions int       `json:"decisions"` // lessons that it changed; 1 if it only changed files
	Lines     []Line    `json:"lines"`     // what undoing it takes back; empty for one that is undone
	Undone    string    `json:"undone"`    // the commit that took it back; "" for none
	Shared    bool      `json:"shared"`    // a remote has it
}

// ListSteps lists the newest commits that can be taken back, and those that were; all
// with a limit of 0. describe gives them their subjects.
func (l *Log) ListSteps(limit int, describe func(repo.Revision) string) ([]Listed, error) {
	shared, err := l.root.ListShared()
	if err != nil {
		return nil, err
	}
	steps, since := []*Step{}, int64(math.MaxInt64)
	for rest := l.list; len(rest) > 0 && (limit == 0 || len(steps) < limit); rest = rest[1:] {
		s, err := l.newStep(rest[0], false)
		if errors.Is(err, ErrRefused) || err == nil && !s.changesMore() {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, f := range s.facts {
			since = min(since, f.N)
		}
		steps = append(steps, s)
	}
	if l.facts, err = l.root.ReadLog(since); err != nil {
		return nil, err
	}
	list := []Listed{}
	for _, s := range steps {
		c := s.Commit
		one := Listed{Commit: c.Hash, When: c.When, Subject: describe(c), Lines: []Line{}, Shared: shared[c.Hash]}
		if s.isUndone() {
			one.Undone = l.turned[c.Hash.String()]
		}
		s.countInto(&one)
		list = append(list, one)
	}
	return list, nil
}

// countInto counts what the commit did, and says what undoing it takes back.
func (s *Step) countInto(one *Listed) {
	for _, f := range s.facts {
		one.Lessons += len(f.Fixes) + len(f.Mistakes) + len(f.Old)
		one.Decisions += len(f.Changes)
	}
	if len(s.facts) == 0 {
		one.Decisions = 1
	}
	if one.Undone != "" {
		return
	}
	for _, line := range s.lines() {
		if !slices.Contains(one.Lines, line) {
			one.Lines = append(one.Lines, line)
		}
	}
}

// lines returns what undoing the commit takes back; one may come twice.
func (s *Step) lines() (lines []Line) {
	for _, f := range s.facts {
		for side, list := range [][]index.Lesson{f.Fixes, f.Mistakes} {
			for _, l := range list {
				text, _ := index.TextOf(l.Text, side == 1)
				if it := s.log.findText(text); it != nil {
					mark := "-"
					if it.Hits > 1 {
						mark = fmt.Sprintf("×%d", it.Hits-1)
					}
					lines = append(lines, Line{mark, it.ID, it.Text, it.Status})
				}
			}
		}
		for _, d := range f.Changes {
			if pos := s.log.index.ByID(d.Of); pos >= 0 {
				it := &s.log.index.Items[pos]
				lines = append(lines, Line{"=", it.ID, it.Text, it.Status})
			}
		}
	}
	if len(s.facts) == 0 {
		for _, path := range slices.Sorted(maps.Keys(s.files)) {
			lines = append(lines, Line{Mark: "=", Text: path})
		}
	}
	return lines
}

// findText returns the lesson with these words, or that had them once; nil if there is none.
func (l *Log) findText(text string) *index.Item {
	key := index.KeyOf(text)
	id := index.BaseID(key)
	for i := range l.index.Items {
		it := &l.index.Items[i]
		if it.Key == key || it.ID == id || slices.Contains(it.Was, id) || slices.Contains(it.DerivedFrom, id) {
			return it
		}
	}
	return nil
}
