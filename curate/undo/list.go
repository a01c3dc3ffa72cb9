package undo

import (
	"errors"
	"time"

	"mem/index"
	"mem/index/withheld"
	"mem/repo"
	"mem/repo/history"
)

// A Listed commit is one that can be taken back.
type Listed struct {
	Commit    history.Blob `json:"commit"`
	When      time.Time    `json:"when"`
	Subject   string       `json:"subject"`
	Lessons   int          `json:"lessons"`   // that it counted
	Decisions int          `json:"decisions"` // lessons that it changed; 1 if it only changed files
	Lines     []Line       `json:"lines"`     // what undoing it takes back; empty for one that is undone
	Undone    string       `json:"undone"`    // the commit that took it back; "" for none
	Shared    bool         `json:"shared"`    // a remote has it
}

// ListSteps lists the newest commits that can be taken back, and those that were; all
// with a limit of 0. describe gives them their subjects.
func (l *Log) ListSteps(limit int, now time.Time, describe func(repo.Revision) string) ([]Listed, error) {
	shared, err := l.ListShared()
	if err != nil {
		return nil, err
	}
	list := []Listed{}
	for rest := l.list; len(rest) > 0 && (limit == 0 || len(list) < limit); rest = rest[1:] {
		c, id := rest[0], rest[0].Hash.String()
		if l.depth(id) > 0 {
			continue
		}
		one := Listed{Commit: c.Hash, When: c.When, Subject: describe(c), Lines: []Line{}, Undone: l.undoneBy(id), Shared: shared[c.Hash]}
		s, err := l.newStep(c)
		if err == nil && s.changesMore() {
			err = s.countInto(&one, now)
			list = append(list, one)
		}
		if err != nil && !errors.Is(err, ErrRefused) {
			return nil, err
		}
	}
	return list, nil
}

// countInto counts what the commit did.
func (s *Step) countInto(one *Listed, now time.Time) error {
	if s.was[repo.IndexPath] == s.made[repo.IndexPath] {
		one.Decisions = 1
		for _, path := range s.changed {
			if one.Undone == "" {
				one.Lines = append(one.Lines, Line{Mark: "=", Text: path})
			}
		}
		return nil
	}
	was, made, err := s.loadIndexes(now)
	if err != nil {
		return err
	}
	for _, line := range compareRecords(was, made) {
		if line.Mark == "=" || line.Mark == "-" { // "-" became part of another
			one.Decisions++
		} else {
			one.Lessons++
		}
	}
	if one.Undone == "" {
		one.Lines = compareRecords(made, was)
	}
	return nil
}

// Held is what a line says in place of a lesson that waits for the person.
const Held = "a lesson that waits for your approval"

// HideForeign gives the lessons that wait for the person in one of these memories the
// status that says so, and, as files, what they are in place of their words, unless the
// first one shows them. What the first one hides from an agent is hidden.
func HideForeign(lines []Line, before, after *repo.Memory) {
	for i, l := range lines {
		if l.ID == "" {
			if _, err := before.ReadFile(l.Text); before.Foreign().HidesIn(l.Text) && err != nil {
				lines[i].Text = "a file that waits for your approval"
			}
			continue
		}
		was, is := before.Index.ByID(l.ID), after.Index.ByID(l.ID)
		if was >= 0 && before.Index.Items[was].Text == withheld.HeldText {
			lines[i].Text = withheld.HeldText
		}
		if is < 0 && !before.Foreign().Covers(l.ID) || is >= 0 && !after.Foreign().Covers(l.ID) && !after.Foreign().Waits(&after.Index.Items[is]) {
			continue
		}
		if lines[i].Status = index.Quarantined; was < 0 || !before.Index.Items[was].IsShown() {
			lines[i].Text = Held
		}
	}
}
