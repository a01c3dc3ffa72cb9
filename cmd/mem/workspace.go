package main

import (
	"errors"

	"mem/guard"
	"mem/repo"
	"mem/workspace"
)

// work is what a command works on, the streams that it answers on, and how.
type work struct {
	*workspace.Workspace
	answerFlags
	env Env
}

// newWork finds the memory for this command and reads the configuration. opts is
// without what the flags of every command say.
func (g *globals) newWork(env Env, opts workspace.Options) (_ *work, err error) {
	opts.Root = g.Root
	if opts.Now, err = g.runTime(env); err != nil {
		return nil, err
	}
	ws, err := workspace.New(env.makeWorld(), opts)
	if err != nil {
		return nil, err
	}
	return &work{ws, g.answerFlags, env}, nil
}

// withWork finds the workspace for a command, and leaves it afterwards.
func withWork(env Env, g *globals, f func(*work) error) error {
	return withOptions(env, g, workspace.Options{}, f)
}

// withOptions is withWork for a command that says more about its workspace.
func withOptions(env Env, g *globals, opts workspace.Options, f func(*work) error) (err error) {
	w, err := g.newWork(env, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	return f(w)
}

// withRoot is withWork for a command that needs a memory.
func withRoot(env Env, g *globals, f func(*work, *repo.Root) error) error {
	return withWork(env, g, func(w *work) error {
		root, err := w.OpenRoot()
		if err != nil {
			return err
		}
		return f(w, root)
	})
}

// withMemory is withRoot for a command that only reads.
func withMemory(env Env, g *globals, f func(*work, *repo.Memory) error) error {
	return withRoot(env, g, func(w *work, root *repo.Root) error {
		m, err := root.View(w.Now)
		if err != nil {
			return err
		}
		return f(w, m)
	})
}

// makeWorld is what a workspace needs of this Env.
func (e Env) makeWorld() workspace.World {
	e.World.Version, e.World.Note = version(), e.Note
	return e.World
}

// printPlanned writes the subject and the diff of a planned change.
func (w *work) printPlanned(c workspace.Changed) error {
	if c.Status == workspace.Nothing {
		w.env.Printf("nothing would change\n")
		return nil
	}
	files, err := c.Diff()
	if err != nil {
		return err
	}
	w.env.Note("would be committed: %s", guard.Scrub(c.Subject))
	for _, f := range files {
		w.env.Printf("%s", guard.Scrub(string(f.Diff)))
	}
	return nil
}
