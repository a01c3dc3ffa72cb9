// Package undo takes back what one commit of a memory did, of any age, and keeps what
// came after it.
//
// The index is taken back by merge.TakeBack. A journal loses, or gets back, the entry
// of the reflection. Any other file becomes what it was before the commit, or, if it
// was changed since, loses the lines that the commit brought. Views follow from the
// rest. core/traces.json is left as it is: what was read stays read, so that a
// session which goes on does not bring back what its person took back.
package undo

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"mem/curate/pattern"
	"mem/curate/rule"
	"mem/index"
	"mem/index/codec"
	"mem/index/merge"
	"mem/render"
	"mem/repo"
	"mem/repo/history"
	"mem/repo/union"
	"mem/topic"
)

// A Result is what was taken back.
type Result struct {
	Lines []Line
	// Decides says that a person decided what was taken back, or something about
	// it since.
	Decides bool
	Stands  string // the commit of another clone that decided the same; "" for none
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
	was := m.Index
	r.Decides = s.log.depth(s.Commit.Hash.String()) > 0 || !isByAgent(s.Commit, s.changed)
	if err = s.takeBackIndex(m, &r); err != nil {
		return r, msg, err
	}
	isBelow := func(list string) bool {
		of := topic.RuleFolder(list)
		return of != "" && slices.ContainsFunc(s.changed, func(at string) bool { return strings.HasPrefix(at, of+"/") })
	}
	for _, path := range s.changed {
		if path == repo.IndexPath || isBelow(path) { // the list follows the files of its rules
			continue
		}
		line, err := s.takeBackFile(m, path)
		if err != nil {
			return r, msg, err
		}
		if line != (Line{}) {
			r.Lines = append(r.Lines, line)
		}
	}
	if _, err = rule.SettleLists(m); err != nil {
		return r, msg, err
	}
	if s.stands != nil && !s.IsRedo {
		r.Stands = s.stands.Hash.String()
	} else if len(r.Lines) == 0 && !s.hasTwins {
		return s.skip(m, was)
	}
	return r, s.describe(r), nil
}

// takeBackIndex takes back what the commit did to the index.
func (s *Step) takeBackIndex(m *repo.Memory, r *Result) error {
	if s.was[repo.IndexPath] == s.made[repo.IndexPath] && s.log.reverts[s.Commit.Hash.String()] == "" {
		return nil
	}
	was, made, err := s.loadIndexes(m.Now())
	if err != nil {
		return err
	}
	now := m.Index
	from, err := s.followTurns(was, made, now, m.Now())
	if err != nil {
		return err
	}
	to, err := s.keepTwinFields(was, made, m.Now())
	if err != nil {
		return err
	}
	m.Index = merge.TakeBack(to, now, from)
	takeBackYes(was, from, m)
	r.Lines = compareRecords(now, m.Index)
	r.Decides = r.Decides || isDecided(r.Lines, was, made) || isDecided(r.Lines, made, now)
	return nil
}

// takeBackYes takes back that a person let in a lesson which git brought, as active as
// it was: the stamp alone says so, and is made anew.
func takeBackYes(was, made *index.Index, m *repo.Memory) {
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		at := it.StampOf("status")
		if at.IsZero() {
			continue
		}
		x, z := was.ByID(it.ID), made.ByID(it.ID)
		if x >= 0 && z >= 0 && was.Items[x].Status == made.Items[z].Status &&
			at.Equal(made.Items[z].StampOf("status")) && !at.Equal(was.Items[x].StampOf("status")) {
			it.SetStamp("status", it.NextStamp(m.Now()))
		}
	}
	m.Foreign().FollowUndo(was, m.Index)
}

// skip takes the next step that there is where nothing is left of this one.
func (s *Step) skip(m *repo.Memory, was *index.Index) (r Result, msg repo.Message, err error) {
	m.Index = was
	if s.next == nil {
		return r, msg, refusal(fmt.Sprintf("nothing is left of what %.12s did", s.Commit.Hash.String()))
	}
	next, err := s.next()
	if err != nil {
		return r, msg, err
	}
	*s = *next
	return s.Apply(m)
}

// maxSubject is how many characters a subject of ours has at most.
const maxSubject = 72

// describe writes the message of the commit.
func (s *Step) describe(r Result) repo.Message {
	id, verb := s.Commit.Hash.String(), map[bool]string{false: "undo: ", true: "redo: "}[s.IsRedo]
	subject := strings.TrimPrefix(strings.TrimPrefix(s.Commit.Subject(), "undo: "), "redo: ")
	msg := repo.Message{Subject: render.Shorten(verb+subject, maxSubject-1), Trailers: []repo.Trailer{{Key: "Mem-Undoes", Value: id}}, Always: true}
	for _, l := range r.Lines {
		msg.Body = append(msg.Body, l.Mark+" "+l.Text)
	}
	msg.Body = append(msg.Body, "This reverts commit "+id+".")
	return msg
}

// loadIndexes returns the index before the commit and after it: of git's own revert, or a
// copy that git made of an undo, as mem did it again when it looked: its text may not say what it did.
func (s *Step) loadIndexes(now time.Time) (was, made *index.Index, err error) {
	if made, err = s.log.loadIndex(s.made[repo.IndexPath], now); err == nil {
		was, err = s.log.loadIndex(s.was[repo.IndexPath], now)
	}
	of, isRevert := s.log.at[s.log.reverts[s.Commit.Hash.String()]]
	isOwn := len(s.Commit.Trailers()["Mem-Undoes"]) > 0 && s.Commit.Authored.Equal(s.Commit.When)
	if isRevert && err == nil && !isOwn {
		var before, after *index.Index
		if before, after, err = s.log.loadAround(s.log.list[of], now); err == nil {
			made = merge.TakeBack(before, merge.Indexes(was, was, made), after)
		}
	}
	if err != nil {
		err = fmt.Errorf("the index in %.12s, or before it: %w", s.Commit.Hash.String(), err)
	}
	return was, made, err
}

// loadAround returns the index before any commit and after it.
func (l *Log) loadAround(c repo.Revision, now time.Time) (was, made *index.Index, err error) {
	before, after, err := l.compareFiles(c)
	if err == nil {
		s := Step{Commit: c, log: l, was: before, made: after}
		was, made, err = s.loadIndexes(now)
	}
	return was, made, err
}

// loadIndex returns the index that a blob holds; an empty one for none.
func (l *Log) loadIndex(blob history.Blob, now time.Time) (*index.Index, error) {
	if l.loaded[blob] != nil || blob.IsZero() {
		return cmp.Or(l.loaded[blob], &index.Index{}), nil
	}
	data, err := l.ReadBlob(blob)
	if err != nil {
		return nil, err
	}
	ix, _, err := codec.Load(data, now)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	case ix.ReadOnly():
		return nil, index.ErrNewerVersion
	}
	l.loaded = map[history.Blob]*index.Index{blob: ix} // the next commit of a list is made of it
	return ix, nil
}

// isByAgent reports whether a commit is what an agent may do by itself: it learned
// something, and wrote no rule.
func isByAgent(c repo.Revision, changed []string) bool {
	learned := len(c.Trailers()["Mem-Reflection"]) > 0 || strings.HasPrefix(c.Subject(), "learn(")
	return learned && !slices.ContainsFunc(changed, func(path string) bool {
		folder, _, _ := strings.Cut(path, "/")
		return !slices.Contains([]string{"core", "daily", "learnings", "patterns"}, folder)
	})
}

// isDecided reports whether it was decided between two states of an index how one of
// these lessons is shown, which the first has or which came pinned.
func isDecided(lines []Line, before, after *index.Index) bool {
	return slices.ContainsFunc(lines, func(l Line) bool {
		was, is := before.ByID(l.ID), after.ByID(l.ID)
		if was < 0 || is < 0 {
			return is >= 0 && after.Items[is].Pinned
		}
		a, b := &before.Items[was], &after.Items[is]
		return a.Status != b.Status || a.Pinned != b.Pinned
	})
}

// compareRecords returns what becomes of the records of an index.
func compareRecords(now, then *index.Index) (lines []Line) {
	places := placesOf(then)
	for i := range now.Items {
		it, after := &now.Items[i], &now.Items[i]
		mark := "-"
		if at := places[it.ID]; at > 0 {
			after = &then.Items[at-1]
			isSet := func(f index.Field) bool { return f.Read(it) != f.Read(after) }
			if mark = "="; !slices.ContainsFunc(index.Fields, isSet) && it.StampOf("status").Equal(after.StampOf("status")) {
				mark = fmt.Sprintf("×%d", after.Hits)
			}
		}
		if delete(places, it.ID); mark == "-" || mark == "=" || it.Hits != after.Hits {
			lines = append(lines, Line{mark, it.ID, after.Text, after.Status})
		}
	}
	for i := range then.Items {
		if it := &then.Items[i]; places[it.ID] > 0 {
			lines = append(lines, Line{"+", it.ID, it.Text, it.Status})
		}
	}
	return lines
}

// placesOf returns where the records of an index are, counted from 1.
func placesOf(ix *index.Index) map[string]int {
	places := make(map[string]int, len(ix.Items))
	for i := range ix.Items {
		places[ix.Items[i].ID] = i + 1
	}
	return places
}

// takeBackFile takes back what the commit did to a file. The line is empty if that
// changes nothing.
func (s *Step) takeBackFile(m *repo.Memory, path string) (Line, error) {
	was, made, err := s.readTexts(path)
	if err == nil && strings.HasPrefix(path, pattern.Folder+"/") {
		path, err = findProposal(m, path, cmp.Or(keyOf(path, made), keyOf(path, was)))
	}
	if err != nil {
		return Line{}, err
	}
	now, err := m.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Line{}, err
	}
	then, err := takeBackText(path, string(was), string(made), string(now))
	if path == "CHANGELOG.md" && !s.IsRedo { // git cannot merge a file that is gone with one that a clone wrote to
		then = cmp.Or(then, titleOf(string(now)))
	}
	switch {
	case err != nil || then == string(now):
		return Line{}, err
	case then == "":
		return Line{Mark: "-", Text: path}, m.RemoveFile(path)
	}
	if err = m.KeepFile(path, []byte(then)); errors.Is(err, repo.ErrSecret) {
		err = m.WriteFile(path, []byte(then)) // without it
	}
	return Line{Mark: map[bool]string{false: "=", true: "+"}[len(now) == 0], Text: path}, err
}

// takeBackText returns what a file becomes that was one text, then made another, and
// holds a third now. "" is none.
func takeBackText(at, was, made, now string) (string, error) {
	isJournal, isRule := strings.HasPrefix(at, "daily/"), topic.RuleFolder(path.Dir(at)+".md") != ""
	title := cmp.Or(titleOf(made), titleOf(was))
	emptied := ""
	if isJournal && now != "" { // git cannot merge a file that is gone with one that a clone wrote to
		emptied = title
	}
	switch {
	case now == made:
		return cmp.Or(was, emptied), nil
	case now == was, now == "" && !isJournal: // a journal may have lost another entry
		return now, nil
	case isRule && was == "": // what was changed since would be left of it
		return "", fmt.Errorf("%s: %w", at, ErrConflict)
	}
	if !isRule {
		was, made, now = cmp.Or(was, title), cmp.Or(made, title), cmp.Or(now, title) // what the others add needs it
	}
	merged, err := union.MergeFile(at, []byte(made), []byte(now), []byte(was))
	then := string(merged)
	if isRule || topic.RuleFolder(at) != "" || errors.Is(err, union.ErrUnsure) {
		var ok bool
		if then, ok = union.MergeLines(made, now, was); !ok {
			return "", fmt.Errorf("%s: %w", at, ErrConflict)
		}
		err = nil
	}
	if strings.TrimSpace(then) == strings.TrimSpace(title) {
		then = emptied
	}
	return then, err
}

// titleOf returns what a text begins with, before its first section, if that is a
// title.
func titleOf(body string) string {
	title, _, _ := strings.Cut(body, "\n##")
	if !strings.HasPrefix(title, "# ") {
		return ""
	}
	return strings.TrimSuffix(title, "\n") + "\n"
}
