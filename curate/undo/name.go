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
