package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/agent/install"
	"mem/cmd/mem/console"
	"mem/guard"
	"mem/project"
	"mem/workspace"
)

type installOptions struct {
	Agent  string
	Remove bool
	Global bool
}

// newHookSettings returns a command that changes an agent's settings.
func newHookSettings(env Env, g *globals, name string, opts installOptions) *cobra.Command {
	agents := install.AgentNames()
	c := newCommand(name, func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%s takes one of %s", c.CommandPath(), strings.Join(agents, ", "))
		}
		if !slices.Contains(agents, args[0]) {
			return usagef("no agent is called %q; there are %s", args[0], strings.Join(agents, ", "))
		}
		return nil
	}, func(c *cobra.Command, args []string) error {
		opts.Agent = args[0]
		if err := runHookSettings(c.Context(), env, g, opts); err != nil || opts.Remove {
			return err
		}
		return withWork(env, g, func(w *work) error { return w.offerModel(c.Context(), nil, opts.Agent) })
	})
	c.ValidArgs = agents
	c.Flags().BoolVar(&opts.Global, "global", false, "in your own settings, for all projects")
	c.Flags().BoolVarP(&g.DryRun, "dry-run", "n", false, "print what would change and change nothing")
	g.addYesFlag(c, "do not ask")
	return c
}

func runHookSettings(ctx context.Context, env Env, g *globals, opts installOptions) error {
	at, err := workspace.LocateRoot(makeWorld(env), g.Root)
	if err != nil && !opts.Global {
		return err
	}
	place := install.Place{Global: opts.Global, Project: at.Project, Dir: env.Dir, Home: env.Home(), Getenv: env.Getenv}
	if code, ok := project.Find(at.Project); ok {
		place.Exclude = filepath.Join(code.GitDir, "info", "exclude")
	}
	if code, _ := project.Find(env.Dir); code.Tree != code.Top && !opts.Global && !opts.Remove {
		env.Note("agents in the linked work tree %s read settings of its own; these are of %s, and --global is for both", code.Tree, place.Project)
	}
	changes, err := planHookSettings(env, opts, place)
	if file, setting := install.FindOff(opts.Agent, place); err == nil && setting != "" && !opts.Remove {
		env.Note("the hooks of %s are switched off: %s says %s", opts.Agent, file, guard.Line(setting))
	}
	switch {
	case err != nil:
		return err
	case len(changes) == 0:
		said := map[bool]string{true: "nothing of mem is in the settings of %s\n", false: "everything is in the settings of %s already\n"}[opts.Remove]
		env.Printf(said, opts.Agent)
		return nil
	case g.DryRun:
		env.Printf("%s", diffEdits(changes))
		return nil
	}
	if err := confirmEdits(ctx, env, g.Yes, changes); err != nil {
		return err
	}
	for _, e := range changes {
		if err := e.Write(env.Files); err != nil {
			return err
		}
	}
	if opts.Remove {
		env.Printf("uninstalled from %s\n", install.NamePaths(changes))
		return nil
	}
	env.Printf("installed in %s\n", install.NamePaths(changes))
	if hint := install.TrustHint(opts.Agent, place, changes); hint != "" {
		env.Hint("%s", hint)
	}
	noteMissing(env, opts, place, at.Exists)
	return nil
}

// planHookSettings returns the edits that change something.
func planHookSettings(env Env, opts installOptions, place install.Place) (changes []install.Edit, err error) {
	edits, err := install.PlanAgent(opts.Agent, place, opts.Remove)
	for _, e := range edits {
		if e.Left != nil {
			env.Note("notify is left alone, the hooks do without it: %s", workspace.DescribeError(e.Left))
		}
		if e.IsChange() {
			changes = append(changes, e)
		}
	}
	return changes, err
}

// confirmEdits shows the changes, and asks whether they may be made unless --yes
// says so.
func confirmEdits(ctx context.Context, env Env, yes bool, changes []install.Edit) error {
	if yes {
		env.Printf("%s", diffEdits(changes))
		return nil
	}
	if env.Interactive() {
		console.PrintClean(env.Err, "%s", diffEdits(changes)) // the question, not the result
	}
	return env.Confirm(ctx, "Change "+install.NamePaths(changes)+"?", "changing "+install.NamePaths(changes))
}

// diffEdits shows what changes. Settings may hold secrets, and a project may come
// from another person.
func diffEdits(edits []install.Edit) string {
	var b strings.Builder
	for _, e := range edits {
		b.WriteString(guard.Scrub(string(e.Diff())))
	}
	return b.String()
}

// noteMissing tells what else is needed before hooks do anything.
func noteMissing(env Env, opts installOptions, place install.Place, memory bool) {
	if _, err := exec.LookPath("mem"); err != nil {
		env.Note("the hooks run 'mem', which is not on the PATH")
	}
	if opts.Global {
		return
	}
	if place.Global = true; install.IsInstalled(opts.Agent, place) {
		env.Note("they are in your own settings as well, for all projects; once is enough")
	}
	if !memory {
		env.Hint("there is no memory here yet: run 'mem init'")
	}
}
