package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/config"
	"mem/fault"
	"mem/render"
	"mem/repo"
)

func newConfig(env Env, g *globals) *cobra.Command {
	c := g.addJSONFlag(newCommand("config", atMost(1), g.inWork(env, runConfig)))
	c.ValidArgsFunction = completeKeys
	c.AddCommand(newConfigEdit(env, g, "config set", "KEY VALUE"), newConfigEdit(env, g, "config unset", "KEY"))
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

// newConfigEdit returns the command that sets a key, or takes its line out.
func newConfigEdit(env Env, g *globals, name, takes string) *cobra.Command {
	global := false
	c := newCommand(name, func(c *cobra.Command, args []string) error {
		if n := len(strings.Fields(takes)); len(args) != n {
			return fault.Usagef("%s takes %s, and got %s", c.CommandPath(), takes, render.Count(len(args), "argument", "arguments"))
		}
		return env.RequirePerson(g.DryRun) // an agent does not vouch for a memory
	}, g.inWork(env, func(ctx context.Context, w *work, args []string) error {
		return w.editConfig(ctx, global, args[0], args[1:])
	}))
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
	if err == nil {
		err = w.printChange(nil, changed, func() {})
	}
	return err
}

// editOwnConfig changes the person's own file, unless this is a trial, and returns what it says then.
func (w *work) editOwnConfig(edit func(path string, data []byte) ([]byte, error)) (*config.Loaded, error) {
	path := w.UserConfig()
	if path == "" {
		return nil, fmt.Errorf("there is no home folder for your configuration: %w", config.ErrInvalid)
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	data, err := edit(path, old)
	if err != nil {
		return nil, err
	}
	now, err := config.Load(&config.Source{Name: path, Data: data}, nil, w.Environ)
	switch {
	case err != nil:
		return nil, err
	case w.DryRun:
		w.env.Printf("%s", data)
	case string(data) != string(old):
		if err := w.env.Files.WriteFile(path, data, 0o600); err != nil {
			return nil, fmt.Errorf("write configuration: %w", err)
		}
	}
	return now, nil
}
