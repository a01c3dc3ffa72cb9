package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mem/curate/lesson"
	"mem/repo"
)

// ErrApart is wrapped when lessons that a command is to change together are in
// two memories.
var ErrApart = errors.New("name those of one at a time")

// A part is a memory with those of the lessons that it is to change.
type part struct {
	*Workspace
	ids     []string
	missing []string // of all lessons
	isOwn   bool
}

// A holderChange is what a command does with a memory and those of the lessons that it has.
type holderChange func(w *Workspace, ids []string, isTrial bool) error

// EachHolder calls f with the memory that has these lessons. If only the project's and the
// person's own have them together, it is called for each of the two with what it has, as a
// trial first, so that nothing is changed if one of them refuses; unless mayPart is
// false, for which the error wraps ErrApart. When a memory is named, no other is changed.
func EachHolder(world World, opts Options, ids []string, mayPart bool, f holderChange) (err error) {
	here, own, err := findParts(world, opts, ids)
	for _, p := range []*part{here, own} {
		if p != nil {
			defer func() { err = errors.Join(err, p.LeaveRoots()) }()
		}
	}
	if err != nil {
		return err
	}
	if here != nil && own != nil {
		if !mayPart {
			return fmt.Errorf("the lessons are in two memories, the project's and your own, %s; %w", own.HomePath(own.At.Root), ErrApart)
		}
		if err := errors.Join(here.apply(f, true), own.apply(f, true)); err != nil {
			return err
		}
	}
	if err := here.apply(f, false); err != nil {
		return err
	}
	return own.apply(f, false)
}

// apply calls f with a memory, if there is one.
func (p *part) apply(f holderChange, isTrial bool) error {
	if p == nil {
		return nil
	}
	if p.isOwn && !isTrial {
		p.Note("in your own memory, %s", p.HomePath(p.At.Root))
	}
	return f(p.Workspace, p.ids, isTrial)
}

// findParts returns the parts that are to change; nil for none.
func findParts(world World, opts Options, ids []string) (here, own *part, err error) {
	isNamed := cmp.Or(opts.Root, world.Getenv("MEM_ROOT")) != ""
	here, err = openPart(world, opts, ids)
	switch {
	case err == nil && len(here.missing) == 0:
		return here, nil, nil
	case err != nil && (isNamed || !errors.Is(err, repo.ErrNoRoot)):
		return nil, nil, err
	}
	if own = openOwn(world, opts, ids, here); own == nil {
		return here, nil, err
	}
	if here == nil {
		return nil, own, nil
	}
	return chooseParts(here, own, isNamed)
}

// chooseParts returns which of two memories is to change, or both. Lessons that neither has
// are left to the project's, whose queue may hold them.
func chooseParts(here, own *part, isNamed bool) (*part, *part, error) {
	inOwn := slices.DeleteFunc(slices.Clone(here.missing), func(id string) bool { return slices.Contains(own.missing, id) })
	switch {
	case len(inOwn) == 0:
	case isNamed:
		err := fmt.Errorf("%w in %s as %q; your own, %s, has it", lesson.ErrUnknown, here.ShowPath(here.At.Root), inOwn[0], own.HomePath(own.At.Root))
		return here, nil, errors.Join(err, own.LeaveRoots())
	case len(own.missing) == 0 || len(here.missing) == len(here.ids):
		return nil, own, here.LeaveRoots()
	case len(inOwn) == len(here.missing):
		own.ids = inOwn
		here.ids = slices.DeleteFunc(slices.Clone(here.ids), func(id string) bool { return slices.Contains(inOwn, id) })
		return here, own, nil
	}
	return here, nil, own.LeaveRoots()
}

// openOwn is openPart for the person's own memory, with its own configuration. It returns
// nil if that cannot be opened, or is here.
func openOwn(world World, opts Options, ids []string, here *part) *part {
	opts.Root = world.Person().GlobalRoot().Root
	if world.Home() == "" || here != nil && IsSameFolder(opts.Root, here.At.Root) {
		return nil
	}
	own, err := openPart(world, opts, ids)
	if err != nil {
		return nil
	}
	own.isOwn = true
	return own
}

// openPart opens a memory, and finds out which of the lessons it does not have.
func openPart(world World, opts Options, ids []string) (*part, error) {
	w, err := New(world, opts)
	if err != nil {
		return nil, err
	}
	root, err := w.OpenRoot()
	if err != nil {
		return nil, err
	}
	m, err := root.View(w.Now)
	if err != nil {
		return nil, errors.Join(err, w.LeaveRoots())
	}
	p := &part{Workspace: w, ids: ids}
	for _, id := range ids {
		if _, err := lesson.FindLessons(m.Index, []string{id}); err != nil {
			p.missing = append(p.missing, id)
		}
	}
	return p, nil
}
