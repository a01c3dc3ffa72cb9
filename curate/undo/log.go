package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"mem/curate"
	"mem/facts"
	"mem/fault"
	"mem/lazy"
	"mem/repo"
	"mem/repo/gitstore"
)

// shows is where a person finds what can be taken back.
const shows = "'mem undo --list' shows the commits, and which of them are undone"

// Errors that callers tell apart.
var (
	ErrUnknown = fault.New(fault.Missing, "no commit has this id, or is about it",
		shows+"; the first four digits of an id are enough where no other begins with them")
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
	list  []*commit // the newest first
	byID  map[string]*commit
	named map[string]bool // what commits are about
	root  *repo.Root
	facts *facts.Log // nil until it is asked
}

// A commit is one of the history, and what others have to do with it.
type commit struct {
	repo.Revision
	at      int     // its place in the list; behind all for one that the clone does not have
	parent  *commit // nil unless there is one alone, which the clone has
	reverts *commit // that it took back
	turned  *commit // the newest that turned it, directly or not
	next    *commit // what mem made of it by itself
}

// ReadLog reads the history of a root.
func ReadLog(root *repo.Root) (*Log, error) {
	list, err := root.ListCommits()
	if err != nil {
		return nil, err
	}
	l := &Log{root: root, byID: make(map[string]*commit, len(list)), named: map[string]bool{}}
	for i, c := range list {
		l.list = append(l.list, &commit{Revision: c, at: i})
		l.byID[c.Hash.String()] = l.list[i]
	}
	for _, c := range l.list {
		l.link(c)
	}
	for _, c := range l.list {
		if o := c.origin(); o != c && o.turned == nil {
			o.turned = c
		}
	}
	return l, nil
}

func (l *Log) link(c *commit) {
	for _, name := range namesIn(c) {
		l.named[name] = true
	}
	if len(c.Parents) == 1 {
		c.parent = l.byID[c.Parents[0].String()]
	}
	if c.parent != nil && follower.Get().MatchString(c.Subject()) {
		c.parent.next = c
	}
	if said := reverts.Get().FindStringSubmatch(c.Message); said != nil {
		if c.reverts = l.byID[said[1]]; c.reverts == nil {
			c.reverts = &commit{at: len(l.list)}
		}
	}
}

var (
	// reverts is how mem, and git, say which commit another one took back.
	reverts = lazy.New(`(?m)^This reverts commit ([0-9a-f]{40})`)
	// follower is how commits begin in which mem wrote down by itself what follows from the one before.
	follower = lazy.New(`^(settle: |restore: \d+ lessons? of a rule that is gone$)`)
)

// depth returns 0 for an ordinary commit, 1 for its revert, 2 for the revert of that, and so on. It
// returns 0 for nil.
func (c *commit) depth() (n int) {
	for ; c != nil && c.reverts != nil; n++ {
		c = c.reverts
	}
	return n
}

// origin returns the commit that a commit turned, directly or not; itself if it turned none that the clone has.
func (c *commit) origin() *commit {
	o := c
	for o.reverts != nil {
		o = o.reverts
	}
	if o.Hash.IsZero() {
		return c
	}
	return o
}

// isEdit reports whether a commit holds what a person changed by hand: what follows from it is in the next ones.
func (c *commit) isEdit() bool { return strings.HasPrefix(c.Subject(), "edit: ") }

// cause returns the commit from which one follows; itself if it is no such.
func (c *commit) cause() *commit {
	for c.parent != nil && follower.Get().MatchString(c.Subject()) {
		c = c.parent
	}
	return c
}

// last returns the last of the commits that follow from one; itself if there is none.
func (c *commit) last() *commit {
	for c.next != nil {
		c = c.next
	}
	return c
}

// FindStep returns what a command takes back, or brings back with redo: the commit that arg names, by its id, the
// beginning of that, a lesson, a reflection, a session or a pattern. Without an argument it is the newest that can be, of
// this person if there is one: not what a clone of another's brought meanwhile.
func (l *Log) FindStep(ctx context.Context, arg string, redo bool) (*Step, error) {
	named, isID, err := l.findNamed(ctx, arg)
	if err != nil {
		return nil, err
	}
	if l.facts, err = l.root.ReadLog(0); err != nil {
		return nil, err
	}
	isUndo := isID && named[0].depth()%2 == 1
	if redo = redo != isUndo; redo { // to undo an undo is to redo; the newest undo first
		slices.SortStableFunc(named, func(a, b *commit) int { return cmp.Compare(l.undoneAt(a), l.undoneAt(b)) })
	}
	if own := l.root.Email(); arg == "" {
		isOthers := map[bool]int{true: 1}
		slices.SortStableFunc(named, func(a, b *commit) int { return isOthers[a.Author.Email != own] - isOthers[b.Author.Email != own] })
	}
	for _, c := range named {
		s, err := l.newStep(c.origin(), redo)
		if err != nil && (arg != "" || !errors.Is(err, ErrRefused)) {
			return nil, err
		}
		if err == nil && s.changesMore() && s.isUndone() == s.IsRedo {
			return s, nil
		}
	}
	return nil, l.sayNone(arg, redo, named)
}

// findNamed returns the commits that an argument of FindStep names: one, if that is an id, else those of them that
// turned no other.
func (l *Log) findNamed(ctx context.Context, said string) (named []*commit, isID bool, err error) {
	arg, err := l.resolve(ctx, said)
	if err != nil {
		return nil, false, err
	}
	isID = arg != "" && !l.isName(arg)
	named = slices.DeleteFunc(slices.Clone(l.list), func(c *commit) bool { return !l.isAbout(c, arg) })
	switch {
	case len(named) == 0:
		return nil, isID, fmt.Errorf("%q: %w%s", said, ErrUnknown, l.sayCut())
	case isID && len(named) > 1:
		return nil, isID, fmt.Errorf("%q: %w", said, ErrAmbiguous)
	case !isID:
		named = slices.DeleteFunc(named, func(c *commit) bool { return c.depth() > 0 })
	}
	return named, isID, nil
}

// resolve returns the full id of the commit, lesson or reflection that arg names; it returns an
// unknown arg unchanged.
func (l *Log) resolve(ctx context.Context, arg string) (string, error) {
	if !isMarked(arg) { // what git calls a commit counts more than what a session was called
		cmd := gitstore.Command(ctx, l.root.Path(), os.Environ(), "rev-parse", "-q", "--verify", arg+"^{commit}")
		if id, _ := gitstore.Run(cmd, "", "rev-parse"); arg != "" && !strings.HasPrefix(id, strings.ToLower(arg)) {
			return cmp.Or(strings.TrimSpace(id), arg), nil
		}
		return arg, nil
	}
	id, several := curate.MatchID(slices.Collect(maps.Keys(l.named)), arg)
	if several {
		return "", fmt.Errorf("%q: %w", arg, ErrAmbiguous)
	}
	return cmp.Or(id, arg), nil
}

// isAbout reports whether a commit has an id that begins like this, or names this
// lesson, reflection, session or pattern; every one is about "".
func (l *Log) isAbout(c *commit, name string) bool {
	const fewest = 4 // digits of an id
	if l.isName(name) {
		return slices.Contains(namesIn(c), name)
	}
	return name == "" || len(name) >= fewest && strings.HasPrefix(c.Hash.String(), strings.ToLower(name))
}

// namesIn returns the ids of the lessons, reflections and sessions that a commit is about,
// and of the pattern that it decided about.
func namesIn(c *commit) []string {
	trailers := c.Trailers()
	list := slices.Concat(trailers["Mem-Item"], trailers["Mem-Reflection"], trailers["Mem-Session"])
	return append(list, trailers["Mem-Pattern"]...)
}

// isName reports whether an argument is the id of something that commits name, or looks like one.
func (l *Log) isName(arg string) bool { return isMarked(arg) || arg != "" && l.named[arg] }

func isMarked(arg string) bool { return strings.HasPrefix(arg, "m-") || strings.HasPrefix(arg, "r-") }

// sayNone says that of the commits that an argument names none can be turned.
func (l *Log) sayNone(arg string, redo bool, named []*commit) error {
	switch {
	case arg == "":
		return refusal("there is nothing to " + map[bool]string{false: "undo", true: "redo"}[redo] + l.sayCut())
	case redo:
		return refusal(arg + " is not undone")
	}
	by := ""
	if len(named) > 0 {
		by = cmp.Or(named[0].turned, named[0]).Hash.String()
	}
	return refusal(fmt.Sprintf("%s is undone already, by %.12s", arg, by))
}

// undoneAt returns where in the list a commit was turned last; behind all for one that was not.
func (l *Log) undoneAt(c *commit) int {
	if c.turned != nil {
		return c.turned.at
	}
	return len(l.list)
}

// sayCut returns what is added where a clone may lack the commit; "" unless it is shallow.
func (l *Log) sayCut() string {
	for _, c := range l.list {
		if slices.ContainsFunc(c.Parents, func(p repo.Blob) bool { return l.byID[p.String()] == nil }) {
			return " in the part of the history that this clone has"
		}
	}
	return ""
}

// A Step is a commit to take back, or to bring back.
type Step struct {
	Commit repo.Revision
	IsRedo bool

	of    *commit
	log   *Log
	files map[string][2]repo.Blob // that people or commands write, before it and after it
	facts []facts.Fact            // that it brought
	after []facts.Fact            // what followed when it was turned last
}

// newStep returns the step that takes a commit back, or brings it back, or says why it cannot be.
func (l *Log) newStep(c *commit, redo bool) (*Step, error) {
	if err := c.checkPlace(); err != nil {
		return nil, err
	}
	last := c
	if c.isEdit() {
		last = c.last()
	}
	s := &Step{Commit: c.Revision, IsRedo: redo, of: c, log: l}
	var err error
	if s.files, s.facts, err = l.compare(c.parent, last); err != nil {
		return nil, err
	}
	if err = s.checkFacts(); err != nil {
		return nil, err
	}
	if c.turned != nil {
		_, s.after, err = l.compare(c.turned, c.turned.last())
	}
	return s, err
}

// checkPlace says why a commit cannot be turned because of what is before it.
func (c *commit) checkPlace() error {
	switch cause := c.cause(); {
	case len(c.Parents) > 1:
		return refusal(fmt.Sprintf("%.12s is a merge: undo the commits that it brought", c.Hash))
	case len(c.Parents) == 0:
		return refusal(fmt.Sprintf("%.12s is the first commit, which is not undone", c.Hash))
	case c.parent == nil:
		return refusal(fmt.Sprintf("this clone does not have what was before %.12s", c.Hash))
	case cause != c && cause.isEdit():
		return refusal(fmt.Sprintf("%.12s follows from %.12s: undo that", c.Hash, cause.Hash))
	}
	return nil
}

// checkFacts says why a commit cannot be turned because of what it brought.
func (s *Step) checkFacts() error {
	for _, f := range s.facts {
		switch {
		case f.Kind == facts.Base && f.From == "":
			return refusal(fmt.Sprintf("%.12s made the memory what this version reads, which is not undone", s.Commit.Hash))
		case len(f.Purged) > 0:
			return refusal(fmt.Sprintf("%.12s is a purge, which is not undone", s.Commit.Hash))
		case s.IsRedo && !s.log.facts.Has(f.ID):
			return refusal(fmt.Sprintf("git took out what %.12s brought, and 'git revert' brings it back", s.Commit.Hash))
		}
	}
	return nil
}

// compare returns the files that people or commands write and that differ between two commits, and the facts that the
// second has and the first has not.
func (l *Log) compare(was, is *commit) (files map[string][2]repo.Blob, list []facts.Fact, err error) {
	if files, err = l.root.CompareFiles(was.Revision, is.Revision); err != nil {
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

// isUndone reports whether the commit counts no longer.
func (s *Step) isUndone() bool {
	counts := func(f facts.Fact) bool { return s.log.facts.Counts(f.ID) }
	return !slices.ContainsFunc(s.facts, counts) && (len(s.facts) > 0 || s.of.turned.depth()%2 == 1)
}

// changesMore reports whether the commit did more than to follow others: what a person would call a change.
func (s *Step) changesMore() bool {
	isOwn := strings.HasPrefix(s.Commit.Subject(), "settle: ") || s.Commit.Subject() == "chore(memory): patterns" || s.of.depth() > 0
	return !isOwn && len(s.files)+len(s.facts) > 0
}
