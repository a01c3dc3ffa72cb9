package undo

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mem/curate/lesson"
	"mem/curate/pattern"
	"mem/curate/rule"
	"mem/index"
	"mem/lazy"
	"mem/render"
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
	last    map[string]string // what decides whether a commit stands that was taken back
	follows map[string]string // what mem made of a commit by itself, by the commit before
	named   map[string]bool   // what commits are about

	loaded map[history.Blob]*index.Index // the last one
}

// ReadLog reads the history of a root.
func ReadLog(root *repo.Root) (*Log, error) {
	list, err := root.ListCommits()
	if err != nil {
		return nil, err
	}
	l := &Log{Reader: root.Reader, list: list, at: make(map[string]int, len(list)), reverts: map[string]string{}, last: map[string]string{}, follows: map[string]string{}, named: map[string]bool{}}
	var turns []string
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
			l.reverts[id], turns = said[1], append(turns, id)
		}
	}
	l.countTurns(turns)
	return l, nil
}

// countTurns finds what decides about each commit that was taken back, as the number of
// its sightings does: each turn counts on from those that its clone knew, and of two
// clones the larger number stands.
func (l *Log) countTurns(turns []string) {
	numbers, known := map[string]int{}, map[string][]string{}
	for _, id := range slices.Backward(turns) { // the oldest first
		origin, n := l.originOf(id), 1
		for _, earlier := range known[origin] {
			if numbers[earlier] > n && l.isBefore(l.list[l.at[earlier]], l.list[l.at[id]]) {
				n = numbers[earlier]
			}
		}
		if n%2 == l.depth(id)%2 {
			n++
		}
		numbers[id], known[origin] = n, append(known[origin], id)
		if n >= numbers[l.last[origin]] {
			l.last[origin] = id
		}
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

// A Step is a commit to take back.
type Step struct {
	Commit repo.Revision
	IsRedo bool // it took another back

	log       *Log
	was, made map[string]history.Blob // the files before it and after it
	changed   []string                // paths in which they differ, in order, without views
	hasTwins  bool                    // it turned a commit that has some, perhaps without a change
	stands    *repo.Revision          // another clone's that did the same; nil for none
	fallen    []repo.Revision         // such, taken back

	next func() (*Step, error) // what to take back instead if nothing is left of this; nil for nothing
}

// FindOrigin returns the commit that is undone or redone: not the one that undid it
// before.
func (s *Step) FindOrigin() repo.Revision { return s.log.findOrigin(s.Commit) }

// findOrigin returns the commit that a commit turned, directly or not; else itself.
func (l *Log) findOrigin(c repo.Revision) repo.Revision {
	if at, known := l.at[l.originOf(c.Hash.String())]; known {
		return l.list[at]
	}
	return c
}

// originOf is findOrigin for the id of a commit.
func (l *Log) originOf(id string) string {
	for l.reverts[id] != "" {
		id = l.reverts[id]
	}
	return id
}

// FindStep returns what a command takes back: the commit that arg names, by its id,
// the beginning of that, a lesson, a reflection, a session or a pattern. Without an argument it
// is the newest that was not taken back; with redo the newest that took another back.
func (l *Log) FindStep(arg string, redo bool) (*Step, error) {
	said := arg
	arg, err := l.resolve(arg)
	if err != nil {
		return nil, err
	}
	isID := arg != "" && !l.isName(arg)
	var named, fit []repo.Revision
	for _, c := range l.list {
		if !l.isAbout(c, arg) {
			continue
		}
		named = append(named, c)
		if isID || redo || l.depth(c.Hash.String()) == 0 {
			fit = append(fit, l.effective(c, redo)...)
		}
	}
	switch {
	case len(named) == 0:
		return nil, fmt.Errorf("%q: %w%s", said, ErrUnknown, l.sayCut())
	case isID && len(named) > 1:
		return nil, fmt.Errorf("%q: %w", said, ErrAmbiguous)
	case arg == "":
		return l.newestStep(fit, redo)
	case len(fit) > 0:
		return l.newStep(fit[0])
	}
	if by := l.undoneBy(named[0].Hash.String()); by != "" {
		return nil, refusal(fmt.Sprintf("%s is undone already, by %.12s", said, by))
	}
	return nil, refusal(said + " is not undone")
}

// newestStep returns the step that takes the first of these commits back that can be,
// and did something. One of which nothing is left is skipped.
func (l *Log) newestStep(list []repo.Revision, redo bool) (*Step, error) {
	for i, c := range list {
		s, err := l.newStep(c)
		if err == nil && s.changesMore() || err != nil && !errors.Is(err, ErrRefused) {
			if err == nil {
				s.next = func() (*Step, error) { return l.newestStep(list[i+1:], redo) }
			}
			return s, err
		}
	}
	return nil, refusal("there is nothing to " + map[bool]string{false: "undo", true: "redo"}[redo] + l.sayCut())
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

// effective returns the commit to take back for a commit that was named: the last that
// turned what it did; none if that stands already as it should.
func (l *Log) effective(c repo.Revision, redo bool) []repo.Revision {
	id := c.Hash.String()
	if isOff := l.undoneBy(id) != ""; isOff != (redo && l.depth(id)%2 == 0) {
		return nil
	}
	return []repo.Revision{l.list[l.at[l.lastTurn(id)]]}
}

// lastTurn returns the commit that decides whether stands what a commit did: itself, if
// none took it back.
func (l *Log) lastTurn(id string) string {
	origin := l.originOf(id)
	return cmp.Or(l.last[origin], origin)
}

// undoneBy returns the commit that took one back last; "" if it stands.
func (l *Log) undoneBy(id string) string {
	if last := l.lastTurn(id); l.depth(last)%2 != l.depth(id)%2 {
		return last
	}
	return ""
}

// compareFiles returns the files before a commit and after it.
func (l *Log) compareFiles(c repo.Revision) (was, made map[string]history.Blob, err error) {
	if made, err = l.ListFilesOf(c); err == nil && len(c.Parents) > 0 {
		was, err = l.ListFilesOf(l.list[l.at[c.Parents[0].String()]])
	}
	return was, made, err
}

// newStep returns the step that takes a commit back, or says why it cannot be.
func (l *Log) newStep(c repo.Revision) (*Step, error) {
	id := c.Hash.String()
	switch {
	case len(c.Parents) > 1:
		return nil, refusal(fmt.Sprintf("%.12s is a merge: undo the commits that it brought", id))
	case len(c.Parents) == 0:
		return nil, refusal(fmt.Sprintf("%.12s is the first commit, which is not undone", id))
	}
	parent, known := l.at[c.Parents[0].String()]
	switch {
	case !known:
		return nil, refusal(fmt.Sprintf("this clone does not have what was before %.12s", id))
	case c.Subject() == rule.Split:
		return nil, refusal(fmt.Sprintf("%.12s changed the form of the memory, and no rule", id))
	case isFollower(c):
		return nil, refusal(fmt.Sprintf("%.12s follows from %.12s: undo that", id, c.Parents[0]))
	}
	s := &Step{Commit: c, IsRedo: l.depth(id)%2 == 1, log: l}
	last := c
	for by := l.follows[id]; by != ""; by = l.follows[by] {
		last = l.list[l.at[by]]
	}
	var err error
	if s.was, err = l.ListFilesOf(l.list[parent]); err == nil {
		s.made, err = l.ListFilesOf(last)
	}
	if err == nil && l.depth(id) == 0 {
		s.noteTwins()
	}
	if err != nil {
		return nil, err
	}
	all := maps.Clone(s.was)
	maps.Copy(all, s.made)
	s.changed = slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(path string) bool { return s.was[path] == s.made[path] || slices.Contains(views, path) })
	if origin := s.FindOrigin(); l.depth(id) > 0 && len(l.findTwins(origin)) > 0 {
		err = s.standFor(origin)
	}
	return s, err
}

// views are the files that follow from others, and what was read of sessions, which
// stays read.
var views = []string{render.CorePath, render.LongTermPath, pattern.IndexPath, repo.TracesPath}

// bookkeeping matches the subjects of commits that mem makes without being asked, and
// follower those of them that it would make again as long as the one before stands.
var (
	follower    = lazy.New(`^(chore\(memory\): render views|restore: \d+ lessons? of a rule that is gone)$`)
	bookkeeping = lazy.New(`^chore\(memory\): (patterns|a file for each rule)$`)
)

func isFollower(c repo.Revision) bool {
	return len(c.Parents) == 1 && follower.Get().MatchString(c.Subject())
}

// changesMore reports whether the commit did more than to follow others: what a person
// would call a change.
func (s *Step) changesMore() bool {
	return s.Commit.Trailers()["Mem-Settles"] == nil && !bookkeeping.Get().MatchString(s.Commit.Subject()) && (len(s.changed) > 0 || s.stands != nil)
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
	if decisionOf(c) != "" {
		list = append(list, trailers["Mem-Pattern"]...)
	}
	return list
}

// isName reports whether an argument is the id of something that commits name, or looks
// like one.
func (l *Log) isName(arg string) bool { return isMarked(arg) || arg != "" && l.named[arg] }

// isMarked reports whether an argument looks like the id of a lesson or a reflection.
func isMarked(arg string) bool { return strings.HasPrefix(arg, "m-") || strings.HasPrefix(arg, "r-") }
