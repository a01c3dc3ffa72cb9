package undo

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mem/curate/lesson"
	"mem/lazy"
	"mem/repo"
)

// findNamed returns the commits that an argument of FindStep names: one, if that is an id, else those of them that
// turned no other.
func (l *Log) findNamed(said string) (named []repo.Revision, isID bool, err error) {
	arg, err := l.resolve(said)
	if err != nil {
		return nil, false, err
	}
	isID = arg != "" && !l.isName(arg)
	named = slices.DeleteFunc(slices.Clone(l.list), func(c repo.Revision) bool { return !l.isAbout(c, arg) })
	switch {
	case len(named) == 0:
		return nil, isID, fmt.Errorf("%q: %w%s", said, ErrUnknown, l.sayCut())
	case isID && len(named) > 1:
		return nil, isID, fmt.Errorf("%q: %w", said, ErrAmbiguous)
	case !isID:
		named = slices.DeleteFunc(named, func(c repo.Revision) bool { return l.depth(c.Hash.String()) > 0 })
	}
	return named, isID, nil
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
	at, err := l.findBase(said[1], said[2] != "")
	for _, step := range steps.Get().FindAllString(said[2], -1) {
		at = l.stepBack(at, step)
	}
	if err != nil || at < 0 {
		return "", err
	}
	return l.list[at].Hash.String(), nil
}

// findBase returns the place of the commit that git calls so or, where steps follow the name, that is called so
// here; -1 for none.
func (l *Log) findBase(base string, isStepped bool) (at int, err error) {
	if base == "@" {
		base = "HEAD"
	}
	h, err := l.root.FindRef(base)
	switch {
	case base == "HEAD" && len(l.list) > 0: // which may be another commit, of what waits
		return 0, err
	case h.IsZero() && isStepped:
		return slices.IndexFunc(l.list, func(c repo.Revision) bool { return l.isAbout(c, base) }), err
	case h.IsZero():
		return -1, err
	}
	return l.placeOf(h.String()), err
}

// stepBack returns the place of the commit that is before one, as "~", "~3", "^" or "^2" say; -1 for none.
func (l *Log) stepBack(at int, step string) int {
	n, parent := 1, 1
	if len(step) > 1 {
		n, _ = strconv.Atoi(step[1:])
	}
	if step[0] == '^' {
		n, parent = min(n, 1), n
	}
	for ; at >= 0 && n > 0; n-- {
		parents := l.list[at].Parents
		if at = -1; parent <= len(parents) {
			at = l.placeOf(parents[parent-1].String())
		}
	}
	return at
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
