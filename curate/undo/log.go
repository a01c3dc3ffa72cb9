package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mem/facts"
	"mem/fault"
	"mem/index"
	"mem/lazy"
	"mem/repo"
)

// shows is where a person finds what can be taken back.
const shows = "'mem undo --list' shows the commits, and which of them are undone"

// Errors that callers tell apart.
var (
	ErrUnknown = fault.New(fault.Missing, "no commit has this id, or is about it",
		shows+"; of an id the first four digits are enough if they are its own")
	ErrAmbiguous = fault.New(fault.Usage, "more than one begins like that", "give more digits of its id; 'mem undo --list' shows them")
	ErrRefused   = fault.New(fault.Refused, "it cannot be taken back", shows)
	ErrConflict  = fault.New(fault.Refused, "the same lines were changed since",
		"nothing was changed; undo first what changed them, or edit the file by hand")
)

// A refusal says why a commit cannot be taken back.
type refusal string

func (r refusal) Error() string { return string(r) }

// Unwrap returns ErrRefused.
func (refusal) Unwrap() error { return ErrRefused }

// A Log is the history of a memory, and what of it was taken back.
type Log struct {
	list    []repo.Revision
	at      map[string]int    // places in list, by id
	reverts map[string]string // what a commit took back
	turned  map[string]string // the newest commit that turned one, by the id of that
	follows map[string]string // what mem made of a commit by itself, by the commit before
	named   map[string]bool   // what commits are about
	root    *repo.Root
	facts   *facts.Log   // nil until it is asked
	index   *index.Index // as it is
}

// ReadLog reads the history of a root.
func ReadLog(root *repo.Root, now time.Time) (*Log, error) {
	list, err := root.ListCommits()
	if err != nil {
		return nil, err
	}
	m, err := root.View(now)
	if err != nil {
		return nil, err
	}
	l := &Log{root: root, list: list, index: m.Index, at: make(map[string]int, len(list)), reverts: map[string]string{}, turned: map[string]string{}, follows: map[string]string{}, named: map[string]bool{}}
	for i, c := range list {
		l.at[c.Hash.String()] = i
		l.note(c)
	}
	for _, c := range list { // the newest first
		if id := c.Hash.String(); l.reverts[id] != "" && l.turned[l.originOf(id)] == "" {
			l.turned[l.originOf(id)] = id
		}
	}
	return l, nil
}

// note notes what a commit says of others, and what it is about.
func (l *Log) note(c repo.Revision) {
	id := c.Hash.String()
	for _, name := range namesIn(c) {
		l.named[name] = true
	}
	if isFollower(c) {
		l.follows[c.Parents[0].String()] = id
	}
	if said := reverts.Get().FindStringSubmatch(c.Message); said != nil {
		l.reverts[id] = said[1]
	}
}

// reverts is how mem, and git, say which commit another one took back.
var reverts = lazy.New(`(?m)^This reverts commit ([0-9a-f]{40})`)

// depth returns 0 for an ordinary commit, 1 for one that takes such a commit back, 2
// for one that takes that back, and so on.
func (l *Log) depth(id string) (n int) {
	for ; l.reverts[id] != ""; n++ {
		id = l.reverts[id]
	}
	return n
}

// originOf returns the id of the commit that a commit turned, directly or not; else its own.
func (l *Log) originOf(id string) string {
	for l.reverts[id] != "" {
		id = l.reverts[id]
	}
	return id
}

// FindStep returns what a command takes back, or brings back with redo: the commit that arg names, by its id,
// the beginning of that, a lesson, a reflection, a session or a pattern. Without an argument it
// is the newest that can be.
func (l *Log) FindStep(ctx context.Context, arg string, redo bool) (*Step, error) {
	named, isID, err := l.findNamed(ctx, arg)
	if err != nil {
		return nil, err
	}
	if l.facts, err = l.root.ReadLog(0); err != nil {
		return nil, err
	}
	isUndo := isID && l.depth(named[0].Hash.String())%2 == 1
	if redo = redo != isUndo; redo { // to undo an undo is to redo; the newest undo first
		slices.SortStableFunc(named, func(a, b repo.Revision) int { return cmp.Compare(l.undoneAt(a), l.undoneAt(b)) })
	}
	for _, c := range named {
		s, err := l.newStep(l.findOrigin(c), redo)
		if err != nil && (arg != "" || !errors.Is(err, ErrRefused)) {
			return nil, err
		}
		if err == nil && s.isOpen() {
			return s, nil
		}
	}
	return nil, l.sayNone(arg, redo, named)
}

// sayNone says that of the commits that an argument names none can be turned.
func (l *Log) sayNone(arg string, redo bool, named []repo.Revision) error {
	switch {
	case arg == "":
		return refusal("there is nothing to " + map[bool]string{false: "undo", true: "redo"}[redo] + l.sayCut())
	case redo:
		return refusal(arg + " is not undone")
	}
	var by string
	if len(named) > 0 {
		id := named[0].Hash.String()
		by = cmp.Or(l.turned[id], id)
	}
	return refusal(fmt.Sprintf("%s is undone already, by %.12s", arg, by))
}

// undoneAt returns where in the list a commit was turned last; behind all for one that was not.
func (l *Log) undoneAt(c repo.Revision) int {
	if by := l.turned[c.Hash.String()]; by != "" {
		return l.at[by]
	}
	return len(l.list)
}

// findOrigin returns the commit that a commit turned, directly or not; else itself.
func (l *Log) findOrigin(c repo.Revision) repo.Revision {
	if at := l.placeOf(l.originOf(c.Hash.String())); at >= 0 {
		return l.list[at]
	}
	return c
}

// placeOf returns where in the list the commit with an id is; -1 for none.
func (l *Log) placeOf(id string) int {
	if at, known := l.at[id]; known {
		return at
	}
	return -1
}

// sayCut returns what is added where a clone may lack the commit; "" unless it is shallow.
func (l *Log) sayCut() string {
	for _, c := range l.list {
		if slices.ContainsFunc(c.Parents, func(p repo.Blob) bool { return l.placeOf(p.String()) < 0 }) {
			return " in the part of the history that this clone has"
		}
	}
	return ""
}

// A Step is a commit to take back, or to bring back.
type Step struct {
	Commit repo.Revision
	IsRedo bool

	log   *Log
	files map[string][2]repo.Blob // that people or commands write, before it and after it
	facts []facts.Fact            // that it brought
	after []facts.Fact            // what followed when it was turned last
}

// newStep returns the step that takes a commit back, or brings it back, or says why it cannot be.
func (l *Log) newStep(c repo.Revision, redo bool) (*Step, error) {
	if err := l.checkPlace(c); err != nil {
		return nil, err
	}
	last := c
	if isEdit(c) {
		last = l.lastOf(c)
	}
	s := &Step{Commit: c, IsRedo: redo, log: l}
	var err error
	if s.files, s.facts, err = l.compare(l.list[l.at[c.Parents[0].String()]], last); err != nil {
		return nil, err
	}
	if err = s.checkFacts(); err != nil {
		return nil, err
	}
	if at := l.placeOf(l.turned[c.Hash.String()]); at >= 0 {
		_, s.after, err = l.compare(l.list[at], l.lastOf(l.list[at]))
	}
	return s, err
}

// checkPlace says why a commit cannot be turned because of what is before it.
func (l *Log) checkPlace(c repo.Revision) error {
	id := c.Hash.String()
	switch cause := l.causeOf(c); {
	case len(c.Parents) > 1:
		return refusal(fmt.Sprintf("%.12s is a merge: undo the commits that it brought", id))
	case len(c.Parents) == 0:
		return refusal(fmt.Sprintf("%.12s is the first commit, which is not undone", id))
	case l.placeOf(c.Parents[0].String()) < 0:
		return refusal(fmt.Sprintf("this clone does not have what was before %.12s", id))
	case isEdit(cause) && cause.Hash != c.Hash:
		return refusal(fmt.Sprintf("%.12s follows from %.12s: undo that", id, cause.Hash))
	}
	return nil
}

// checkFacts says why a commit cannot be turned because of what it brought.
func (s *Step) checkFacts() error {
	id := s.Commit.Hash.String()
	for _, f := range s.facts {
		switch {
		case f.Kind == facts.Base && f.From == "":
			return refusal(fmt.Sprintf("%.12s made the memory what this version reads, which is not undone", id))
		case len(f.Purged) > 0:
			return refusal(fmt.Sprintf("%.12s is a purge, which is not undone", id))
		case s.IsRedo && !s.log.facts.Has(f.ID):
			return refusal(fmt.Sprintf("git took out what %.12s brought, and 'git revert' brings it back", id))
		}
	}
	return nil
}

// compare returns the files that people or commands write and that differ between two commits, and the facts that the
// second has and the first has not.
func (l *Log) compare(was, is repo.Revision) (files map[string][2]repo.Blob, list []facts.Fact, err error) {
	if files, err = l.root.CompareFiles(was, is); err != nil {
		return nil, nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		blobs := files[path]
		_, isFact := facts.OrderOf(path)
		if isFact || path == repo.IndexPath || repo.IsView(path) {
			delete(files, path)
		}
		if !isFact || !blobs[0].IsZero() {
			continue
		}
		data, err := l.root.ReadBlob(blobs[1])
		if err != nil {
			return nil, nil, err
		}
		f, err := facts.Decode(path, data)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, f)
	}
	return files, list, nil
}

// isEdit reports whether a commit holds what a person changed by hand: what follows from it is in the next ones.
func isEdit(c repo.Revision) bool { return strings.HasPrefix(c.Subject(), "edit: ") }

// follower is how commits begin in which mem wrote down by itself what follows from the one before.
var follower = lazy.New(`^(settle: |restore: \d+ lessons? of a rule that is gone$)`)

func isFollower(c repo.Revision) bool {
	return len(c.Parents) == 1 && follower.Get().MatchString(c.Subject())
}

// causeOf returns the commit from which one follows; itself if it is no such.
func (l *Log) causeOf(c repo.Revision) repo.Revision {
	for isFollower(c) {
		at := l.placeOf(c.Parents[0].String())
		if at < 0 {
			break
		}
		c = l.list[at]
	}
	return c
}

// lastOf returns the last of the commits that follow from one; itself if there is none.
func (l *Log) lastOf(c repo.Revision) repo.Revision {
	for l.follows[c.Hash.String()] != "" {
		c = l.list[l.at[l.follows[c.Hash.String()]]]
	}
	return c
}

// isUndone reports whether the commit counts no longer.
func (s *Step) isUndone() bool {
	for _, f := range s.facts {
		if s.log.facts.Counts(f.ID) {
			return false
		}
	}
	id := s.Commit.Hash.String()
	return len(s.facts) > 0 || s.log.depth(s.log.turned[id])%2 == 1
}

// changesMore reports whether the commit did more than to follow others: what a person
// would call a change.
func (s *Step) changesMore() bool {
	isOwn := strings.HasPrefix(s.Commit.Subject(), "settle: ") || s.Commit.Subject() == "chore(memory): patterns" || s.log.depth(s.Commit.Hash.String()) > 0
	return !isOwn && len(s.files)+len(s.facts) > 0
}

// isOpen reports whether the step would change something.
func (s *Step) isOpen() bool { return s.changesMore() && s.isUndone() == s.IsRedo }
