package undo

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mem/curate/lesson"
	"mem/facts"
	"mem/index"
	"mem/lazy"
	"mem/repo"
	"mem/repo/history"
)

// Errors that callers tell apart.
var (
	ErrUnknown   = errors.New("no commit has this id, or is about it")
	ErrAmbiguous = errors.New("more than one begins like that")
	ErrRefused   = errors.New("it cannot be taken back")
	ErrConflict  = errors.New("the same lines were changed since")
)

// A refusal says why a commit cannot be taken back.
type refusal string

func (r refusal) Error() string { return string(r) }

// Is reports whether a target is ErrRefused.
func (refusal) Is(target error) bool { return target == ErrRefused }

// A Log is the history of a memory, and what of it was taken back.
type Log struct {
	*history.Reader
	list    []repo.Revision
	at      map[string]int    // places in list, by id
	reverts map[string]string // what a commit took back
	turned  map[string]string // the newest commit that turned one, by the id of that
	follows map[string]string // what mem made of a commit by itself, by the commit before
	named   map[string]bool   // what commits are about
	facts   *facts.Log
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
	l := &Log{Reader: root.Reader, list: list, index: m.Index, at: make(map[string]int, len(list)), reverts: map[string]string{}, turned: map[string]string{}, follows: map[string]string{}, named: map[string]bool{}}
	if l.facts, err = root.ReadLog(); err != nil {
		return nil, err
	}
	for i, c := range list {
		id := c.Hash.String()
		l.at[id] = i
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
	for _, c := range list { // the newest first
		if id := c.Hash.String(); l.reverts[id] != "" && l.turned[l.originOf(id)] == "" {
			l.turned[l.originOf(id)] = id
		}
	}
	return l, nil
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
func (l *Log) FindStep(arg string, redo bool) (*Step, error) {
	said := arg
	arg, err := l.resolve(arg)
	if err != nil {
		return nil, err
	}
	isID := arg != "" && !l.isName(arg)
	named := slices.DeleteFunc(slices.Clone(l.list), func(c repo.Revision) bool { return !l.isAbout(c, arg) })
	switch {
	case len(named) == 0:
		return nil, fmt.Errorf("%q: %w%s", said, ErrUnknown, l.sayCut())
	case isID && len(named) > 1:
		return nil, fmt.Errorf("%q: %w", said, ErrAmbiguous)
	case isID && l.depth(named[0].Hash.String())%2 == 1: // to undo an undo is to redo
		redo = !redo
	}
	if redo && !isID { // the newest undo first
		slices.SortStableFunc(named, func(a, b repo.Revision) int { return cmp.Compare(l.undoneAt(a), l.undoneAt(b)) })
	}
	var by string
	for _, c := range named {
		if !isID && l.depth(c.Hash.String()) > 0 {
			continue
		}
		s, err := l.newStep(l.findOrigin(c), redo)
		if err != nil && (arg != "" || !errors.Is(err, ErrRefused)) {
			return nil, err
		}
		if err == nil && s.changesMore() && s.isUndone() == redo {
			return s, nil
		}
		by = cmp.Or(by, l.turned[c.Hash.String()], c.Hash.String())
	}
	switch {
	case arg == "":
		return nil, refusal("there is nothing to " + map[bool]string{false: "undo", true: "redo"}[redo] + l.sayCut())
	case redo:
		return nil, refusal(said + " is not undone")
	}
	return nil, refusal(fmt.Sprintf("%s is undone already, by %.12s", said, by))
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
	if at, known := l.at[l.originOf(c.Hash.String())]; known {
		return l.list[at]
	}
	return c
}

// sayCut returns what is added where a clone may lack the commit; "" unless it is shallow.
func (l *Log) sayCut() string {
	for _, c := range l.list {
		if slices.ContainsFunc(c.Parents, func(p history.Blob) bool { _, known := l.at[p.String()]; return !known }) {
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
	files map[string][2]history.Blob // that people or commands write, before it and after it
	facts []facts.Fact               // that it brought
	after []facts.Fact               // what followed when it was turned last
}

// newStep returns the step that takes a commit back, or brings it back, or says why it cannot be.
func (l *Log) newStep(c repo.Revision, redo bool) (*Step, error) {
	id := c.Hash.String()
	switch {
	case len(c.Parents) > 1:
		return nil, refusal(fmt.Sprintf("%.12s is a merge: undo the commits that it brought", id))
	case len(c.Parents) == 0:
		return nil, refusal(fmt.Sprintf("%.12s is the first commit, which is not undone", id))
	}
	parent, known := l.at[c.Parents[0].String()]
	if !known {
		return nil, refusal(fmt.Sprintf("this clone does not have what was before %.12s", id))
	}
	if cause := l.causeOf(c); isEdit(cause) && cause.Hash != c.Hash {
		return nil, refusal(fmt.Sprintf("%.12s follows from %.12s: undo that", id, cause.Hash))
	}
	last := c
	if isEdit(c) {
		last = l.lastOf(c)
	}
	s := &Step{Commit: c, IsRedo: redo, log: l}
	var err error
	if s.files, s.facts, err = l.compare(l.list[parent], last); err != nil {
		return nil, err
	}
	for _, f := range s.facts {
		switch {
		case f.Kind == facts.Base && f.From == "":
			return nil, refusal(fmt.Sprintf("%.12s made the memory what this version reads, which is not undone", id))
		case len(f.Purged) > 0:
			return nil, refusal(fmt.Sprintf("%.12s is a purge, which is not undone", id))
		case redo && !l.facts.Has(f.ID):
			return nil, refusal(fmt.Sprintf("git took out what %.12s brought, and 'git revert' brings it back", id))
		}
	}
	if at, known := l.at[l.turned[id]]; known {
		_, s.after, err = l.compare(l.list[at], l.lastOf(l.list[at]))
	}
	return s, err
}

// compare returns the files that people or commands write and that differ between two commits, and the facts that the
// second has and the first has not.
func (l *Log) compare(was, is repo.Revision) (files map[string][2]history.Blob, list []facts.Fact, err error) {
	if files, err = l.CompareFiles(was, is); err != nil {
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
		data, err := l.ReadBlob(blobs[1])
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
		at, known := l.at[c.Parents[0].String()]
		if !known {
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

// resolve returns the id of the commit, or the whole id of the lesson or reflection, that
// is named; what it does not know as it is.
func (l *Log) resolve(arg string) (string, error) {
	if !isMarked(arg) { // what git calls a commit counts more than what a session was called
		id, err := l.findRevision(arg)
		return cmp.Or(id, arg), err
	}
	id, several := lesson.MatchID(slices.Collect(maps.Keys(l.named)), arg)
	if several {
		return "", fmt.Errorf("%q: %w", arg, ErrAmbiguous)
	}
	return cmp.Or(id, arg), nil
}

// revision is what git calls a commit, or one before it.
var (
	revision = lazy.New(`^(.+?)((?:[~^]\d{0,9})*)$`)
	steps    = lazy.New(`[~^]\d*`)
)

// findRevision returns the id of the commit that git calls so: HEAD, @, a branch, a tag or
// a branch of a remote, and what is before one, such as HEAD~2 and main^; "" if it is not
// that.
func (l *Log) findRevision(arg string) (string, error) {
	said := revision.Get().FindStringSubmatch(arg)
	if said == nil {
		return "", nil
	}
	base := said[1]
	if base == "@" {
		base = "HEAD"
	}
	h, err := l.FindRef(base)
	if base == "HEAD" && len(l.list) > 0 { // which may be another commit, of what waits
		h = l.list[0].Hash
	}
	if h.IsZero() && said[2] != "" {
		if at := slices.IndexFunc(l.list, func(c repo.Revision) bool { return l.isAbout(c, base) }); at >= 0 {
			h = l.list[at].Hash
		}
	}
	at, known := l.at[h.String()]
	if !known && !h.IsZero() {
		at, known = l.at[l.PeelTag(h).String()]
	}
	for _, step := range steps.Get().FindAllString(said[2], -1) {
		n, parent := 1, 1
		if len(step) > 1 {
			n, _ = strconv.Atoi(step[1:])
		}
		if step[0] == '^' {
			n, parent = min(n, 1), n
		}
		for ; known && n > 0; n-- {
			if known = parent <= len(l.list[at].Parents); known {
				at, known = l.at[l.list[at].Parents[parent-1].String()]
			}
		}
	}
	if err != nil || !known {
		return "", err
	}
	return l.list[at].Hash.String(), nil
}

// isAbout reports whether a commit has an id that begins like this, or names this
// lesson, reflection, session or pattern; every one is about "".
func (l *Log) isAbout(c repo.Revision, name string) bool {
	const fewest = 4 // digits of an id
	if l.isName(name) {
		return slices.Contains(namesIn(c), name)
	}
	return name == "" || len(name) >= fewest && strings.HasPrefix(c.Hash.String(), strings.ToLower(name))
}

// namesIn returns the ids of the lessons, reflections and sessions that a commit is about,
// and of the pattern that it decided about.
func namesIn(c repo.Revision) []string {
	trailers := c.Trailers()
	list := slices.Concat(trailers["Mem-Item"], trailers["Mem-Reflection"], trailers["Mem-Session"])
	return append(list, trailers["Mem-Pattern"]...)
}

// isName reports whether an argument is the id of something that commits name, or looks
// like one.
func (l *Log) isName(arg string) bool { return isMarked(arg) || arg != "" && l.named[arg] }

// isMarked reports whether an argument looks like the id of a lesson or a reflection.
func isMarked(arg string) bool { return strings.HasPrefix(arg, "m-") || strings.HasPrefix(arg, "r-") }
