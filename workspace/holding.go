package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mem/curate"
	"mem/fault"
	"mem/repo"
)

// ErrApart is wrapped when lessons that a command is to change together are in
// two memories.
var ErrApart = fault.New(fault.Usage, "name those of one at a time", "")

// NewHolding is New for the memory that has these lessons: the project's or, if that lacks one of them and none was named,
// the person's own. What neither has is left to the project's, whose queue may hold it. Without any it is New.
func NewHolding(world World, opts Options, ids []string) (*Workspace, error) {
	if len(ids) == 0 {
		return New(world, opts)
	}
	isNamed := cmp.Or(opts.Root, world.Getenv("MEM_ROOT")) != ""
	w, missing, err := openLacking(world, opts, ids)
	if err == nil && len(missing) == 0 || err != nil && (isNamed || !errors.Is(err, repo.ErrNoRoot)) {
		return w, err
	}
	opts.Root = world.Person().GlobalRoot().Root
	if world.Home() == "" || w != nil && IsSameFolder(opts.Root, w.At.Root) {
		return w, err
	}
	own, lacks, errOwn := openLacking(world, opts, ids)
	if errOwn != nil {
		return w, err
	}
	place := own.HomePath(own.At.Root)
	isBetter := len(lacks) == 0 || len(missing) == len(ids) && len(lacks) < len(ids)
	if w == nil || !isNamed && isBetter {
		own.Note("in your own memory, %s", place)
		return own, w.LeaveRoots()
	}
	for _, id := range missing {
		switch has := !slices.Contains(lacks, id); {
		case has && isNamed:
			err = fmt.Errorf("%w in %s as %q; your own, %s, has it", curate.ErrNoLesson, w.ShowPath(w.At.Root), id, place)
		case has:
			err = fmt.Errorf("the lessons are in two memories, the project's and your own, %s; %w", place, ErrApart)
		}
	}
	if err = errors.Join(err, own.LeaveRoots()); err != nil {
		return nil, errors.Join(err, w.LeaveRoots())
	}
	return w, nil
}

// openLacking opens a memory, and says which of the lessons it lacks.
func openLacking(world World, opts Options, ids []string) (w *Workspace, lacks []string, err error) {
	if w, err = New(world, opts); err != nil {
		return nil, nil, err
	}
	root, err := w.OpenRoot()
	if err != nil {
		return nil, nil, err
	}
	m, err := root.View(w.Now)
	if err != nil {
		return nil, nil, errors.Join(err, w.LeaveRoots())
	}
	for _, id := range ids {
		if _, err := curate.FindLessons(m.Index, []string{id}); err != nil {
			lacks = append(lacks, id)
		}
	}
	return w, lacks, nil
}
