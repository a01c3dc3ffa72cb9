package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/agent/install"
	"mem/config"
	"mem/fault"
	"mem/oracle"
	"mem/reflect"
	"mem/repo"
	"mem/workspace"
	"mem/workspace/inspect"
)

func newConfig(env Env, g *globals) *cobra.Command {
	c := g.addJSONFlag(newCommand("config", atMost(1), g.inWork(env, runConfig)))
	c.ValidArgsFunction = completeKeys
	c.AddCommand(newConfigEdit(env, g, "config set", "KEY VALUE", 2), newConfigEdit(env, g, "config unset", "KEY", 1))
	return c
}

// completeKeys offers the keys for the first argument.
func completeKeys(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if l, err := config.Load(nil, nil, nil); err == nil && len(args) == 0 {
		for _, v := range l.Values() {
			names = append(names, v.Key)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// runConfig lists all keys, those of a group, or explains one.
func runConfig(_ context.Context, w *work, args []string) error {
	values, width := w.Config.Values(), 0
	if len(args) > 0 {
		group := slices.DeleteFunc(slices.Clone(values), func(v config.Value) bool { return !strings.HasPrefix(v.Key, args[0]+".") })
		if values = group; len(group) == 0 {
			return w.explainKey(args[0])
		}
	}
	for _, v := range values {
		width = max(width, len(v.Key)+len(v.Value)+3)
	}
	return w.printResult(values, func() {
		for _, v := range values {
			w.env.Printf("%-*s  # %s\n", width, v.Key+" = "+v.Value, v.Origin)
		}
	}, "value")
}

func (w *work) explainKey(name string) error {
	v, err := w.Config.Explain(name)
	if err != nil {
		return err
	}
	place := "writes it to the memory's mem.toml; with --global to your own " + w.HomePath(w.UserConfig())
	if v.Own {
		place = "--global writes it to your own " + w.HomePath(w.UserConfig()) + "; a memory's file cannot"
	}
	return w.printResult(v, func() {
		w.env.Printf("%s = %s\n  meaning: %s\n  takes: %s\n  default: %s\n  set by: %s\n", v.Key, v.Value, v.Means, v.Takes, v.Default, v.Origin)
		w.env.Printf("  to set it: mem config set %s VALUE %s\n  variable: %s\n", v.Key, place, v.Variable)
	}, "value", "default")
}

// newConfigEdit returns the command that sets a key, or deletes its line.
func newConfigEdit(env Env, g *globals, name, takes string, n int) *cobra.Command {
	global := false
	c := newCommand(name, needs(takes, n, n), g.inWork(env, func(ctx context.Context, w *work, args []string) error {
		return w.editConfig(ctx, global, args[0], args[1:])
	}))
	c.PreRunE = func(*cobra.Command, []string) error { return env.RequirePerson(g.DryRun) } // an agent does not vouch for a memory
	c.ValidArgsFunction = completeKeys
	c.Flags().BoolVar(&global, "global", false, "in your own configuration, for all projects")
	c.Flags().BoolVarP(&g.DryRun, "dry-run", "n", false, "print what the file would be and write nothing")
	return c
}

// editConfig sets a key to a value or, without one, takes its line out.
func (w *work) editConfig(ctx context.Context, global bool, name string, value []string) error {
	v, err := w.Config.Explain(name)
	switch {
	case err != nil:
		return err
	case v.Own && !global:
		return fault.New(fault.Usage, name+" is set in your own configuration, not in a memory, which may come from another person", "add --global")
	}
	said := map[bool]string{true: "is set", false: "is not set"}[len(value) > 0]
	edit := func(_ string, data []byte) ([]byte, error) {
		if len(value) == 0 {
			return config.Unset(data, name)
		}
		return config.Edit(data, name, value[0])
	}
	if _, err := edit("", nil); err != nil {
		return fault.Usagef("%s", strings.TrimPrefix(err.Error(), config.ErrInvalid.Error()+": "))
	}
	path := w.ShowPath(filepath.Join(w.At.Root, repo.ConfigPath))
	if global {
		path = w.HomePath(w.UserConfig())
		_, err = w.editOwnConfig(edit)
	} else {
		err = w.editRootConfig(ctx, edit)
	}
	if err != nil || w.DryRun {
		return err
	}
	w.env.Printf("%s %s in %s\n", name, said, path)
	if place, _, _ := strings.Cut(v.Origin, " "); place == "environment" || place == "root" && global {
		w.env.Note("%s goes before it, and says %s", v.Origin, v.Value)
	}
	return nil
}

// editRootConfig changes the memory's own file, in a commit.
func (w *work) editRootConfig(ctx context.Context, edit func(string, []byte) ([]byte, error)) error {
	if _, err := w.OpenRoot(); err != nil {
		return err
	}
	changed, err := w.Change(ctx, w.DryRun, func(m *repo.Memory) (msg repo.Message, err error) {
		old, _ := m.ReadFile(repo.ConfigPath) // it was read before
		data, err := edit("", old)
		if err == nil && string(data) != string(old) {
			msg.Subject, err = "chore(memory): settings of this memory", m.WriteFile(repo.ConfigPath, data)
		}
		return msg, err
	})
	return w.printChange(nil, changed, err, func() {})
}

// editOwnConfig changes the person's own file, unless this is a dry run, and returns the resulting configuration.
func (w *work) editOwnConfig(edit func(path string, data []byte) ([]byte, error)) (*config.Loaded, error) {
	path := w.UserConfig()
	if path == "" {
		return nil, fmt.Errorf("there is no home folder for your configuration: %w", config.ErrInvalid)
	}
	e := install.Edit{Path: path, Mode: 0o600, Change: func(before []byte) ([]byte, error) { return edit(path, before) }}
	if err := e.Plan(); err != nil {
		return nil, err
	}
	now, err := config.Load(&config.Source{Name: path, Data: e.After}, nil, w.Environ)
	switch {
	case err != nil:
	case w.DryRun:
		w.env.Printf("%s", e.After)
	case e.IsChange():
		err = e.Write(w.env.Files)
	}
	return now, err
}

func newModel(env Env, g *globals) *cobra.Command {
	c := newCommand("model", noCommand, g.inWork(env, runModel))
	c.AddCommand(newModelSet(env, g))
	return g.addJSONFlag(c)
}

// modelsResult is the JSON of mem model.
type modelsResult struct {
	Models   []oracle.Candidate `json:"models"`
	Programs []oracle.Program   `json:"programs"` // on the PATH
	Spent    oracle.Spent       `json:"spentToday"`
}

// oracleSetup is what the oracles of the configuration are made of.
func (w *work) oracleSetup() oracle.Setup {
	return oracle.Setup{
		Config: w.Config.Oracle, Environ: w.env.Environ, Getenv: w.Getenv, Budget: w.Budget,
		HTTP: oracle.Client{Sleep: w.env.Sleep, Limit: w.env.Patience},
	}
}

func (w *work) newReflector() (r reflect.Reflector, err error) {
	r = reflect.Reflector{
		Global: w.Config.Mode == config.ModeGlobal, MaxLessons: w.Config.MaxLessons,
		Warn: func(s string) { w.Note("%s", s) },
	}
	r.LookAround = w.LookAround
	r.FindNeedless = func(g *reflect.Reading) []string {
		return inspect.FindNeedless(w.Workspace, g.Session, g.Path, g.At)
	}
	r.Oracles, err = w.oracleSetup().ChooseOracles(w.Oracle)
	return r, err
}

func runModel(_ context.Context, w *work, _ []string) error {
	if _, err := w.OpenRootIfAny(); err != nil && !errors.Is(err, workspace.ErrUntrusted) { // the budget is counted in it
		return err
	}
	res := modelsResult{w.oracleSetup().ListCandidates(), oracle.ListPrograms(), w.Budget.SpentToday()}
	return w.printText(res, nil, func(out io.Writer) { inspect.WriteModels(out, res.Models, res.Programs, res.Spent) })
}

func newModelSet(env Env, g *globals) *cobra.Command {
	var choice config.Choice
	global := false
	c := newCommand("model set", needs("a name and perhaps a model", 1, 2), g.inWork(env, func(_ context.Context, w *work, args []string) error {
		choice.Name, choice.Model = args[0], firstOf(args[1:])
		return w.runModelSet(choice, global)
	}))
	c.ValidArgs = append(oracle.ListNames(), config.NoModel, config.NoChoice)
	c.Flags().BoolVar(&global, "global", false, "for all projects, in your own configuration")
	c.Flags().StringVar(&choice.BaseURL, "base-url", "", "where the server is, an `ADDRESS` such as http://localhost:11434/v1")
	c.Flags().BoolVarP(&g.DryRun, "dry-run", "n", false, "print the file as it would be and write nothing")
	return c
}

func checkChoice(o config.Choice, global bool) error {
	switch {
	case !global:
		return fault.New(fault.Usage, "who reads your sessions is chosen in your own configuration, not in a memory, which may come from another person",
			"add --global, for all projects; 'mem config' names the file")
	case slices.Contains([]string{config.NoChoice, config.NoModel}, o.Name) && o.Model+o.BaseURL == "":
		return nil
	case !slices.Contains(oracle.ListNames(), o.Name):
		return fault.Usagef("no oracle is called %q; there are command, anthropic, openai and heuristic", o.Name)
	case o.Name == "heuristic" && o.Model != "":
		return fault.Usagef("heuristic has no models, and got %q", o.Model)
	case o.BaseURL != "" && !slices.Contains([]string{"anthropic", "openai"}, o.Name):
		return fault.Usagef("--base-url goes with anthropic and openai")
	}
	return nil
}

func (w *work) runModelSet(choice config.Choice, global bool) error {
	if err := checkChoice(choice, global); err != nil {
		return err
	}
	path, err := w.chooseModel(choice)
	switch {
	case err != nil || w.DryRun:
		return err
	case choice.Name == config.NoChoice:
		w.env.Printf("nothing is chosen in %s\n", path)
		return nil
	case choice.Name == config.NoModel:
		w.env.Printf("no model is asked, from %s\n", path)
		return nil
	}
	w.env.Printf("%s is asked first, from %s\n", choice.Name, path)
	if why := w.oracleSetup().FindMissing(choice.Name); why != "" {
		w.Note("%s cannot be asked yet: %s", choice.Name, why)
	}
	return nil
}
