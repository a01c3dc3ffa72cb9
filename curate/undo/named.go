package undo

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"mem/curate/lesson"
	"mem/repo"
	"mem/repo/gitstore"
)

// findNamed returns the commits that an argument of FindStep names: one, if that is an id, else those of them that
// turned no other.
func (l *Log) findNamed(ctx context.Context, said string) (named []repo.Revision, isID bool, err error) {
	arg, err := l.resolve(ctx, said)
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
func (l *Log) resolve(ctx context.Context, arg string) (string, error) {
	if !isMarked(arg) { // what git calls a commit counts more than what a session was called
		cmd := gitstore.Command(ctx, l.root.Path(), os.Environ(), "rev-parse", "-q", "--verify", arg+"^{commit}")
		if id, _ := gitstore.Run(cmd, "", "rev-parse"); arg != "" && !strings.HasPrefix(id, strings.ToLower(arg)) {
			return cmp.Or(strings.TrimSpace(id), arg), nil
		}
		return arg, nil
	}
	id, several := lesson.MatchID(slices.Collect(maps.Keys(l.named)), arg)
	if several {
		return "", fmt.Errorf("%q: %w", arg, ErrAmbiguous)
	}
	return cmp.Or(id, arg), nil
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
