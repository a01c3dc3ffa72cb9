package main

import (
	"mem/repo"
	"mem/workspace"
)

// work is what a command works on, and the streams that it answers on.
type work struct {
	*workspace.Workspace
	env Env
}

// newWork finds the memory for this command and reads the configuration. flags
// are configuration keys that the command line sets.
func (g *globals) newWork(env Env, flags map[string]string) (*work, error) {
	now, err := g.time(env)
	if err != nil {
		return nil, err
	}
	ws, err := workspace.New(env.world(), workspace.Options{Root: g.Root, Now: now, Config: flags})
	if err != nil {
		return nil, err
	}
	return &work{ws, env}, nil
}

// newHolding is newWork for a command that changes these lessons.
func (g *globals) newHolding(env Env, ids []string) (*work, error) {
	now, err := g.time(env)
	if err != nil {
		return nil, err
	}
	ws, err := workspace.NewHolding(env.world(), workspace.Options{Root: g.Root, Now: now}, ids)
	if err != nil {
		return nil, err
	}
	return &work{ws, env}, nil
}

// open finds the memory for this command, and opens it: it must exist. The
// command ends with LeaveRoots.
func (g *globals) open(env Env) (*work, *repo.Root, error) {
	w, err := g.newWork(env, nil)
	if err != nil {
		return nil, nil, err
	}
	root, err := w.OpenRoot()
	return w, root, err
}

// world is what a workspace needs of this Env.
func (e Env) world() workspace.World {
	return workspace.World{Environ: e.Environ, Dir: e.Dir, Clock: e.Now, Version: version(), Note: e.Note, Detach: e.Detach}
}

// short is a commit id for people.
func short(id string) string { return id[:min(12, len(id))] }
