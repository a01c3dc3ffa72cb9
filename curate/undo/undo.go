// Package undo reverts one commit of a memory, of any age, and keeps all later changes.
//
// A fact records that the commit's facts no longer count, or count again, and mem rebuilds everything
// derived from facts. Sessions stay marked as read. Any other file returns to its state before the
// commit or, if it changed since, loses the lines that the commit added.
package undo

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"mem/curate"
	"mem/facts"
	"mem/index"
	"mem/render"
	"mem/repo"
)

// A Result is what was taken back.
type Result struct {
	Lines []Line
	// Decides says that a person decided what was taken back, or something about it since.
	Decides bool
}

// A Line is one thing that was taken back: a lesson or a file.
type Line struct {
	Mark   string       `json:"mark"` // "-" gone, "+" back, "×2" what it counts now, "=" what it is now
	ID     string       `json:"id"`   // of the lesson; "" for a file
	Text   string       `json:"text"`
	Status index.Status `json:"status"`
}

// Apply takes the step back. It is a callback for repo.Root.Settle. The error wraps
// ErrConflict if a file stands in the way, and then nothing is to be kept.
func (s *Step) Apply(m *repo.Memory) (r Result, msg repo.Message, err error) {
	if m.Index.ReadOnly() {
		return r, msg, index.ErrNewerVersion
	}
	was := m.Index.Clone()
	f := facts.Fact{Undo: idsOf(s.facts)}
	if s.IsRedo {
		f = facts.Fact{Redo: f.Undo}
	}
	if f.Undo = append(f.Undo, idsOf(s.after)...); len(f.Undo)+len(f.Redo) > 0 {
		if err := m.Decide(f); err != nil {
			return r, msg, err
		}
	}
	r.Lines = compareRecords(was, m.Index)
	r.Decides = s.IsRedo || !s.isByAgent() || isDecided(r.Lines, was, m.Index)
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		line, err := s.takeBackFile(m, path)
		if err != nil {
			return r, msg, err
		}
		if line != (Line{}) {
			r.Lines = append(r.Lines, line)
		}
	}
	return r, s.describe(r), nil
}

func idsOf(list []facts.Fact) (ids []string) {
	for _, f := range list {
		ids = append(ids, f.ID)
	}
	return ids
}

// maxSubject is how many characters a subject of ours has at most.
const maxSubject = 72

// describe writes the message of the commit. It names the commit that it turned last, as git does.
func (s *Step) describe(r Result) repo.Message {
	id, verb := s.Commit.Hash.String(), map[bool]string{false: "undo: ", true: "redo: "}[s.IsRedo]
	msg := repo.Message{Subject: render.Shorten(verb+s.Commit.Subject(), maxSubject-1), Trailers: []repo.Trailer{{Key: "Mem-Undoes", Value: id}}, Always: true}
	for _, l := range r.Lines {
		msg.Body = append(msg.Body, l.Mark+" "+l.Text)
	}
	if s.IsRedo && s.of.turned != nil {
		id = s.of.turned.Hash.String()
	}
	msg.Body = append(msg.Body, "This reverts commit "+id+".")
	return msg
}

// isByAgent reports whether a commit is what an agent may do by itself: it learned something, and wrote no rule.
func (s *Step) isByAgent() bool {
	learned := len(s.Commit.Trailers()["Mem-Reflection"]) > 0 || strings.HasPrefix(s.Commit.Subject(), "learn(")
	for path := range s.files {
		folder, _, _ := strings.Cut(path, "/")
		learned = learned && slices.Contains([]string{"learnings", "patterns"}, folder)
	}
	return learned
}

// isDecided reports whether it was decided between two states of an index how one of
// these lessons is shown, which the first has or which came pinned.
func isDecided(lines []Line, before, after *index.Index) bool {
	return slices.ContainsFunc(lines, func(l Line) bool {
		was, is := before.ByID(l.ID), after.ByID(l.ID)
		if was >= 0 && (before.Items[was].Pinned || len(before.Items[was].Set) > 0) {
			return true
		}
		return was >= 0 && is >= 0 && before.Items[was].Status != after.Items[is].Status
	})
}

func compareRecords(now, then *index.Index) (lines []Line) {
	findThen, findNow := then.Finder(), now.Finder()
	for i := range now.Items {
		it, after := &now.Items[i], &now.Items[i]
		mark := "-"
		if at := findThen(it.ID); at >= 0 {
			after = &then.Items[at]
			isSet := func(f index.Field) bool { return f.Read(it) != f.Read(after) }
			if mark = "="; !slices.ContainsFunc(index.Fields, isSet) {
				mark = fmt.Sprintf("×%d", after.Hits)
			}
		}
		if mark == "-" || mark == "=" || it.Hits != after.Hits {
			lines = append(lines, Line{mark, it.ID, after.Text, after.Status})
		}
	}
	for it := range then.All() {
		if findNow(it.ID) < 0 {
			lines = append(lines, Line{"+", it.ID, it.Text, it.Status})
		}
	}
	return lines
}

// takeBackFile takes back what the commit did to a file, or does it again. The line is empty if that changes nothing.
func (s *Step) takeBackFile(m *repo.Memory, path string) (Line, error) {
	from, to := s.files[path][1], s.files[path][0]
	if s.IsRedo {
		from, to = to, from
	}
	before, err := s.log.root.ReadBlob(from)
	after, err2 := s.log.root.ReadBlob(to)
	if err = errors.Join(err, err2); err != nil {
		return Line{}, err
	}
	data, err := m.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Line{}, err
	}
	was, next, now := string(before), string(after), string(data)
	if path == curate.ChangelogPath { // git cannot merge a file that is gone with one that a clone wrote to
		head, _, _ := strings.Cut(cmp.Or(was, next), "\n## ")
		was, next, now = cmp.Or(was, head), cmp.Or(next, head), cmp.Or(now, head)
	}
	if next, err = s.mergeText(path, was, next, now); err != nil {
		return Line{}, err
	}
	switch {
	case next == now:
		return Line{}, nil
	case next == "":
		return Line{Mark: "-", Text: path}, m.RemoveFile(path)
	}
	if err = m.KeepFile(path, []byte(next)); errors.Is(err, repo.ErrSecret) {
		err = m.WriteFile(path, []byte(next)) // without it
	}
	return Line{Mark: map[bool]string{false: "=", true: "+"}[now == ""], Text: path}, err
}

// mergeText returns what a file becomes that was changed since, too.
func (s *Step) mergeText(path, was, next, now string) (string, error) {
	if now == was {
		return next, nil
	}
	merged, ok := facts.MergeLines(was, now, next)
	isSaid := s.IsRedo && strings.Contains(now, strings.TrimSpace(strings.TrimPrefix(next, was)))
	switch {
	case path == curate.ChangelogPath && (!ok || isSaid):
		return now, nil // what it says did happen
	case !ok:
		return "", fmt.Errorf("%s: %w", path, ErrConflict)
	}
	return merged, nil
}

// A Listed commit is one that can be taken back.
type Listed struct {
	Commit  repo.Blob `json:"commit"`
	When    time.Time `json:"when"`
	Subject string    `json:"subject"`
	Undone  string    `json:"undone"` // the commit that took it back; "" for none
}

// ListSteps lists the newest commits that can be taken back, and those that were; all
// with a limit of 0. describe gives them their subjects.
func (l *Log) ListSteps(limit int, describe func(repo.Revision) string) ([]Listed, error) {
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
	var err error
	if l.facts, err = l.root.ReadLog(since); err != nil {
		return nil, err
	}
	list := []Listed{}
	for _, s := range steps {
		c := s.Commit
		one := Listed{Commit: c.Hash, When: c.When, Subject: describe(c)}
		if s.isUndone() && s.of.turned != nil {
			one.Undone = s.of.turned.Hash.String()
		}
		list = append(list, one)
	}
	return list, nil
}
