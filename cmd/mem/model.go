package main

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"mem/config"
	"mem/fault"
	"mem/oracle"
	"mem/oracle/heuristic"
	"mem/reflect"
	"mem/workspace"
	"mem/workspace/inspect"
)

func newModel(env Env, g *globals) *cobra.Command {
	c := newCommand("model", func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return fault.Usagef("mem model takes no argument, and got %q; to choose one: mem model set NAME [MODEL] --global", args[0])
	}, g.inWork(env, runModel))
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
		Rules: heuristic.Oracle{}, HTTP: oracle.Client{Sleep: w.env.Sleep, Limit: w.env.Patience},
	}
}

// newReflector makes a reflector as configured.
func (w *work) newReflector() (r reflect.Reflector, err error) {
	r = reflect.Reflector{
		Global: w.Config.Mode == config.ModeGlobal, MaxLessons: w.Config.MaxLessons,
		Warn: func(s string) { w.Note("%s", s) },
	}
	r.LookAround = w.LookAround
	r.FindNeedless = func(g *reflect.Reading) []string {
		return inspect.FindNeedless(w.Workspace, g.Session, g.Path, g.At)
	}
	if !w.DryRun {
		r.KeepAnswer = w.KeepAnswer
	}
	r.Oracles, err = w.oracleSetup().ChooseOracles(w.Oracle)
	return r, err
}

func runModel(_ context.Context, w *work, _ []string) error {
	if _, err := w.OpenRootIfAny(); err != nil && !errors.Is(err, workspace.ErrUntrusted) { // the budget is counted in it
		return err
	}
	res := modelsResult{w.oracleSetup().ListCandidates(), oracle.ListPrograms(), w.Budget.SpentToday()}
	return w.printText(res, func(out io.Writer) { inspect.WriteModels(out, res.Models, res.Programs, res.Spent) })
}

func newModelSet(env Env, g *globals) *cobra.Command {
	var choice config.Choice
	global := false
	c := newCommand("model set", func(_ *cobra.Command, args []string) error {
		if len(args) < 1 || len(args) > 2 {
			return fault.Usagef("mem model set takes a name and perhaps a model, and got %d arguments", len(args))
		}
		return nil
	}, func(_ *cobra.Command, args []string) error {
		choice.Name, choice.Model = args[0], firstOf(args[1:])
		return runModelSet(env, g, choice, global)
	})
	c.ValidArgsFunction = completeFirst(append(oracle.ListNames(), config.NoModel, config.NoChoice), cobra.ShellCompDirectiveNoFileComp)
	c.Flags().BoolVar(&global, "global", false, "for all projects, in your own configuration")
	c.Flags().StringVar(&choice.BaseURL, "base-url", "", "where the server is, an `ADDRESS` such as http://localhost:11434/v1")
	c.Flags().BoolVarP(&g.DryRun, "dry-run", "n", false, "print the file as it would be and write nothing")
	return c
}

// checkChoice says what is wrong with the command line.
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

func runModelSet(env Env, g *globals, choice config.Choice, global bool) error {
	w, err := g.newWork(env, workspace.Options{})
	if err != nil {
		return err
	}
	if err := checkChoice(choice, global); err != nil {
		return err
	}
	path, err := w.chooseModel(choice)
	switch {
	case err != nil || w.DryRun:
		return err
	case choice.Name == config.NoChoice:
		env.Printf("nothing is chosen in %s\n", path)
		return nil
	case choice.Name == config.NoModel:
		env.Printf("no model is asked, from %s\n", path)
		return nil
	}
	env.Printf("%s is asked first, from %s\n", choice.Name, path)
	if why := w.oracleSetup().FindMissing(choice.Name); why != "" {
		env.Note("%s cannot be asked yet: %s", choice.Name, why)
	}
	return nil
}
